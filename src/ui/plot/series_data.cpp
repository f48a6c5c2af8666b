#include "ui/plot/series_data.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

namespace gridstride::ui {
namespace {

constexpr std::size_t fine_length = 64;
constexpr std::size_t coarse_length = 4096;
constexpr std::size_t compared_in_full = 65536;
constexpr std::size_t compared_of_many = 1024;
constexpr Range nothing = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
}

std::uint64_t hash_of(std::uint64_t hash, const std::vector<double>& values) {
    const std::size_t stride = values.size() <= compared_in_full ? 1 : values.size() / compared_of_many;
    for (std::size_t i = 0; i < values.size(); i += stride)
        hash = mixed(hash, std::bit_cast<std::uint64_t>(values[i]));
    if (!values.empty()) hash = mixed(hash, std::bit_cast<std::uint64_t>(values.back()));
    return mixed(hash, values.size());
}

/// Of values that are all numbers the axis has a place for: a loop that compilers turn into vector
/// instructions.
template <class T>
Extent extent_of_all(std::span<const T> values) {
    if (values.empty()) return {};
    T low = values[0], high = values[0];
    for (const T value : values) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    return {static_cast<double>(low), static_cast<double>(high)};
}

template <class T>
Extent extent_of(std::span<const T> values, AxisScale scale) {
    const bool logarithmic = scale == AxisScale::logarithmic;
    if constexpr (std::is_integral_v<T>) {
        if (!logarithmic) return extent_of_all(values);
    }
    Extent extent;
    for (const T value : values) {
        const auto number = static_cast<double>(value);
        // NaN fails both comparisons of add(); infinities and what a logarithm lacks need to be asked for.
        if (std::fabs(number) > largest_value || (logarithmic && !(number > 0))) continue;
        extent.add(number);
    }
    return extent;
}

template <class T>
Extent extent_of(const Array& array, std::size_t first, std::size_t last, AxisScale scale) {
    return extent_of(array.as<T>().subspan(first, last - first), scale);
}

Extent scan_array(const Array& array, std::size_t first, std::size_t last, AxisScale scale) {
    switch (array.type()) {
        case ElementType::u8:
            return extent_of<std::uint8_t>(array, first, last, scale);
        case ElementType::i16:
            return extent_of<std::int16_t>(array, first, last, scale);
        case ElementType::i32:
            return extent_of<std::int32_t>(array, first, last, scale);
        case ElementType::u32:
            return extent_of<std::uint32_t>(array, first, last, scale);
        case ElementType::u64:
            return extent_of<std::uint64_t>(array, first, last, scale);
        case ElementType::f32:
            return extent_of<float>(array, first, last, scale);
        case ElementType::f64:
            return extent_of<double>(array, first, last, scale);
    }
    return {};
}

template <class Scan>
Extents look_at(std::size_t count, Scan scan) {
    Extents extents;
    extents.fine.resize(count / fine_length);
    extents.coarse.resize(count / coarse_length);
    for (std::size_t i = 0; i < extents.fine.size(); ++i) {
        extents.fine[i] = scan(i * fine_length, (i + 1) * fine_length);
        extents.all.add(extents.fine[i]);
        if (const std::size_t above = i / (coarse_length / fine_length); above < extents.coarse.size())
            extents.coarse[above].add(extents.fine[i]);
    }
    extents.all.add(scan(extents.fine.size() * fine_length, count));
    return extents;
}

/// With what it is of, so that no other array can come to its address.
struct ArrayExtents {
    ArrayRef array;
    Extents extents;
};

}  // namespace

std::shared_ptr<const Extents> extents_of(const ArrayRef& array, AxisScale scale) {
    static std::mutex mutex;
    static std::map<std::pair<const Array*, AxisScale>, std::weak_ptr<const Extents>> known;
    {
        const std::lock_guard lock(mutex);
        const auto found = known.find({array.get(), scale});
        if (found != known.end())
            if (auto extents = found->second.lock()) return extents;
    }
    auto made = std::make_shared<ArrayExtents>(
        ArrayExtents{array, look_at(array->count(), [&](std::size_t first, std::size_t last) {
                         return scan_array(*array, first, last, scale);
                     })});
    std::shared_ptr<const Extents> extents(made, &made->extents);
    const std::lock_guard lock(mutex);
    std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
    known[{array.get(), scale}] = extents;
    return extents;
}

