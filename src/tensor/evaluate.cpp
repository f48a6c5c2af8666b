#include "tensor/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/parallel_for.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "tensor/rounding.h"

namespace gridstride::tensor {

namespace {

constexpr std::size_t block = std::size_t{1} << 14;

/// A node's numbers, whole. Where errors are not asked for there are none.
struct Numbers {
    std::vector<double> values, errors;
};

/// What a node reads, element by element of its view.
struct Seen {
    const View& view;
    const Numbers& numbers;
    bool is_whole = view.is_whole();

    Bounded operator[](std::uint64_t element) const {
        const std::uint64_t i = is_whole ? element : view.at(element);
        return {numbers.values[i], numbers.errors.empty() ? 0 : numbers.errors[i]};
    }
};

double wrapped(std::int64_t number) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(number));
}

Bounded one_element(const Elementwise& row, ElementType type, const Operands& x) {
    if (type == ElementType::f32) return row.of(x);
    if (row.op == Op::mul)
        return {wrapped(static_cast<std::int64_t>(x[0].value) * static_cast<std::int64_t>(x[1].value)), 0};
    return {wrapped(static_cast<std::int64_t>(row.of(x).value)), 0};
}

/// Of `length` elements from `first` on.
Bounded sum_of(const Seen& x, std::uint64_t first, std::uint64_t length, ElementType type) {
    double sum = 0, magnitude = 0, error = 0;
    for (std::uint64_t i = first; i < first + length; ++i) {
        const auto [value, own_error] = x[i];
        sum += value;
        magnitude += std::abs(value) + own_error;
        error += own_error;
    }
    if (type == ElementType::i32) return {wrapped(static_cast<std::int64_t>(sum)), 0};
    const Tolerance rounding = tolerance_of_f32_sum(length, length);
    return {sum, error + rounding.absolute + rounding.relative * magnitude};
}

Bounded largest_of(const Seen& x, std::uint64_t first, std::uint64_t length) {
    Bounded largest = x[first];
    for (std::uint64_t i = first + 1; i < first + length; ++i) {
        const auto [value, error] = x[i];
        largest = {std::max(largest.value, value), std::max(largest.error, error)};
    }
    return largest;
}

/// Its smallest number, then its largest; 0 is among them.
Bounded end_of_range(const Seen& x, std::uint64_t first, std::uint64_t length, bool largest) {
    const auto further = elementwise(largest ? Op::maximum : Op::minimum)->of;
    Bounded end;
    for (std::uint64_t i = first; i < first + length; ++i)
        end = further({end, x[i]});
    return end;
}

/// Of the ranges of `rows` rows, from the first one on.
BoundedPlaces places_of(const Seen& ranges, Scheme scheme, std::uint64_t first, std::uint64_t rows) {
    const auto less = elementwise(Op::minimum)->of, more = elementwise(Op::maximum)->of;
    Bounded smallest, largest;
    for (std::uint64_t row = first; row < first + rows; ++row) {
        smallest = less({smallest, ranges[2 * row]});
        largest = more({largest, ranges[2 * row + 1]});
    }
    return places_for(scheme, smallest, largest);
}

/// Steps from 0: exact, and so is their product with the step, which has 15 bits.
Bounded count_of(const Bounded& byte, const Bounded& zero_point) {
    return {byte.value - zero_point.value, byte.error + zero_point.error};
}
Bounded number_of(const Bounded& count, const Bounded& step) {
    return {count.value * step.value,
            std::abs(count.value) * step.error + step.value * count.error + step.error * count.error};
}

void softmax_of_row(const Seen& x, std::uint64_t first, std::uint64_t length, Numbers& out, bool errors) {
    constexpr double ulp = 0x1p-23;
    const double top = largest_of(x, first, length).value;
    double sum = 0, most_error = 0;
    for (std::uint64_t i = first; i < first + length; ++i) {
        sum += out.values[i] = std::exp(x[i].value - top);
        most_error = std::max(most_error, x[i].error);
    }
    const Tolerance rounding = tolerance_of_f32_sum(length + 8, length + 8);
    for (std::uint64_t i = first; i < first + length; ++i) {
        out.values[i] /= sum;
        if (!errors) continue;
        // Of an exponential, twice, and of those that are summed; the differences from the maximum are
        // rounded before they are raised.
        const double own = (32 + 8 * std::min(top - x[i].value, 104.0)) * ulp;
        out.errors[i] = out.values[i] * (std::expm1(2 * most_error) + own + 32 * ulp + rounding.relative) +
                        rounding.absolute;
    }
}

