// What students make: a maximum with its place, a tree with the barriers that it needs, a sum of squares that
// does not wait.
#include <algorithm>
#include <cmath>

#include "figures/figures.h"
#include "lesson/stock.h"
#include "reduction/reduction.h"

namespace gridstride::lessons::reduction {

namespace {

constexpr std::uint32_t nowhere = 0xFFFFFFFFU;  // as in shaders/reduction/best.glsl

// The maximum and where it first stands: each workgroup leaves the best of what it saw, whichever numbers
// those are.

template <class T>
std::size_t best_of(std::span<const T> numbers) {
    return static_cast<std::size_t>(std::ranges::max_element(numbers) - numbers.begin());
}

/// {largests, places} of the workgroups -> which of them has the largest number, of equal ones the first.
template <class T>
std::size_t best_workgroup(std::span<const Array* const> arrays) {
    const auto largests = arrays[0]->as<T>();
    const auto places = arrays[1]->as<std::uint32_t>();
    std::size_t best = 0;
    for (std::size_t i = 1; i < places.size(); ++i) {
        if (places[i] == nowhere) continue;
        const bool better = places[best] == nowhere || largests[i] > largests[best] ||
                            (largests[i] == largests[best] && places[i] < places[best]);
        if (better) best = i;
    }
    return best;
}
template <class T>
Array largest_of_all(std::span<const Array* const> arrays) {
    const T largest = arrays[0]->as<T>()[best_workgroup<T>(arrays)];
    return Array::of<T>({&largest, 1});
}
template <class T>
Array place_of_largest(std::span<const Array* const> arrays) {
    const std::uint32_t place = arrays[1]->as<std::uint32_t>()[best_workgroup<T>(arrays)];
    return Array::of<std::uint32_t>({&place, 1});
}

void plan_maximum(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    const Variant& variant = *run.variant;
    const ElementType type = storage(values);
    const bool whole = type == ElementType::u32;
    plan.natural_grid(natural_grid_of_sums(plan));
    plan.costs(plan.elements() * byte_size(type), plan.elements());
    const PlanBuffer numbers = plan.input("numbers", type, plan.domain());
    plan.upload(numbers);
    const std::uint64_t groups = plan.workgroup_count();
    const PlanBuffer largests = plan.output("largests", type, {groups});
    const PlanBuffer places = plan.output("places", ElementType::u32, {groups});
    plan.fill(places, nowhere);
    Dispatch& main = plan.launch("the best of each workgroup", kernel_of(variant, type),
                                 {reads_each(numbers), updates(largests), updates(places)});
    main.iterations_per_pass = 1;
    main.iterations_once = 2 + tree_levels(plan.workgroup_size());
    plan.download(largests);
    plan.download(places);
    plan.host_step("CPU takes the largest", "maximum",
                   whole ? &largest_of_all<std::uint32_t> : &largest_of_all<float>, {"largests", "places"});
    plan.host_step("CPU says where it stands", "place",
                   whole ? &place_of_largest<std::uint32_t> : &place_of_largest<float>,
                   {"largests", "places"});
    plan.main_output("maximum");
}

std::vector<Expected> maximum_reference(const Input& input, const Prepared&) {
    const Array& numbers = get(input, "numbers");
    const auto expected = [](const auto all) {
        const std::size_t best = best_of(all);
        const auto place = static_cast<std::uint32_t>(best);
        return std::vector<Expected>{{"maximum", share(all.subspan(best, 1))},
                                     {"place", share<std::uint32_t>({&place, 1})}};
    };
    return numbers.type() == ElementType::u32 ? expected(numbers.as<std::uint32_t>())
                                              : expected(numbers.as<float>());
}

std::vector<Fact> maximum_result(const Prepared&, const Outputs& outputs) {
    return {{"maximum", "Maximum", get(outputs, "maximum").number(0)},
            {"place", "Where it first stands", std::uint64_t{get(outputs, "place").as<std::uint32_t>()[0]}}};
}

// Sums: which workgroup adds what is the student's to say, so the total alone is judged.

/// squares: of the squares of the numbers.
template <bool squares>
void plan_total(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    const Variant& variant = *run.variant;
    const ElementType type = storage(values);
    const std::uint64_t size = plan.workgroup_size();
    if (squares) plan.natural_grid(natural_grid_of_sums(plan));
    plan.costs(plan.elements() * byte_size(type), (squares ? 2 : 1) * plan.elements());
    const PlanBuffer numbers = plan.input("numbers", type, plan.domain());
    plan.upload(numbers);
    const std::uint64_t groups = plan.workgroup_count();
    const PlanBuffer partial_sums = plan.output("partial_sums", type, {groups});
    const PlanBuffer total = plan.output("total", type, {1});
    Dispatch& main = plan.launch("sum of each workgroup", kernel_of(variant, type),
                                 {reads_each(numbers), updates(partial_sums)});
    main.shared_bytes = size * byte_size(type);
    // Of each tile a tree's levels; and where trees are the task, one invocation may add up what all have.
    main.iterations_per_pass = 2 + (squares ? tree_levels(size) : size);
    main.iterations_once = 2 + size;
    add_partial_sums(plan, partial_sums, total, groups, type);
    plan.download(partial_sums);
    plan.download(total);
    plan.main_output("total");
}

template <bool squares>
std::vector<Expected> total_reference(const Input& input, const Prepared&) {
    const Array& numbers = get(input, "numbers");
    const std::uint64_t count = numbers.count();
    if (numbers.type() == ElementType::u32) {
        std::uint32_t sum = 0;
        for (const std::uint32_t number : numbers.as<std::uint32_t>())
            sum += squares ? number * number : number;
        return {{"total", share<std::uint32_t>({&sum, 1})}};
    }
    double sum = 0, magnitude = 0;
    for (const float number : numbers.as<float>()) {
        const double term = squares ? double{number} * number : number;
        sum += term;
        magnitude += std::abs(term);
    }
    // Any order, and each square is rounded once before it is added, in whatever direction.
    Tolerance allowed = tolerance_of_f32_sum(count, count);
    if (squares) allowed.relative += 0x1p-23;
    return {{"total", share<double>({&sum, 1}), allowed, share<double>({&magnitude, 1})}};
}

}  // namespace

std::vector<Variant> exercises() {
    return {{.id = "maximum_place",
             .title = "The maximum and its place",
             .summary = "Which number is the largest, and where does it first stand?",
             .kernel = "reduction/maximum_place_start.comp",
             .uses_subgroups = true,
             .is_baselines_work = false,
             .solution = "reduction/maximum_place.comp",
             .task = {.plan = &plan_maximum,
                      .remarks = nothing,
                      .reference = &maximum_reference,
                      .result = &maximum_result,
                      .pictures = nothing}},
            {.id = "missing_barriers",
             .title = "The barriers that a tree needs",
             .summary = "A tree whose barriers were taken out.",
             .kernel = "reduction/missing_barriers_start.comp",
             .uses_subgroups = true,
             .is_baselines_work = false,
             .solution = "reduction/missing_barriers.comp",
             .task = {.plan = &plan_total<false>,
                      .remarks = nothing,
                      .reference = &total_reference<false>,
                      .result = &result,
                      .pictures = drawn_by(&pictures)}},
            {.id = "sum_of_squares",
             .title = "The sum of the squares",
             .summary = "Right, and slow: a tree for every tile.",
             .kernel = "reduction/sum_of_squares_start.comp",
             .uses_subgroups = true,
             .is_baselines_work = false,
             .solution = "reduction/sum_of_squares.comp",
             .task = {.plan = &plan_total<true>,
                      .remarks = nothing,
                      .reference = &total_reference<true>,
                      .result = &result,
                      .pictures = nothing}}};
}

}  // namespace gridstride::lessons::reduction
