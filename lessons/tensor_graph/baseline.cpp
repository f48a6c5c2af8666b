// The graphs on a CPU, as a person would write them who wants them fast: no tensor but the last leaves the
// caches.
#include <algorithm>
#include <cmath>

#include "lesson/fast_math.h"
#include "lesson/stock.h"
#include "tensor_graph/tensor_graph.h"

namespace gridstride::lessons::tensor_graph {

namespace {

float fast_tanh(float x) {
    const float e = clamped_exp_of_minus(2 * std::abs(x));
    return std::copysign((1 - e) / (1 + e), x);
}

/// A matrix, row after row, and room for what comes of it.
struct Work {
    const Input& input;
    const Values& values;
    InParts in_parts;
    std::uint64_t rows = values[key::rows], columns = values[key::columns];
    std::span<const float> a = get(input, "a").as<float>();

    std::size_t rows_at_once() const { return divide_up(std::uint64_t{1} << 14, columns); }
    /// part(row) for each; returns what depends on all of `out`.
    double by_rows(std::span<const float> out, auto part) const {
        return in_parts(rows, rows_at_once(), [&](std::size_t first, std::size_t last) {
            for (std::size_t row = first; row < last; ++row)
                part(row);
            const std::size_t each = out.size() / rows;
            return double{out[first * each]} + out[last * each - 1];
        });
    }
};

double expression(const Work& work) {
    const auto b = get(work.input, "b").as<float>(), c = get(work.input, "c").as<float>(),
               w = get(work.input, "w").as<float>();
    const auto s = kept_room(ElementType::f32, work.rows).as<float>();
    return work.by_rows(s, [&](std::size_t row) {
        constexpr std::size_t block = 1024;
        std::array<float, block> y;
        double sum = 0;
        for (std::size_t from = 0; from < work.columns; from += block) {
            const std::size_t count = std::min(block, work.columns - from), first = row * work.columns + from;
            for (std::size_t i = 0; i < count; ++i)
                y[i] = fast_tanh(((work.a[first + i] + b[first + i]) * 5 - c[first + i]) / 2) * w[row];
            sum += fast_sum(std::span<const float>(y.data(), count));
        }
        s[row] = static_cast<float>(sum);
    });
}

double chain(const Work& work) {
    const std::uint64_t operations = work.values[key::operations];
    const auto y = kept_room(ElementType::f32, work.a.size()).as<float>();
    // A block stays in the nearest cache while the chain goes over it.
    constexpr std::size_t block = 1024;
    return work.in_parts(y.size(), std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t first = begin; first < end; first += block) {
            const std::size_t last = std::min(end, first + block);
            std::copy(&work.a[first], &work.a[first] + (last - first), &y[first]);
            const auto each = [&](auto operation) {
                for (std::size_t i = first; i < last; ++i)
                    y[i] = operation(y[i]);
            };
            for (std::uint64_t n = 0; n < operations; ++n) {
                if (n % 3 == 0)
                    each([](float x) { return exp_of_minus(-x); });
                else if (n % 3 == 1)
                    each([](float x) { return x + 1; });
                else
                    each(fast_log);
            }
        }
        return double{y[begin]} + y[end - 1];
    });
}

double views(const Work& work) {
    const Seen how = work.values[key::view];
    const std::uint64_t rows = work.rows, columns = work.columns;
    if (how == Seen::transposed || how == Seen::line) {
        const auto y = kept_room(ElementType::f32, work.a.size()).as<float>();
        constexpr std::size_t tile = 16;  // of both, so that what a cache line brings is used
        return work.in_parts(columns, tile, [&](std::size_t first, std::size_t last) {
            for (std::size_t row = 0; row < rows; row += tile)
                for (std::size_t column = first; column < last; ++column)
                    for (std::size_t r = row; r < std::min<std::size_t>(row + tile, rows); ++r)
                        y[column * rows + r] = work.a[r * columns + column] * 2;
            return double{y[first * rows]} + y[last * rows - 1];
        });
    }
    const std::uint64_t skipped = how == Seen::slice ? columns / 2 : 0, width = columns - skipped;
    const auto y = kept_room(ElementType::f32, rows * width).as<float>();
    return work.by_rows(y, [&](std::size_t row) {
        for (std::size_t i = 0; i < width; ++i)
            y[row * width + i] = work.a[row * columns + skipped + i] * 2;
    });
}

double diamond(const Work& work) {
    const auto y = kept_room(ElementType::f32, work.a.size()).as<float>();
    return work.by_rows(y, [&](std::size_t row) {
        const std::span<float> e = y.subspan(row * work.columns, work.columns);
        for (std::size_t i = 0; i < e.size(); ++i)
            e[i] = exp_of_minus(-work.a[row * work.columns + i]);
        const float inverse = 1 / static_cast<float>(fast_sum(std::span<const float>(e)));
        for (float& share : e)
            share *= inverse;
    });
}

double order(const Work& work) {
    const auto y = kept_room(ElementType::f32, work.columns).as<float>();
    return work.in_parts(work.columns, 256, [&](std::size_t first, std::size_t last) {
        std::fill(&y[first], &y[first] + (last - first), 0.0F);
        for (std::size_t row = 0; row < work.rows; ++row)
            for (std::size_t i = first; i < last; ++i)
                y[i] += 5 * fast_tanh(work.a[row * work.columns + i]);
        return double{y[first]} + y[last - 1];
    });
}

}  // namespace

double on_cpu(const Input& input, const Values& values, InParts in_parts) {
    const Work work{input, values, in_parts};
    switch (values[key::graph]) {
        case Written::expression:
            return expression(work);
        case Written::chain:
            return chain(work);
        case Written::views:
            return views(work);
        case Written::diamond:
            return diamond(work);
        default:
            return order(work);
    }
}

}  // namespace gridstride::lessons::tensor_graph
