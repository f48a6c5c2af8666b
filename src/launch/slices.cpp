#include "launch/slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/units.h"

namespace gridstride {

namespace {

/// Iterations allowed in one dispatch if the driver has no cap: some tenths of a second on a slow GPU, well
/// below the seconds after which drivers reset the device.
constexpr std::uint64_t iterations_for_time = std::uint64_t{1} << 20;
/// Reserve below the cap, for iterations that a compiler may add.
constexpr std::uint64_t cap_margin = 512;

/// The constraints of the sliced bindings, in units along the dimension that is cut.
struct Window {
    std::uint64_t length = UINT64_MAX;  ///< the most that fits the largest binding
    std::uint64_t alignment = 1;        ///< slices start at multiples of this
};

/// layer: elements of a buffer for one step along the dimension that is cut.
Window compute_window(const Dispatch& dispatch, std::uint64_t layer, const std::vector<BufferSpec>& buffers,
                      const Limits& limits) {
    // 16-byte loads need 16-byte alignment, even if the device allows less.
    const std::uint64_t alignment_bytes = std::max<std::uint64_t>(limits.binding_alignment, 16);
    Window window;
    for (const Binding& binding : dispatch.bindings) {
        if (!binding.is_sliced) continue;
        const std::uint64_t bytes = layer * byte_size(buffers[binding.buffer].type);
        // Bound ranges are rounded up to 16 bytes.
        window.length = std::min(window.length, (limits.max_binding_bytes - 15) / bytes);
        window.alignment = std::lcm(window.alignment, alignment_bytes / std::gcd(bytes, alignment_bytes));
    }
    return window;
}

std::string check_unsliced_bindings(const Dispatch& dispatch, const std::vector<BufferSpec>& buffers,
                                    const Limits& limits) {
    for (const Binding& binding : dispatch.bindings) {
        const BufferSpec& buffer = buffers[binding.buffer];
        const std::uint64_t bytes = buffer.bytes();
        if (!binding.is_sliced && bytes > limits.max_binding_bytes)
            return fmt::format("\"{}\" binds {} of {}; this device binds at most {} (maxStorageBufferRange).",
                               dispatch.label, format_bytes_beside(bytes, limits.max_binding_bytes),
                               buffer.name, format_bytes_beside(limits.max_binding_bytes, bytes));
    }
    return {};
}

}  // namespace

Slicing slice(const Dispatch& dispatch, const std::vector<BufferSpec>& buffers, const Limits& limits) {
    Slicing slicing;
    slicing.refusal = check_unsliced_bindings(dispatch, buffers, limits);
    if (!slicing.refusal.empty()) return slicing;

    const std::uint64_t budget =
        limits.loop_iterations > cap_margin ? limits.loop_iterations - cap_margin : iterations_for_time;
    const unsigned cut = dispatch.domain.dimensions() - 1;
    const std::uint64_t total = dispatch.domain.along(cut), grid = dispatch.grid.along(cut);
    const std::uint64_t tile = dispatch.tile.along(cut), pass = grid * tile;
    // Passes that an invocation makes in the other dimensions for each one along the cut.
    const std::uint64_t passes_beside = dispatch.passes() / divide_up(divide_up(total, tile), grid);
    const std::uint64_t per_pass = std::max<std::uint64_t>(dispatch.iterations_per_pass * passes_beside, 1);
    if (dispatch.iterations_once + per_pass > budget) {
        slicing.refusal =
            fmt::format("\"{}\" needs {} loop iterations an invocation for one pass; {} {}.", dispatch.label,
                        dispatch.iterations_once + per_pass,
                        limits.loop_iterations > 0 ? "this driver ends loops after"
                                                   : "to stay below driver timeouts, a dispatch has at most",
                        budget);
        return slicing;
    }
    const Window window = compute_window(dispatch, dispatch.elements() / total, buffers, limits);
    const std::uint64_t loop_passes = (budget - dispatch.iterations_once) / per_pass;

    if (total <= window.length && divide_up(total, pass) <= loop_passes) {
        slicing.slices.push_back({0, total, 0, grid, true});
        return slicing;
    }

    // Whole passes, in multiples after which the next slice starts aligned.
    const std::uint64_t aligned_passes = window.alignment / std::gcd(pass, window.alignment);
    std::uint64_t passes = std::min(loop_passes, window.length / pass);
    passes -= passes % aligned_passes;
    if (passes > 0) {
        for (std::uint64_t first = 0; first < total; first += passes * pass)
            slicing.slices.push_back({first, std::min(passes * pass, total - first), 0, grid, first == 0});
        return slicing;
    }

    // Parts of a pass, in multiples of workgroups after which the next part starts aligned.
    const std::uint64_t aligned_workgroups = window.alignment / std::gcd(tile, window.alignment);
    std::uint64_t part = std::min(window.length / tile, grid);
    part -= part % aligned_workgroups;
    if (part == 0 || (pass % window.alignment != 0 && total > pass)) {
        slicing.refusal = fmt::format(
            "A pass of {} workgroups over {} elements is larger than the largest binding of this device ({}) "
            "and cannot be cut at multiples of {} elements. Use fewer workgroups, or a workgroup size that "
            "is a multiple of {}.",
            format_count(grid), format_count(pass), format_byte_text(limits.max_binding_bytes),
            window.alignment, window.alignment);
        return slicing;
    }
    for (std::uint64_t start = 0; start < total; start += pass) {
        for (std::uint64_t group = 0; group < grid; group += part) {
            const std::uint64_t first = start + group * tile;
            const bool is_first = start == 0;
            if (first >= total && !is_first) break;
            // Workgroups without elements run in the first pass too, so that they initialise their result.
            const std::uint64_t workgroups = std::min(part, grid - group);
            const std::uint64_t count = first >= total ? 0 : std::min(workgroups * tile, total - first);
            slicing.slices.push_back({first >= total ? total : first, count, group, workgroups, is_first});
        }
    }
    return slicing;
}

}  // namespace gridstride
