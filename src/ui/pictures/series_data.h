// Prepares a series for drawing: sorts it and caches the minimum and maximum of each block of samples, so
// that drawing ten million samples costs time per pixel, not per sample, and no spike is lost.
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

/// The smallest and largest value of a range of samples; low > high if it is empty.
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

/// The ranges of blocks of 256 samples, and of all samples.
struct BlockRanges {
    std::vector<DataRange> parts;
    DataRange all;
    ArrayRef array;  ///< kept alive, so that its address stays unique; null: the samples are in a vector
};
/// Returns the ranges of an array. They are cached as long as a caller holds the result, which keeps the
/// array alive. Thread-safe.
std::shared_ptr<const BlockRanges> get_extents(const ArrayRef& array, AxisScale scale);

struct SampleRange {
    std::size_t begin, end;
    std::size_t count() const { return end - begin; }
};

class SeriesData {
 public:
    /// Rescans the series if it has changed, and returns true if so. In a series of more than 65,536 values,
    /// only about a thousand are compared; a caller that changes it in place must pass a vector at another
    /// address. An array is shared, never copied, and identified by its address, as it never changes.
    bool update(const Series& series, AxisScale x_scale, AxisScale y_scale);

    std::size_t size() const { return array_ ? array_->count() : y_.size(); }
    double x(std::size_t i) const { return x_.empty() ? static_cast<double>(i) : x_[i]; }
    double y(std::size_t i) const { return array_ ? array_->number(i) : y_[i]; }
    double axis_x(std::size_t i) const { return to_axis(key_.x_scale, x(i)); }
    double axis_y(std::size_t i) const { return to_axis(key_.y_scale, y(i)); }
    bool has_errors() const { return !low_.empty() || !high_.empty(); }
    double low(std::size_t i) const { return i < low_.size() ? low_[i] : y(i); }
    double high(std::size_t i) const { return i < high_.size() ? high_[i] : y(i); }
    bool is_valid(std::size_t i) const;  ///< the y axis can represent it

    /// Ranges in axis positions (after the logarithm); low > high if empty. y includes the error bars.
    Range x_range() const { return x_range_; }
    Range y_range() const { return y_range_; }
    /// Returns the smallest distance between neighbours along x, the maximum width of a bar; 1 for a single
    /// sample.
    double pitch() const { return pitch_; }
    bool are_powers_of_two() const { return are_powers_of_two_; }

    std::size_t lower_bound(double axis_position) const;
    /// Returns the range of the is_valid() samples of [first, last), in values, not axis positions.
    DataRange extent(std::size_t first, std::size_t last) const;
    /// Returns the first sample of [first, last) with exactly this value; `last` if there is none.
    std::size_t find_value(double value, std::size_t first, std::size_t last) const;

 private:
    struct Key {
        const double* x = nullptr;
        const double* y = nullptr;
        const Array* array = nullptr;
        std::uint64_t values = 0;  ///< hash of the values and their counts
        AxisScale x_scale = AxisScale::linear, y_scale = AxisScale::linear;
        bool operator==(const Key&) const = default;
    };
    void sort_copy(std::size_t count);
    void build();
    DataRange scan(std::size_t first, std::size_t last) const;  ///< sample by sample

    Key key_;
    ArrayRef array_;  ///< replaces y_; kept alive, so that its address stays unique
    std::span<const double> x_, y_, low_, high_;
    std::vector<double> sorted_x_, sorted_y_, sorted_low_, sorted_high_;  // used only if it was unsorted
    std::shared_ptr<const BlockRanges> extents_;
    Range x_range_, y_range_;
    double pitch_ = 1;
    bool are_powers_of_two_ = false;
};

struct Column {
    DataRange extent;
    double first = 0, last = 0;  ///< first and last valid value, to connect neighbours
    std::size_t begin = 0, end = 0;
};
/// Divides the range `shown` of the x axis into `count` columns of equal width.
std::vector<Column> compute_columns(const SeriesData& data, Range shown, std::size_t count);

/// Returns true for 1, 2, 4 …: an axis along such values has its ticks there.
bool is_power_of_two(double value);

}  // namespace gridstride::ui