bool is_power_of_two(double value) {
    int exponent = 0;
    return value >= 1 && std::isfinite(value) && std::frexp(value, &exponent) == 0.5;
}

bool SeriesData::valid(std::size_t i) const {
    const double value = y(i);
    return std::fabs(value) <= largest_value && (y_scale_ == AxisScale::linear || value > 0);
}

void SeriesData::update(const Series& series, AxisScale x_scale, AxisScale y_scale) {
    std::uint64_t hash = hash_of(hash_of(0, series.x), series.y);
    hash = hash_of(hash_of(hash, series.y_low), series.y_high);
    const Key key{series.x.data(), series.y.data(), series.y_array.get(),
                  series.x.size(), series.y.size(), hash,
                  x_scale,         y_scale};
    if (key == key_) return;
    key_ = key;
    x_scale_ = x_scale;
    y_scale_ = y_scale;
    array_ = series.y_array;
    if (array_) {
        const auto first_of_array = [this](const std::vector<double>& values) {
            return std::span(values).first(std::min(array_->count(), values.size()));
        };
        x_ = y_ = {};
        low_ = first_of_array(series.y_low);
        high_ = first_of_array(series.y_high);
        build();
        return;
    }

    const std::size_t count = series.x.empty() ? series.y.size() : std::min(series.x.size(), series.y.size());
    const auto first_of = [count](const std::vector<double>& values) {
        return std::span(values).first(std::min(count, values.size()));
    };
    x_ = first_of(series.x);
    y_ = first_of(series.y);
    low_ = first_of(series.y_low);
    high_ = first_of(series.y_high);
    // One comparison finds both disorder and NaN.
    bool in_order = x_.empty() || std::fabs(x_[0]) <= largest_value;
    for (std::size_t i = 1; i < x_.size() && in_order; ++i)
        in_order = x_[i - 1] <= x_[i];
    if (!x_.empty() && !(std::fabs(x_.back()) <= largest_value)) in_order = false;
    const bool below_log = x_scale == AxisScale::logarithmic && count > 0 && !(x(0) > 0);
    if (!in_order || below_log) sort_copy(series, count);
    build();
}

void SeriesData::sort_copy(const Series& series, std::size_t count) {
    std::vector<std::size_t> order;
    order.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        if (!std::isnan(to_axis(x_scale_, x(i)))) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t a, std::size_t b) { return x(a) < x(b); });
    std::vector<double> sorted_x;
    sorted_x.reserve(order.size());
    for (const std::size_t i : order)
        sorted_x.push_back(x(i));
    const auto copy = [&order](const std::vector<double>& from, const std::vector<double>& otherwise) {
        std::vector<double> to;
        if (from.empty()) return to;
        to.reserve(order.size());
        for (const std::size_t i : order)
            to.push_back(i < from.size() ? from[i] : otherwise[i]);
        return to;
    };
    owned_y_ = copy(series.y, series.y);
    owned_low_ = copy(series.y_low, series.y);
    owned_high_ = copy(series.y_high, series.y);
    owned_x_ = std::move(sorted_x);
    x_ = owned_x_;
    y_ = owned_y_;
    low_ = owned_low_;
    high_ = owned_high_;
}

Extent SeriesData::scan(std::size_t first, std::size_t last) const {
    return array_ ? scan_array(*array_, first, last, y_scale_)
                  : extent_of(y_.subspan(first, last - first), y_scale_);
}

