#include "lab/judge.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <vector>

#include "base/parallel_for.h"

namespace gridstride::lab {

namespace {

/// Fast path for exact outputs of one type: compares bytes, at memory speed.
bool same_bytes(const Array& a, const Array& b) {
    return a.type() == b.type() && a.count() == b.count() &&
           std::memcmp(a.raw().data(), b.raw().data(), a.bytes()) == 0;
}

/// The error of a value that is not a number, or is infinite by mistake.
constexpr double infinite_error = std::numeric_limits<double>::infinity();

/// Minimum elements of a range for one thread, and how many are converted at once.
constexpr std::size_t grain = std::size_t{1} << 16, conversion_block = 1024;

/// Returns true if the element still holds the fill word. See judge().
bool holds_fill(const Array& array, std::size_t index) {
    static_assert(std::endian::native == std::endian::little);
    const std::span<const std::byte> raw = array.raw();
    const std::size_t size = byte_size(array.type());
    const auto fill = std::bit_cast<std::array<std::byte, sizeof poison_word>>(poison_word);
    const auto is_fill = [&](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; ++at)
            if (raw[at] != fill[at % fill.size()]) return false;
        return true;
    };
    if (size == 1) {
        const std::size_t word = index / fill.size() * fill.size();
        return is_fill(word, std::min(word + fill.size(), raw.size()));
    }
    // A half-written 64-bit number is meaningless, so one unwritten half counts.
    const std::size_t piece = std::min(size, fill.size());
    for (std::size_t at = index * size; at < (index + 1) * size; at += piece)
        if (is_fill(at, at + piece)) return true;
    return false;
}

/// A range of an output and its reference, converted piece by piece. `from`: index in the array of the
/// reference's first element.
struct Piece {
    std::array<double, conversion_block> gpu, reference_value, scale;

