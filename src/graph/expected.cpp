#include "graph/expected.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/language.h"
#include "base/parallel_for.h"
#include "base/tolerance.h"
#include "base/units.h"
#include "graph/evaluate.h"

namespace gridstride::tensor {

namespace {

Expected make_expected(const Node& node, const Numbers& numbers) {
    const ElementType type = is_float(node.type) ? ElementType::f64 : node.type;
    Expected all{node.name, share(to_array(node, numbers.values, type))};
    const auto has_error = [](double error) { return error > 0; };
    if (is_integer(node.type) && std::ranges::none_of(numbers.errors, has_error)) return all;
    all.tolerance = {.relative = 1};
    all.scale = share(to_array(node, numbers.errors, ElementType::f64));
    const auto either = std::ranges::count(numbers.maybe_nan, 1);
    if (either == 0) return all;
    all.nan_allowed = share(std::span<const std::uint8_t>(numbers.maybe_nan));
    all.note = fmt::format(
        "{} of {} may also be NaN: one operand of a maximum or minimum is NaN there, and Vulkan does not "
        "specify which operand is the result.",
        counted(static_cast<std::uint64_t>(either), "number"), node.name);
    return all;
}

/// Throws Refusal, which names the kernel result whose definition leads back to itself.
[[noreturn]] void refuse_cyclic_definition(const Graph& graph, const std::vector<std::size_t>& pending_nodes,
                                           const std::vector<bool>& visited, std::size_t node) {
    const auto result =
        std::find_if(std::ranges::find(pending_nodes, node), pending_nodes.end(),
                     [&](std::size_t n) { return visited[n] && graph.nodes()[n].op == Op::kernel; });
    const Node& of = graph.nodes()[result == pending_nodes.end() ? node : *result];
    throw Refusal(fmt::format(
        "The definition of {0} depends on {0} itself. Define it by what its kernel reads.", of.name));
}

/// Returns the first expectation of a kernel's result, which defines it.
const Expectation& defining_expectation(const Graph& graph, std::size_t result) {
    return graph.expectations().lower_bound(result)->second;
}

std::vector<std::pair<std::size_t, Expectation>> find_comparisons(const Graph& graph) {
    std::vector<std::pair<std::size_t, Expectation>> compared;
    for (const std::size_t output : graph.outputs()) {
        const auto [first, end] = graph.expectations().equal_range(output);
        const bool defines = first != end && graph.nodes()[output].op == Op::kernel;
        compared.insert(compared.end(), defines ? std::next(first) : first, end);
    }
    return compared;
}

std::vector<std::size_t> find_roots(const Graph& graph) {
    std::vector<std::size_t> nodes(graph.outputs().rbegin(), graph.outputs().rend());
    for (const auto& [of, expectation] : find_comparisons(graph))
        nodes.push_back(expectation.definition.node);
    return nodes;
}

/// Returns all nodes that these depend on in topological order. Iterative, because chains may be long.
std::vector<std::size_t> topological_order(const Graph& graph, std::vector<std::size_t> pending_nodes) {
    std::vector<std::size_t> order;
    std::vector<bool> visited(graph.nodes().size()), finished(visited);
    while (!pending_nodes.empty()) {
        const std::size_t next = pending_nodes.back();
        if (visited[next]) {
            pending_nodes.pop_back();
            if (!finished[next]) order.push_back(next);
            finished[next] = true;
            continue;
        }
        visited[next] = true;
        for (const Source& source : graph.definition_of(next)) {
            if (!visited[source.node]) pending_nodes.push_back(source.node);
            if (visited[source.node] && !finished[source.node])
                refuse_cyclic_definition(graph, pending_nodes, visited, source.node);
        }
    }
    return order;
}

constexpr std::size_t no_node = SIZE_MAX;
/// Returns, by node, the kernel result without expectation on which it depends; `no_node` if there is none.
std::vector<std::size_t> find_unknown_results(const Graph& graph, const std::vector<std::size_t>& order) {
    std::vector<std::size_t> unknown(graph.nodes().size(), no_node);
    for (const std::size_t n : order) {
        const std::vector<Source> sources = graph.definition_of(n);
        if (graph.nodes()[n].op == Op::kernel && sources.empty()) unknown[n] = n;
        for (const Source& source : sources)
            if (unknown[n] == no_node) unknown[n] = unknown[source.node];
    }
    return unknown;
}

/// A device may flush subnormal f16 to 0 when it converts them.
void allow_flush(Numbers& numbers) {
    numbers.errors.resize(numbers.values.size());
    parallel_for_each(numbers.values.size(), 1, [&](std::size_t i) {
        const double size = std::abs(numbers.values[i]);
        numbers.errors[i] = size < smallest_normal_f16 ? size : 0;
    });
}

/// Sums that define a result with a scaled tolerance, directly or through copies, need magnitudes.
std::vector<bool> find_nodes_with_magnitudes(const Graph& graph) {
    std::vector<bool> all(graph.nodes().size());
    const auto is_sum = [&](std::size_t n) {
        const Op op = graph.nodes()[n].op;
        return op == Op::sum || is_matrix_product(op) || op == Op::matmul_of_bytes;
    };
    for (const auto& [of, expectation] : graph.expectations()) {
        if (expectation.how == ToleranceUnit::absolute) continue;
        std::vector<std::size_t> chain = {expectation.definition.node};
        while (graph.nodes()[chain.back()].op == Op::copy)
            chain.push_back(graph.nodes()[chain.back()].sources[0].node);
        if (is_sum(chain.back()) && graph.nodes()[chain.back()].type == ElementType::f32)
            for (const std::size_t n : chain)
                all[n] = true;
    }
    return all;
}

/// Returns the scale of the tolerance of each element; see ToleranceUnit. Numbers that are not finite are
/// ignored.
std::vector<double> tolerance_scales(const Node& node, const Operand& definition, ToleranceUnit how) {
    std::vector<double> scales(node.elements(), 1);
    if (how == ToleranceUnit::absolute) return scales;
    const auto& magnitudes = definition.numbers.magnitudes;
    const std::size_t columns = node.shape.empty() ? 1 : node.shape.back();
    if (!magnitudes.empty()) {
        parallel_for_each(scales.size(), 1,
                          [&](std::size_t i) { scales[i] = magnitudes[definition.index_of(i)]; });
        return scales;
    }
    parallel_for_each(node.elements() / columns, columns, [&](std::size_t row) {
        const std::size_t first = row * columns;
        double max_magnitude = 0;
        for (std::size_t i = first; i < first + columns; ++i) {
            const double size = std::abs(definition[i].value);
            if (std::isfinite(size)) max_magnitude = std::max(max_magnitude, size);
        }
        std::fill_n(scales.begin() + static_cast<std::ptrdiff_t>(first), columns, max_magnitude);
    });
    return scales;
}

/// If NaN is also allowed, the allowed error covers the other operand: see Bounded. Of an index, it covers
/// those whose numbers may be equal.
Numbers allowed(const Node& node, const Operand& definition, const Expectation& expectation) {
    Numbers out{UninitializedVector<double>(node.elements()), UninitializedVector<double>(node.elements())};
    if (!definition.numbers.maybe_nan.empty()) out.maybe_nan.assign(node.elements(), 0);
    const std::vector<double> scales = tolerance_scales(node, definition, expectation.how);
    parallel_for_each(scales.size(), 1, [&](std::size_t i) {
        const Bounded is = definition[i];
        double max_error = expectation.within * scales[i];
        // Subnormal numbers have fewer digits, and a device may flush them to 0.
        if (max_error > 0)
            max_error += node.type == ElementType::f16 ? smallest_normal_f16 : smallest_normal_f32;
        const bool allows_others = is.may_be_nan || is_integer(node.type) || std::isinf(is.error);
        out.set(i, {is.value, max_error + (allows_others ? is.error : 0), is.may_be_nan});
    });
    return out;
}

std::string note_on_masked_rows(const Node& node, const Operand& x, std::string_view name_of_x) {
    const std::uint64_t columns = node.shape.back(), rows = node.elements() / columns;
    const std::uint64_t masked = parallel_find(rows, columns, [&](std::uint64_t row) {
        std::uint64_t i = row * columns;
        while (i < (row + 1) * columns && x[i].value == -HUGE_VAL)
            ++i;
        return i == (row + 1) * columns;
    });
    if (masked == rows) return {};
    return fmt::format(
        "Row {} of the input of softmax, {}, is -inf in every column. Its probabilities are 0 / 0 = NaN, "
        "which is never right. Leave at least one number of the row unmasked.",
        format_count(masked + 1), name_of_x);
}

/// Evaluates the nodes of a graph on which results depend, and frees the numbers of each after its last use.
/// Nodes that depend on an unknown result of a kernel are left out.
class GraphEvaluation {
 public:
    /// order: the results and all nodes on which they depend, in topological order. A result may be in
    /// `results` several times. has_bounds: also computes the bounds of errors.
    GraphEvaluation(const Graph& graph, std::vector<std::size_t> order,
                    const std::vector<std::size_t>& results, bool has_bounds)
        : graph_(graph),
          order_(std::move(order)),
          unknown_(find_unknown_results(graph, order_)),
          has_magnitudes_(has_bounds ? find_nodes_with_magnitudes(graph)
                                     : std::vector<bool>(graph.nodes().size())),
          has_bounds_(has_bounds),
          uses_left_(graph.nodes().size()),
          is_fused_(graph.nodes().size()),
          all_(graph.nodes().size()) {
        for (const std::size_t result : results)
            ++uses_left_[result];
        for (auto n = order_.rbegin(); n != order_.rend(); ++n)
            if (is_needed(*n))
                for (const Source& source : graph.definition_of(*n))
                    ++uses_left_[source.node];
        find_fused_nodes();
    }

