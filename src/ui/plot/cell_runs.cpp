#include "ui/plot/cell_runs.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "ui/widgets/theme.h"

namespace gridstride::ui {
namespace {

constexpr double max_cells = 200;
/// The maximum number of elements read for one picture. Larger pictures skip rows evenly, because a frame
/// must not wait for a gigabyte.
constexpr double max_elements_read = 1 << 24;

/// One row or column of cells: the elements that it covers, and its pixels.
struct CellSlice {
    double from, to;
    float begin, end;
};

std::vector<CellSlice> make_slices(double low, double high, double elements, float pixels, double cells) {
    std::vector<CellSlice> all;
    const double length = high - low;
    const auto pixel = [&](double at) {
        return static_cast<float>(
            std::round(std::clamp((at - low) / length, 0.0, 1.0) * static_cast<double>(pixels)));
    };
    const bool whole = length <= cells;
    const double first = whole ? std::floor(low) : 0;
    const double count = whole ? std::ceil(high) - first : cells;
    for (double i = 0; i < count; i += 1) {
        const double from = whole ? first + i : low + length * i / cells;
        const double to = whole ? from + 1 : low + length * (i + 1) / cells;
        const CellSlice cut{std::max(0.0, from), std::min(elements, to), pixel(from), pixel(to)};
        if (cut.to > cut.from && cut.end > cut.begin) all.push_back(cut);
    }
    return all;
}

struct Mean {
    double sum = 0, weight = 0;
    void add(double value, double area) {
        if (!std::isfinite(value)) return;
        sum += value * area;
        weight += area;
    }
};

template <class T>
void accumulate_row(std::span<const T> row, const std::vector<CellSlice>& columns, double height,
                    std::vector<Mean>& means) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const double from = columns[c].from, to = std::min(columns[c].to, static_cast<double>(row.size()));
        if (to <= from) continue;
        const auto first = static_cast<std::size_t>(from);
        const auto last = static_cast<std::size_t>(std::ceil(to)) - 1;
        if (first == last) {
            means[c].add(static_cast<double>(row[first]), (to - from) * height);
            continue;
        }
        means[c].add(static_cast<double>(row[first]), (static_cast<double>(first) + 1 - from) * height);
        if constexpr (std::is_integral_v<T> && sizeof(T) <= 4) {
            // Exact integer sums, in a loop that the compiler vectorizes: large pictures have millions of
            // elements.
            std::int64_t sum = 0;
            for (std::size_t i = first + 1; i < last; ++i)
                sum += row[i];
            means[c].sum += static_cast<double>(sum) * height;
            means[c].weight += static_cast<double>(last - first - 1) * height;
        } else {
            for (std::size_t i = first + 1; i < last; ++i)
                means[c].add(static_cast<double>(row[i]), height);
        }
        means[c].add(static_cast<double>(row[last]), (to - static_cast<double>(last)) * height);
    }
}

void add_rows(const Array& array, std::size_t width, const CellSlice& rows, std::size_t stride,
              const std::vector<CellSlice>& columns, std::vector<Mean>& means) {
    array.visit([&](auto all) {
        const auto last = static_cast<std::size_t>(std::ceil(rows.to));
        for (auto y = static_cast<std::size_t>(rows.from); y < last; y += stride) {
            const auto at = static_cast<double>(y);
            const double height = std::min(at + 1, rows.to) - std::max(at, rows.from);
            const std::size_t begin = y * width;
            if (begin >= all.size()) break;
            accumulate_row(all.subspan(begin, std::min(width, all.size() - begin)), columns, height, means);
        }
    });
}

/// Priority of a kind if several cells share a pixel: errors first, waiting last.
int kind_priority(ColorRole color_role) {
    switch (color_role) {
        case ColorRole::wrong:
            return 3;
        case ColorRole::caution:
            return 2;
        case ColorRole::quiet:
        case ColorRole::wait:
            return 0;
        default:
            return 1;
    }
}

std::pair<std::size_t, std::size_t> element_range(const CellSlice& cut) {
    return {static_cast<std::size_t>(cut.from), static_cast<std::size_t>(std::ceil(cut.to))};
}

}  // namespace

