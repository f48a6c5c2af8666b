// Writes a plan step by step: buffers by name and handle, launches with the bench's workgroups and grid.
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

/// A buffer of the plan that is written. Where a launch binds it, it says what the kernel does with it;
/// "each" says that the buffer holds one element for each element of the launch, so that a slice sees its
/// part alone.
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

/// A count that fits them as a push or specialisation constant.
constexpr std::uint32_t word(std::uint64_t number) {
    return static_cast<std::uint32_t>(number);
}
/// The bits of an f32 as one.
template <std::same_as<float> Float>
constexpr std::uint32_t word(Float number) {
    return std::bit_cast<std::uint32_t>(number);
}

class PlanBuilder {
 public:
    /// domain: the elements that the main launch runs over; workgroup: invocations; grid: workgroups, x = 0
    /// for "auto"; per_invocation: elements along x that an invocation takes in one pass. limits outlives it.
    PlanBuilder(const Extent& domain, const Extent& workgroup, const Extent& grid,
                std::uint64_t per_invocation, const Limits& limits);

    const Limits& limits() const { return limits_; }
    const Extent& domain() const { return domain_; }
    std::uint64_t elements() const { return domain_.product(); }
    const Extent& workgroup() const { return workgroup_; }
    std::uint64_t workgroup_size() const { return workgroup_.product(); }
    std::uint64_t tiles() const { return divide_up(domain_, tile()).product(); }

    /// Elements along x that an invocation takes in one pass, where that depends on more than the variant.
    void take_per_invocation(std::uint64_t elements) { per_invocation_ = elements; }
    /// Elements that a workgroup takes in one pass, where that is not a multiple of its invocations, or not
    /// along x alone.
    void take_tile(const Extent& elements) { tile_ = elements; }
    /// What "auto" stands for; no more than there are tiles, or than the device allows along x. Without it,
    /// and for a domain of several dimensions, "auto" is a workgroup for each tile.
    ///
    /// Leave it out for a kernel that reads and writes a stream, one load for each invocation: on an NVIDIA
    /// H200 a workgroup for each tile reached 4250 GB/s (16-byte loads, 2^28 samples of zero-suppression),
    /// one of two loads an invocation 4215, of four 4155, and four times the resident workgroups, each with
    /// many rounds, 5 % less: many invocations at once do there what many loads of one do elsewhere.
    void natural_grid(std::uint64_t workgroups);
    /// How many workgroups the device holds at once; a usual number where the driver does not say.
    std::uint64_t resident_workgroups() const;
    /// For a kernel whose workgroups each cost something when they end, a tree or bins to add up: as few as
    /// keep the device busy. With four loads in flight an invocation, half of the invocations that fit do.
    std::uint64_t min_filling_workgroups() const;
    const Extent& grid();  ///< resolved
    std::uint64_t workgroup_count() { return grid().product(); }

    /// A buffer that nobody writes on the device: what it holds is uploaded from the input of its name.
    PlanBuffer input(std::string name, ElementType type, const Extent& shape);
    /// One that kernels write: poisoned and guarded, and judged where it is downloaded.
    PlanBuffer output(std::string name, ElementType type, const Extent& shape);
    // The same for the whole domain.
    PlanBuffer input(std::string name, ElementType type = ElementType::f32) {
        return input(std::move(name), type, domain_);
    }
    PlanBuffer output(std::string name, ElementType type = ElementType::f32) {
        return output(std::move(name), type, domain_);
    }
    /// Of the host arrays that are uploaded and downloaded from here on.
    void host_memory(HostMemory memory) { host_memory_ = memory; }
    /// From the host array of its name; elements: see Upload.
    void upload(PlanBuffer buffer, std::uint64_t elements = 0) {
        upload_from(plan_.buffers[buffer].name, buffer, elements);
    }
    void upload_from(std::string input, PlanBuffer buffer, std::uint64_t elements = 0) {
        plan_.steps.emplace_back(Upload{buffer, std::move(input), elements, 0, host_memory_});
    }
    /// An input that is uploaded whole.
    PlanBuffer upload_input(std::string name, ElementType type, const Extent& shape) {
        const PlanBuffer made = input(std::move(name), type, shape);
        upload(made);
        return made;
    }
    PlanBuffer upload_input(std::string name, ElementType type = ElementType::f32) {
        return upload_input(std::move(name), type, domain_);
    }
    /// All of it, in so many pieces or fewer, each submitted by itself and waited for.
    void upload_in_pieces(PlanBuffer buffer, std::uint64_t pieces);
    /// beforehand: see Fill.
    void fill(PlanBuffer buffer, std::uint32_t word, bool beforehand = false) {
        plan_.steps.emplace_back(Fill{buffer, word, beforehand});
    }
    /// An output that begins with this word everywhere: counts, sums.
    PlanBuffer filled_output(std::string name, ElementType type, const Extent& shape,
                             std::uint32_t word = 0) {
        const PlanBuffer made = output(std::move(name), type, shape);
        fill(made, word);
        return made;
    }
    /// counted_by: see Download.
    void download(PlanBuffer buffer, std::string counted_by = {}) {
        plan_.steps.emplace_back(Download{buffer, host_memory_, std::move(counted_by)});
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
    void waiting(Waiting waiting) { plan_.waiting = waiting; }

    /// A launch over the domain with the bench's workgroups and grid. What it returns is changed before the
    /// next step is added.
    Dispatch& launch(std::string label, std::string kernel, std::vector<Binding> bindings);
    /// A launch of one workgroup over so many elements, per_invocation of them each at a time. It is all
    /// there is, so it is as large as they need, between a subgroup and what the device has.
    Dispatch& launch_one(std::string label, std::string kernel, std::vector<Binding> bindings,
                         std::uint64_t elements, std::uint64_t per_invocation);

    /// See Plan.
    void chose(std::string_view parameter, std::string value) {
        plan_.chosen.emplace_back(parameter, std::move(value));
    }
    void costs(std::uint64_t min_bytes, std::uint64_t operations) {
        plan_.min_bytes = min_bytes;
        plan_.operations = operations;
    }
    /// The least that the task moves is each of these buffers, once.
    void costs(std::initializer_list<PlanBuffer> moved, std::uint64_t operations) {
        std::uint64_t bytes = 0;
        for (const PlanBuffer buffer : moved)
            bytes += plan_.buffers[buffer].bytes();
        costs(bytes, operations);
    }
    /// Downloads the output that --save-output writes, in rows of equal length.
    void download_main(PlanBuffer buffer, std::size_t rows = 1) {
        download(buffer);
        main_output(plan_.buffers[buffer].name, rows);
    }
    void main_output(std::string array, std::size_t rows = 1) {
        plan_.main_output = std::move(array);
        plan_.main_output_rows = rows;
    }

    Plan take() && { return std::move(plan_); }

 private:
    Extent tile() const;
    PlanBuffer add(std::string name, ElementType type, const Extent& shape, bool output);

    Extent domain_, workgroup_, grid_;
    std::uint64_t per_invocation_;
    std::optional<Extent> tile_;
    const Limits& limits_;
    HostMemory host_memory_ = HostMemory::pageable;
    Plan plan_;
};

}  // namespace gridstride