void SeriesData::build() {
    const std::size_t count = size();
    if (array_)
        extents_ = extents_of(array_, y_scale_);
    else
        extents_ = std::make_shared<const Extents>(
            look_at(count, [this](std::size_t first, std::size_t last) { return scan(first, last); }));
    Extent all = extents_->all;
    const auto add_error = [&](double value) {
        if (!std::isnan(to_axis(y_scale_, value))) all.add(value);
    };
    for (const double value : low_)
        add_error(value);
    for (const double value : high_)
        add_error(value);

    y_range_ = all.empty() ? nothing : Range{to_axis(y_scale_, all.low), to_axis(y_scale_, all.high)};
    x_range_ = count == 0 ? nothing : Range{axis_x(0), axis_x(count - 1)};
    pitch_ = std::numeric_limits<double>::infinity();
    powers_of_two_ = count > 0 && !x_.empty() && count <= 64;
    if (x_.empty() && x_scale_ == AxisScale::linear) {
        pitch_ = 1;
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            if (powers_of_two_ && !is_power_of_two(x(i))) powers_of_two_ = false;
            const double step = i > 0 ? axis_x(i) - axis_x(i - 1) : 0;
            if (step > 0 && step < pitch_) pitch_ = step;
        }
        if (!std::isfinite(pitch_)) pitch_ = 1;
    }
}

std::size_t SeriesData::lower_bound(double axis_position) const {
    if (std::isnan(axis_position)) return size();
    if (x_.empty()) {
        const double at = std::ceil(from_axis(x_scale_, axis_position));
        return at <= 0 ? 0 : at >= static_cast<double>(size()) ? size() : static_cast<std::size_t>(at);
    }
    const double value = from_axis(x_scale_, axis_position);
    return static_cast<std::size_t>(std::lower_bound(x_.begin(), x_.end(), value) - x_.begin());
}

Extent SeriesData::extent(std::size_t first, std::size_t last) const {
    Extent extent;
    last = std::min(last, size());
    for (std::size_t i = first; i < last;) {
        if (i % coarse_length == 0 && i + coarse_length <= last) {
            extent.add(extents_->coarse[i / coarse_length]);
            i += coarse_length;
        } else if (i % fine_length == 0 && i + fine_length <= last) {
            extent.add(extents_->fine[i / fine_length]);
            i += fine_length;
        } else {
            const std::size_t next = std::min(last, (i / fine_length + 1) * fine_length);
            extent.add(scan(i, next));
            i = next;
        }
    }
    return extent;
}

std::size_t SeriesData::index_of(double value, std::size_t first, std::size_t last) const {
    last = std::min(last, size());
    const auto outside = [value](const Extent& extent) { return value < extent.low || value > extent.high; };
    for (std::size_t i = first; i < last;) {
        if (i % coarse_length == 0 && i + coarse_length <= last &&
            outside(extents_->coarse[i / coarse_length])) {
            i += coarse_length;
        } else if (i % fine_length == 0 && i + fine_length <= last &&
                   outside(extents_->fine[i / fine_length])) {
            i += fine_length;
        } else {
            const std::size_t next = std::min(last, (i / fine_length + 1) * fine_length);
            for (; i < next; ++i)
                if (y(i) == value) return i;
        }
    }
    return last;
}

void fill_columns(const SeriesData& data, Range shown, std::size_t count, std::vector<Column>& columns) {
    columns.clear();
    const double step = shown.length() / static_cast<double>(count);
    std::size_t begin = data.lower_bound(shown.low);
    for (std::size_t c = 0; c < count; ++c) {
        Column column;
        column.begin = begin;
        column.end = std::max(begin, data.lower_bound(shown.low + step * static_cast<double>(c + 1)));
        column.extent = data.extent(column.begin, column.end);
        if (!column.extent.empty()) {
            std::size_t i = column.begin;
            while (!data.valid(i))
                ++i;
            column.first = data.y(i);
            i = column.end - 1;
            while (!data.valid(i))
                --i;
            column.last = data.y(i);
        }
        columns.push_back(column);
        begin = column.end;
    }
}

}  // namespace gridstride::ui
