#include "histogram/plan.h"

#include <string>

#include "histogram/bins.h"
#include "histogram/ways.h"

namespace gridstride::lessons::histogram {

Plan plan(const Values& values, std::string_view variant, const Limits& limits) {
    enum : std::size_t { numbers, counts, ignored };
    const Way way = way_of(variant);
    const std::uint64_t elements = values[key::elements];
    const std::uint64_t bins = values[key::bins];

    Plan plan;
    plan.workgroup_size = values[key::workgroup_size];
    plan.workgroup_count = values[key::workgroup_count];
    if (plan.workgroup_count == 0)
        plan.workgroup_count = natural_workgroup_count(way, elements, plan.workgroup_size, limits);
    plan.least_bytes =
        elements * sizeof(float);  // every number is read once; the counts are nothing beside it
    // binning.glsl: four sums and differences and a multiply-add of floats, a difference of whole numbers, a
    // magnitude with its comparison, and the count. The rare exact decision is left out.
    plan.flops = 10 * elements;
    plan.main_output = "counts";
    plan.buffers = {{"values", ElementType::f32, elements, false},
                    {"counts", ElementType::u32, bins, true},
                    {"ignored", ElementType::u32, 1, true}};

    Dispatch count;
    count.label = "count";
    count.kernel = "histogram/" + std::string(variant);
    count.workgroup_size = plan.workgroup_size;
    count.workgroup_count = plan.workgroup_count;
    count.bindings = {
        {numbers, Access::read, true}, {counts, Access::read_write}, {ignored, Access::read_write}};
    count.push = kernel_words(bins_of(values));
    count.elements = elements;
    count.elements_per_workgroup = plan.workgroup_size * elements_an_invocation(way);
    const PrivateBins own = private_bins(way, bins, plan.workgroup_size, limits);
    if (has_private_bins(way)) {
        count.constants = {static_cast<std::uint32_t>(own.words), static_cast<std::uint32_t>(own.copies),
                           own.held == bins ? 1u : 0u};
        count.shared_bytes = (own.words + 1) * sizeof(std::uint32_t);
    }
    count.iterations_per_pass = 1;
    count.iterations_once = iterations_a_dispatch(way, own, plan.workgroup_size);

    plan.steps = {Upload{numbers, "values"}, Fill{counts, 0},  Fill{ignored, 0},
                  std::move(count),          Download{counts}, Download{ignored}};
    return plan;
}

}  // namespace gridstride::lessons::histogram