    /// Returns the kernel result without expectation on which the node depends, or no_node.
    std::size_t unknown_result(std::size_t n) const { return unknown_[n]; }

    /// Calls inspect(n, operands) for each node that is in memory for a time, with its operands that are.
    void evaluate(const Input& input, const auto& inspect) {
        for (const std::size_t n : order_) {
            if (!is_needed(n) || is_fused_[n]) continue;
            const std::vector<Source> sources = graph_.definition_of(n);
            std::vector<Operand> operands;
            for (const Source& source : sources)
                if (!is_fused_[source.node]) operands.push_back({source.view, *all_[source.node]});
            compute_node(n, operands, input);
            inspect(n, operands);
            release_sources(n);
        }
    }
    /// Returns the numbers of a result. Valid after evaluate().
    const Numbers& operator[](std::size_t n) const { return *all_[n]; }

 private:
    bool is_needed(std::size_t n) const { return unknown_[n] == no_node && uses_left_[n] > 0; }

    /// Finds the nodes that are fused into the only node that uses them.
    void find_fused_nodes() {
        constexpr std::size_t max_depth = 32;  // of the recursion
        const std::vector<Node>& nodes = graph_.nodes();
        std::vector<std::size_t> depths(nodes.size(), 1);
        const auto is_candidate = [&](std::size_t n) { return can_fuse(nodes[n].op) && !has_magnitudes_[n]; };
        for (const std::size_t n : order_) {
            if (!is_needed(n) || !is_candidate(n)) continue;
            for (const auto& [source, view] : nodes[n].sources) {
                if (!is_candidate(source) || uses_left_[source] != 1 || depths[source] >= max_depth ||
                    !view.is_whole() || element_count(view.shape) != nodes[source].elements())
                    continue;
                is_fused_[source] = true;
                depths[n] = std::max(depths[n], depths[source] + 1);
            }
        }
    }

