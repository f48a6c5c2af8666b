#include "launch/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace gridstride {

const Dispatch& Plan::main() const {
    for (const Step& step : steps)
        if (const auto* dispatch = std::get_if<Dispatch>(&step)) return *dispatch;
    throw std::logic_error("a plan has at least one dispatch");
}

namespace {

/// The buffers that a step refers to, and the step's description for messages.
struct StepBuffers {
    std::string step;
    std::vector<std::size_t> buffers;
};

StepBuffers buffers_of_step(const Step& step) {
    if (const auto* upload = std::get_if<Upload>(&step))
        return {fmt::format("the upload of \"{}\"", upload->input), {upload->buffer}};
    if (const auto* fill = std::get_if<Fill>(&step)) return {"a fill", {fill->buffer}};
    if (const auto* download = std::get_if<Download>(&step)) return {"a download", {download->buffer}};
    StepBuffers step_buffers;
    if (const auto* dispatch = std::get_if<Dispatch>(&step)) {
        step_buffers.step = fmt::format("the dispatch \"{}\"", dispatch->label);
        for (const Binding& binding : dispatch->bindings)
            step_buffers.buffers.push_back(binding.buffer);
    }
    return step_buffers;
}

/// Arrays in pinned or mapped memory must be neither the output nor an argument of another step.
std::string find_host_memory_error(const Plan& plan) {
    std::set<std::string> pageable_arrays, unreadable_arrays;
    const auto check_readable = [&](const std::string& array) {
        return unreadable_arrays.contains(array)
                   ? fmt::format(
                         "In the plan, a step reads \"{}\", which is downloaded "
                         "to pinned or mapped memory: make it pageable.",
                         array)
                   : "";
    };
    for (const Step& step : plan.steps) {
        std::string problem;
        if (const auto* download = std::get_if<Download>(&step)) {
            if (!download->count_array.empty() && !pageable_arrays.contains(download->count_array))
                problem = fmt::format(
                    "In the plan, a download is counted by \"{}\", which no earlier step leaves in pageable "
                    "memory.",
                    download->count_array);
            const bool is_pageable = download->memory == HostMemory::pageable;
            (is_pageable ? pageable_arrays : unreadable_arrays).insert(plan.buffers[download->buffer].name);
        } else if (const auto* host = std::get_if<HostStep>(&step)) {
            for (const std::string& array : host->reads)
                if (problem.empty()) problem = check_readable(array);
            pageable_arrays.insert(host->output);
        } else if (const auto* upload = std::get_if<Upload>(&step)) {
            problem = check_readable(upload->input);
            if (problem.empty() && upload->memory != HostMemory::pageable &&
                pageable_arrays.contains(upload->input))
                problem = fmt::format(
                    "In the plan, a step makes \"{}\", which is then uploaded from pinned or "
                    "mapped memory: make it pageable.",
                    upload->input);
        }
        if (!problem.empty()) return problem;
    }
    return {};
}

}  // namespace

std::string find_plan_error(const Plan& plan) {
    bool launches = false;
    for (const BufferSpec& buffer : plan.buffers)
        if (buffer.arena_offset.value_or(0) % arena_alignment != 0)
            return fmt::format("In the plan, {} begins at byte {} of the arena: use a multiple of {}.",
                               buffer.name, *buffer.arena_offset, arena_alignment);
    for (const Step& step : plan.steps) {
        const StepBuffers step_buffers = buffers_of_step(step);
        for (const std::size_t buffer : step_buffers.buffers)
            if (buffer >= plan.buffers.size())
                return fmt::format("In the plan, {} names buffer {}, but the plan has {}, numbered from 0.",
                                   step_buffers.step, buffer, plan.buffers.size());
        const auto* dispatch = std::get_if<Dispatch>(&step);
        if (!dispatch) continue;
        launches = true;
        const auto empty = [](const Extent& extent) { return extent.product() == 0; };
        if (empty(dispatch->workgroup) || empty(dispatch->grid) || empty(dispatch->tile))
            return fmt::format(
                "In the plan, {} has workgroups of {} invocations and {} elements, {} of them: "
                "each must be at least 1.",
                step_buffers.step, text_of(dispatch->workgroup), text_of(dispatch->tile),
                text_of(dispatch->grid));
        const unsigned dimensions = dispatch->domain.dimensions();
        if (dispatch->workgroup.dimensions() != dimensions || dispatch->grid.dimensions() != dimensions ||
            dispatch->tile.dimensions() != dimensions)
            return fmt::format(
                "In the plan, {} runs over {} elements in tiles of {}, with {} workgroups of {}: give all of "
                "them the same number of dimensions.",
                step_buffers.step, text_of(dispatch->domain), text_of(dispatch->tile),
                text_of(dispatch->grid), text_of(dispatch->workgroup));
    }
    if (std::string problem = find_host_memory_error(plan); !problem.empty()) return problem;
    return launches ? "" : "The plan has no dispatch: nothing would run.";
}

