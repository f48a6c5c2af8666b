#include "zero_suppression/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "zero_suppression/ways.h"

namespace gridstride::lessons::zero_suppression {

namespace {

/// Steps of a prefix sum or a tree over `size` invocations: ceil(log2(size)).
std::uint64_t levels(std::uint64_t size) {
    return static_cast<std::uint64_t>(std::bit_width(size - 1));
}

/// {positions, values, kept_count} -> the positions that are used, then as many values.
Array keep_what_is_used(std::span<const Array* const> arrays) {
    const Array& values = *arrays[1];
    const auto positions = arrays[0]->as<std::int32_t>();
    const std::size_t count = std::min<std::size_t>(arrays[2]->as<std::uint32_t>()[0], positions.size());
    Array kept(ElementType::i32, 2 * count);
    const auto out = kept.as<std::int32_t>();
    std::copy_n(positions.begin(), count, out.begin());
    if (values.type() == ElementType::i16)
        std::copy_n(values.as<std::int16_t>().begin(), count, out.begin() + count);
    else
        std::copy_n(values.as<std::int32_t>().begin(), count, out.begin() + count);
    return kept;
}

/// {samples} -> how many survive the rule "signed" at threshold 0.
Array count_not_negative(std::span<const Array* const> arrays) {
    const auto samples = arrays[0]->as<std::int16_t>();
    const std::uint64_t count = static_cast<std::uint64_t>(
        std::count_if(samples.begin(), samples.end(), [](std::int16_t sample) { return sample >= 0; }));
    return Array::of<std::uint64_t>({&count, 1});
}

class PlanWriter {
 public:
    PlanWriter(const Values& values, Way way, const Limits& limits)
        : values_(values), way_(way), limits_(limits), elements_(values[key::elements]) {
        plan_.workgroup_size = values[key::workgroup_size];
        plan_.workgroup_count = values[key::workgroup_count];
        if (plan_.workgroup_count == 0)
            plan_.workgroup_count = natural_workgroup_count(way, elements_, plan_.workgroup_size, limits);
        samples_ = add_buffer("samples", ElementType::i16, elements_, false);
        plan_.steps.push_back(Upload{samples_, "samples"});
    }

    Plan silencing(std::string_view variant) && {
        // Two bytes in and two bytes out, for every sample.
        plan_.least_bytes = 4 * elements_;
        plan_.flops = 2 * elements_;  // a magnitude and a comparison of whole numbers
        plan_.main_output = "silenced";
        const std::size_t silenced = add_buffer("silenced", ElementType::i16, elements_, true);
        Dispatch main = over_samples(fmt::format("zero_suppression/{}{}", variant, build()));
        main.label = "silence the noise";
        main.bindings = {{samples_, Access::read, true}, {silenced, Access::write, true}};
        plan_.steps.push_back(std::move(main));
        plan_.steps.push_back(Download{silenced});
        if (values_[key::threshold] == 0 && values_[key::rule] == Rule::signed_value)
            plan_.steps.push_back(
                HostStep{"CPU counts zeros that survive", "kept_count", &count_not_negative, {"samples"}});
        return std::move(plan_);
    }

    Plan compacting() && {
        // Every sample must be read once. What is written depends on the data and is not counted.
        plan_.least_bytes = 2 * elements_;
        plan_.flops = 3 * elements_;  // a magnitude, a comparison and an addition of the prefix sum
        plan_.main_output = "kept";
        plan_.main_output_rows = 2;
        const std::uint64_t tile = 8 * plan_.workgroup_size;
        const ElementType value_type = limits_.storage16 ? ElementType::i16 : ElementType::i32;
        tile_counts_ = add_buffer("tile_counts", ElementType::u32, divide_up(elements_, tile), true);
        kept_count_ = add_buffer("kept_count", ElementType::u32, 1, true);
        const std::size_t positions = add_buffer("positions", ElementType::i32, elements_, true);
        const std::size_t kept_values = add_buffer("values", value_type, elements_, true);

        add_count();
        add_scan();
        add_scatter(positions, kept_values);
        for (const std::size_t buffer : {positions, kept_values, kept_count_})
            plan_.steps.push_back(Download{buffer});
        plan_.steps.push_back(HostStep{
            "CPU drops what is unused", "kept", &keep_what_is_used, {"positions", "values", "kept_count"}});
        return std::move(plan_);
    }

