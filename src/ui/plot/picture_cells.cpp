#include "ui/plot/picture_cells.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

namespace gridstride::ui {
namespace {

constexpr double most_cells = 200;
/// Elements read for one picture. Beyond, rows are left out evenly: a frame must not wait for a gigabyte.
constexpr double most_read = 1 << 24;

/// One row or column of cells: the elements that it covers and its pixels.
struct Cut {
    double from, to;
    float begin, end;
};

std::vector<Cut> cuts(double low, double high, double elements, float pixels, double cells) {
    std::vector<Cut> all;
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
        const Cut cut{std::max(0.0, from), std::min(elements, to), pixel(from), pixel(to)};
        if (cut.to > cut.from && cut.end > cut.begin) all.push_back(cut);
    }
    return all;
}

/// The mean of finite elements, by area.
struct Mean {
    double sum = 0, weight = 0;
    void add(double value, double area) {
        if (!std::isfinite(value)) return;
        sum += value * area;
        weight += area;
    }
};

template <class T>
void add_row(std::span<const T> row, const std::vector<Cut>& columns, double height,
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
            // Added exactly, in a loop that becomes vector instructions: a large picture is millions of
            // these.
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

template <class T>
void add_rows(const Array& array, std::size_t width, const Cut& rows, std::size_t stride,
              const std::vector<Cut>& columns, std::vector<Mean>& means) {
    const std::span<const T> all = array.as<T>();
    const auto last = static_cast<std::size_t>(std::ceil(rows.to));
    for (auto y = static_cast<std::size_t>(rows.from); y < last; y += stride) {
        const auto at = static_cast<double>(y);
        const double height = std::min(at + 1, rows.to) - std::max(at, rows.from);
        const std::size_t begin = y * width;
        if (begin >= all.size()) break;
        add_row(all.subspan(begin, std::min(width, all.size() - begin)), columns, height, means);
    }
}

void add_rows(const Array& array, std::size_t width, const Cut& rows, std::size_t stride,
              const std::vector<Cut>& columns, std::vector<Mean>& means) {
    switch (array.type()) {
        case ElementType::u8:
            return add_rows<std::uint8_t>(array, width, rows, stride, columns, means);
        case ElementType::i16:
            return add_rows<std::int16_t>(array, width, rows, stride, columns, means);
        case ElementType::i32:
            return add_rows<std::int32_t>(array, width, rows, stride, columns, means);
        case ElementType::u32:
            return add_rows<std::uint32_t>(array, width, rows, stride, columns, means);
        case ElementType::u64:
            return add_rows<std::uint64_t>(array, width, rows, stride, columns, means);
        case ElementType::f32:
            return add_rows<float>(array, width, rows, stride, columns, means);
        case ElementType::f64:
            return add_rows<double>(array, width, rows, stride, columns, means);
    }
}

ImU32 grey(double value, double black, double white) {
    double level = (value - black) / (white - black);
    if (std::isnan(level)) level = value > black ? 1 : 0;  // black and white are one value
    const auto byte = static_cast<unsigned>(std::lround(std::clamp(level, 0.0, 1.0) * 255));
    return IM_COL32(byte, byte, byte, 255);
}

}  // namespace

void PictureCells::update(const Picture& picture, PictureRegion region, glm::vec2 pixels,
                          ImU32 not_a_number) {
    const Key key{picture.values, picture.width, picture.black, picture.white,
                  region,         pixels.x,      pixels.y,      not_a_number};
    if (key == key_) return;
    key_ = key;
    runs_.clear();
    const std::size_t height = picture.rows();
    if (height == 0 || !(region.x1 > region.x0) || !(region.y1 > region.y0)) return;
    // Cells as wide as high, and never smaller than a pixel.
    const double side = std::max(1.0, static_cast<double>(std::max(pixels.x, pixels.y)) / most_cells);
    const auto cells = [side](float length) {
        return std::max(1.0, std::round(static_cast<double>(length) / side));
    };
    const std::vector<Cut> columns = cuts(region.x0, region.x1, picture.width, pixels.x, cells(pixels.x));
    const std::vector<Cut> rows =
        cuts(region.y0, region.y1, static_cast<double>(height), pixels.y, cells(pixels.y));
    const double read = (region.x1 - region.x0) * (region.y1 - region.y0);
    const auto stride = static_cast<std::size_t>(std::max(1.0, std::ceil(read / most_read)));
    std::vector<Mean> means;
    for (const Cut& row : rows) {
        means.assign(columns.size(), {});
        add_rows(*picture.values, picture.width, row, stride, columns, means);
        Run run{0, row.begin, 0, row.end, 0};
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const bool beyond = static_cast<std::size_t>(row.from) * picture.width +
                                    static_cast<std::size_t>(columns[c].from) >=
                                picture.values->count();
            const ImU32 color = means[c].weight > 0
                                    ? grey(means[c].sum / means[c].weight, picture.black, picture.white)
                                : beyond ? 0
                                         : not_a_number;
            if (color != run.color) {
                if (run.color != 0) runs_.push_back(run);
                run.x0 = columns[c].begin;
                run.color = color;
            }
            run.x1 = columns[c].end;
        }
        if (run.color != 0) runs_.push_back(run);
    }
}

}  // namespace gridstride::ui
