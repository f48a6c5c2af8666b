// Pictures as data. A lesson describes what to draw; src/ui/plot draws it.
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
#include "base/language.h"

namespace gridstride {

/// A colour by its meaning. The theme maps it to a colour.
enum class ColorRole { upload, kernel, download, wait, cpu, right, wrong, caution, quiet, series };

/// How the numbers were obtained. The window shows it beside the title.
enum class Origin { measured, computed, modelled, traced };
constexpr const char* name(Origin origin) {
    constexpr const char* names[] = {tr_later("measured"), tr_later("computed"), tr_later("modelled"),
                                     tr_later("traced")};
    return names[static_cast<std::size_t>(origin)];
}

enum class AxisScale { linear, logarithmic };

struct Axis {
    std::string label = {};  ///< "workgroup"
    std::string unit = {};   ///< "µs"; empty for a count
    AxisScale scale = AxisScale::linear;
    std::vector<std::string> categories = {};  ///< names in place of numbers: category i is at i
    bool whole_numbers = false;                ///< ticks at whole numbers only
    bool operator==(const Axis&) const = default;
};

/// The ids, such as "t3", of what a node, a box or a bar represents. Hovering over one highlights everything
/// with the same id in the pictures beside it.
using HighlightIds = std::vector<std::string>;

/// outline_bars are the expected values of the bars of the same figure: bars that differ are marked as wrong.
/// If there are many bars, their differences are drawn instead of the outlines.
enum class Mark { line, scatter, bars, outline_bars, stacked_bars };

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
    ColorRole color_role = ColorRole::series;
    std::vector<ColorRole> color_roles = {};  ///< empty, or one for each bar
    std::vector<double> x = {};               ///< empty: 0, 1, 2, …
    std::vector<double> y = {};
    ArrayRef y_array = {};           ///< replaces y at x = 0, 1, 2, …, for waveforms of ten million samples
    std::vector<double> y_low = {};  ///< empty, or the lower end of an error bar for each y
    std::vector<double> y_high = {};  ///< empty, or the upper end
    /// For outline_bars: the error that is allowed for a bar, relative to its outline.
    double tolerance = 0;
    std::vector<std::string> notes = {};  ///< empty, or the hover text of each y; x must then be sorted
};

struct Figure {
    Axis x = {};
    Axis y = {};
    std::vector<Series> series = {};
    bool is_horizontal = false;  ///< bars extend to the right: the axes are swapped on the screen
    bool value_labels = false;   ///< bars show their values if there is space
    bool equal_aspect = false;   ///< both axes have the same scale, so that a circle is round
    /// A labelled line across the figure, such as where two curves cross.
    struct Marker {
        double x = 0;
        std::string label;
        bool is_on_y = false;        ///< `x` is a y, and the line is horizontal
        std::string parameter = {};  ///< the id of the parameter that dragging it sets
        double step = 0;             ///< the increment of dragging and the arrow keys; 0: continuous
    };
    std::vector<Marker> markers = {};
    /// A rectangle, such as the bytes of a tensor from its first write to its last read. On an axis with
    /// categories it includes the whole first and last category.
    struct Box {
        double x_from = 0, x_to = 0;
        double y_from = 0, y_to = 0;
        std::string label = {};                 ///< drawn inside; only the first word if the space is small
        std::optional<std::size_t> group = {};  ///< has the colour of this group of a graph
        std::string note = {};                  ///< hover text
        HighlightIds highlight_ids = {};
    };
    std::vector<Box> boxes = {};
};

/// A dependency graph. Nodes come after their sources; graph_layout.h computes their positions on the screen.
struct Graph {
    enum class Kind {
        operation,
        input,
        copy,  ///< a copy that an in-place operation would have avoided
        host,  ///< placed on the CPU
    };
    struct Node {
        std::string label = {};                 ///< "t1 = a + b"; only the first word if the space is small
        std::vector<std::size_t> sources = {};  ///< indices of earlier nodes
        Kind kind = Kind::operation;
        std::optional<std::size_t> group = {};  ///< determines the colour
        std::string note = {};                  ///< hover text
        HighlightIds highlight_ids = {};
        bool operator==(const Node&) const = default;
    };
    std::vector<Node> nodes = {};
    std::vector<std::string> groups = {};  ///< a sentence below each group's nodes; empty: none
    bool operator==(const Graph&) const = default;
};

