#include "graph/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/parallel_for.h"
#include "base/random.h"
#include "graph/quantization.h"

namespace gridstride::tensor {

namespace {

using Sources = std::span<const Operand>;

void for_each_element(const Node& node, const auto& of) {
    parallel_for_each(node.elements(), element_count(node.sources[0].view.shape) / node.elements(), of);
}
void for_each_element(const Node& node, Numbers& out, const auto& of) {
    for_each_element(node, [&](std::uint64_t i) { out.set(i, of(i)); });
}

/// Applies the operation to `start` and `count` elements from `first` on, `stride` apart, in order.
Bounded fold(Op op, Bounded start, const Operand& x, std::uint64_t first, std::uint64_t count,
             std::uint64_t stride = 1) {
    const auto of = elementwise(op)->of;
    for (std::uint64_t i = 0; i < count; ++i)
        start = of({start, x[first + i * stride]});
    return start;
}

std::uint32_t to_bits(double number) {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(number));
}
Bounded from_bits(std::uint32_t bits, ElementType type) {
    if (type == ElementType::u32) return {static_cast<double>(bits)};
    return {static_cast<double>(static_cast<std::int32_t>(bits))};
}

/// Divides as GLSL does, which leaves the quotient and the remainder of a division by 0 open.
Bounded divide(Op op, double dividend, double divisor, ElementType type) {
    const auto a = static_cast<std::int64_t>(dividend), b = static_cast<std::int64_t>(divisor);
    if (b == 0) return {0, std::numeric_limits<double>::infinity()};
    return from_bits(static_cast<std::uint32_t>(op == Op::div ? a / b : a % b), type);
}

Bounded apply_to_integers(const Elementwise& row, const Operands& x, ElementType type) {
    switch (row.op) {
        case Op::mul:  // not exact in double
            return from_bits(to_bits(x[0].value) * to_bits(x[1].value), type);
        case Op::div:
        case Op::mod:
            return divide(row.op, x[0].value, x[1].value, type);
        case Op::where:
            return row.of(x);
        default:
            return from_bits(to_bits(row.of(x).value), type);
    }
}

/// Integers are compared exactly.
[[noreturn]] void refuse_inexact_integers(Op op) {
    throw Refusal(
        "{} of numbers with rounding errors, or of a number divided by 0, has no exact result to compare "
        "with. Apply it to inputs, or compare the numbers before.",
        name(op));
}

/// Successive elements of an operand.
class Cursor {
 public:
    Cursor(const Operand& x, std::uint64_t element)
        : numbers_(&x.numbers), view_(x.view.collapsed()), index_(x.view.at(element)) {
        for (std::size_t i = view_.shape.size(); i-- > 0; element /= view_.shape[i])
            at_[i] = element % view_.shape[i];
    }
    Bounded operator*() const { return (*numbers_)[index_]; }
    Cursor& operator++() {
        for (std::size_t i = view_.shape.size(); i-- > 0;) {
            index_ += view_.strides[i];
            if (++at_[i] < view_.shape[i]) break;
            index_ -= view_.shape[i] * view_.strides[i];
            at_[i] = 0;
        }
        return *this;
    }

 private:
    const Numbers* numbers_;
    View view_;
    std::uint64_t index_;
    std::array<std::uint64_t, max_extents> at_ = {};
};

/// Computes successive blocks of a fusion.
class Evaluation {
 public:
    static constexpr std::size_t block_elements = 256;

    Evaluation(const Fusion& fusion, std::uint64_t first) : node_(fusion.node), row_(*elementwise(node_.op)) {
        for (std::size_t n = 0; n < fusion.operands.size(); ++n)
            if (const auto* operand = std::get_if<Operand>(&fusion.operands[n]))
                sources_.at(n).cursor.emplace(*operand, first);
            else
                sources_.at(n).evaluation =
                    std::make_unique<Evaluation>(std::get<Fusion>(fusion.operands[n]), first);
    }