/// A row at a time, so that memory is read in the order in which it lies. rounding: of its sums.
void product(const Seen& a, const Seen& b, std::uint64_t row, std::uint64_t n, std::uint64_t k,
             const Tolerance& rounding, Numbers& out, bool errors) {
    std::vector<double> magnitudes(errors ? n : 0), carried(errors ? n : 0);
    double* const sums = out.values.data() + row * n;
    std::fill_n(sums, n, 0.0);
    for (std::uint64_t p = 0; p < k; ++p) {
        const Bounded x = a[row * k + p];
        for (std::uint64_t column = 0; column < n; ++column) {
            const Bounded y = b[p * n + column];
            sums[column] += x.value * y.value;
            if (!errors) continue;
            magnitudes[column] += (std::abs(x.value) + x.error) * (std::abs(y.value) + y.error);
            carried[column] += std::abs(x.value) * y.error + std::abs(y.value) * x.error + x.error * y.error;
        }
    }
    if (!errors) return;
    for (std::uint64_t column = 0; column < n; ++column)
        out.errors[row * n + column] =
            carried[column] + rounding.absolute + rounding.relative * magnitudes[column];
}

/// of(i) for each element of the node.
void each(const Node& node, Numbers& out, const auto& of) {
    const std::size_t at_once = std::max<std::size_t>(
        1, node.sources.empty() ? block : block * node.elements() / elements_of(node.sources[0].view.shape));
    parallel_for(node.elements(), at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Bounded result = of(i);
            out.values[i] = result.value;
            if (!out.errors.empty()) out.errors[i] = result.error;
        }
    });
}

void each_row(std::uint64_t rows, std::uint64_t work_of_row, const auto& of) {
    parallel_for(rows, std::max<std::size_t>(1, block / work_of_row),
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t row = begin; row < end; ++row)
                         of(row);
                 });
}

/// Of the numbers, or counts, of the first factor with the counts of the second; the steps come in at the
/// end.
void product_of_bytes(std::span<const Seen> x, std::uint64_t m, std::uint64_t n, std::uint64_t k,
                      Numbers& out, bool errors) {
    const bool are_both = x.size() > 4;
    Numbers counts;
    counts.values.resize(n * k);
    if (errors) counts.errors.resize(n * k);
    for (std::uint64_t i = 0; i < n * k; ++i) {
        const Bounded count = count_of(x[1][i], x[3][i % n]);
        counts.values[i] = count.value;
        if (errors) counts.errors[i] = count.error;
    }
    const View whole = View::whole({k, n});
    // The sum of products of whole numbers is exact, and rounded when it becomes f32.
    const Tolerance rounding = are_both ? Tolerance{} : tolerance_of_f32_sum(k + 1, k + 1);
    const auto times = elementwise(Op::mul)->of, plus = elementwise(Op::add)->of;
    each_row(m, n * k, [&](std::uint64_t row) {
        product(x[0], {whole, counts}, row, n, k, rounding, out, errors);
        for (std::uint64_t i = row * n; i < (row + 1) * n; ++i) {
            Bounded sum{out.values[i], errors ? out.errors[i] : 0}, step = x[2][i];
            if (are_both) {
                sum = plus({sum, {}});
                step = times({step, x[4][i]});
            }
            const Bounded result = times({step, sum});
            out.values[i] = result.value;
            if (errors) out.errors[i] = result.error;
        }
    });
}

Numbers computed(const Node& node, std::span<const Seen> x, bool errors) {
    Numbers out;
    out.values.resize(node.elements());
    if (errors) out.errors.resize(node.elements());
    if (const Elementwise* row = elementwise(node.op)) {
        each(node, out, [&](std::uint64_t i) {
            Operands operands;
            for (std::size_t n = 0; n < x.size(); ++n)
                operands[n] = x[n][i];
            return one_element(*row, node.type, operands);
        });
        return out;
    }
    switch (node.op) {
        case Op::number:
            out.values[0] =
                node.type == ElementType::f32 ? double{static_cast<float>(node.number)} : node.number;
            break;
        case Op::random: {
            std::vector<float> drawn(node.elements());
            fill_uniform_f32(drawn, node.seed, 0);
            std::ranges::copy(drawn, out.values.begin());
            break;
        }
        case Op::sum: {
            const std::uint64_t length = x[0].view.shape.back();
            each(node, out, [&](std::uint64_t i) { return sum_of(x[0], i * length, length, node.type); });
            break;
        }
        case Op::largest: {
            const std::uint64_t length = x[0].view.shape.back();
            each(node, out, [&](std::uint64_t i) { return largest_of(x[0], i * length, length); });
            break;
        }
        case Op::matmul: {
            const std::uint64_t n = node.shape[1], k = x[0].view.shape[1];
            const Tolerance rounding = tolerance_of_f32_sum(k + 1, k + 1);
            each_row(node.shape[0], n * k,
                     [&](std::uint64_t row) { product(x[0], x[1], row, n, k, rounding, out, errors); });
            break;
        }
        case Op::ranges: {
            const std::uint64_t length = x[0].view.shape[1];
            each(node, out,
                 [&](std::uint64_t i) { return end_of_range(x[0], i / 2 * length, length, i % 2 == 1); });
            break;
        }
        case Op::steps:
        case Op::zero_points: {
            const std::uint64_t rows = x[0].view.shape[0] / node.elements();
            each(node, out, [&](std::uint64_t i) {
                const BoundedPlaces places = places_of(x[0], node.scheme, i, rows);
                return node.op == Op::steps ? places.step : places.zero_point;
            });
            break;
        }
        case Op::quantise:
            each(node, out, [&](std::uint64_t i) { return byte_of(x[0][i], x[1][i], x[2][i]); });
            break;
        case Op::dequantise:
            each(node, out, [&](std::uint64_t i) { return number_of(count_of(x[0][i], x[2][i]), x[1][i]); });
            break;
        case Op::matmul_of_bytes:
            product_of_bytes(x, node.shape[0], node.shape[1], x[0].view.shape[1], out, errors);
            break;
        default: {  // softmax
            const std::uint64_t length = node.shape.back();
            each_row(node.elements() / length, length,
                     [&](std::uint64_t row) { softmax_of_row(x[0], row * length, length, out, errors); });
        }
    }
    return out;
}