/// Rows of cells. With kinds only, the rows are lanes, such as the invocations of a workgroup at each level
/// of a tree. With numbers only, they are pictures side by side, scaled with their proportions. With both,
/// they are a heat map, whose cells show a number or a kind.
struct Cells {
    enum class Fill { full, hatched, outlined, empty };
    struct Kind {
        std::string label = {};  ///< "adds", in the legend; empty: not in the legend
        ColorRole color_role = ColorRole::quiet;
        Fill fill = Fill::full;
        bool operator==(const Kind&) const = default;
    };
    struct Row {
        std::string label = {};                ///< "level 1"
        std::vector<std::uint8_t> kinds = {};  ///< of each cell: an index into Cells::kinds; others: no kind
        std::string note = {};                 ///< "64 of 128 add"
        std::vector<std::string> hover_texts = {};  ///< empty, or the hover text of each cell
        std::vector<std::string> cell_texts = {};   ///< empty, or the text in each cell, drawn if it fits
        bool operator==(const Row&) const = default;
    };
    struct Numbers {
        std::string label = {};
        std::size_t width = 0;  ///< cells per row
        ArrayRef values = {};   ///< row by row from the top; the last row may be shorter
        double low = 0;         ///< the value of the first shade, black for grey
        double high = 255;      ///< the value of the last shade

        /// Returns 0 if there is nothing to draw.
        std::size_t rows() const { return values && width > 0 ? (values->count() + width - 1) / width : 0; }
        bool operator==(const Numbers&) const = default;
    };
    enum class Shades { grey, viridis };

    std::vector<Kind> kinds = {};
    std::vector<Row> rows = {};  ///< from the top
    std::string cell_name = {};  ///< "invocation", for the hover text
    std::vector<Numbers> numbers = {};
    Shades shades = Shades::grey;
    Axis shade = {};      ///< of a map: label, unit and scale of its numbers
    Axis x = {}, y = {};  ///< of a map: titles; x.categories name the columns

    /// Adds a row of `count` cells, where cell i has the kind kind_of(i).
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

/// Steps over time, to scale: a row per variant or submission, a bar per step.
struct Timeline {
    struct Bar {
        std::string label;
        ColorRole color_role = ColorRole::kernel;
        double start_ns = 0;
        double duration_ns = 0;
        bool is_striped = false;  ///< marks avoidable work
        HighlightIds highlight_ids = {};
    };
    struct Row {
        std::string label;
        std::vector<Bar> bars;
        double end_ns = 0;                     ///< of the row, at or after its last bar
        double start_ns = 0;                   ///< of the row, such as of a later submission
        std::vector<double> barriers_ns = {};  ///< drawn as lines
    };
    std::vector<Row> rows;
};

struct Plot {
    std::string id = {};     ///< stories name it in `plot` blocks
    std::string title = {};  ///< "Partial sums, one a workgroup"
    Origin origin = Origin::measured;
    std::variant<Figure, Cells, Timeline, Graph> content = {};
    std::string note = {};  ///< a sentence below the title; empty: none
    /// Returns the values as CSV. If it is empty, plot_csv() is used.
    std::function<std::string()> csv = {};
    /// A sentence that replaces the content and says why there is none. See trace_plot().
    std::string missing_reason = {};
    std::uint32_t launch = 0;  ///< of a picture of a trace: the dispatch of the plan to trace
    bool is_outdated = false;  ///< shows a trace of earlier settings, so it is drawn faded
};

/// Highlights a point or bar of a figure, or a cell of a map, such as the best of a sweep: with a ring around
/// the point, or a frame inside the bar or cell. Stacked bars are not highlighted.
struct PlotHighlight {
    std::size_t series = 0;  ///< or the row of a map, from the top
    std::size_t index = 0;   ///< in the series; or the column of a map
    bool is_strong = false;  ///< thick, for the best; otherwise thin, for ties
};

/// The ids of the pictures that the window draws for every lesson.
inline constexpr std::string_view common_plots[] = {
    "where_the_time_goes", "kernel_samples", "time_per_variant", "time_history", "occupancy", "roofline"};

}  // namespace gridstride
