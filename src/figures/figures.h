// Builders of the pictures of a run. A lesson describes its pictures; defaults follow from the data.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "figures/trace_pictures.h"
#include "lesson/lesson.h"
#include "lesson/plot.h"

namespace gridstride {

/// An array of a run, or a part of it, to draw.
struct PlotArray {
    ArrayRef array = {};             ///< null: the figure is left out
    bool is_output = false;          ///< measured, unless the report is computed
    std::size_t all = 0;             ///< elements of the whole array
    std::size_t count = 0;           ///< the first elements, which are drawn
    std::size_t samples = SIZE_MAX;  ///< at most this many of them, evenly spaced

    /// Restricts the array to its first elements, as for a row of a matrix, without a note about the others.
    PlotArray row(std::size_t elements) const {
        const std::size_t some = std::min(elements, all);
        return {array, is_output, some, some, samples};
    }
    PlotArray first(std::size_t max_count) const {
        return {array, is_output, all, std::min(max_count, count), samples};
    }
    PlotArray sampled(std::size_t max_samples) const { return {array, is_output, all, count, max_samples}; }
    explicit operator bool() const { return array && !array->empty(); }
    std::vector<double> numbers() const;
};

/// The label of an axis: "rate", {"rate", "GB/s"} or {"bins", AxisScale::logarithmic}.
struct AxisLabel {
    AxisLabel(std::string text = {}, std::string axis_unit = {}, AxisScale axis_scale = AxisScale::linear)
        : label(std::move(text)), unit(std::move(axis_unit)), scale(axis_scale) {}
    AxisLabel(const char* text) : label(text) {}
    AxisLabel(std::string text, AxisScale axis_scale) : label(std::move(text)), scale(axis_scale) {}

    std::string label, unit;
    AxisScale scale = AxisScale::linear;
};

/// Builds a figure with axes. The plot's origin is `computed` unless a series is measured. For arrays, the x
/// axis has whole ticks, and the note states how many elements a series omits and how many are not finite.
class FigureBuilder {
 public:
    FigureBuilder& x(AxisLabel label);
    FigureBuilder& y(AxisLabel label);
    /// Labels the x axis with names.
    FigureBuilder& tick_names(std::vector<std::string> names);
    /// Labels the x axis with names; draws horizontal bars with their numbers.
    FigureBuilder& categories(std::vector<std::string> names);

    FigureBuilder& bars(std::string label, const PlotArray& y, ColorRole color_role = ColorRole::kernel) {
        return add_array(std::move(label), Mark::bars, y, color_role);
    }
    FigureBuilder& line(std::string label, const PlotArray& y, ColorRole color_role = ColorRole::kernel) {
        return add_array(std::move(label), Mark::line, y, color_role);
    }
    /// Draws points (x[i], y[i]); skips those that are not finite.
    FigureBuilder& scatter(std::string label, const PlotArray& x, const PlotArray& y,
                           ColorRole color_role = ColorRole::kernel);
    /// Draws a whole long array as a line, without copying it.
    FigureBuilder& waveform(std::string label, const PlotArray& y, ColorRole color_role = ColorRole::kernel);
    /// Outlines the expected values of the preceding bars, from the report's expected outputs; nothing for a
    /// computed report. tolerance: see Series::tolerance.
    FigureBuilder& outline(std::string_view output, double tolerance = 0);
    FigureBuilder& series(Series series);
    FigureBuilder& bars(std::string label, std::vector<double> y, ColorRole color_role = ColorRole::kernel) {
        return series(
            {.label = std::move(label), .mark = Mark::bars, .color_role = color_role, .y = std::move(y)});
    }
    FigureBuilder& bars(std::string label, Points bars, ColorRole color_role = ColorRole::kernel) {
        return series({.label = std::move(label),
                       .mark = Mark::bars,
                       .color_role = color_role,
                       .x = std::move(bars.x),
                       .y = std::move(bars.y)});
    }
    FigureBuilder& line(std::string label, std::vector<double> y, ColorRole color_role = ColorRole::kernel) {
        return series({.label = std::move(label), .color_role = color_role, .y = std::move(y)});
    }
    FigureBuilder& stacked(std::string label, std::vector<double> y, ColorRole color_role) {
        return series({.label = std::move(label),
                       .mark = Mark::stacked_bars,
                       .color_role = color_role,
                       .y = std::move(y)});
    }
    FigureBuilder& line(std::string label, std::vector<double> x, std::vector<double> y,
                        ColorRole color_role = ColorRole::kernel) {
        return series(
            {.label = std::move(label), .color_role = color_role, .x = std::move(x), .y = std::move(y)});
    }
    FigureBuilder& line(std::string label, Points points, ColorRole color_role = ColorRole::kernel) {
        return line(std::move(label), std::move(points.x), std::move(points.y), color_role);
    }
    /// Draws y = of(x).
    FigureBuilder& line(std::string label, std::vector<double> x, const std::function<double(double)>& of,
                        ColorRole color_role = ColorRole::kernel);
    /// Adds nothing if there are no points.
    FigureBuilder& scatter(std::string label, Points points, ColorRole color_role = ColorRole::kernel);
    /// Counts the numbers in each of `bins` intervals of this width, starting at `low`: see make_histogram().
    FigureBuilder& histogram(std::string label, std::span<const double> numbers, double low, double width,
                             std::size_t bins, ColorRole color_role, Mark mark = Mark::bars);
    /// Draws the percentage of the drawn elements in each of `bins` equal intervals from low to high. NaN is
    /// in none.
    FigureBuilder& distribution(std::string label, const PlotArray& of, double low, double high,
                                std::size_t bins, ColorRole color_role = ColorRole::kernel);
    /// Draws a number of the latest run at each value of a parameter: one series for the current variant, and
    /// one for each other variant with runs at several values. `filter` selects the runs. For "auto", x is
    /// the value that the run chose. Labels and scales x by the parameter.
    FigureBuilder& latest_by(std::string_view parameter,
                             const std::function<std::optional<double>(const Report& run)>& number,
                             const std::function<bool(const Report& run)>& filter = {});