    std::size_t convert(const Array& actual, std::size_t from, const Expected& expected, std::size_t first,
                        std::size_t end) {
        const std::size_t count = std::min(conversion_block, end - first);
        actual.numbers(from + first, std::span(gpu).first(count));
        expected.reference->numbers(first, std::span(reference_value).first(count));
        if (expected.scale)
            expected.scale->numbers(first, std::span(scale).first(count));
        else
            std::transform(reference_value.begin(),
                           reference_value.begin() + static_cast<std::ptrdiff_t>(count), scale.begin(),
                           [](double value) { return std::abs(value); });
        return count;
    }
};

/// Keeps the larger error; of equal ones, the one with the larger allowance.
void keep_larger(double error, double allowance, double& max_error, double& max_allowed) {
    if (error < max_error || (error == max_error && allowance <= max_allowed)) return;
    max_error = error;
    max_allowed = allowance;
}

/// Returns true for an infinity that the output's type produces from a finite number: the reference plus its
/// tolerance exceeds the largest number of the type. If an infinite reference is open (see rounded_to_f16()),
/// a device that rounds down stores the largest number instead.
bool is_overflow(ElementType type, double gpu, double reference_value, double allowance) {
    const double largest = type == ElementType::f16 ? largest_f16 : double{std::numeric_limits<float>::max()};
    if (std::isinf(reference_value))
        return std::isinf(allowance) && gpu == std::copysign(largest, reference_value);
    return std::isinf(gpu) && (gpu > 0 ? reference_value : -reference_value) + allowance > largest;
}

/// `index`: of the element in the array. `from`: index of the reference's first element. `scale`: of the
/// element, as Expected::scale.
void judge_element(const Array& actual, std::size_t from, std::size_t index, const Expected& expected,
                   double gpu, double reference_value, double scale, OutputComparison& comparison) {
    const double allowance = expected.tolerance.absolute + expected.tolerance.relative * scale;
    const bool finite = std::isfinite(gpu) && std::isfinite(reference_value);
    const double difference = std::abs(gpu - reference_value), magnitude = std::abs(reference_value);
    const bool is_nan_allowed =
        expected.nan_allowed && expected.nan_allowed->as<std::uint8_t>()[index - from] != 0;
    const bool right = finite            ? difference <= allowance
                       : std::isnan(gpu) ? is_nan_allowed && !holds_fill(actual, index)
                                         : is_overflow(actual.type(), gpu, reference_value, allowance) ||
                                               gpu == reference_value;  // the same infinity
    const bool unwritten = !right && holds_fill(actual, index);
    if (finite && !unwritten) {
        keep_larger(difference, allowance, comparison.max_abs_error, comparison.allowed_abs_error);
        if (magnitude > 0)
            keep_larger(difference / magnitude, allowance / magnitude, comparison.max_rel_error,
                        comparison.allowed_rel_error);
        if (scale > 0)
            comparison.max_scaled_error = std::max(comparison.max_scaled_error, difference / scale);
    } else if (!right) {
        comparison.max_abs_error = comparison.max_rel_error = comparison.max_scaled_error = infinite_error;
    }
    if (right) return;
    OutputVerdict& output = comparison.output;
    ++(unwritten ? output.unwritten : output.wrong);
    std::optional<Mismatch>& first = unwritten ? output.first_unwritten : output.first_wrong;
    if (first) return;
    first =
        Mismatch{expected.output, index, unwritten ? NAN : gpu, reference_value, expected.source, unwritten};
    if (std::isfinite(reference_value)) first->allowed = allowance;
}

OutputComparison judge_range(const Array& actual, std::size_t from, const Expected& expected,
                             std::size_t begin, std::size_t end) {
    OutputComparison comparison;
    Piece piece;
    for (std::size_t first = begin; first < end;) {
        const std::size_t count = piece.convert(actual, from, expected, first, end);
        for (std::size_t i = 0; i < count; ++i)
            judge_element(actual, from, from + first + i, expected, piece.gpu[i], piece.reference_value[i],
                          piece.scale[i], comparison);
        first += count;
    }
    return comparison;
}

/// Judges a row; indices in the result refer to the whole matrix.
OutputComparison judge_row(const Array& matrix, const FreivaldsCheck& check, std::uint64_t row) {
    const std::size_t columns = check.vector->count();
    return judge_range(matrix, row * columns, check.row(row), 0, columns);
}

void keep_earlier(std::optional<Mismatch>& first, const std::optional<Mismatch>& other) {
    if (other && (!first || other->index < first->index)) first = other;
}

/// Ranges finish in any order, so the mismatch with the lower index is kept.
void add(OutputComparison& all, const OutputComparison& range) {
    keep_larger(range.max_abs_error, range.allowed_abs_error, all.max_abs_error, all.allowed_abs_error);
    keep_larger(range.max_rel_error, range.allowed_rel_error, all.max_rel_error, all.allowed_rel_error);
    all.max_scaled_error = std::max(all.max_scaled_error, range.max_scaled_error);
    all.output.wrong += range.output.wrong;
    all.output.unwritten += range.output.unwritten;
    keep_earlier(all.output.first_wrong, range.output.first_wrong);
    keep_earlier(all.output.first_unwritten, range.output.first_unwritten);
}

/// Returns the product of each row with the vector; NaN if a row has none (see FreivaldsCheck::step).
Array compute_row_products(const Array& matrix, const FreivaldsCheck& check, std::size_t rows) {
    const auto vector = check.vector->as<double>();
    const auto is_whole = [&](double number) {
        return std::nearbyint(number / check.step) * check.step == number;
    };
    Array products(ElementType::f64, rows);
    const auto out = products.as<double>();
    parallel_for(
        rows, std::max<std::size_t>(grain / vector.size(), 1), [&](std::size_t begin, std::size_t end) {
            std::vector<double> row(vector.size());
            for (std::size_t i = begin; i < end; ++i) {
                matrix.numbers(i * row.size(), row);
                const bool has_product = check.step == 0 || std::ranges::all_of(row, is_whole);
                out[i] = has_product ? std::inner_product(row.begin(), row.end(), vector.begin(), 0.0) : NAN;
            }
        });
    return products;
}

std::uint64_t count_fill(const Array& matrix, std::size_t columns, std::span<const std::uint64_t> rows) {
    std::atomic<std::uint64_t> all = 0;
    parallel_for(rows.size(), std::max<std::size_t>(grain / columns, 1),
                 [&](std::size_t begin, std::size_t end) {
                     std::uint64_t count = 0;
                     for (const std::uint64_t row : rows.subspan(begin, end - begin))
                         for (std::size_t i = row * columns; i < (row + 1) * columns; ++i)
                             count += holds_fill(matrix, i);
                     all += count;
                 });
    return all;
}

/// See FreivaldsCheck.
OutputComparison judge_by_products(const Array& matrix, const Expected& expected) {
    const FreivaldsCheck& check = *expected.row_check;
    const std::size_t rows = expected.reference->count(), columns = check.vector->count();
    const Array products = compute_row_products(matrix, check, rows);
    std::vector<std::uint64_t> suspect_rows;
    for (std::size_t row = 0; row < rows; ++row)
        if (!judge_range(products, 0, expected, row, row + 1).output.is_right()) suspect_rows.push_back(row);
    const std::uint64_t unwritten_count = count_fill(matrix, columns, suspect_rows);
    suspect_rows.insert(suspect_rows.end(), check.sampled.begin(), check.sampled.end());
    std::ranges::sort(suspect_rows);
    suspect_rows.erase(std::unique(suspect_rows.begin(), suspect_rows.end()), suspect_rows.end());
    // If nearly all rows are wrong, the first ones suffice.
    constexpr std::size_t batch_size = 64;
    OutputComparison comparison;
    std::mutex merge_mutex;
    std::size_t from = 0;
    for (; from < suspect_rows.size() && comparison.output.is_right(); from += batch_size)
        parallel_for(std::min(batch_size, suspect_rows.size() - from), 1,
                     [&](std::size_t begin, std::size_t end) {
                         for (std::size_t i = begin; i < end; ++i) {
                             const OutputComparison row = judge_row(matrix, check, suspect_rows[from + i]);
                             const std::lock_guard lock(merge_mutex);
                             add(comparison, row);
                         }
                     });
    comparison.output.all_compared = from >= suspect_rows.size();
    // A row that was not compared may have an unwritten element: find the first one.
    if (unwritten_count > 0 && !comparison.output.first_unwritten)
        for (; from < suspect_rows.size(); ++from)
            if (count_fill(matrix, columns, std::span(suspect_rows).subspan(from, 1)) > 0) {
                add(comparison, judge_row(matrix, check, suspect_rows[from]));
                break;
            }
    comparison.output.unwritten = std::max(comparison.output.unwritten, unwritten_count);
    return comparison;
}

/// See Expected::rows.
OutputComparison judge_rows(const Array& matrix, const Expected& expected) {
    const std::size_t columns = expected.reference->count() / expected.rows.size();
    OutputComparison comparison;
    for (std::size_t i = 0; i < expected.rows.size(); ++i)
        add(comparison,
            judge_range(matrix, (expected.rows[i] - i) * columns, expected, i * columns, (i + 1) * columns));
    comparison.output.all_compared = false;
    // The fill word is NaN as a floating-point number; a whole number may be equal to it.
    if (!is_float(matrix.type())) return comparison;
    std::vector<std::uint64_t> all_rows(matrix.count() / columns);
    std::iota(all_rows.begin(), all_rows.end(), 0);
    const std::uint64_t unwritten_count = count_fill(matrix, columns, all_rows);
    if (unwritten_count <= comparison.output.unwritten) return comparison;
    comparison.output.unwritten = unwritten_count;
    keep_earlier(comparison.output.first_unwritten,
                 Mismatch{expected.output, *find_unwritten(matrix), NAN, NAN, expected.source, true});
    return comparison;
}

/// Marks wrong outputs that were computed from unwritten ones: their values are meaningless.
void propagate_unwritten(const Plan& plan, std::vector<OutputVerdict>& outputs) {
    std::map<std::string, std::string> from;  // an array, and the unwritten output behind it
    for (const OutputVerdict& one : outputs)
        if (one.first_unwritten) from.emplace(one.output, one.output);
    if (from.empty()) return;
    for (const Step& step : plan.steps) {
        std::vector<std::string> reads, writes;
        if (const auto* host = std::get_if<HostStep>(&step)) {
            reads = host->reads;
            writes = {host->output};
        } else if (const auto* dispatch = std::get_if<Dispatch>(&step)) {
            for (const Binding& binding : dispatch->bindings) {
                const std::string& name = plan.buffers[binding.buffer].name;
                if (binding.access != Access::write) reads.push_back(name);
                if (binding.access != Access::read) writes.push_back(name);
            }
        }
        const auto source =
            std::ranges::find_if(reads, [&](const std::string& name) { return from.contains(name); });
        if (source == reads.end()) continue;
        for (const std::string& name : writes)
            from.emplace(name, from.at(*source));
    }
    for (OutputVerdict& one : outputs)
        if (const auto source = from.find(one.output); one.first_wrong && source != from.end())
            if (source->second != one.output) one.unwritten_source = source->second;
}

void set_verdict(OutputComparison& comparison, const Expected& expected) {
    comparison.output.output = expected.output;
    comparison.is_right = comparison.output.is_right();
    comparison.first_mismatch = comparison.output.first();
    if (comparison.is_right) return;
    const Mismatch& first = *comparison.first_mismatch;
    comparison.allowed_abs_error = first.allowed.value_or(0);
    comparison.allowed_rel_error =
        first.reference != 0 ? comparison.allowed_abs_error / std::abs(first.reference) : 0;
}

}  // namespace

