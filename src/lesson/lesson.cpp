#include "lesson/lesson.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/units.h"
#include "lesson/slices.h"

namespace gridstride {

namespace {

/// What the plan needs of the device beyond single parameters: memory, and workgroup memory of each launch.
void examine_plan(const Plan& plan, const Limits& limits, std::vector<Remark>& remarks) {
    std::uint64_t bytes = 0;
    for (const BufferSpec& buffer : plan.buffers)
        bytes += buffer.elements * byte_size(buffer.type);
    // Uploads and downloads pass through staging memory, which a software driver takes from the same heap.
    constexpr std::uint64_t kept_for_staging = std::uint64_t{256} << 20;
    const std::uint64_t usable = limits.memory_bytes - std::min(limits.memory_bytes, kept_for_staging);
    if (bytes > usable)
        remarks.push_back(
            {Severity::refusal, std::string(key::elements.id),
             fmt::format(
                 "This needs {} of device memory; {} can be used on this device. Give fewer elements.",
                 format_bytes(static_cast<double>(bytes)).text(),
                 format_bytes(static_cast<double>(usable)).text())});
    for (const Step& step : plan.steps) {
        const auto* dispatch = std::get_if<Dispatch>(&step);
        if (!dispatch) continue;
        if (dispatch->shared_bytes > limits.max_shared_bytes)
            remarks.push_back(
                {Severity::refusal, std::string(key::workgroup_size.id),
                 fmt::format("\"{}\" needs {} of workgroup memory; this device has {} "
                             "(maxComputeSharedMemorySize). Give a smaller workgroup.",
                             dispatch->label,
                             format_bytes(static_cast<double>(dispatch->shared_bytes)).text(),
                             format_bytes(static_cast<double>(limits.max_shared_bytes)).text())});
        if (const Slicing cut = slice(*dispatch, plan.buffers, limits); !cut.refusal.empty())
            remarks.push_back({Severity::refusal, std::string(key::workgroup_count.id), cut.refusal});
        // An invocation steps over the elements by the whole grid, in 32 bits.
        const std::uint64_t stride = dispatch->workgroup_count * dispatch->elements_per_workgroup;
        if (stride > (std::uint64_t{1} << 31))
            remarks.push_back(
                {Severity::refusal, std::string(key::workgroup_count.id),
                 fmt::format("{} workgroups that take {} elements each are {} elements a pass; kernels count "
                             "them in 32 bits and allow 2 147 483 648. Give fewer or smaller workgroups.",
                             format_count(dispatch->workgroup_count),
                             format_count(dispatch->elements_per_workgroup), format_count(stride))});
    }
}

bool any_refusal(const std::vector<Remark>& remarks) {
    return std::any_of(remarks.begin(), remarks.end(),
                       [](const Remark& remark) { return remark.severity == Severity::refusal; });
}

}  // namespace

const Variant* find_variant(const Lesson& lesson, std::string_view id) {
    const auto found = std::find_if(lesson.variants.begin(), lesson.variants.end(),
                                    [&](const Variant& variant) { return variant.id == id; });
    return found == lesson.variants.end() ? nullptr : &*found;
}

std::vector<Remark> examine(const Lesson& lesson, const Values& values, std::string_view variant,
                            const Limits& limits) {
    std::vector<Remark> remarks;
    for (const Parameter& parameter : lesson.parameters)
        if (auto reason = refusal(parameter, values.at(parameter.id), limits))
            remarks.push_back({Severity::refusal, parameter.id, *reason});
    // A plan can only be made of values that are in range one by one.
    if (any_refusal(remarks)) return remarks;

    const Plan plan = lesson.plan(values, variant, limits);
    for (Remark& remark : common_remarks(values, plan.workgroup_count, limits))
        remarks.push_back(std::move(remark));
    examine_plan(plan, limits, remarks);
    for (Remark& remark : lesson.remarks(values, variant, limits))
        remarks.push_back(std::move(remark));
    return remarks;
}

void require_valid(const Lesson& lesson, const Values& values, std::string_view variant,
                   const Limits& limits) {
    std::vector<std::string> reasons;
    for (const Remark& remark : examine(lesson, values, variant, limits))
        if (remark.severity == Severity::refusal) reasons.push_back(remark.text);
    if (!reasons.empty()) throw Refusal(std::move(reasons));
}

}  // namespace gridstride
