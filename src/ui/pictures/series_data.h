// A series made ready for drawing: sorted, with the smallest and largest value of any stretch of it at hand,
// so that ten million samples draw in as much time as the plot has pixels and no spike is lost.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/array.h"
#include "lesson/plot.h"
#include "present/axis.h"

namespace gridstride::ui {

/// The values of a stretch of samples.
struct DataRange {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    bool empty() const { return !(low <= high); }
    void add(double value) {
        if (value < low) low = value;
        if (value > high) high = value;
    }
    void add(const DataRange& other) {
        if (other.low < low) low = other.low;
        if (other.high > high) high = other.high;
    }
};

constexpr Range no_range = {std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity()};

/// Of stretches of 256 samples, and of all of them.
struct DataRanges {
    std::vector<DataRange> parts;
    DataRange all;
    ArrayRef array;  ///< held, so that no other array can come to its address; null: of a vector
};
/// An array's, looked at once for as long as somebody holds the answer, which holds the array. From any
/// thread.
std::shared_ptr<const DataRanges> extents_of(const ArrayRef& array, AxisScale scale);

/// Samples by index, without the end.
struct SampleRange {
    std::size_t begin, end;
    std::size_t count() const { return end - begin; }
};

class SeriesData {
 public:
    /// Looks at the series again; cheap when it is the one that was there. Of a series of more than 65,536
    /// values a thousand are compared: whoever changes one in place must hand over a vector at another
    /// address. An array is shared, never copied, and known by its address: it never changes.
    /// True when it is another one.
    bool update(const Series& series, AxisScale x_scale, AxisScale y_scale);

    std::size_t size() const { return array_ ? array_->count() : y_.size(); }
    double x(std::size_t i) const { return x_.empty() ? static_cast<double>(i) : x_[i]; }
    double y(std::size_t i) const { return array_ ? array_->number(i) : y_[i]; }
    double axis_x(std::size_t i) const { return to_axis(key_.x_scale, x(i)); }
    double axis_y(std::size_t i) const { return to_axis(key_.y_scale, y(i)); }
    bool has_errors() const { return !low_.empty() || !high_.empty(); }
    double low(std::size_t i) const { return i < low_.size() ? low_[i] : y(i); }
    double high(std::size_t i) const { return i < high_.size() ? high_[i] : y(i); }
    bool valid(std::size_t i) const;  ///< the y axis has a place for it

    /// On the axes, after the logarithm; low > high when there is nothing. y with the error bars.
    Range x_range() const { return x_range_; }
    Range y_range() const { return y_range_; }
    /// The least distance between neighbours along x: what one bar may be wide. 1 for a single one.
    double pitch() const { return pitch_; }
    bool powers_of_two() const { return powers_of_two_; }

    /// The first sample at or beyond a position on the x axis.
    std::size_t lower_bound(double axis_position) const;
    /// Of the samples [first, last): as values, not axis positions. What the axis has no place for is left
    /// out.
    DataRange extent(std::size_t first, std::size_t last) const;
    /// The first sample of [first, last) with exactly this value, one of its extent's; last when there is
    /// none.
    std::size_t index_of(double value, std::size_t first, std::size_t last) const;

 private:
    struct Key {
        const double* x = nullptr;
        const double* y = nullptr;
        const Array* array = nullptr;
        std::uint64_t values = 0;  ///< with their numbers
        AxisScale x_scale = AxisScale::linear, y_scale = AxisScale::linear;
        bool operator==(const Key&) const = default;
    };
    void sort_copy(std::size_t count);
    void build();
    DataRange scan(std::size_t first, std::size_t last) const;  ///< sample by sample

    Key key_;
    ArrayRef array_;  ///< in place of y_; held, so that no other array can come to its address
    std::span<const double> x_, y_, low_, high_;
    std::vector<double> owned_x_, owned_y_, owned_low_, owned_high_;  // only when the series was not in order
    std::shared_ptr<const DataRanges> extents_;
    Range x_range_, y_range_;
    double pitch_ = 1;
    bool powers_of_two_ = false;
};

/// What a series shows within one pixel along x.
struct Column {
    DataRange extent;
    double first = 0, last = 0;  ///< the first and the last value in it, to join neighbours
    std::size_t begin = 0, end = 0;
};
/// Of `count` equal parts of the range `shown` of the x axis.
std::vector<Column> columns_of(const SeriesData& data, Range shown, std::size_t count);

/// 1, 2, 4 …: an axis along such values has its ticks there.
bool is_power_of_two(double value);

}  // namespace gridstride::ui
