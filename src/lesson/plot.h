// Pictures as data: a lesson says what to draw, src/ui/plot draws it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/array.h"

namespace gridstride {

/// Colour by meaning; the theme says which colour that is.
enum class Ink { upload, kernel, download, wait, cpu, right, wrong, caution, quiet, series };

/// How the numbers came about; shown beside the title.
enum class Origin { measured, computed, modelled };

enum class AxisScale { linear, logarithmic };

struct Axis {
    std::string label = {};  ///< "workgroup"
    std::string unit = {};   ///< "µs"; empty for a count
    AxisScale scale = AxisScale::linear;
    std::vector<std::string> categories = {};  ///< names in place of numbers: category i stands at i
    bool whole_numbers = false;                ///< ticks only at whole numbers
};

enum class Mark { line, scatter, bars, outline_bars, stacked_bars };

struct Series {
    std::string label = {};
    Mark mark = Mark::line;
    Ink ink = Ink::series;
    std::vector<double> x = {};  ///< empty: 0, 1, 2, …
    std::vector<double> y = {};
    ArrayRef y_array = {};  ///< in place of y, at x = 0, 1, 2, …: a waveform of ten million samples
    std::vector<double> y_low = {};       ///< empty, or the lower end of an error bar for each y
    std::vector<double> y_high = {};      ///< empty, or the upper end
    std::vector<std::string> notes = {};  ///< empty, or words for whoever points at each y; x in order then
};

struct Figure {
    Axis x = {};
    Axis y = {};
    std::vector<Series> series = {};
    bool horizontal = false;    ///< bars run to the right: x and y change places on the screen
    bool value_labels = false;  ///< each bar carries its number where it fits
    /// Vertical lines at places worth naming, such as where two curves cross.
    struct Marker {
        double x = 0;
        std::string label;
    };
    std::vector<Marker> markers = {};
};

/// Rows of cells, such as the invocations of a workgroup at each level of a tree.
struct Lanes {
    struct Kind {
        std::string label;  ///< "adds"
        Ink ink = Ink::quiet;
    };
    struct Lane {
        std::string label;                ///< "level 1"
        std::vector<std::uint8_t> cells;  ///< indices into kinds
        std::string note;                 ///< "64 of 128 add"
    };
    std::vector<Kind> kinds = {};
    std::vector<Lane> lanes = {};
    std::string cell_name = {};  ///< "invocation": for the hover text
};

/// A picture in grey levels, drawn to fit, its proportions kept.
struct Picture {
    std::string label;
    std::uint32_t width = 0;  ///< elements a row
    ArrayRef values;          ///< width x height numbers, the first row at the top
    double black = 0;         ///< the value drawn as black
    double white = 255;       ///< the value drawn as white

    /// The last one is perhaps not full. 0: no picture.
    std::size_t rows() const { return values && width > 0 ? (values->count() + width - 1) / width : 0; }
};
/// One picture, or several side by side.
struct Pictures {
    std::vector<Picture> pictures;
};

/// What happened when, to scale: a row a variant, a bar a step.
struct Timeline {
    struct Bar {
        std::string label;
        Ink ink = Ink::kernel;
        double start_ns = 0;
        double duration_ns = 0;
    };
    struct Row {
        std::string label;
        std::vector<Bar> bars;
        double end_ns = 0;  ///< of the whole row, beyond the last bar
    };
    std::vector<Row> rows;
};

struct Plot {
    std::string id = {};     ///< a story's `plot` block names it
    std::string title = {};  ///< "Partial sums, one a workgroup"
    Origin origin = Origin::measured;
    std::variant<Figure, Lanes, Pictures, Timeline> content = {};
    std::string note = {};  ///< a sentence under the title; empty for none
};

/// A point or bar of a figure that stands out, such as the best of a sweep: a ring around the point, a frame
/// inside the bar. Bars on top of each other have none.
struct PlotRing {
    std::size_t series = 0;
    std::size_t index = 0;  ///< of the series as it was given
    bool strong = false;    ///< thick: the best; else thin: what ties with it
};

/// The ids of those that the window draws for every lesson.
inline constexpr std::string_view common_plots[] = {
    "where_the_time_goes", "kernel_samples", "time_per_variant", "time_history", "launch",
    "occupancy",           "roofline"};

}  // namespace gridstride