    FigureBuilder& marker(Figure::Marker marker);
    FigureBuilder& horizontal();
    FigureBuilder& value_labels(bool shown = true);
    FigureBuilder& equal_aspect();
    FigureBuilder& whole_numbers();  ///< on the x axis
    /// Appends a formatted sentence to the note, unless it is already there.
    FigureBuilder& note(std::string_view sentence);
    template <class... Values>
    requires(sizeof...(Values) > 0) FigureBuilder& note(fmt::format_string<const Values&...> sentence,
                                                        const Values&... values) {
        return note(fmt::format(sentence, values...));
    }
    template <class... Values>
    FigureBuilder& note_if(bool condition, fmt::format_string<const Values&...> sentence,
                           const Values&... values) {
        return note(condition ? fmt::format(sentence, values...) : std::string());
    }
    FigureBuilder& measured(bool is_measured = true);
    /// Shows a message instead of the figure.
    FigureBuilder& missing(std::string sentence);
    /// Leaves the figure out if not `shown`.
    FigureBuilder& only_if(bool shown);

 private:
    friend class Figures;
    FigureBuilder(const PictureInput& input, std::string id, std::string title);
    FigureBuilder& add_array(std::string label, Mark mark, const PlotArray& y, ColorRole color_role);
    /// Checks the array, and updates the origin and the note for it.
    void take(const PlotArray& array);
    void note_nonfinite(const std::vector<double>& numbers);
    std::optional<Plot> plot() &&;

    const PictureInput& input_;
    Plot plot_;
    Figure figure_;
    bool is_omitted_ = false;
};

/// Collects the pictures of a run, in the order in which they are added.
class Figures {
 public:
    explicit Figures(const PictureInput& input) : input_(input) {}

    /// Null before the first run.
    const Report* report() const { return input_.report; }
    /// Returns the origin of a picture drawn from the report's outputs.
    Origin origin() const { return is_measured() ? Origin::measured : Origin::computed; }
    /// Returns whether there is a report with measured outputs.
    bool is_measured() const { return input_.report && !input_.report->computed; }
    std::span<const Report* const> history() const { return input_.history; }
    /// Returns the latest run at each value of a count or real parameter, among the runs that `filter`
    /// accepts.
    std::map<double, const Report*> latest_by(std::string_view parameter,
                                              const std::function<bool(const Report& run)>& filter) const;
    const PictureInput& of() const { return input_; }

    /// Arrays of the report; empty before the first run.
    PlotArray input(std::string_view name) const;
    PlotArray output(std::string_view name) const;

    FigureBuilder& figure(std::string id, std::string title, AxisLabel x = {}, AxisLabel y = {});
    void cells(std::string id, std::string title, Cells cells, std::string note = {},
               Origin origin = Origin::computed);
    /// See trace_plot().
    void traced(std::string id, std::string title, const DrawTrace& draw, std::uint32_t launch = 0);
    /// Adds the picture "who": access_map_plot() for the main launch. `noun` names an element, such as
    /// "number".
    void access_map(const std::string& buffer, const std::string& noun) {
        plot(access_map_plot(input_, buffer, noun));
    }
    void plot(std::optional<Plot> plot);

    std::vector<Plot> take() &&;

 private:
    struct Entry {
        std::optional<Plot> plot;
        FigureBuilder* figure = nullptr;  ///< used instead of plot
    };
    const PictureInput& input_;
    std::deque<FigureBuilder> figures_;
    std::vector<Entry> entries_;
};

/// Returns the pictures of the prepared experiment; empty if its lesson has none.
std::vector<Plot> make_plots(const PictureInput& input);

}  // namespace gridstride