OutputComparison judge(const Expected& expected, const Outputs& outputs) {
    OutputComparison comparison;
    comparison.is_right = !expected.reference;
    if (comparison.is_right) return comparison;
    const Array& reference = *expected.reference;
    const Array* actual = find(outputs, expected.output);
    const std::uint64_t columns = expected.row_check ? expected.row_check->vector->count() : 1;
    const auto has_expected_size = [&](const Array& array) {
        if (expected.rows.empty()) return array.count() == reference.count() * columns;
        const std::size_t row = reference.count() / expected.rows.size();
        return array.count() % row == 0 && expected.rows.back() < array.count() / row;
    };
    const Tolerance& tolerance = expected.tolerance;
    const bool exact = tolerance.absolute == 0 && tolerance.relative == 0;
    if (!actual || !has_expected_size(*actual)) {
        comparison.output.wrong = 1;
        comparison.output.first_wrong =
            Mismatch{expected.output, actual ? actual->count() : 0, NAN, NAN, expected.source};
        comparison.max_abs_error = comparison.max_rel_error = comparison.max_scaled_error = infinite_error;
    } else if (expected.row_check) {
        comparison = judge_by_products(*actual, expected);
    } else if (!expected.rows.empty()) {
        comparison = judge_rows(*actual, expected);
    } else if (!(exact && !is_float(actual->type()) && same_bytes(*actual, reference))) {
        std::mutex merge_mutex;
        parallel_for(reference.count(), grain, [&](std::size_t begin, std::size_t end) {
            const OutputComparison range = judge_range(*actual, 0, expected, begin, end);
            const std::lock_guard lock(merge_mutex);
            add(comparison, range);
        });
    }
    set_verdict(comparison, expected);
    return comparison;
}