bool is_filled(const Plan& plan, std::size_t buffer) {
    return std::ranges::any_of(plan.steps, [&](const Step& step) {
        const auto* const fill = std::get_if<Fill>(&step);
        return fill && fill->buffer == buffer;
    });
}
bool is_result_of(const Plan& plan, const Dispatch& launch, const Binding& binding) {
    if (!plan.buffers[binding.buffer].output || binding.access == Access::read) return false;
    return std::ranges::none_of(plan.steps, [&](const Step& step) {
        if (const auto* upload = std::get_if<Upload>(&step)) return upload->buffer == binding.buffer;
        const auto* const other = std::get_if<Dispatch>(&step);
        return other && other != &launch && std::ranges::any_of(other->bindings, [&](const Binding& one) {
                   return one.buffer == binding.buffer && one.access != Access::read;
               });
    });
}

std::uint64_t arena_bytes(const Plan& plan) {
    std::uint64_t end = 0;
    for (const BufferSpec& buffer : plan.buffers)
        if (buffer.arena_offset) end = std::max(end, *buffer.arena_offset + buffer.bound_bytes());
    return end;
}
std::uint64_t device_bytes(const Plan& plan) {
    std::uint64_t bytes = arena_bytes(plan);
    for (const BufferSpec& buffer : plan.buffers)
        if (!buffer.arena_offset) bytes += buffer.bound_bytes();
    return bytes;
}

std::uint64_t uploaded_bytes(const Plan& plan) {
    std::uint64_t bytes = 0;
    for (const Step& step : plan.steps) {
        const auto* upload = std::get_if<Upload>(&step);
        if (!upload || upload->memory == HostMemory::mapped) continue;
        const BufferSpec& buffer = plan.buffers[upload->buffer];
        bytes += upload->elements > 0 ? upload->elements * byte_size(buffer.type) : buffer.bytes();
    }
    return bytes;
}
std::uint64_t downloaded_bytes(
    const Plan& plan, const std::function<std::optional<std::uint64_t>(const std::string&)>& get_count) {
    std::uint64_t bytes = 0;
    for (const Step& step : plan.steps) {
        const auto* download = std::get_if<Download>(&step);
        if (!download || download->memory == HostMemory::mapped) continue;
        const BufferSpec& buffer = plan.buffers[download->buffer];
        std::optional<std::uint64_t> count;
        if (get_count && !download->count_array.empty()) count = get_count(download->count_array);
        bytes += std::min(count.value_or(buffer.elements()), buffer.elements()) * byte_size(buffer.type);
    }
    return bytes;
}
std::uint64_t kernel_bytes(const Plan& plan) {
    std::uint64_t bytes = 0;
    for (const Step& step : plan.steps)
        if (const auto* dispatch = std::get_if<Dispatch>(&step))
            for (const Binding& binding : dispatch->bindings)
                bytes +=
                    plan.buffers[binding.buffer].bytes() * (binding.access == Access::read_write ? 2 : 1);
    return bytes;
}

}  // namespace gridstride