    Fusion fuse(std::size_t n) const {
        Fusion fusion{graph_.nodes()[n], {}};
        for (const Source& source : fusion.node.sources)
            if (is_fused_[source.node])
                fusion.operands.emplace_back(fuse(source.node));
            else
                fusion.operands.emplace_back(Operand{source.view, *all_[source.node]});
        return fusion;
    }

    void compute_node(std::size_t n, const std::vector<Operand>& operands, const Input& input) {
        const Node& node = graph_.nodes()[n];
        require_shape(node.shape);
        if (node.op == Op::input) {
            all_[n] = to_numbers(node, get(input, node.name));
            if (has_bounds_ && node.type == ElementType::f16) allow_flush(*all_[n]);
            return;
        }
        if (node.op == Op::kernel) {
            all_[n] = allowed(node, operands.front(), defining_expectation(graph_, n));
            return;
        }
        Numbers& numbers = all_[n].emplace();
        numbers.values.resize(node.elements());
        if (has_bounds_) numbers.errors.resize(node.elements());
        if (has_magnitudes_[n]) numbers.magnitudes.resize(node.elements());
        if (elementwise(node.op))
            compute(fuse(n), numbers);
        else
            compute(node, operands, numbers);
    }

    void release_sources(std::size_t n) {
        for (const Source& source : graph_.definition_of(n))
            if (is_fused_[source.node])
                release_sources(source.node);
            else if (--uses_left_[source.node] == 0)
                all_[source.node].reset();
    }