std::optional<std::size_t> find_unwritten(const Array& array) {
    for (std::size_t i = 0; i < array.count(); ++i)
        if (holds_fill(array, i)) return i;
    return std::nullopt;
}

void set_outputs(Comparison& compare, std::span<const OutputComparison> comparisons, const Plan& plan) {
    compare.max_abs_error = compare.max_rel_error = compare.allowed_abs_error = compare.allowed_rel_error = 0;
    compare.outputs.clear();
    const OutputComparison* first = nullptr;
    // Unwritten elements rank first. A mismatch whose reference is NaN says less than one with a number.
    const auto rank = [](const Mismatch& one) {
        return one.is_unwritten ? 0 : std::isnan(one.reference) ? 2 : 1;
    };
    for (const OutputComparison& one : comparisons) {
        keep_larger(one.max_abs_error, one.allowed_abs_error, compare.max_abs_error,
                    compare.allowed_abs_error);
        keep_larger(one.max_rel_error, one.allowed_rel_error, compare.max_rel_error,
                    compare.allowed_rel_error);
        compare.outputs.push_back(one.output);
        if (!one.is_right && (!first || rank(*one.first_mismatch) < rank(*first->first_mismatch)))
            first = &one;
    }
    compare.first_mismatch = first ? first->first_mismatch : std::nullopt;
    if (first) {
        compare.allowed_abs_error = first->allowed_abs_error;
        compare.allowed_rel_error = first->allowed_rel_error;
    }
    propagate_unwritten(plan, compare.outputs);
}

bool is_guard_intact(std::span<const std::byte> region) {
    const auto* const words = reinterpret_cast<const std::uint32_t*>(region.data());
    return std::all_of(words, words + region.size() / sizeof guard_word,
                       [](std::uint32_t word) { return word == guard_word; });
}

}  // namespace gridstride::lab
