// Builds a plan step by step: buffers by name and handle, launches with the workgroup size and grid of the
// settings.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/limits.h"
#include "launch/plan.h"

namespace gridstride {

/// A handle of a buffer in the plan. reads(), writes() and updates() declare a launch's access to it; the
/// "_each" functions also declare that the buffer has one element for each element of the launch, so that a
/// slice sees only its part.
struct PlanBuffer {
    std::size_t index = 0;
    operator std::size_t() const { return index; }
};
constexpr Binding reads(PlanBuffer buffer) {
    return {buffer.index, Access::read, false};
}
constexpr Binding writes(PlanBuffer buffer) {
    return {buffer.index, Access::write, false};
}
constexpr Binding updates(PlanBuffer buffer) {
    return {buffer.index, Access::read_write, false};
}
constexpr Binding reads_each(PlanBuffer buffer) {
    return {buffer.index, Access::read, true};
}
constexpr Binding writes_each(PlanBuffer buffer) {
    return {buffer.index, Access::write, true};
}
constexpr Binding updates_each(PlanBuffer buffer) {
    return {buffer.index, Access::read_write, true};
}

/// Narrows a count that is known to fit a push or specialisation constant.
constexpr std::uint32_t word(std::uint64_t number) {
    return static_cast<std::uint32_t>(number);
}
template <std::same_as<float> Float>
constexpr std::uint32_t word(Float number) {
    return std::bit_cast<std::uint32_t>(number);
}

/// Returns how many workgroups of this size, in invocations, are resident at once; a typical number if the
/// driver does not report it.
std::uint64_t count_resident_workgroups(std::uint64_t workgroup_size, const Limits& limits);

class PlanBuilder {
 public:
    /// domain: the elements of the main launch; workgroup: invocations; grid: workgroups, x = 0 for "auto";
    /// per_invocation: elements along x that an invocation processes in one pass. limits must outlive the
    /// builder.
    PlanBuilder(const Extent& domain, const Extent& workgroup, const Extent& grid,
                std::uint64_t per_invocation, const Limits& limits);

    const Limits& limits() const { return limits_; }
    const Extent& domain() const { return domain_; }
    std::uint64_t elements() const { return domain_.product(); }
    const Extent& workgroup() const { return workgroup_; }
    std::uint64_t workgroup_size() const { return workgroup_.product(); }
    /// Returns the elements that a workgroup processes in one pass.
    Extent tile() const;
    std::uint64_t tiles() const { return divide_up(domain_, tile()).product(); }

    /// Sets the domain, the workgroup and the grid (x = 0 for "auto") of the launches that follow, in place
    /// of those of the constructor.
    void set_launch(const Extent& domain, const Extent& workgroup, const Extent& grid);
    /// Overrides per_invocation of the constructor, if it depends on more than the variant.
    void set_per_invocation(std::uint64_t elements) { per_invocation_ = elements; }
    /// Sets the elements that a workgroup processes in one pass, if they are not a multiple of its
    /// invocations along x.
    void set_tile(const Extent& elements) { tile_ = elements; }
    /// Sets the grid for "auto", at most one workgroup for each tile and at most what the device allows along
    /// x. Without this call, and for a domain of several dimensions, "auto" is one workgroup for each tile.
    ///
    /// Omit it for a streaming kernel with one load for each invocation: on an NVIDIA H200 one workgroup for
    /// each tile reached 4250 GB/s (16-byte loads, 2^28 samples of zero-suppression), two loads an invocation
    /// 4215, four 4155, and four times the resident workgroups, with many passes each, 5 % less: many
    /// invocations at once hide latency there as many loads of one invocation do elsewhere.
    void set_default_grid(std::uint64_t workgroups);
    /// Returns how many workgroups are resident at once; a typical number if the driver does not report it.
    std::uint64_t resident_workgroups() const;
    /// Returns the fewest workgroups that keep the device busy, for kernels with a cost at the end of each
    /// workgroup, such as a tree or bins to add up. With four loads in flight per invocation, half of the
    /// resident invocations suffice.
    std::uint64_t min_busy_workgroups() const;
    const Extent& grid();  ///< with "auto" resolved
    std::uint64_t workgroup_count() { return grid().product(); }

