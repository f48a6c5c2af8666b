#include "ui/pictures/series_data.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

namespace gridstride::ui {
namespace {

constexpr std::size_t block_length = 256;
constexpr std::size_t max_fully_hashed = 65536;
constexpr std::size_t hashed_samples = 1024;

std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
}

std::uint64_t hash_values(std::uint64_t hash, const std::vector<double>& values) {
    const std::size_t stride = values.size() <= max_fully_hashed ? 1 : values.size() / hashed_samples;
    for (std::size_t i = 0; i < values.size(); i += stride)
        hash = mix_hash(hash, std::bit_cast<std::uint64_t>(values[i]));
    if (!values.empty()) hash = mix_hash(hash, std::bit_cast<std::uint64_t>(values.back()));
    return mix_hash(hash, values.size());
}

/// For values that are all valid on the axis; compilers vectorise this loop.
template <class T>
DataRange extent_of_valid(std::span<const T> values) {
    if (values.empty()) return {};
    T low = values[0], high = values[0];
    for (const T value : values) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    return {static_cast<double>(low), static_cast<double>(high)};
}

template <class T>
DataRange compute_extent(std::span<const T> values, AxisScale scale) {
    const bool logarithmic = scale == AxisScale::logarithmic;
    if constexpr (std::is_integral_v<T>) {
        if (!logarithmic) return extent_of_valid(values);
    }
    DataRange extent;
    for (const T value : values) {
        const auto number = static_cast<double>(value);
        // NaN fails both comparisons of add(); infinities and non-positive values on a log axis need a check.
        if (std::fabs(number) > max_axis_value || (logarithmic && !(number > 0))) continue;
        extent.add(number);
    }
    return extent;
}

DataRange scan_array(const Array& array, std::size_t first, std::size_t last, AxisScale scale) {
    return array.visit(
        [&](auto values) { return compute_extent(values.subspan(first, last - first), scale); });
}

template <class Scan>
BlockRanges scan_blocks(std::size_t count, Scan scan) {
    BlockRanges extents;
    extents.parts.reserve(count / block_length + 1);
    for (std::size_t i = 0; i < count; i += block_length) {
        extents.parts.push_back(scan(i, std::min(count, i + block_length)));
        extents.all.add(extents.parts.back());
    }
    return extents;
}

}  // namespace

std::shared_ptr<const BlockRanges> get_extents(const ArrayRef& array, AxisScale scale) {
    static std::mutex mutex;
    static std::map<std::pair<const Array*, AxisScale>, std::weak_ptr<const BlockRanges>> known;
    {
        const std::lock_guard lock(mutex);
        const auto found = known.find({array.get(), scale});
        if (found != known.end())
            if (auto block_ranges = found->second.lock()) return block_ranges;
    }
    const auto block_ranges =
        std::make_shared<BlockRanges>(scan_blocks(array->count(), [&](std::size_t first, std::size_t last) {
            return scan_array(*array, first, last, scale);
        }));
    block_ranges->array = array;
    const std::lock_guard lock(mutex);
    std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
    known[{array.get(), scale}] = block_ranges;
    return block_ranges;
}

bool is_power_of_two(double value) {
    int exponent = 0;
    return value >= 1 && std::isfinite(value) && std::frexp(value, &exponent) == 0.5;
}

bool SeriesData::is_valid(std::size_t i) const {
    const double value = y(i);
    return std::fabs(value) <= max_axis_value && (key_.y_scale == AxisScale::linear || value > 0);
}

bool SeriesData::update(const Series& series, AxisScale x_scale, AxisScale y_scale) {
    std::uint64_t hash = 0;
    for (const auto* values : {&series.x, &series.y, &series.y_low, &series.y_high})
        hash = hash_values(hash, *values);
    const Key key{series.x.data(), series.y.data(), series.y_array.get(), hash, x_scale, y_scale};
    if (key == key_) return false;
    key_ = key;
    array_ = series.y_array;
    const std::size_t count = array_             ? array_->count()
                              : series.x.empty() ? series.y.size()
                                                 : std::min(series.x.size(), series.y.size());
    const auto first_of = [count](const std::vector<double>& values) {
        return std::span(values).first(std::min(count, values.size()));
    };
    low_ = first_of(series.y_low);
    high_ = first_of(series.y_high);
    x_ = y_ = {};
    if (!array_) {
        x_ = first_of(series.x);
        y_ = first_of(series.y);
        const auto is_representable = [](double value) { return std::fabs(value) <= max_axis_value; };
        // One comparison finds both disorder and NaN.
        const auto out_of_order = [](double before, double after) { return !(before <= after); };
        const bool in_order = x_.empty() || (is_representable(x_.front()) && is_representable(x_.back()) &&
                                             std::ranges::adjacent_find(x_, out_of_order) == x_.end());
        const bool below_log = x_scale == AxisScale::logarithmic && count > 0 && !(x(0) > 0);
        if (!in_order || below_log) sort_copy(count);
    }
    build();
    return true;
}