    void next(std::span<Bounded> results) {
        for (Source& source : sources_) {
            if (source.evaluation) source.evaluation->next(std::span(source.block).first(results.size()));
            if (!source.cursor) continue;
            for (std::size_t i = 0; i < results.size(); ++i, ++*source.cursor)
                source.block[i] = **source.cursor;
        }
        const bool computes_integers = is_integer(node_.type) && node_.op != Op::copy;
        for (std::size_t i = 0; i < results.size(); ++i) {
            Operands operands;
            bool is_inexact = false;
            for (std::size_t n = 0; n < operands.size(); ++n) {
                operands[n] = sources_[n].block[i];
                // where() takes what it selects as it is.
                is_inexact = is_inexact || (operands[n].error > 0 && !(node_.op == Op::where && n > 0));
            }
            if (computes_integers && is_inexact) refuse_inexact_integers(node_.op);
            results[i] =
                computes_integers ? apply_to_integers(row_, operands, node_.type) : row_.of(operands);
        }
    }

 private:
    struct Source {
        std::optional<Cursor> cursor;
        std::unique_ptr<Evaluation> evaluation;
        std::array<Bounded, block_elements> block;
    };
    const Node& node_;
    const Elementwise& row_;
    std::array<Source, std::tuple_size_v<Operands>> sources_;  ///< that of a missing operand is 0
};

void constant(const Node& node, Sources, Numbers& out) {
    out.set(0, {node.type == ElementType::f32 ? double{static_cast<float>(node.number)} : node.number});
}

void uniform(const Node& node, Sources, Numbers& out) {
    std::vector<float> numbers(node.elements());
    fill_uniform_f32(numbers, node.seed, 0);
    std::ranges::copy(numbers, out.values.begin());
    std::ranges::fill(out.errors, 0);
}

void compute_padded(const Node& node, Sources x, Numbers& out) {
    const auto [axis, before, repeats_edge] = node.padding;
    const Shape& shape = x[0].view.shape;
    const std::uint64_t extent = node.shape[axis], count = shape[axis];
    const std::uint64_t inner =
        element_count({shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end()});
    const auto last = static_cast<std::int64_t>(count) - 1;
    // A run: the consecutive elements with one index along the axis.
    parallel_for_each(node.elements() / inner, inner, [&](std::uint64_t run) {
        const std::int64_t source_index = static_cast<std::int64_t>(run % extent) - before,
                           i = repeats_edge ? std::clamp(source_index, std::int64_t{0}, last) : source_index;
        const bool exists = i >= 0 && i <= last;
        const std::uint64_t first = (run / extent * count + static_cast<std::uint64_t>(i)) * inner;
        for (std::uint64_t k = 0; k < inner; ++k)
            out.set(run * inner + k, exists ? x[0][first + k] : Bounded{});
    });
}

void compute_sum(const Operand& x, std::uint64_t i, std::uint64_t length, Numbers& out) {
    double sum = 0, magnitude = 0, error = 0;
    bool maybe_nan = false;
    for (std::uint64_t at = i * length; at < (i + 1) * length; ++at) {
        const Bounded term = x[at];
        sum += term.value;
        magnitude += std::abs(term.value);
        error += term.error;
        maybe_nan = maybe_nan || term.may_be_nan;
    }
    out.set(i, bound_sum(sum, magnitude + error, error, length, maybe_nan));
    if (!out.magnitudes.empty()) out.magnitudes[i] = magnitude;
}
/// Wraps around like a device; in double, sums are exact only up to 2^53.
Bounded wrapping_sum(const Operand& x, std::uint64_t first, std::uint64_t length, ElementType type) {
    std::uint32_t sum = 0;
    for (std::uint64_t i = first; i < first + length; ++i)
        sum += to_bits(x[i].value);
    return from_bits(sum, type);
}
void compute_row_sums(const Node& node, Sources x, Numbers& out) {
    const auto& errors = x[0].numbers.errors;
    if (is_integer(node.type) && std::ranges::any_of(errors, [](double error) { return error > 0; }))
        refuse_inexact_integers(node.op);
    const std::uint64_t length = x[0].view.shape.back();
    for_each_element(node, [&](std::uint64_t i) {
        if (is_integer(node.type))
            out.set(i, wrapping_sum(x[0], i * length, length, node.type));
        else
            compute_sum(x[0], i, length, out);
    });
}

/// Devices may reduce in any order, and a NaN may discard the extreme of the elements before it.
void compute_row_extremes(const Node& node, Sources x, Numbers& out) {
    const std::uint64_t length = x[0].view.shape.back();
    const auto [op, opposite] =
        node.op == Op::largest ? std::pair(Op::maximum, Op::minimum) : std::pair(Op::minimum, Op::maximum);
    for_each_element(node, out, [&, op = op, opposite = opposite](std::uint64_t i) {
        const std::uint64_t first = i * length;
        Bounded extreme = fold(op, x[0][first], x[0], first, length);
        if (extreme.may_be_nan) {
            const Bounded other = fold(opposite, x[0][first], x[0], first, length);
            extreme.error = std::max(extreme.error, std::abs(extreme.value - other.value));
        }
        return extreme;
    });
}

/// A device may return the index of any number whose bounds reach the lower bound of all others; where a
/// number may be NaN, any index.
Bounded argmax(const Operand& x, std::uint64_t first, std::uint64_t length) {
    const auto to_device = [](double bound) {
        return std::abs(bound) > std::numeric_limits<float>::max() ? std::copysign(HUGE_VAL, bound) : bound;
    };
    std::uint64_t best = 0, first_at_bound = 0;
    double lower_bound = -HUGE_VAL;
    bool maybe_nan = false;
    for (std::uint64_t i = 0; i < length; ++i) {
        const Bounded number = x[first + i], max_value = x[first + best];
        maybe_nan = maybe_nan || number.may_be_nan || std::isnan(number.value);
        if (number.value > max_value.value || (std::isnan(number.value) && !std::isnan(max_value.value)))
            best = i;
        if (const double lower = to_device(number.value - number.error); lower > lower_bound) {
            lower_bound = lower;
            first_at_bound = i;
        }
    }
    if (maybe_nan) return {static_cast<double>(best), static_cast<double>(length - 1)};
    std::uint64_t low = best, high = best;
    for (std::uint64_t i = 0; i < length; ++i) {
        const double upper = to_device(x[first + i].value + x[first + i].error);
        // If numbers are equal, the first one counts.
        if (upper < lower_bound || (upper == lower_bound && i > first_at_bound)) continue;
        low = std::min(low, i);
        high = std::max(high, i);
    }
    return {static_cast<double>(best), static_cast<double>(std::max(best - low, high - best))};
}
void compute_row_argmax(const Node& node, Sources x, Numbers& out) {
    const std::uint64_t length = x[0].view.shape.back();
    for_each_element(node, out, [&](std::uint64_t i) { return argmax(x[0], i * length, length); });
}

// A product is computed by tiles, whose sums stay in the cache while the rows of the second factor are read
// once for all of them. Loops over the columns of a tile have a constant length, so that the compiler
// vectorises them.
constexpr std::uint64_t max_tile_rows = 16, max_tile_columns = 64;
struct ProductTile {
    std::uint64_t first_row, rows, first_column, columns;
};
using TileLine = std::array<double, max_tile_columns>;

/// Rows of the second factor that are added at a time. Behind the last one and the last column, zeros are.
struct AddedRows {
    static constexpr std::uint64_t max_count = 4;
    std::array<TileLine, max_count> values{}, magnitudes{}, errors{};
    bool has_errors = false;
};
AddedRows load_rows(const Numbers& b, const ProductTile& tile, std::uint64_t first_row, std::uint64_t count,
                    std::uint64_t n) {
    AddedRows rows{.has_errors = !b.errors.empty()};
    for (std::uint64_t p = 0; p < count; ++p) {
        const std::uint64_t first = (first_row + p) * n + tile.first_column;
        std::copy_n(b.values.data() + first, tile.columns, rows.values[p].begin());
        std::ranges::transform(rows.values[p], rows.magnitudes[p].begin(),
                               [](double number) { return std::abs(number); });
        if (rows.has_errors) std::copy_n(b.errors.data() + first, tile.columns, rows.errors[p].begin());
    }
    return rows;
}

/// Adds the products in the order of the rows, with one load and store of a sum.
void add_products(TileLine& sums, const std::array<double, AddedRows::max_count>& x,
                  const std::array<TileLine, AddedRows::max_count>& rows) {
    for (std::size_t column = 0; column < max_tile_columns; ++column) {
        double sum = sums[column];
        for (std::size_t p = 0; p < AddedRows::max_count; ++p)
            sum += x[p] * rows[p][column];
        sums[column] = sum;
    }
}

/// The sums of a row of a tile.
struct ProductSums {
    TileLine sums{}, magnitudes{}, carried_errors{};

