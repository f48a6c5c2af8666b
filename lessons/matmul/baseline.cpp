// The product on the CPU: a block of results stays in registers while k goes by, as in the kernels.
#include <algorithm>
#include <array>

#include "lesson/stock.h"
#include "matmul/matmul.h"

namespace gridstride::lessons::matmul {

namespace {

constexpr std::size_t rows_at_once = 4, columns_at_once = 8;

/// b in strips of eight columns, one behind another, so that the numbers of a row of a strip lie side by
/// side.
void put_in_strips(std::span<const float> b, const View& view, std::span<float> out) {
    for (std::uint64_t strip = 0; strip < divide_up(view.columns, columns_at_once); ++strip)
        for (std::uint64_t p = 0; p < view.rows; ++p)
            for (std::uint64_t j = 0; j < columns_at_once; ++j) {
                const std::uint64_t column = strip * columns_at_once + j;
                out[(strip * view.rows + p) * columns_at_once + j] =
                    column < view.columns ? b[view.at(p, column)] : 0;
            }
}

using Block = std::array<std::array<float, columns_at_once>, rows_at_once>;

/// The rows from `first` on, of a, times a strip.
Block block_of(std::span<const float> a, const View& view, std::uint64_t first, const float* strip) {
    Block sums{};
    std::array<std::uint64_t, rows_at_once> row;
    for (std::size_t i = 0; i < rows_at_once; ++i)
        row[i] = std::min(first + i, view.rows - 1);
    for (std::uint64_t p = 0; p < view.columns; ++p, strip += columns_at_once)
        for (std::size_t i = 0; i < rows_at_once; ++i) {
            const float left = a[view.at(row[i], p)];
            for (std::size_t j = 0; j < columns_at_once; ++j)
                sums[i][j] += left * strip[j];
        }
    return sums;
}

}  // namespace

double on_cpu(const Input& input, const Values& values, InParts in_parts) {
    const auto a = get(input, "a").as<float>();
    const View of_a = view_of_a(values), of_b = view_of_b(values);
    const std::uint64_t columns = of_b.columns, c_count = of_a.rows * columns,
                        strips_count = divide_up(columns, columns_at_once) * columns_at_once * of_b.rows;
    const auto room = kept_room(ElementType::f32, c_count + strips_count).as<float>();
    const auto c = room.first(c_count), strips = room.subspan(c_count);
    put_in_strips(get(input, "b").as<float>(), of_b, strips);
    return in_parts(divide_up(of_a.rows, rows_at_once), 4, [&](std::size_t begin, std::size_t end) {
        for (std::uint64_t first = begin * rows_at_once; first < std::min(end * rows_at_once, of_a.rows);
             first += rows_at_once)
            for (std::uint64_t column = 0; column < columns; column += columns_at_once) {
                const Block block = block_of(a, of_a, first, &strips[column * of_b.rows]);
                for (std::uint64_t i = 0; i < std::min<std::uint64_t>(rows_at_once, of_a.rows - first); ++i)
                    std::copy_n(block[i].begin(), std::min<std::uint64_t>(columns_at_once, columns - column),
                                &c[(first + i) * columns + column]);
            }
        const std::uint64_t end_row = std::min<std::uint64_t>(end * rows_at_once, of_a.rows);
        return fast_sum(std::span<const float>(
            c.subspan(begin * rows_at_once * columns, (end_row - begin * rows_at_once) * columns)));
    });
}

}  // namespace gridstride::lessons::matmul