void SeriesData::sort_copy(std::size_t count) {
    std::vector<std::size_t> order;
    order.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        if (!std::isnan(axis_x(i))) order.push_back(i);
    std::ranges::stable_sort(order, {}, [this](std::size_t i) { return x(i); });
    const auto sorted = [&](double (SeriesData::*value)(std::size_t) const) {
        std::vector<double> values;
        values.reserve(order.size());
        for (const std::size_t i : order)
            values.push_back((this->*value)(i));
        return values;
    };
    sorted_x_ = sorted(&SeriesData::x);
    sorted_y_ = sorted(&SeriesData::y);
    sorted_low_ = low_.empty() ? std::vector<double>() : sorted(&SeriesData::low);
    sorted_high_ = high_.empty() ? std::vector<double>() : sorted(&SeriesData::high);
    x_ = sorted_x_;
    y_ = sorted_y_;
    low_ = sorted_low_;
    high_ = sorted_high_;
}

DataRange SeriesData::scan(std::size_t first, std::size_t last) const {
    return array_ ? scan_array(*array_, first, last, key_.y_scale)
                  : compute_extent(y_.subspan(first, last - first), key_.y_scale);
}

void SeriesData::build() {
    const std::size_t count = size();
    if (array_)
        extents_ = get_extents(array_, key_.y_scale);
    else
        extents_ = std::make_shared<const BlockRanges>(
            scan_blocks(count, [this](std::size_t first, std::size_t last) { return scan(first, last); }));
    DataRange all = extents_->all;
    for (const std::span<const double> ends : {low_, high_})
        for (const double value : ends)
            if (!std::isnan(to_axis(key_.y_scale, value))) all.add(value);

    y_range_ =
        all.empty() ? no_range : Range{to_axis(key_.y_scale, all.low), to_axis(key_.y_scale, all.high)};
    x_range_ = count == 0 ? no_range : Range{axis_x(0), axis_x(count - 1)};
    are_powers_of_two_ = !x_.empty() && count <= 64 && std::ranges::all_of(x_, is_power_of_two);
    pitch_ = std::numeric_limits<double>::infinity();
    const bool by_index = x_.empty() && key_.x_scale == AxisScale::linear;
    for (std::size_t i = 1; i < count && !by_index; ++i)
        if (const double step = axis_x(i) - axis_x(i - 1); step > 0) pitch_ = std::min(pitch_, step);
    if (!std::isfinite(pitch_)) pitch_ = 1;
}

std::size_t SeriesData::lower_bound(double axis_position) const {
    if (std::isnan(axis_position)) return size();
    if (x_.empty()) {
        const double at = std::ceil(from_axis(key_.x_scale, axis_position));
        return at <= 0 ? 0 : at >= static_cast<double>(size()) ? size() : static_cast<std::size_t>(at);
    }
    const double value = from_axis(key_.x_scale, axis_position);
    return static_cast<std::size_t>(std::lower_bound(x_.begin(), x_.end(), value) - x_.begin());
}

DataRange SeriesData::extent(std::size_t first, std::size_t last) const {
    DataRange extent;
    last = std::min(last, size());
    for (std::size_t i = first, next = 0; i < last; i = next) {
        next = std::min(last, (i / block_length + 1) * block_length);
        extent.add(next - i == block_length ? extents_->parts[i / block_length] : scan(i, next));
    }
    return extent;
}

std::size_t SeriesData::find_value(double value, std::size_t first, std::size_t last) const {
    last = std::min(last, size());
    for (std::size_t i = first, next = 0; i < last; i = next) {
        next = std::min(last, (i / block_length + 1) * block_length);
        const DataRange& part = extents_->parts[i / block_length];
        if (value < part.low || value > part.high) continue;
        for (; i < next; ++i)
            if (y(i) == value) return i;
    }
    return last;
}

std::vector<Column> compute_columns(const SeriesData& data, Range shown, std::size_t count) {
    std::vector<Column> columns;
    columns.reserve(count);
    const double step = shown.length() / static_cast<double>(count);
    std::size_t begin = data.lower_bound(shown.low);
    for (std::size_t c = 0; c < count; ++c) {
        Column column;
        column.begin = begin;
        column.end = std::max(begin, data.lower_bound(shown.low + step * static_cast<double>(c + 1)));
        column.extent = data.extent(column.begin, column.end);
        if (!column.extent.empty()) {
            std::size_t i = column.begin;
            while (!data.is_valid(i))
                ++i;
            column.first = data.y(i);
            i = column.end - 1;
            while (!data.is_valid(i))
                --i;
            column.last = data.y(i);
        }
        columns.push_back(column);
        begin = column.end;
    }
    return columns;
}

}  // namespace gridstride::ui