 private:
    std::size_t add_buffer(std::string name, ElementType type, std::uint64_t elements, bool output) {
        plan_.buffers.push_back({std::move(name), type, elements, output});
        return plan_.buffers.size() - 1;
    }

    std::string build() const {
        if (!touches_single_samples(way_)) return "";
        return limits_.storage16 ? ".storage16" : ".words";
    }

    /// A launch of the bench's grid over the samples.
    Dispatch over_samples(std::string kernel) const {
        Dispatch dispatch;
        dispatch.kernel = std::move(kernel);
        dispatch.workgroup_size = plan_.workgroup_size;
        dispatch.workgroup_count = plan_.workgroup_count;
        dispatch.constants = {values_[key::rule] == Rule::magnitude ? 1u : 0u};
        dispatch.push = {static_cast<std::uint32_t>(values_[key::threshold])};
        dispatch.elements = elements_;
        dispatch.elements_per_workgroup = plan_.workgroup_size * samples_an_invocation(way_, limits_);
        dispatch.iterations_per_pass = 1;
        // The loop by fours ends, and then the loop by ones.
        dispatch.iterations_once = 2;
        return dispatch;
    }

    void add_count() {
        Dispatch count = over_samples("zero_suppression/compact_count");
        count.label = "count the survivors of each tile";
        count.bindings = {{samples_, Access::read, true}, {tile_counts_, Access::write}};
        // The pass, four words of the mask, the tree.
        count.iterations_per_pass = 1 + (4 + 1) + (levels(count.workgroup_size) + 1);
        count.shared_bytes = 4 * count.workgroup_size;
        plan_.steps.push_back(std::move(count));
    }

    void add_scan() {
        Dispatch scan;
        scan.label = "places of the tiles";
        scan.kernel = "zero_suppression/compact_scan";
        scan.elements = plan_.buffers[tile_counts_].elements;
        scan.workgroup_size = scan_workgroup_size(scan.elements);
        scan.workgroup_count = 1;
        scan.elements_per_workgroup = 4 * scan.workgroup_size;
        scan.bindings = {{tile_counts_, Access::read_write, true}, {kept_count_, Access::read_write}};
        scan.iterations_per_pass = 1 + (levels(scan.workgroup_size) + 1);
        scan.iterations_once = 1;
        scan.shared_bytes = 4 * scan.workgroup_size;
        plan_.steps.push_back(std::move(scan));
    }

    void add_scatter(std::size_t positions, std::size_t kept_values) {
        Dispatch scatter = over_samples("zero_suppression/compact_scatter" + build());
        scatter.label = "survivors to their places";
        scatter.bindings = {{samples_, Access::read, true},
                            {tile_counts_, Access::read},
                            {positions, Access::write},
                            {kept_values, Access::write}};
        // The pass, four words of the mask, the prefix sum, eight samples gathered and up to eight written.
        scatter.iterations_per_pass = 1 + (4 + 1) + (levels(scatter.workgroup_size) + 1) + (8 + 1) + (8 + 1);
        scatter.shared_bytes = 4 * 8 * scatter.workgroup_size;
        plan_.steps.push_back(std::move(scatter));
    }

    /// One workgroup is all there is, so it is large where there are many tiles: four of them an invocation.
    std::uint64_t scan_workgroup_size(std::uint64_t tiles) const {
        const std::uint64_t largest = std::min<std::uint64_t>(limits_.max_workgroup_size, 1024);
        const std::uint64_t smallest = std::min<std::uint64_t>(limits_.subgroup_size, largest);
        return std::clamp(std::bit_ceil(divide_up(tiles, 4)), smallest, largest);
    }

    const Values& values_;
    Way way_;
    const Limits& limits_;
    std::uint64_t elements_;
    std::size_t samples_ = 0;
    std::size_t tile_counts_ = 0;
    std::size_t kept_count_ = 0;
    Plan plan_;
};

}  // namespace

Plan plan(const Values& values, std::string_view variant, const Limits& limits) {
    const Way way = way_of(variant);
    PlanWriter writer(values, way, limits);
    if (way == Way::compact) return std::move(writer).compacting();
    return std::move(writer).silencing(variant);
}

}  // namespace gridstride::lessons::zero_suppression
