// Pictures as data: a lesson says what to draw, src/ui/plot draws it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/array.h"

namespace gridstride {

/// Colour by meaning; the theme says which colour that is.
enum class Ink { upload, kernel, download, wait, cpu, right, wrong, caution, quiet, series };

/// How the numbers came about; shown beside the title.
enum class Origin { measured, computed, modelled, recorded };

enum class AxisScale { linear, logarithmic };

struct Axis {
    std::string label = {};  ///< "workgroup"
    std::string unit = {};   ///< "µs"; empty for a count
    AxisScale scale = AxisScale::linear;
    std::vector<std::string> categories = {};  ///< names in place of numbers: category i stands at i
    bool whole_numbers = false;                ///< ticks only at whole numbers
    bool operator==(const Axis&) const = default;
};

/// What a node, a box or a bar stands for, such as "t3". Where one is pointed at, whatever stands for the
/// same in the pictures beside it is lit.
using Subjects = std::vector<std::string>;

/// Where outline_bars say what the bars beside them should be, bars that differ are marked as wrong. Of many
/// bars the differences are drawn in place of the outlines.
enum class Mark { line, scatter, bars, outline_bars, stacked_bars };

/// Where the points of a series stand.
struct Points {
    std::vector<double> x = {}, y = {};
    void add(double at, double number) {
        x.push_back(at);
        y.push_back(number);
    }
};

struct Series {
    std::string label = {};
    Mark mark = Mark::line;
    Ink ink = Ink::series;
    std::vector<Ink> inks = {};  ///< empty, or of each of the bars where they mean different things
    std::vector<double> x = {};  ///< empty: 0, 1, 2, …
    std::vector<double> y = {};
    ArrayRef y_array = {};  ///< in place of y, at x = 0, 1, 2, …: a waveform of ten million samples
    std::vector<double> y_low = {};   ///< empty, or the lower end of an error bar for each y
    std::vector<double> y_high = {};  ///< empty, or the upper end
    /// Of outline_bars, which say what the bars of the figure should be: how far a bar may be off and be
    /// right, relative to the outline.
    double tolerance = 0;
    std::vector<std::string> notes = {};  ///< empty, or words for whoever points at each y; x in order then
};

struct Figure {
    Axis x = {};
    Axis y = {};
    std::vector<Series> series = {};
    bool horizontal = false;    ///< bars run to the right: x and y change places on the screen
    bool value_labels = false;  ///< each bar carries its number where it fits
    bool to_scale = false;      ///< one is as long upwards as to the right: a circle is round
    /// Lines across the figure at places worth naming, such as where two curves cross.
    struct Marker {
        double x = 0;
        std::string label;
        bool on_y = false;           ///< at a y instead, across
        std::string parameter = {};  ///< the id of the one that it stands for: dragging it sets that
        double step = 0;             ///< what dragging and the arrow keys go by; 0: any place
    };
    std::vector<Marker> markers = {};
    /// What lasts along x and takes a part of y, such as a tensor in memory from its first write to its last
    /// read. Where an axis has names, a box goes from one to another, both whole.
    struct Box {
        double x_from = 0, x_to = 0;
        double y_from = 0, y_to = 0;
        std::string label = {};                 ///< inside, or its first word, where that fits
        std::optional<std::size_t> group = {};  ///< coloured as this group of a graph
        std::string note = {};                  ///< words for whoever points at it
        Subjects subjects = {};
    };
    std::vector<Box> boxes = {};
};

/// What is made from what. A node stands behind its sources; where on the screen, graph_layout.h computes.
struct Graph {
    enum class Kind {
        operation,
        input,
        copy,  ///< of what could have been the same bytes
        host,  ///< placed on the CPU
    };
    struct Node {
        std::string label = {};                 ///< "t1 = a + b"; its first word where there is little room
        std::vector<std::size_t> sources = {};  ///< nodes before it
        Kind kind = Kind::operation;
        std::optional<std::size_t> group = {};  ///< colours it
        std::string note = {};                  ///< words for whoever points at it
        Subjects subjects = {};
        bool operator==(const Node&) const = default;
    };
    std::vector<Node> nodes = {};
    std::vector<std::string> groups = {};  ///< a sentence under each group's nodes; empty: none
    bool operator==(const Graph&) const = default;
};

/// Cells in rows. With kinds alone they are lanes, such as the invocations of a workgroup at each level of a
/// tree. With numbers alone they are pictures that keep their proportions, drawn to fit, side by side. With
/// both they are a map: a number where there is one, a kind where there is something else to say.
struct Cells {
    enum class Fill { full, hatched, outlined, empty };
    struct Kind {
        std::string label = {};  ///< "adds": in the legend; empty: not there
        Ink ink = Ink::quiet;
        Fill fill = Fill::full;
        bool operator==(const Kind&) const = default;
    };
    struct Row {
        std::string label = {};                ///< "level 1"
        std::vector<std::uint8_t> kinds = {};  ///< of its cells: places in Cells::kinds; beyond those: none
        std::string note = {};                 ///< "64 of 128 add"
        std::vector<std::string> said = {};    ///< empty, or words for whoever points at each cell
        std::vector<std::string> written =
            {};  ///< empty, or what stands in each cell of a lane that has room
        bool operator==(const Row&) const = default;
    };
    struct Numbers {
        std::string label = {};
        std::size_t width = 0;  ///< cells a row
        ArrayRef values = {};   ///< row by row from the top; the last row is perhaps not full
        double low = 0;         ///< what the first of the shades stands for: black, of greys
        double high = 255;      ///< and the last