    /// x(p) is the factor of row p.
    void add(const AddedRows& rows, std::uint64_t count, bool has_errors, const auto& x) {
        std::array<double, AddedRows::max_count> values{}, sizes{}, errors{}, bounds{};
        for (std::uint64_t p = 0; p < count; ++p) {
            const Bounded number = x(p);
            values[p] = number.value;
            sizes[p] = std::abs(number.value);
            errors[p] = number.error;
            bounds[p] = sizes[p] + number.error;
        }
        add_products(sums, values, rows.values);
        if (!has_errors) return;
        add_products(magnitudes, sizes, rows.magnitudes);
        add_products(carried_errors, errors, rows.magnitudes);
        if (rows.has_errors) add_products(carried_errors, bounds, rows.errors);
    }
};

/// Computes a tile of out; b holds k rows of n.
void compute_product_tile(const Operand& a, const Numbers& b, const ProductTile& tile, std::uint64_t n,
                          std::uint64_t k, std::uint64_t roundings, Numbers& out) {
    const bool has_errors = !out.errors.empty() || !out.magnitudes.empty();
    const auto index = [&](std::uint64_t row, std::uint64_t column) {
        return (tile.first_row + row) * n + tile.first_column + column;
    };
    std::array<ProductSums, max_tile_rows> rows;
    for (std::uint64_t first = 0; first < k; first += AddedRows::max_count) {
        const std::uint64_t count = std::min(k - first, AddedRows::max_count);
        const AddedRows added = load_rows(b, tile, first, count, n);
        for (std::uint64_t row = 0; row < tile.rows; ++row) {
            const auto x = [&](std::uint64_t p) { return a[(tile.first_row + row) * k + first + p]; };
            rows[row].add(added, count, has_errors, x);
            if (out.maybe_nan.empty()) continue;
            for (std::uint64_t p = 0; p < count; ++p)
                for (std::uint64_t column = 0; column < tile.columns; ++column)
                    if (x(p).may_be_nan || b[(first + p) * n + tile.first_column + column].may_be_nan)
                        out.maybe_nan[index(row, column)] = 1;
        }
    }
    for (std::uint64_t row = 0; row < tile.rows; ++row)
        for (std::uint64_t column = 0; column < tile.columns; ++column) {
            const std::size_t i = index(row, column);
            const double magnitude = rows[row].magnitudes[column], error = rows[row].carried_errors[column];
            const bool may_be_nan = !out.maybe_nan.empty() && out.maybe_nan[i] != 0;
            out.set(i, has_errors ? bound_sum(rows[row].sums[column], magnitude + error, error, roundings,
                                              may_be_nan)
                                  : Bounded{rows[row].sums[column]});
            if (!out.magnitudes.empty()) out.magnitudes[i] = magnitude;
        }
}

/// Computes rows of out from first_row on; b holds k rows of n.
void compute_product_rows(const Operand& a, const Numbers& b, std::uint64_t first_row, std::uint64_t rows,
                          std::uint64_t n, std::uint64_t k, std::uint64_t roundings, Numbers& out) {
    const std::uint64_t across = divide_up(n, max_tile_columns), down = divide_up(rows, max_tile_rows);
    parallel_for_each(across * down, max_tile_rows * max_tile_columns * k, [&](std::uint64_t i) {
        const std::uint64_t row = i / across * max_tile_rows, column = i % across * max_tile_columns;
        compute_product_tile(a, b,
                             {first_row + row, std::min(rows - row, max_tile_rows), column,
                              std::min(n - column, max_tile_columns)},
                             n, k, roundings, out);
    });
}

Numbers copy_view(const Operand& x) {
    const std::uint64_t count = element_count(x.view.shape);
    Numbers copy{UninitializedVector<double>(count),
                 UninitializedVector<double>(x.numbers.errors.empty() ? 0 : count)};
    if (!x.numbers.maybe_nan.empty()) copy.maybe_nan.resize(count);
    parallel_for_each(count, 1, [&](std::uint64_t i) { copy.set(i, x[i]); });
    return copy;
}

/// roundings: of each sum, at most.
void compute_product(const Node& node, Sources x, std::uint64_t roundings, Numbers& out) {
    const std::uint64_t n = node.shape.back(), k = x[0].view.shape.back();
    const bool is_batch = x[1].view.shape.size() == 3;
    const std::uint64_t batch = is_batch ? x[1].view.shape[0] : 1, rows = node.elements() / n / batch;
    for (std::uint64_t i = 0; i < batch; ++i) {
        const View view = is_batch ? x[1].view.slice(0, i, 1) : x[1].view;
        const Operand matrix{view, x[1].numbers};
        const Numbers copy = matrix.is_whole ? Numbers{} : copy_view(matrix);
        const Numbers& b = matrix.is_whole ? matrix.numbers : copy;
        compute_product_rows(x[0], b, i * rows, rows, n, k, roundings, out);
    }
}

/// k roundings of sums, and one of a product.
void product(const Node& node, Sources x, Numbers& out) {
    compute_product(node, x, x[0].view.shape.back() + 1, out);
}
/// Matrix units multiply f16 exactly. They may truncate a sum, by up to 2^-23 of it, which is two roundings.
void product_of_f16(const Node& node, Sources x, Numbers& out) {
    compute_product(node, x, 2 * x[0].view.shape.back(), out);
}

void compute_softmax_row(const Operand& x, std::uint64_t first, std::uint64_t length, Numbers& out) {
    std::vector<Bounded> row(length), probabilities(length);
    for (std::uint64_t i = 0; i < length; ++i)
        row[i] = x[first + i];
    softmax(row, probabilities);
    for (std::uint64_t i = 0; i < length; ++i)
        out.set(first + i, probabilities[i]);
}
void compute_softmax(const Node& node, Sources x, Numbers& out) {
    const std::uint64_t length = node.shape.back();
    parallel_for_each(node.elements() / length, length,
                      [&](std::uint64_t row) { compute_softmax_row(x[0], row * length, length, out); });
}

void compute_row_ranges(const Node& node, Sources x, Numbers& out) {
    const std::uint64_t length = x[0].view.shape[1];
    for_each_element(node, out, [&](std::uint64_t i) {
        return fold(i % 2 == 0 ? Op::minimum : Op::maximum, {}, x[0], i / 2 * length, length);
    });
}

void compute_quantization_params(const Node& node, Sources x, Numbers& out) {
    const std::uint64_t rows = x[0].view.shape[0] / node.elements();
    for_each_element(node, out, [&](std::uint64_t i) {
        const BoundedQuantizationParams of =
            choose_quantization_params(node.scheme, fold(Op::minimum, {}, x[0], 2 * i, rows, 2),
                                       fold(Op::maximum, {}, x[0], 2 * i + 1, rows, 2));
        return node.op == Op::steps ? of.scale : of.zero_point;
    });
}

/// A byte's distance from 0 in units of the scale. Its product with the scale, of 15 bits, is exact too.
Bounded level_of(const Bounded& byte, const Bounded& zero_point) {
    return {byte.value - zero_point.value, byte.error + zero_point.error,
            byte.may_be_nan || zero_point.may_be_nan};
}
Bounded dequantize_level(const Bounded& count, const Bounded& scale) {
    return {count.value * scale.value,
            std::abs(count.value) * scale.error + scale.value * count.error + scale.error * count.error,
            count.may_be_nan || scale.may_be_nan};
}

void quantize_elements(const Node& node, Sources x, Numbers& out) {
    for_each_element(node, out, [&](std::uint64_t i) { return quantize_to_byte(x[0][i], x[1][i], x[2][i]); });
}
void dequantize_elements(const Node& node, Sources x, Numbers& out) {
    for_each_element(node, out,
                     [&](std::uint64_t i) { return dequantize_level(level_of(x[0][i], x[2][i]), x[1][i]); });
}

/// Multiplies unscaled numbers; the scales are applied to the sums.
void compute_product_of_bytes(const Node& node, Sources x, Numbers& out) {
    const std::uint64_t m = node.shape[0], n = node.shape[1], k = x[0].view.shape[1];
    const bool both_are_bytes = x.size() > 4;
    Numbers counts{UninitializedVector<double>(n * k),
                   UninitializedVector<double>(out.errors.empty() ? 0 : n * k)};
    if (!x[1].numbers.maybe_nan.empty() || !x[3].numbers.maybe_nan.empty()) counts.maybe_nan.resize(n * k);
    parallel_for_each(n * k, 1, [&](std::size_t i) { counts.set(i, level_of(x[1][i], x[3][i % n])); });
    // A sum of products of integers is exact until it is converted to f32.
    const std::uint64_t roundings = both_are_bytes ? 0 : k + 1;
    compute_product_rows(x[0], counts, 0, m, n, k, roundings, out);
    for_each_element(node, out, [&](std::uint64_t i) {
        Bounded sum = out[i], scale = x[2][i];
        if (both_are_bytes) {
            sum = sum + Bounded{};
            scale = scale * x[4][i];
        }
        if (!out.magnitudes.empty()) out.magnitudes[i] *= std::abs(scale.value);
        return scale * sum;
    });
}

constexpr std::pair<Op, void (*)(const Node&, Sources, Numbers&)> evaluators[] = {
    {Op::number, constant},
    {Op::random, uniform},
    {Op::pad, compute_padded},
    {Op::sum, compute_row_sums},
    {Op::largest, compute_row_extremes},
    {Op::smallest, compute_row_extremes},
    {Op::argmax, compute_row_argmax},
    {Op::matmul, product},
    {Op::softmax, compute_softmax},
    {Op::ranges, compute_row_ranges},
    {Op::steps, compute_quantization_params},
    {Op::zero_points, compute_quantization_params},
    {Op::quantise, quantize_elements},
    {Op::dequantise, dequantize_elements},
    {Op::matmul_of_f16, product_of_f16},
    {Op::matmul_of_bytes, compute_product_of_bytes},
};

std::size_t index_of(const Node& node, std::size_t i) {
    if (node.type != ElementType::i8) return i;
    const std::uint64_t columns = node.shape[1];
    return i / columns * padded(columns) + i % columns;
}

bool chooses_operand(Op op) {
    return op == Op::maximum || op == Op::minimum || op == Op::largest || op == Op::smallest;
}

/// True if a maximum or minimum has a NaN among its operands, or an operand may itself also be NaN.
bool may_also_be_nan(Op op, const Operand& source) {
    if (!source.numbers.maybe_nan.empty()) return true;
    const auto& values = source.numbers.values;
    return chooses_operand(op) && parallel_find(values.size(), 1, [&](std::size_t i) {
                                      return std::isnan(values[i]);
                                  }) < values.size();
}
bool may_also_be_nan(const Fusion& fusion) {
    return std::ranges::any_of(fusion.operands, [&](const auto& operand) {
        const auto* fused = std::get_if<Fusion>(&operand);
        return fused ? may_also_be_nan(*fused) : may_also_be_nan(fusion.node.op, std::get<Operand>(operand));
    });
}

Numbers compute_values(const Node& node, Sources x) {
    Numbers out{UninitializedVector<double>(node.elements())};
    compute(node, x, out);
    return out;
}

}  // namespace

