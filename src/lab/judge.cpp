#include "lab/judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <numeric>
#include <vector>

#include "base/parallel_for.h"

namespace gridstride::lab {

namespace {

/// Exact outputs of one type are compared as bytes first: the usual case, and as fast as memory.
bool same_bytes(const Array& a, const Array& b) {
    return a.type() == b.type() && a.count() == b.count() &&
           std::memcmp(a.raw().data(), b.raw().data(), a.bytes()) == 0;
}

bool holds_floats(const Array& array) {
    return array.type() == ElementType::f32 || array.type() == ElementType::f64;
}

/// The error of what is no number, or is none where one belongs: not 0.
constexpr double no_bound = std::numeric_limits<double>::infinity();

/// Ranges of a judged output on one thread have at least so many elements, and are converted so many at once.
constexpr std::size_t grain = std::size_t{1} << 16, converted_at_once = 1024;

/// The numbers that a range of an output is judged by, converted piece by piece.
struct Piece {
    std::array<double, converted_at_once> gpu, wanted, scale;

    std::size_t convert(const Array& actual, const Expected& expected, std::size_t first, std::size_t end) {
        const std::size_t count = std::min(converted_at_once, end - first);
        actual.numbers(first, std::span(gpu).first(count));
        expected.reference->numbers(first, std::span(wanted).first(count));
        if (expected.scale)
            expected.scale->numbers(first, std::span(scale).first(count));
        else
            std::transform(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(count), scale.begin(),
                           [](double value) { return std::abs(value); });
        return count;
    }
};

void judge_element(const Expected& expected, std::size_t index, double gpu, double wanted, double scale,
                   Judgement& judgement) {
    bool right = false;
    if (std::isfinite(gpu) && std::isfinite(wanted)) {
        const double difference = std::abs(gpu - wanted);
        judgement.max_abs_error = std::max(judgement.max_abs_error, difference);
        if (wanted != 0)
            judgement.max_rel_error = std::max(judgement.max_rel_error, difference / std::abs(wanted));
        if (scale > 0) judgement.max_scaled_error = std::max(judgement.max_scaled_error, difference / scale);
        right = difference <= expected.tolerance.absolute + expected.tolerance.relative * scale;
    } else {
        right = gpu == wanted;  // the same infinity
        if (!right) judgement.max_abs_error = judgement.max_rel_error = judgement.max_scaled_error = no_bound;
    }
    if (!right && !judgement.first_mismatch)
        judgement.first_mismatch = Mismatch{expected.output, index, gpu, wanted, expected.by};
}

Judgement judge_range(const Array& actual, const Expected& expected, std::size_t begin, std::size_t end) {
    Judgement judgement;
    Piece piece;
    for (std::size_t first = begin; first < end;) {
        const std::size_t count = piece.convert(actual, expected, first, end);
        for (std::size_t i = 0; i < count; ++i)
            judge_element(expected, first + i, piece.gpu[i], piece.wanted[i], piece.scale[i], judgement);
        first += count;
    }
    return judgement;
}

/// Of a row of the matrix, counted in the whole of it.
Judgement judge_row(const Array& matrix, const ByRows& by_rows, std::uint64_t row) {
    const std::size_t columns = by_rows.vector->count();
    Array numbers(ElementType::f64, columns);
    matrix.numbers(row * columns, numbers.as<double>());
    Judgement judgement = judge_range(numbers, by_rows.row(row), 0, columns);
    if (judgement.first_mismatch) judgement.first_mismatch->index += row * columns;
    return judgement;
}

/// Ranges come in any order: of two mismatches the one that is earlier in the output stays.
void add(Judgement& all, const Judgement& range) {
    all.max_abs_error = std::max(all.max_abs_error, range.max_abs_error);
    all.max_rel_error = std::max(all.max_rel_error, range.max_rel_error);
    all.max_scaled_error = std::max(all.max_scaled_error, range.max_scaled_error);
    if (!range.first_mismatch) return;
    if (!all.first_mismatch || range.first_mismatch->index < all.first_mismatch->index)
        all.first_mismatch = range.first_mismatch;
}

/// Each row times the vector; NaN where it has no product.
Array products_of_rows(const Array& matrix, const ByRows& by_rows, std::size_t rows) {
    const auto vector = by_rows.vector->as<double>();
    const auto is_whole = [&](double number) {
        return std::nearbyint(number / by_rows.step) * by_rows.step == number;
    };
    Array products(ElementType::f64, rows);
    const auto out = products.as<double>();
    parallel_for(
        rows, std::max<std::size_t>(grain / vector.size(), 1), [&](std::size_t begin, std::size_t end) {
            std::vector<double> row(vector.size());
            for (std::size_t i = begin; i < end; ++i) {
                matrix.numbers(i * row.size(), row);
                const bool has_product = by_rows.step == 0 || std::ranges::all_of(row, is_whole);
                out[i] = has_product ? std::inner_product(row.begin(), row.end(), vector.begin(), 0.0) : NAN;
            }
        });
    return products;
}

/// See ByRows.
Judgement judge_by_rows(const Array& matrix, const Expected& expected) {
    const ByRows& by_rows = *expected.by_rows;
    const std::size_t rows = expected.reference->count();
    const Array products = products_of_rows(matrix, by_rows, rows);
    std::vector<std::uint64_t> doubtful = by_rows.sampled;
    for (std::size_t row = 0; row < rows; ++row)
        if (judge_range(products, expected, row, row + 1).first_mismatch) doubtful.push_back(row);
    // Where nearly all is wrong, the first ones say it.
    constexpr std::size_t at_once = 64;
    Judgement judgement;
    std::mutex adding;
    for (std::size_t from = 0; from < doubtful.size() && !judgement.first_mismatch; from += at_once)
        parallel_for(std::min(at_once, doubtful.size() - from), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const Judgement row = judge_row(matrix, by_rows, doubtful[from + i]);
                const std::lock_guard lock(adding);
                add(judgement, row);
            }
        });
    return judgement;
}

}  // namespace

