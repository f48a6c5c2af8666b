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
#include "graph/evaluate.h"
#include "tensor/arena.h"
#include "tensor/labels.h"
#include "tensor/launches.h"
#include "tensor/memory_budget.h"

namespace gridstride::tensor {

namespace {

bool is_on_host(const Graph& graph, const Group& group) {
    return graph.nodes()[group.front()].place == Processor::host;
}

void compute_on_host(const Graph& graph, std::size_t n, MemoryBudget& memory, Plan& plan) {
    const std::vector<Node>& nodes = graph.nodes();
    const Node& node = nodes[n];
    std::vector<std::string> names;
    std::vector<Node> sources;
    for (const Source& source : node.sources) {
        sources.push_back(nodes[source.node]);
        if (!nodes[source.node].is_in_memory()) continue;
        memory.download_to_host(source.node);
        names.push_back(nodes[source.node].name);
    }
    plan.steps.emplace_back(HostStep{expression_of(graph, n), node.name,
                                     [node, sources](std::span<const Array* const> arrays) {
                                         return evaluate_on_host(node, sources, arrays);
                                     },
                                     std::move(names)});
    memory.mark_on_host(n);
}

/// Counts operations and the minimum bytes: each used input is read once and each output written once.
void count_costs(const Graph& graph, Plan& plan) {
    const std::vector<Node>& nodes = graph.nodes();
    const std::vector<std::size_t> uses = count_uses(graph);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        if (uses[i] == 0) continue;
        if (node.op == Op::input) plan.min_bytes += node.bytes();
        if (node.is_computed() && node.op != Op::kernel) plan.operations += count_operations(node);
    }
    const auto is_user_kernel = [&](std::size_t i) { return uses[i] > 0 && nodes[i].op == Op::kernel; };
    if (std::ranges::any_of(std::views::iota(std::size_t{0}, nodes.size()), is_user_kernel))
        plan.operations = 0;
    for (const std::size_t output : graph.outputs())
        plan.min_bytes += nodes[output].bytes();
    const Node& first = nodes[graph.outputs().front()];
    plan.main_output = first.name;
    plan.main_output_rows = first.shape.empty() ? 1 : first.elements() / first.shape.back();
}

/// A plan for a budget. If `peak` has bytes, that step exceeds the budget and the plan must not run.
struct BudgetedPlan {
    Plan plan;
    MemoryBudget::Peak peak;
};

BudgetedPlan plan_with_budget(const Graph& graph, const std::vector<Group>& groups, const Limits& limits,
                              const Options& options, std::uint64_t budget_bytes) {
    Plan plan;
    MemoryBudget memory(graph, groups, options, budget_bytes, plan);
    LaunchBuilder launches(graph, limits, options, memory, plan);
    for (const Group& group : groups) {
        memory.begin(group);
        if (is_on_host(graph, group))
            for (const std::size_t node : group)
                compute_on_host(graph, node, memory, plan);
        else
            launches.add(group);
    }
    memory.begin({});
    for (const std::size_t output : graph.outputs())
        memory.download_to_host(output);
    memory.assign_offsets();
    count_costs(graph, plan);
    return {std::move(plan), memory.peak_over_budget()};
}

/// A plan whose arena does not exceed a limit in bytes, or the reason why there is none.
struct FittedPlan {
    std::optional<Plan> plan;
    MemoryBudget::Peak peak = {};
    std::uint64_t bytes_with_gaps = 0;  ///< size of the arena in bytes; 0: a step alone needs too much
};

FittedPlan fit_plan(const Graph& graph, const std::vector<Group>& groups, const Limits& limits,
                    const Options& options, std::uint64_t max_bytes) {
    FittedPlan fitted;
    // The budget limits the bytes in use; gaps in the arena come on top, so the budget is reduced by them.
    for (std::uint64_t budget = max_bytes;;) {
        BudgetedPlan budgeted_plan = plan_with_budget(graph, groups, limits, options, budget);
        fitted.peak = std::move(budgeted_plan.peak);
        if (fitted.peak.bytes > 0) return fitted;
        fitted.bytes_with_gaps = arena_bytes(budgeted_plan.plan);
        if (fitted.bytes_with_gaps <= max_bytes) {
            fitted.plan = std::move(budgeted_plan.plan);
            return fitted;
        }
        budget -= std::min(budget - 1, fitted.bytes_with_gaps - max_bytes);
    }
}

[[noreturn]] void refuse_budget(const Graph& graph, const std::vector<Group>& groups, const Limits& limits,
                                const Options& options, std::uint64_t max_bytes, const FittedPlan& fitted) {
    const std::string reason =
        fitted.bytes_with_gaps > 0
            ? fmt::format("With the gaps between them, the tensors need {}",
                          format_bytes_beside(fitted.bytes_with_gaps, max_bytes))
            : fmt::format("{} needs {} on the device at the same time", fitted.peak.step,
                          format_bytes_beside(fitted.peak.bytes, max_bytes));
    // Gaps may need more than any step. The search ends: if all tensors fit side by side, there are none.
    const std::uint64_t device = limits.memory_bytes;
    std::uint64_t sufficient_bytes =
        std::max({fitted.peak.bytes, fitted.bytes_with_gaps, arena_size(max_bytes + 1)});
    while (sufficient_bytes <= device && !fit_plan(graph, groups, limits, options, sufficient_bytes).plan)
        sufficient_bytes = sufficient_bytes == device
                               ? device + 1
                               : std::min(arena_size(sufficient_bytes + sufficient_bytes / 16), device);
    throw Refusal(fmt::format(
        "{}, but the tensors are allowed {}. {}.", reason,
        format_bytes_beside(max_bytes, std::max(fitted.bytes_with_gaps, fitted.peak.bytes)),
        sufficient_bytes <= device
            ? fmt::format("Set memory to {} bytes, which is enough, or use fewer numbers", sufficient_bytes)
            : fmt::format("Use fewer numbers: this device has {}", format_byte_text(device))));
}

}  // namespace

Plan make_plan(const Graph& graph, const Limits& limits, const Options& options) {
    if (graph.outputs().empty()) throw Refusal("The graph has no output. Name at least one output.");
    const bool fuses = options.execution == Execution::fused;
    const std::vector<Group> groups = schedule(graph, fuses, limits.max_bindings);
    const std::uint64_t max_bytes = options.execution == Execution::eager ? 0 : options.memory_bytes;
    if (std::ranges::all_of(groups, [&](const Group& group) { return is_on_host(graph, group); }))
        throw Refusal(
            "All operations are computed on the CPU, but a run needs at least one launch on the GPU. Leave "
            "one operation on the GPU.");
    if (max_bytes == 0) return plan_with_budget(graph, groups, limits, options, 0).plan;
    FittedPlan fitted = fit_plan(graph, groups, limits, options, max_bytes);
    if (!fitted.plan) refuse_budget(graph, groups, limits, options, max_bytes, fitted);
    return std::move(*fitted.plan);
}

}  // namespace gridstride::tensor