bool can_fuse(Op op) {
    return elementwise(op) && !chooses_operand(op);
}

void compute(const Fusion& fusion, Numbers& out) {
    const Node& node = fusion.node;
    if (computing_type(node.type) == ElementType::f32 && may_also_be_nan(fusion))
        out.maybe_nan.assign(node.elements(), 0);
    // Only a copy of a sum has magnitudes.
    if (!out.magnitudes.empty()) {
        const auto& x = std::get<Operand>(fusion.operands[0]);
        parallel_for_each(node.elements(), 1,
                          [&](std::uint64_t i) { out.magnitudes[i] = x.numbers.magnitudes[x.index_of(i)]; });
    }
    parallel_for(node.elements(), min_thread_work, [&](std::size_t begin, std::size_t end) {
        Evaluation evaluation(fusion, begin);
        std::array<Bounded, Evaluation::block_elements> block;
        for (std::size_t first = begin; first < end; first += block.size()) {
            const auto results = std::span(block).first(std::min(block.size(), end - first));
            evaluation.next(results);
            for (std::size_t i = 0; i < results.size(); ++i)
                out.set(first + i, results[i]);
        }
    });
}

void compute(const Node& node, std::span<const Operand> sources, Numbers& out) {
    if (elementwise(node.op)) return compute(Fusion{node, {sources.begin(), sources.end()}}, out);
    if (computing_type(node.type) == ElementType::f32 &&
        std::ranges::any_of(sources, [&](const Operand& source) { return may_also_be_nan(node.op, source); }))
        out.maybe_nan.assign(node.elements(), 0);
    const auto found = std::ranges::find(evaluators, node.op, [](const auto& row) { return row.first; });
    if (found == std::end(evaluators))
        throw std::logic_error(fmt::format("no evaluation is defined for the operation {}", name(node.op)));
    found->second(node, sources, out);
}