/// Where element i of a node stands in its array.
std::size_t place_of(const Node& node, std::size_t i) {
    if (node.type != ElementType::i8) return i;
    const std::uint64_t columns = node.shape[1];
    return i / columns * padded(columns) + i % columns;
}

Numbers numbers_of(const Node& node, const Array& array, bool errors) {
    Numbers numbers;
    numbers.values.resize(node.elements());
    for (std::size_t i = 0; i < numbers.values.size(); ++i)
        numbers.values[i] = array.number(place_of(node, i));
    if (errors) numbers.errors.resize(node.elements());
    return numbers;
}

/// As it lies in memory. What is between rows of bytes is 0, and so is what is no number where those are
/// whole.
template <class T>
Array array_of(const Node& node, const std::vector<double>& numbers) {
    Array array(ElementTypeOf<T>::value, node.places());
    const auto out = array.as<T>();
    if (node.places() > numbers.size()) std::ranges::fill(out, T{});
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const bool has_value = std::is_floating_point_v<T> || !std::isnan(numbers[i]);
        out[place_of(node, i)] = has_value ? static_cast<T>(numbers[i]) : T{};
    }
    return array;
}

Expected expected_of(const Node& node, const Numbers& numbers) {
    if (node.type == ElementType::i32)
        return {node.name, share(array_of<std::int32_t>(node, numbers.values))};
    return {node.name,
            share(node.type == ElementType::i8 ? array_of<std::int8_t>(node, numbers.values)
                                               : array_of<double>(node, numbers.values)),
            {.relative = 1},
            share(array_of<double>(node, numbers.errors))};
}

}  // namespace

namespace {

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

/// What is expected may be off by so much.
Numbers allowed(const Node& node, const Seen& definition, double within) {
    Numbers out{std::vector<double>(node.elements()), std::vector<double>(node.elements())};
    each(node, out, [&](std::uint64_t i) {
        const double value = definition[i].value;
        return Bounded{value, within * (1 + std::abs(value))};
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
            all[n] = numbers_of(node, get(input, node.name), true);
        else if (node.op == Op::kernel)
            all[n] = allowed(node, seen.front(), graph.expectations().at(n).within);
        else
            all[n] = computed(node, seen, true);
        for (const Source& source : sources)
            if (--uses_left[source.node] == 0) all[source.node].reset();
    }
    std::vector<Expected> outputs, besides;
    for (const auto& [of, expectation] : compared) {
        const auto& [definition, within] = expectation;
        if (unknown[of] == nowhere && unknown[definition.node] == nowhere)
            besides.push_back(
                expected_of(nodes[of], allowed(nodes[of], {definition.view, *all[definition.node]}, within)));
    }
    for (const std::size_t output : graph.outputs()) {
        if (unknown[output] == nowhere) {
            outputs.push_back(expected_of(nodes[output], *all[output]));
            continue;
        }
        const Node& of = nodes[unknown[output]];
        outputs.push_back(
            {.output = nodes[output].name,
             .note = fmt::format("Nobody has said what {} must be, which the kernel {} leaves, so {} is not "
                                 "judged.",
                                 of.name, of.kernel->name, nodes[output].name)});
    }
    std::ranges::move(besides, std::back_inserter(outputs));
    return outputs;
}

void require_definitions(const Graph& graph) {
    in_order_of_need(graph);
}

Array evaluated(const Node& node, std::span<const Node> sources, std::span<const Array* const> arrays) {
    std::vector<Numbers> numbers;
    auto next = arrays.begin();
    for (const Node& source : sources)
        numbers.push_back(source.is_in_memory() ? numbers_of(source, **next++, false)
                                                : computed(source, {}, false));
    std::vector<Seen> seen;
    for (std::size_t i = 0; i < sources.size(); ++i)
        seen.push_back({node.sources[i].view, numbers[i]});
    const Numbers made = computed(node, seen, false);
    if (node.type == ElementType::i8) return array_of<std::int8_t>(node, made.values);
    if (node.type == ElementType::i32) return array_of<std::int32_t>(node, made.values);
    return array_of<float>(node, made.values);
}

}  // namespace gridstride::tensor
