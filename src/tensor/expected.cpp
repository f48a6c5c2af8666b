#include "tensor/expected.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/parallel_for.h"
#include "tensor/evaluate.h"

namespace gridstride::tensor {

namespace {

Expected expected_of(const Node& node, const Numbers& numbers) {
    const ElementType type = node.type == ElementType::f32 ? ElementType::f64 : node.type;
    Expected all{node.name, share(array_of(node, numbers.values, type))};
    if (node.type == ElementType::i32) return all;
    all.tolerance = {.relative = 1};
    all.scale = share(array_of(node, numbers.errors, ElementType::f64));
    return all;
}

/// Between what is begun from the node on stands a kernel's result, whose definition leads back to it.
[[noreturn]] void refuse_circle(const Graph& graph, const std::vector<std::size_t>& left,
                                const std::vector<bool>& begun, std::size_t node) {
    const auto result = std::find_if(std::ranges::find(left, node), left.end(), [&](std::size_t n) {
        return begun[n] && graph.nodes()[n].op == Op::kernel;
    });
    const Node& of = graph.nodes()[result == left.end() ? node : *result];
    throw Refusal(fmt::format(
        "What is expected of {0} is made of {0} itself. Define it by what its kernel reads.", of.name));
}

/// Outputs that are known by themselves, and what is expected of them besides.
std::vector<std::pair<std::size_t, Expectation>> compared_in(const Graph& graph) {
    std::vector<std::pair<std::size_t, Expectation>> compared;
    for (const std::size_t output : graph.outputs())
        if (const auto found = graph.expectations().find(output);
            found != graph.expectations().end() && graph.nodes()[output].op != Op::kernel)
            compared.push_back(*found);
    return compared;
}

/// The nodes that the outputs are known from, each behind those that it is known from itself. Without
/// recursion: a chain may be of any length.
std::vector<std::size_t> in_order_of_need(const Graph& graph) {
    std::vector<std::size_t> order, left(graph.outputs().rbegin(), graph.outputs().rend());
    for (const auto& [of, expectation] : compared_in(graph))
        left.push_back(expectation.definition.node);
    std::vector<bool> begun(graph.nodes().size()), ended(begun);
    while (!left.empty()) {
        const std::size_t next = left.back();
        if (begun[next]) {
            left.pop_back();
            if (!ended[next]) order.push_back(next);
            ended[next] = true;
            continue;
        }
        begun[next] = true;
        for (const Source& source : graph.definition_of(next)) {
            if (!begun[source.node]) left.push_back(source.node);
            if (begun[source.node] && !ended[source.node]) refuse_circle(graph, left, begun, source.node);
        }
    }
    return order;
}

/// By node: the kernel's result that nobody has said anything of, and that it is made of; nowhere: none.
constexpr std::size_t nowhere = SIZE_MAX;
std::vector<std::size_t> unknown_in(const Graph& graph, const std::vector<std::size_t>& order) {
    std::vector<std::size_t> unknown(graph.nodes().size(), nowhere);
    for (const std::size_t n : order) {
        const std::vector<Source> sources = graph.definition_of(n);
        if (graph.nodes()[n].op == Op::kernel && sources.empty()) unknown[n] = n;
        for (const Source& source : sources)
            if (unknown[n] == nowhere) unknown[n] = unknown[source.node];
    }
    return unknown;
}

Numbers with_errors(const Node& node) {
    return {std::vector<double>(node.elements()), std::vector<double>(node.elements())};
}

/// What is expected may be off by so much.
Numbers allowed(const Node& node, const Seen& definition, double within) {
    Numbers out = with_errors(node);
    parallel_for(node.elements(), std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const double value = definition[i].value;
            out.set(i, {value, within * (1 + std::abs(value))});
        }
    });
    return out;
}

}  // namespace

std::vector<Expected> expected(const Graph& graph, const Input& input) {
    const std::vector<Node>& nodes = graph.nodes();
    const std::vector<std::size_t> order = in_order_of_need(graph), unknown = unknown_in(graph, order);
    std::vector<std::size_t> uses_left(nodes.size());
    const auto is_wanted = [&](std::size_t n) { return unknown[n] == nowhere && uses_left[n] > 0; };
    const auto compared = compared_in(graph);
    for (const std::size_t output : graph.outputs())
        ++uses_left[output];
    for (const auto& [of, expectation] : compared)
        ++uses_left[expectation.definition.node];
    for (auto n = order.rbegin(); n != order.rend(); ++n)
        if (is_wanted(*n))
            for (const Source& source : graph.definition_of(*n))
                ++uses_left[source.node];
    std::vector<std::optional<Numbers>> all(nodes.size());
    for (const std::size_t n : order) {
        if (!is_wanted(n)) continue;
        const Node& node = nodes[n];
        const std::vector<Source> sources = graph.definition_of(n);
        std::vector<Seen> seen;
        for (const Source& source : sources)
            seen.push_back({source.view, *all[source.node]});
        if (node.op == Op::input)
            all[n] = numbers_of(node, get(input, node.name));
        else if (node.op == Op::kernel)
            all[n] = allowed(node, seen.front(), graph.expectations().at(n).within);
        else
            compute(node, seen, all[n].emplace(with_errors(node)));
        for (const Source& source : sources)
            if (--uses_left[source.node] == 0) all[source.node].reset();
    }
    const auto nobody_says = [&](std::size_t of, std::string_view ending) {
        const Node& result = nodes[unknown[of]];
        return fmt::format("Nobody has said what {} must be, which the kernel {} leaves, so {}.", result.name,
                           result.kernel->name, ending);
    };
    const auto is_said = [](double within) {
        return fmt::format("what is expected of it within {}", within);
    };
    std::vector<Expected> outputs, besides;
    for (const auto& [of, expectation] : compared) {
        const auto& [definition, within] = expectation;
        const Node& node = nodes[of];
        if (unknown[definition.node] != nowhere) {
            besides.push_back(
                {.output = node.name,
                 .note = nobody_says(definition.node,
                                     fmt::format("what is expected of {} is not checked", node.name))});
            continue;
        }
        besides.push_back(expected_of(node, allowed(node, {definition.view, *all[definition.node]}, within)));
        besides.back().by = is_said(within);
    }
    for (const std::size_t output : graph.outputs()) {
        const Node& node = nodes[output];
        const bool is_compared = std::ranges::any_of(
            besides, [&](const Expected& one) { return one.output == node.name && one.reference; });
        if (unknown[output] == nowhere) {
            outputs.push_back(expected_of(node, *all[output]));
            if (node.op == Op::kernel) outputs.back().by = is_said(graph.expectations().at(output).within);
        } else if (!is_compared) {
            outputs.push_back({.output = node.name,
                               .note = nobody_says(output, fmt::format("{} is not judged", node.name))});
        }
    }
    std::ranges::move(besides, std::back_inserter(outputs));
    return outputs;
}

void require_definitions(const Graph& graph) {
    in_order_of_need(graph);
}

}  // namespace gridstride::tensor
