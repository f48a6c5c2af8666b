#include "tensor/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "tensor/evaluate.h"
#include "tensor/launches.h"
#include "tensor/residence.h"
#include "tensor/words.h"

namespace gridstride::tensor {

namespace {

bool is_on_host(const Graph& graph, const Group& group) {
    return graph.nodes()[group.front()].place == Place::host;
}

void compute_on_host(const Graph& graph, std::size_t n, Residence& residence, Plan& plan) {
    const std::vector<Node>& nodes = graph.nodes();
    const Node& node = nodes[n];
    std::vector<std::string> names;
    std::vector<Node> sources;
    for (const Source& source : node.sources) {
        sources.push_back(nodes[source.node]);
        // Numbers and random ones are made by the step itself.
        if (!nodes[source.node].is_in_memory()) continue;
        residence.bring_to_host(source.node);
        names.push_back(nodes[source.node].name);
    }
    plan.steps.emplace_back(HostStep{
        expression_of(graph, n), node.name,
        [node, sources](std::span<const Array* const> given) { return evaluated(node, sources, given); },
        std::move(names)});
    residence.made_on_host(n);
}

std::uint64_t operations_of(const Node& node) {
    const std::uint64_t read = elements_of(node.sources[0].view.shape);
    switch (node.op) {
        case Op::copy:
            return 0;
        case Op::matmul:
        case Op::matmul_of_bytes:
            return 2 * node.elements() * node.sources[0].view.shape[1];
        case Op::softmax:
            return 5 * node.elements();
        default:
            return read;
    }
}

/// What must move: inputs once in, outputs once out.
void count_costs(const Graph& graph, Plan& plan) {
    const std::vector<Node>& nodes = graph.nodes();
    const std::vector<std::size_t> uses = uses_of(graph);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        if (uses[i] == 0) continue;
        if (node.op == Op::input) plan.least_bytes += node.bytes();
        if (node.is_made() && node.op != Op::kernel) plan.operations += operations_of(node);
    }
    // What somebody's own kernel computes nobody has counted.
    const auto is_own = [&](std::size_t i) { return uses[i] > 0 && nodes[i].op == Op::kernel; };
    if (std::ranges::any_of(std::views::iota(std::size_t{0}, nodes.size()), is_own)) plan.operations = 0;
    for (const std::size_t output : graph.outputs())
        plan.least_bytes += nodes[output].bytes();
    const Node& first = nodes[graph.outputs().front()];
    plan.main_output = first.name;
    plan.main_output_rows = first.shape.empty() ? 1 : first.elements() / first.shape.back();
}

Plan plan_within(const Graph& graph, const std::vector<Group>& groups, const Limits& limits,
                 const Options& options, std::uint64_t budget_bytes) {
    Plan plan;
    Residence residence(graph, groups, options, budget_bytes, plan);
    Launches launches(graph, limits, options, residence, plan);
    for (const Group& group : groups) {
        residence.begin(group);
        if (is_on_host(graph, group))
            for (const std::size_t node : group)
                compute_on_host(graph, node, residence, plan);
        else
            launches.add(group);
    }
    residence.begin({});
    for (const std::size_t output : graph.outputs())
        residence.bring_to_host(output);
    residence.lay_out();
    count_costs(graph, plan);
    return plan;
}

}  // namespace

Plan make_plan(const Graph& graph, const Limits& limits, const Options& options) {
    if (graph.outputs().empty()) throw Refusal("Nothing is asked for: name an output of the graph.");
    const bool fuses = options.execution == Execution::fused;
    const std::vector<Group> groups = schedule(graph, fuses, limits.max_bindings);
    const std::uint64_t most = options.execution == Execution::eager ? 0 : options.memory_bytes;
    if (std::ranges::all_of(groups, [&](const Group& group) { return is_on_host(graph, group); }))
        throw Refusal(
            "All of this is computed on the CPU, and a run has one launch on the GPU at least. Leave one "
            "operation there.");
    if (most == 0) return plan_within(graph, groups, limits, options, 0);
    Plan plan = plan_within(graph, groups, limits, options, most);
    // What is there at one time keeps to the budget; where it lies may leave gaps, which are taken off it.
    for (std::uint64_t budget = most; arena_bytes(plan) > most;) {
        const std::uint64_t taken = arena_bytes(plan), over = taken - most;
        try {
            budget -= std::min(budget - 1, over);
            plan = plan_within(graph, groups, limits, options, budget);
        } catch (const Refusal&) {
            throw Refusal(
                fmt::format("With the gaps between them these tensors take {}, and they are allowed {}. "
                            "Allow as much.",
                            bytes_text(taken), bytes_text(most)));
        }
    }
    return plan;
}

}  // namespace gridstride::tensor