double to_shade(const Cells& cells, const Cells::Numbers& numbers, double value) {
    const auto along = [&](double number) {
        return cells.shade.scale == AxisScale::logarithmic ? std::log(number) : number;
    };
    const double level = (along(value) - along(numbers.low)) / (along(numbers.high) - along(numbers.low));
    // The range has no length.
    if (std::isnan(level)) return cells.shades == Cells::Shades::viridis ? 0.5 : value > numbers.low ? 1 : 0;
    return std::clamp(level, 0.0, 1.0);
}

ImU32 shade_color(Cells::Shades shades, double shade) {
    if (shades == Cells::Shades::viridis) return viridis(static_cast<float>(shade));
    const auto byte = static_cast<unsigned>(std::lround(shade * 255));
    return IM_COL32(byte, byte, byte, 255);
}

int dominant_kind(const Cells& cells, const Cells::Row& row, std::size_t first, std::size_t last) {
    int dominant = -1;
    for (std::size_t i = first; i < std::min(last, row.kinds.size()); ++i) {
        const std::uint8_t kind = row.kinds[i];
        if (kind >= cells.kinds.size()) continue;
        const auto has_priority = [&](int than) {
            const int priority = kind_priority(cells.kinds[kind].color_role);
            const int other = kind_priority(cells.kinds[static_cast<std::size_t>(than)].color_role);
            return priority > other || (priority == other && kind < than);
        };
        if (dominant < 0 || has_priority(dominant)) dominant = kind;
    }
    return dominant;
}

void CellRuns::update(const Cells& cells, const Paint& paint) {
    if (paint == paint_ && cells == cells_) return;
    cells_ = cells;
    paint_ = paint;
    runs_.clear();
    const CellRegion& region = paint.region;
    if (!(region.x1 > region.x0) || !(region.y1 > region.y0)) return;
    const Cells::Numbers* const numbers =
        paint.numbers < cells.numbers.size() ? &cells.numbers[paint.numbers] : nullptr;
    const std::size_t count = numbers && numbers->values ? numbers->values->count() : 0;
    // The cells of a picture are square and at least one pixel wide.
    const bool lanes = !cells.rows.empty();
    const double side =
        lanes ? 1.0
              : std::max(1.0, static_cast<double>(std::max(paint.pixels.x, paint.pixels.y)) / max_cells);
    const auto max_slices = [side](float length) {
        return std::max(1.0, std::round(static_cast<double>(length) / side));
    };
    const auto columns = static_cast<double>(cells.column_count(paint.numbers));
    const auto rows = static_cast<double>(cells.row_count(paint.numbers));
    const std::vector<CellSlice> across =
        make_slices(region.x0, region.x1, columns, paint.pixels.x, max_slices(paint.pixels.x));
    const std::vector<CellSlice> down =
        make_slices(region.y0, region.y1, rows, paint.pixels.y, max_slices(paint.pixels.y));
    const double read = (region.x1 - region.x0) * (region.y1 - region.y0);
    const auto stride = static_cast<std::size_t>(std::max(1.0, std::ceil(read / max_elements_read)));
    std::vector<Mean> means;
    for (const CellSlice& row : down) {
        means.assign(across.size(), {});
        if (count > 0) add_rows(*numbers->values, numbers->width, row, stride, across, means);
        const auto first_row = static_cast<std::size_t>(row.from);
        const auto color_of = [&](std::size_t c) -> ImU32 {
            const auto [first, last] = element_range(across[c]);
            const int kind =
                first_row < cells.rows.size() ? dominant_kind(cells, cells.rows[first_row], first, last) : -1;
            if (kind >= 0) return paint.kinds[static_cast<std::size_t>(kind)];
            if (means[c].weight > 0)
                return shade_color(cells.shades, to_shade(cells, *numbers, means[c].sum / means[c].weight));
            const bool beyond = count == 0 || first_row * numbers->width + first >= count;
            return beyond ? 0 : paint.not_a_number;
        };
        Run run{0, row.begin, 0, row.end, 0};
        const auto finish = [&] {
            run.x1 -= paint.gap;
            if (run.color != 0 && run.x1 > run.x0) runs_.push_back(run);
        };
        for (std::size_t c = 0; c < across.size(); ++c) {
            const ImU32 color = color_of(c);
            if (color != run.color || paint.gap > 0) {
                finish();
                run.x0 = across[c].begin;
                run.color = color;
            }
            run.x1 = across[c].end;
        }
        finish();
    }
}

}  // namespace gridstride::ui