    /// Adds a buffer that kernels only read; its data is uploaded from the input of the same name.
    PlanBuffer input(std::string name, ElementType type, const Extent& shape);
    /// Adds a buffer that kernels write: poisoned, guarded, and judged if it is downloaded.
    PlanBuffer output(std::string name, ElementType type, const Extent& shape);
    // Overloads for the whole domain.
    PlanBuffer input(std::string name, ElementType type = ElementType::f32) {
        return input(std::move(name), type, domain_);
    }
    PlanBuffer output(std::string name, ElementType type = ElementType::f32) {
        return output(std::move(name), type, domain_);
    }
    /// Sets the memory of the host arrays that later steps upload and download.
    void set_host_memory(HostMemory memory) { host_memory_ = memory; }
    /// Uploads the host array of the buffer's name. elements: see Upload.
    void upload(PlanBuffer buffer, std::uint64_t elements = 0) {
        upload_from(plan_.buffers[buffer].name, buffer, elements);
    }
    void upload_from(std::string input, PlanBuffer buffer, std::uint64_t elements = 0) {
        plan_.steps.emplace_back(Upload{buffer, std::move(input), elements, 0, host_memory_});
    }
    PlanBuffer upload_input(std::string name, ElementType type, const Extent& shape) {
        const PlanBuffer buffer = input(std::move(name), type, shape);
        upload(buffer);
        return buffer;
    }
    PlanBuffer upload_input(std::string name, ElementType type = ElementType::f32) {
        return upload_input(std::move(name), type, domain_);
    }
    /// Uploads the whole buffer in at most `pieces` pieces, each submitted and waited for separately.
    void upload_in_pieces(PlanBuffer buffer, std::uint64_t pieces);
    void fill(PlanBuffer buffer, std::uint32_t word, Fill::Time time = Fill::Time::in_run) {
        plan_.steps.emplace_back(Fill{buffer, word, time});
    }
    /// Adds an output that is filled with `word` first, for counts and sums.
    PlanBuffer filled_output(std::string name, ElementType type, const Extent& shape,
                             std::uint32_t word = 0) {
        const PlanBuffer buffer = output(std::move(name), type, shape);
        fill(buffer, word);
        return buffer;
    }
    void download(PlanBuffer buffer, std::string count_array = {}) {
        plan_.steps.emplace_back(Download{buffer, host_memory_, std::move(count_array)});
    }
    void download(std::initializer_list<PlanBuffer> buffers) {
        for (const PlanBuffer buffer : buffers)
            download(buffer);
    }
    void host_step(std::string label, std::string output, decltype(HostStep::work) work,
                   std::vector<std::string> reads) {
        plan_.steps.emplace_back(
            HostStep{std::move(label), std::move(output), std::move(work), std::move(reads)});
    }
    void end_submit() { plan_.steps.emplace_back(SubmitEnd{}); }
    void set_wait_mode(WaitMode waiting) { plan_.waiting = waiting; }

    /// Adds a launch over the domain with the workgroup size and grid of the settings. The reference stays
    /// valid until the next step is added.
    Dispatch& launch(std::string label, std::string kernel, std::vector<Binding> bindings);
    /// Adds a launch of one workgroup over `elements`, of which an invocation processes per_invocation at a
    /// time. The workgroup is as large as they need, between a subgroup and the device's limit.
    Dispatch& launch_one_workgroup(std::string label, std::string kernel, std::vector<Binding> bindings,
                                   std::uint64_t elements, std::uint64_t per_invocation);

    /// Reports what "auto" resolved to. See Plan::auto_values.
    void report_auto(std::string_view parameter, std::string value) {
        plan_.auto_values.emplace_back(parameter, std::move(value));
    }
    void set_cost(std::uint64_t min_bytes, std::uint64_t operations) {
        plan_.min_bytes = min_bytes;
        plan_.operations = operations;
    }
    /// Sets the cost of a task that moves each of these buffers once.
    void set_cost(std::initializer_list<PlanBuffer> moved, std::uint64_t operations) {
        std::uint64_t bytes = 0;
        for (const PlanBuffer buffer : moved)
            bytes += plan_.buffers[buffer].bytes();
        set_cost(bytes, operations);
    }
    /// Downloads the output that --save-output writes, as `rows` rows of equal length.
    void download_main(PlanBuffer buffer, std::size_t rows = 1) {
        download(buffer);
        main_output(plan_.buffers[buffer].name, rows);
    }
    void main_output(std::string array, std::size_t rows = 1) {
        plan_.main_output = std::move(array);
        plan_.main_output_rows = rows;
    }

    Plan build() && { return std::move(plan_); }

 private:
    PlanBuffer add(std::string name, ElementType type, const Extent& shape, bool output);

    Extent domain_, workgroup_, grid_;
    std::uint64_t per_invocation_;
    std::optional<Extent> tile_;
    const Limits& limits_;
    HostMemory host_memory_ = HostMemory::pageable;
    Plan plan_;
};

}  // namespace gridstride