std::uint64_t count_operations(const Node& node) {
    const std::uint64_t read = element_count(node.sources[0].view.shape);
    switch (node.op) {
        case Op::copy:
        case Op::pad:
            return 0;
        case Op::matmul:
        case Op::matmul_of_f16:
        case Op::matmul_of_bytes:
            return 2 * node.elements() * node.sources[0].view.shape.back();
        case Op::softmax:
            return 5 * node.elements();
        default:
            return read;
    }
}

Numbers to_numbers(const Node& node, const Array& array) {
    Numbers numbers{UninitializedVector<double>(node.elements())};
    array.visit([&](const auto& elements) {
        parallel_for_each(numbers.values.size(), 1, [&](std::size_t i) {
            numbers.values[i] = static_cast<double>(elements[index_of(node, i)]);
        });
    });
    return numbers;
}

Array to_array(const Node& node, std::span<const double> numbers, ElementType type) {
    Array array(type, node.memory_elements());
    std::visit(
        [&]<class T>(T zero) {
            const std::span<T> out = array.as<T>();
            if (out.size() > numbers.size()) std::ranges::fill(out, zero);
            parallel_for_each(numbers.size(), 1, [&](std::size_t i) {
                const bool has_value = is_float(type) || !std::isnan(numbers[i]);
                out[index_of(node, i)] = has_value ? static_cast<T>(numbers[i]) : zero;
            });
        },
        element_prototypes.at(static_cast<std::size_t>(type)));
    return array;
}

Array evaluate_on_host(const Node& node, std::span<const Node> sources,
                       std::span<const Array* const> arrays) {
    std::vector<Numbers> numbers;
    auto next = arrays.begin();
    for (const Node& source : sources)
        numbers.push_back(source.is_in_memory() ? to_numbers(source, **next++) : compute_values(source, {}));
    std::vector<Operand> operands;
    for (std::size_t i = 0; i < sources.size(); ++i)
        operands.push_back({node.sources[i].view, numbers[i]});
    Numbers results = compute_values(node, operands);
    // Kernels propagate NaN: see shaders/tensor/functions.glsl.
    for (std::size_t i = 0; i < results.maybe_nan.size(); ++i)
        if (results.maybe_nan[i] != 0) results.values[i] = NAN;
    return to_array(node, results.values, node.type);
}

}  // namespace gridstride::tensor