        /// 0: nothing to draw.
        std::size_t rows() const { return values && width > 0 ? (values->count() + width - 1) / width : 0; }
        bool operator==(const Numbers&) const = default;
    };
    enum class Shades { grey, viridis };

    std::vector<Kind> kinds = {};
    std::vector<Row> rows = {};  ///< from the top
    std::string cell_name = {};  ///< "invocation": for the hover text
    std::vector<Numbers> numbers = {};
    Shades shades = Shades::grey;
    Axis shade = {};      ///< of a map: what its numbers are, in which unit, and how the shades follow them
    Axis x = {}, y = {};  ///< of a map: titles; the columns' names are the categories of x

    /// A row of so many cells, of the kinds that kind_of(i) says.
    Row& add_row(std::string label, std::size_t count, const auto& kind_of, std::string note = {}) {
        Row& row = rows.emplace_back(Row{.label = std::move(label), .note = std::move(note)});
        for (std::size_t i = 0; i < count; ++i)
            row.kinds.push_back(kind_of(i));
        return row;
    }
    std::size_t row_count(std::size_t picture = 0) const {
        return !rows.empty() ? rows.size() : picture < numbers.size() ? numbers[picture].rows() : 0;
    }
    std::size_t column_count(std::size_t picture = 0) const {
        if (picture < numbers.size()) return numbers[picture].width;
        std::size_t longest = 0;
        for (const Row& row : rows)
            longest = std::max(longest, row.kinds.size());
        return longest;
    }
    bool operator==(const Cells&) const = default;
};

/// What happened when, to scale: a row a variant or a submission, a bar a step.
struct Timeline {
    struct Bar {
        std::string label;
        Ink ink = Ink::kernel;
        double start_ns = 0;
        double duration_ns = 0;
        bool striped = false;  ///< what need not have been
        Subjects subjects = {};
    };
    struct Row {
        std::string label;
        std::vector<Bar> bars;
        double end_ns = 0;                     ///< of the whole row, beyond the last bar
        double start_ns = 0;                   ///< such as of a later submission
        std::vector<double> barriers_ns = {};  ///< what comes behind waits for what came before: lines
    };
    std::vector<Row> rows;
};

struct Plot {
    std::string id = {};     ///< a story's `plot` block names it
    std::string title = {};  ///< "Partial sums, one a workgroup"
    Origin origin = Origin::measured;
    std::variant<Figure, Cells, Timeline, Graph> content = {};
    std::string note = {};  ///< a sentence under the title; empty for none
    /// Lists its values, where its maker does; empty: plot_csv() does.
    std::function<std::string()> csv = {};
    /// In place of the content: a sentence that says why there is none. See recorded_plot().
    std::string missing = {};
    std::uint32_t launch = 0;  ///< of a recorded picture: the dispatch of the plan that is recorded for it
    bool old = false;  ///< of what was recorded before, until a recording of the bench is there: drawn faded
};

/// A point or bar of a figure, or a cell of a map, that stands out, such as the best of a sweep: a ring
/// around the point, a frame inside the bar or cell. Bars on top of each other have none.
struct PlotRing {
    std::size_t series = 0;  ///< or the row, from the top
    std::size_t index = 0;   ///< of the series as it was given; or the column
    bool strong = false;     ///< thick: the best; else thin: what ties with it
};

/// The ids of those that the window draws for every lesson.
inline constexpr std::string_view common_plots[] = {
    "where_the_time_goes", "kernel_samples", "time_per_variant", "time_history", "occupancy", "roofline"};

}  // namespace gridstride
