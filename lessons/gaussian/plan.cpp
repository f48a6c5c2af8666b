#include "gaussian/plan.h"

#include <fmt/format.h>

#include <bit>

#include "gaussian/ways.h"

namespace gridstride::lessons::gaussian {

namespace {

void push(std::vector<std::uint32_t>& words, float value) {
    words.push_back(std::bit_cast<std::uint32_t>(value));
}
void push(std::vector<std::uint32_t>& words, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    words.push_back(static_cast<std::uint32_t>(bits));
    words.push_back(static_cast<std::uint32_t>(bits >> 32));
}

template <class T>
std::vector<std::uint32_t> push_constants(const Values& values) {
    std::vector<std::uint32_t> words;
    // The lab's own seven words end at byte 28, and a double starts at a multiple of 8.
    if constexpr (sizeof(T) == 8) words.push_back(0);
    const Curve<T> c = curve<T>(values);
    for (const T value : {c.mean, c.inverse_sigma, c.peak})
        push(words, value);
    return words;
}

}  // namespace

Plan plan(const Values& values, std::string_view variant, const Limits& limits) {
    const Way way = way_of(variant);
    const std::uint64_t elements = values[key::elements];
    Plan plan;
    plan.workgroup_size = values[key::workgroup_size];
    plan.workgroup_count = values[key::workgroup_count];
    if (plan.workgroup_count == 0)
        plan.workgroup_count = natural_workgroup_count(way, elements, plan.workgroup_size, limits);
    plan.buffers = {{"x", ElementType::f32, elements, false},
                    {"densities", ElementType::f32, elements, true}};
    plan.least_bytes = elements * (sizeof(float) + sizeof(float));
    plan.flops = elements * operations_an_element(way);
    plan.main_output = "densities";

    Dispatch evaluate;
    evaluate.label = "density of each x";
    evaluate.kernel = fmt::format("gaussian/{}", variant);
    evaluate.workgroup_size = plan.workgroup_size;
    evaluate.workgroup_count = plan.workgroup_count;
    evaluate.bindings = {{0, Access::read, true}, {1, Access::write, true}};
    evaluate.push = computes_in_double(way) ? push_constants<double>(values) : push_constants<float>(values);
    evaluate.elements = elements;
    evaluate.elements_per_workgroup = plan.workgroup_size * elements_an_invocation(way);
    evaluate.iterations_per_pass = 1;
    plan.steps = {Upload{0, "x"}, std::move(evaluate), Download{1}};
    return plan;
}

}  // namespace gridstride::lessons::gaussian