    const Graph& graph_;
    std::vector<std::size_t> order_, unknown_;
    std::vector<bool> has_magnitudes_;
    bool has_bounds_;
    std::vector<std::size_t> uses_left_;
    std::vector<bool> is_fused_;
    std::vector<std::optional<Numbers>> all_;
};

std::vector<Expected> compute_expected(const Graph& graph, const Input& input, bool only_expectations) {
    const std::vector<Node>& nodes = graph.nodes();
    const std::vector<std::size_t> order = topological_order(graph, find_roots(graph));
    const auto comparisons = find_comparisons(graph);
    const auto is_requested = [&](std::size_t output) {
        return !only_expectations || nodes[output].op == Op::kernel;
    };
    std::vector<std::size_t> results;
    std::ranges::copy_if(graph.outputs(), std::back_inserter(results), is_requested);
    for (const auto& [of, expectation] : comparisons)
        results.push_back(expectation.definition.node);
    GraphEvaluation evaluation(graph, order, results, /*has_bounds=*/true);
    std::map<std::size_t, std::string> masked_notes;  // by softmax with a fully masked row
    evaluation.evaluate(input, [&](std::size_t n, const std::vector<Operand>& operands) {
        if (nodes[n].op != Op::softmax) return;
        const std::string& name = nodes[nodes[n].sources.front().node].name;
        if (std::string note = note_on_masked_rows(nodes[n], operands.front(), name); !note.empty())
            masked_notes.emplace(n, std::move(note));
    });
    // By node: the softmax with a fully masked row on which it depends.
    std::vector<std::size_t> masked(nodes.size(), no_node);
    for (const std::size_t n : order) {
        for (const Source& source : graph.definition_of(n))
            if (masked[n] == no_node) masked[n] = masked[source.node];
        if (masked[n] == no_node && masked_notes.contains(n)) masked[n] = n;
    }
    const auto unknown_note = [&](std::size_t of, std::string_view ending) {
        const Node& result = nodes[evaluation.unknown_result(of)];
        return fmt::format("No `expect` checks {}, the output of kernel {}, so {}.", result.name,
                           result.kernel->name, ending);
    };
    const auto expectation_text = [](const Expectation& by) {
        return by.how == ToleranceUnit::absolute ? tr("the expectation within {} absolute", by.within)
                                                 : tr("the expectation within {}", by.within);
    };
    std::vector<Expected> known;
    std::set<std::string> shown_notes;
    const auto add = [&](Expected one, std::size_t node) {
        if (masked[node] != no_node) {
            const std::string& note = masked_notes.at(masked[node]);
            if (shown_notes.insert(note).second) one.note += (one.note.empty() ? "" : " ") + note;
        }
        known.push_back(std::move(one));
    };
    for (const std::size_t output : graph.outputs()) {
        const Node& node = nodes[output];
        const bool is_compared = std::ranges::any_of(comparisons, [&](const auto& one) {
            return one.first == output && evaluation.unknown_result(one.second.definition.node) == no_node;
        });
        if (evaluation.unknown_result(output) == no_node && is_requested(output)) {
            Expected one = make_expected(node, evaluation[output]);
            if (node.op == Op::kernel) one.source = expectation_text(defining_expectation(graph, output));
            add(std::move(one), output);
        } else if (evaluation.unknown_result(output) != no_node && !is_compared && !only_expectations) {
            known.push_back({.output = node.name,
                             .note = unknown_note(output, fmt::format("{} is not judged", node.name))});
        }
    }
    for (const auto& [of, expectation] : comparisons) {
        const auto& [node, view] = expectation.definition;
        const std::string& name = nodes[of].name;
        if (evaluation.unknown_result(node) != no_node) {
            known.push_back(
                {.output = name,
                 .note = unknown_note(node, fmt::format("the `expect` of {} is not checked", name))});
            continue;
        }
        Expected one = make_expected(nodes[of], allowed(nodes[of], {view, evaluation[node]}, expectation));
        one.source = expectation_text(expectation);
        add(std::move(one), node);
    }
    return known;
}

}  // namespace

std::vector<Expected> expected(const Graph& graph, const Input& input) {
    return compute_expected(graph, input, false);
}

std::vector<Expected> expected_by_graph(const Graph& graph, const Input& input) {
    return compute_expected(graph, input, true);
}

Array evaluate(const Tensor& tensor, const Input& input, ElementType type) {
    const Graph& graph = tensor.graph();
    const Source source = tensor.source();
    GraphEvaluation evaluation(graph, topological_order(graph, {source.node}), {source.node},
                               /*has_bounds=*/false);
    evaluation.evaluate(input, [](std::size_t, const std::vector<Operand>&) {});
    const Operand result{source.view, evaluation[source.node]};
    Node whole{.shape = source.view.shape, .type = tensor.type()};
    UninitializedVector<double> values(whole.elements());
    parallel_for_each(values.size(), 1, [&](std::size_t i) { values[i] = result[i].value; });
    return to_array(whole, values, type);
}

std::uint64_t evaluation_cost(const Tensor& tensor) {
    std::uint64_t cost = element_count(tensor.shape());
    for (const std::size_t n : topological_order(tensor.graph(), {tensor.source().node})) {
        const Node& node = tensor.graph().nodes()[n];
        const std::uint64_t operations = node.sources.empty() ? 0 : count_operations(node);
        cost += std::min(std::max(operations, node.elements()), UINT64_MAX - cost);
    }
    return cost;
}

std::optional<std::size_t> find_unknown_result(const Graph& graph, std::size_t node) {
    const std::size_t result = find_unknown_results(graph, topological_order(graph, {node}))[node];
    return result == no_node ? std::nullopt : std::optional(result);
}

void require_acyclic_definitions(const Graph& graph) {
    topological_order(graph, find_roots(graph));
}

}  // namespace gridstride::tensor