Judgement judge(const Expected& expected, const Outputs& outputs) {
    Judgement judgement;
    if (!expected.reference) return {.right = true};
    const Array& reference = *expected.reference;
    const Array* actual = find(outputs, expected.output);
    const std::uint64_t columns = expected.by_rows ? expected.by_rows->vector->count() : 1;
    if (!actual || actual->count() != reference.count() * columns) {
        judgement.first_mismatch =
            Mismatch{expected.output, actual ? actual->count() : 0, NAN, NAN, expected.by};
        judgement.max_abs_error = judgement.max_rel_error = judgement.max_scaled_error = no_bound;
        return judgement;
    }
    if (expected.by_rows) {
        judgement = judge_by_rows(*actual, expected);
        judgement.right = !judgement.first_mismatch;
        return judgement;
    }
    const Tolerance& tolerance = expected.tolerance;
    const bool exact = tolerance.absolute == 0 && tolerance.relative == 0;
    if (exact && !holds_floats(*actual) && same_bytes(*actual, reference)) {
        judgement.right = true;
        return judgement;
    }
    std::mutex adding;
    parallel_for(reference.count(), grain, [&](std::size_t begin, std::size_t end) {
        const Judgement range = judge_range(*actual, expected, begin, end);
        const std::lock_guard lock(adding);
        add(judgement, range);
    });
    judgement.right = !judgement.first_mismatch;
    return judgement;
}

bool guard_intact(std::span<const std::byte> region) {
    const auto* const words = reinterpret_cast<const std::uint32_t*>(region.data());
    return std::all_of(words, words + region.size() / sizeof guard_word,
                       [](std::uint32_t word) { return word == guard_word; });
}

}  // namespace gridstride::lab
