#include "tensor/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "tensor/arena.h"
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

/// Counts operations and the minimum bytes: each used input is read once and each output written once.
void count_costs(const Graph& graph, Plan& plan) {
    const std::vector<Node>& nodes = graph.nodes();
    const std::vector<std::size_t> uses = uses_of(graph);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        if (uses[i] == 0) continue;
        if (node.op == Op::input) plan.min_bytes += node.bytes();
        if (node.is_made() && node.op != Op::kernel) plan.operations += operations_of(node);
    }
    const auto is_own = [&](std::size_t i) { return uses[i] > 0 && nodes[i].op == Op::kernel; };
    if (std::ranges::any_of(std::views::iota(std::size_t{0}, nodes.size()), is_own)) plan.operations = 0;
    for (const std::size_t output : graph.outputs())
        plan.min_bytes += nodes[output].bytes();
    const Node& first = nodes[graph.outputs().front()];
    plan.main_output = first.name;
    plan.main_output_rows = first.shape.empty() ? 1 : first.elements() / first.shape.back();
}

/// A plan for a budget. If `peak` has bytes, that step exceeds the budget and the plan must not run.
struct Budgeted {
    Plan plan;
    Residence::Peak peak;
};

Budgeted plan_within(const Graph& graph, const std::vector<Group>& groups, const Limits& limits,
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
    return {std::move(plan), residence.peak_over_budget()};
}

/// A plan whose arena does not exceed a limit in bytes, or the reason why there is none.
struct Fitted {
    std::optional<Plan> plan;
    Residence::Peak peak = {};
    std::uint64_t with_gaps = 0;  ///< size of the arena in bytes; 0: a step alone needs too much
};

Fitted plan_that_fits(const Graph& graph, const std::vector<Group>& groups, const Limits& limits,
                      const Options& options, std::uint64_t most) {
    Fitted fitted;
    // The budget limits the bytes in use; gaps in the arena come on top, so the budget is reduced by them.
    for (std::uint64_t budget = most;;) {
        Budgeted made = plan_within(graph, groups, limits, options, budget);
        fitted.peak = std::move(made.peak);
        if (fitted.peak.bytes > 0) return fitted;
        fitted.with_gaps = arena_bytes(made.plan);
        if (fitted.with_gaps <= most) {
            fitted.plan = std::move(made.plan);
            return fitted;
        }
        budget -= std::min(budget - 1, fitted.with_gaps - most);
    }
}

[[noreturn]] void refuse_budget(const Graph& graph, const std::vector<Group>& groups, const Limits& limits,
                                const Options& options, std::uint64_t most, const Fitted& fitted) {
    const std::string why = fitted.with_gaps > 0
                                ? fmt::format("With the gaps between them, the tensors need {}",
                                              bytes_beside(fitted.with_gaps, most))
                                : fmt::format("{} needs {} on the device at the same time", fitted.peak.step,
                                              bytes_beside(fitted.peak.bytes, most));
    // Gaps may need more than any step. The search ends: if all tensors fit side by side, there are none.
    const std::uint64_t device = limits.memory_bytes;
    std::uint64_t enough = std::max({fitted.peak.bytes, fitted.with_gaps, in_arena(most + 1)});
    while (enough <= device && !plan_that_fits(graph, groups, limits, options, enough).plan)
        enough = enough == device ? device + 1 : std::min(in_arena(enough + enough / 16), device);
    throw Refusal(fmt::format(
        "{}, but the tensors are allowed {}. {}.", why,
        bytes_beside(most, std::max(fitted.with_gaps, fitted.peak.bytes)),
        enough <= device
            ? fmt::format("Set memory to {} bytes, which is enough, or use fewer numbers", enough)
            : fmt::format("Use fewer numbers: this device has {}", bytes_text(device))));
}

}  // namespace

Plan make_plan(const Graph& graph, const Limits& limits, const Options& options) {
    if (graph.outputs().empty()) throw Refusal("The graph has no output. Name at least one output.");
    const bool fuses = options.execution == Execution::fused;
    const std::vector<Group> groups = schedule(graph, fuses, limits.max_bindings);
    const std::uint64_t most = options.execution == Execution::eager ? 0 : options.memory_bytes;
    if (std::ranges::all_of(groups, [&](const Group& group) { return is_on_host(graph, group); }))
        throw Refusal(
            "All operations are computed on the CPU, but a run needs at least one launch on the GPU. Leave "
            "one operation on the GPU.");
    if (most == 0) return plan_within(graph, groups, limits, options, 0).plan;
    Fitted fitted = plan_that_fits(graph, groups, limits, options, most);
    if (!fitted.plan) refuse_budget(graph, groups, limits, options, most, fitted);
    return std::move(*fitted.plan);
}

}  // namespace gridstride::tensor
