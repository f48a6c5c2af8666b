#include "lesson/slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/units.h"

namespace gridstride {

namespace {

/// Iterations that one dispatch may spend where the driver sets no cap: some tenths of a second on a slow
/// GPU, well below the seconds after which drivers reset the device.
constexpr std::uint64_t iterations_for_time = std::uint64_t{1} << 20;
/// Kept below the cap, for the iterations that a compiler may add.
constexpr std::uint64_t cap_margin = 512;

std::uint64_t div_up(std::uint64_t a, std::uint64_t b) {
    return (a + b - 1) / b;
}

/// What the sliced bindings allow.
struct Window {
    std::uint64_t elements = UINT64_MAX;  ///< that fit the largest binding
    std::uint64_t alignment = 1;          ///< elements: a slice starts at a multiple of it
};

Window window_of(const Dispatch& dispatch, const std::vector<BufferSpec>& buffers, const Limits& limits) {
    // 16-byte loads want 16-byte boundaries, whatever the device allows.
    const std::uint64_t alignment_bytes = std::max<std::uint64_t>(limits.binding_alignment, 16);
    Window window;
    for (const Binding& binding : dispatch.bindings) {
        if (!binding.sliced) continue;
        const std::uint64_t size = byte_size(buffers[binding.buffer].type);
        // Bound ranges are rounded up to 16 bytes, so leave room for that.
        window.elements = std::min(window.elements, (limits.max_binding_bytes - 15) / size);
        window.alignment = std::max(window.alignment, alignment_bytes / size);
    }
    return window;
}

std::string unsliced_refusal(const Dispatch& dispatch, const std::vector<BufferSpec>& buffers,
                             const Limits& limits) {
    for (const Binding& binding : dispatch.bindings) {
        const BufferSpec& buffer = buffers[binding.buffer];
        const std::uint64_t bytes = buffer.elements * byte_size(buffer.type);
        if (!binding.sliced && bytes > limits.max_binding_bytes)
            return fmt::format("\"{}\" binds {} of {}; this device binds {} at most (maxStorageBufferRange).",
                               dispatch.label, format_bytes(static_cast<double>(bytes)).text(), buffer.name,
                               format_bytes(static_cast<double>(limits.max_binding_bytes)).text());
    }
    return {};
}

}  // namespace

Slicing slice(const Dispatch& dispatch, const std::vector<BufferSpec>& buffers, const Limits& limits) {
    Slicing slicing;
    slicing.refusal = unsliced_refusal(dispatch, buffers, limits);
    if (!slicing.refusal.empty()) return slicing;

    const std::uint64_t budget =
        limits.loop_iterations > cap_margin ? limits.loop_iterations - cap_margin : iterations_for_time;
    if (dispatch.iterations_once + dispatch.iterations_per_pass > budget) {
        slicing.refusal = fmt::format(
            "\"{}\" needs {} loop iterations an invocation for one pass; this driver ends loops after {}.",
            dispatch.label, dispatch.iterations_once + dispatch.iterations_per_pass, budget);
        return slicing;
    }
    const std::uint64_t total = dispatch.elements;
    const std::uint64_t pass = dispatch.workgroup_count * dispatch.elements_per_workgroup;
    const Window window = window_of(dispatch, buffers, limits);
    const std::uint64_t per_pass = std::max<std::uint64_t>(dispatch.iterations_per_pass, 1);
    const std::uint64_t loop_passes = (budget - dispatch.iterations_once) / per_pass;

    if (total <= window.elements && div_up(total, pass) <= loop_passes) {
        slicing.slices.push_back({0, total, 0, dispatch.workgroup_count, true});
        return slicing;
    }

    // Whole passes, so many at a time that the next slice starts aligned.
    const std::uint64_t aligned_passes = window.alignment / std::gcd(pass, window.alignment);
    std::uint64_t passes = std::min(loop_passes, window.elements / pass);
    passes -= passes % aligned_passes;
    if (passes > 0) {
        for (std::uint64_t first = 0; first < total; first += passes * pass)
            slicing.slices.push_back(
                {first, std::min(passes * pass, total - first), 0, dispatch.workgroup_count, first == 0});
        return slicing;
    }

    // Parts of a pass: so many workgroups at a time that the next part starts aligned.
    const std::uint64_t tile = dispatch.elements_per_workgroup;
    const std::uint64_t aligned_workgroups = window.alignment / std::gcd(tile, window.alignment);
    std::uint64_t part = std::min(window.elements / tile, dispatch.workgroup_count);
    part -= part % aligned_workgroups;
    if (part == 0 || (pass % window.alignment != 0 && total > pass)) {
        slicing.refusal = fmt::format(
            "A pass of {} workgroups over {} elements is larger than the largest binding of this device ({}) "
            "and cannot be cut at "
            "multiples of {} elements. Give fewer workgroups, or a workgroup size that is a multiple of {}.",
            format_count(dispatch.workgroup_count), format_count(pass),
            format_bytes(static_cast<double>(limits.max_binding_bytes)).text(), window.alignment,
            window.alignment);
        return slicing;
    }
    for (std::uint64_t start = 0; start < total; start += pass) {
        for (std::uint64_t group = 0; group < dispatch.workgroup_count; group += part) {
            const std::uint64_t first = start + group * tile;
            const bool fresh = start == 0;
            if (first >= total && !fresh) break;
            // Workgroups beyond the elements run in the first pass all the same: they leave their result
            // empty.
            const std::uint64_t workgroups = std::min(part, dispatch.workgroup_count - group);
            const std::uint64_t count = first >= total ? 0 : std::min(workgroups * tile, total - first);
            slicing.slices.push_back({first >= total ? total : first, count, group, workgroups, fresh});
        }
    }
    return slicing;
}

}  // namespace gridstride
