// This lesson's plan is a graph of sixty launches over twenty buffers.
#include "lesson/lesson.h"

#include <fmt/format.h>

#include <array>

#include "base/random.h"

namespace gridstride::lessons::graph {

namespace {

constexpr std::size_t inputs = 4, buffers = 20, launches = 60;

/// The k-th launch computes target = 3 target + left + 5 right + k.
struct Node {
    std::size_t left, right, target;
};
Node node(std::size_t k) {
    const std::size_t target = inputs + k % (buffers - inputs);
    // A source is any buffer written so far, except the target itself.
    const auto source = [&](std::size_t step) {
        const std::size_t other = (target + step + k * 7) % buffers;
        return other == target ? (other + 1) % buffers : other;
    };
    return {source(1), source(3), target};
}

std::string name_of(std::size_t buffer) {
    return fmt::format("{}{}", buffer < inputs ? "given" : "made", buffer);
}

Input input(const Values& values) {
    Input all;
    for (std::uint32_t i = 0; i < inputs; ++i) {
        Array numbers(ElementType::u32, values[key::elements]);
        fill_random_u32(numbers.as<std::uint32_t>(), values[key::seed], i);
        all.push_back({name_of(i), share(std::move(numbers))});
    }
    return all;
}

std::vector<Expected> reference(const Input& input, const PreparedExperiment&) {
    const std::size_t count = input.front().array->count();
    std::array<std::vector<std::uint32_t>, buffers> all;
    for (std::size_t i = 0; i < buffers; ++i) {
        all[i].assign(count, 0);
        if (i < inputs) std::ranges::copy(input[i].array->as<std::uint32_t>(), all[i].begin());
    }
    for (std::size_t k = 0; k < launches; ++k) {
        const auto [left, right, target] = node(k);
        for (std::size_t e = 0; e < count; ++e)
            all[target][e] =
                3 * all[target][e] + all[left][e] + 5 * all[right][e] + static_cast<std::uint32_t>(k);
    }
    std::vector<Expected> expected;
    for (std::size_t i = inputs; i < buffers; ++i)
        expected.push_back({.output = name_of(i), .reference = share<std::uint32_t>(all[i])});
    return expected;
}

void plan(PlanBuilder& plan, const PreparedExperiment&) {
    std::vector<PlanBuffer> all;
    for (std::size_t i = 0; i < buffers; ++i)
        all.push_back(i < inputs ? plan.input(name_of(i), ElementType::u32, plan.domain())
                                 : plan.output(name_of(i), ElementType::u32, plan.domain()));
    plan.set_cost(4 * buffers * plan.elements(), 5 * launches * plan.elements());
    plan.main_output(name_of(buffers - 1));
    for (std::size_t i = 0; i < buffers; ++i) {
        if (i < inputs)
            plan.upload(all[i]);
        else
            plan.fill(all[i], 0);
    }
    for (std::size_t k = 0; k < launches; ++k) {
        const auto [left, right, target] = node(k);
        plan.launch(fmt::format("node {}", k), "graph/combine",
                    {reads_each(all[left]), reads_each(all[right]), updates_each(all[target])})
            .push = {static_cast<std::uint32_t>(k)};
    }
    for (std::size_t i = inputs; i < buffers; ++i)
        plan.download(all[i]);
}

std::vector<Fact> result(const PreparedExperiment&, const Outputs& outputs) {
    return {{"last", "Last", std::uint64_t{get(outputs, name_of(buffers - 1)).as<std::uint32_t>()[0]}}};
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "graph",
        .title = "Graph",
        .parameters = common_parameters(10000, 64),
        .variants = {{{"combine", "Node by node", "A launch for each node of the graph."},
                      {.kernel = "graph/combine.comp"}}},
        .default_variant = "combine",
        .input = &input,
        .task = {.plan = &plan, .reference = &reference, .result = &result},
    };
    return lesson;
}

}  // namespace gridstride::lessons::graph
