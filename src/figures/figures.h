// Pictures that are described, not assembled: what a description leaves out follows from the data.
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

#include "figures/recorded_pictures.h"
#include "lesson/lesson.h"
#include "lesson/plot.h"

namespace gridstride {

/// An array of a run, or a part of it, to draw.
struct PlotArray {
    ArrayRef array = {};             ///< null: it is not there, and the figure is left out
    bool is_output = false;          ///< of a run: measured, unless the report is computed
    std::size_t all = 0;             ///< elements, of which these are the first ones
    std::size_t count = 0;           ///< the first so many are drawn
    std::size_t samples = SIZE_MAX;  ///< at most so many of those, evenly spread

    /// The first elements alone, as if there were no others: a row of a matrix.
    PlotArray row(std::size_t elements) const {
        const std::size_t some = std::min(elements, all);
        return {array, is_output, some, some, samples};
    }
    PlotArray first(std::size_t most) const {
        return {array, is_output, all, std::min(most, count), samples};
    }
    PlotArray sampled(std::size_t most) const { return {array, is_output, all, count, most}; }
    explicit operator bool() const { return array && !array->empty(); }
    std::vector<double> numbers() const;
};

/// What an axis says: "rate", {"rate", "GB/s"} or {"bins", AxisScale::logarithmic}.
struct AxisLabel {
    AxisLabel(std::string text = {}, std::string unit_of_it = {}, AxisScale scale_of_it = AxisScale::linear)
        : label(std::move(text)), unit(std::move(unit_of_it)), scale(scale_of_it) {}
    AxisLabel(const char* text) : label(text) {}
    AxisLabel(std::string text, AxisScale scale_of_it) : label(std::move(text)), scale(scale_of_it) {}

    std::string label, unit;
    AxisScale scale = AxisScale::linear;
};

/// One figure with axes. Its plot is computed unless a series is measured; ticks of x are whole where x is
/// counted; the note says how many elements an array's series leave out, and how many are no finite number.
class FigureBuilder {
 public:
    FigureBuilder& x(AxisLabel label);
    FigureBuilder& y(AxisLabel label);
    /// Names in place of numbers along x, drawn to the right with each bar's number.
    FigureBuilder& categories(std::vector<std::string> names);

    FigureBuilder& bars(std::string label, const PlotArray& y, Ink ink = Ink::kernel) {
        return of_array(std::move(label), Mark::bars, y, ink);
    }
    FigureBuilder& line(std::string label, const PlotArray& y, Ink ink = Ink::kernel) {
        return of_array(std::move(label), Mark::line, y, ink);
    }
    /// Points (x[i], y[i]), where both are finite.
    FigureBuilder& scatter(std::string label, const PlotArray& x, const PlotArray& y, Ink ink = Ink::kernel);
    /// All of a long array, as a line that is drawn without copying it.
    FigureBuilder& waveform(std::string label, const PlotArray& y, Ink ink = Ink::kernel);
    /// What the bars before should be, from the report's expected outputs; nothing for a computed report.
    /// tolerance: see Series::tolerance.
    FigureBuilder& outline(std::string_view output, double tolerance = 0);
    /// Any other series.
    FigureBuilder& series(Series series);
    FigureBuilder& bars(std::string label, std::vector<double> y, Ink ink = Ink::kernel) {
        return series({.label = std::move(label), .mark = Mark::bars, .ink = ink, .y = std::move(y)});
    }
    FigureBuilder& bars(std::string label, Points bars, Ink ink = Ink::kernel) {
        return series({.label = std::move(label),
                       .mark = Mark::bars,
                       .ink = ink,
                       .x = std::move(bars.x),
                       .y = std::move(bars.y)});
    }
    FigureBuilder& line(std::string label, std::vector<double> y, Ink ink = Ink::kernel) {
        return series({.label = std::move(label), .ink = ink, .y = std::move(y)});
    }
    FigureBuilder& stacked(std::string label, std::vector<double> y, Ink ink) {
        return series({.label = std::move(label), .mark = Mark::stacked_bars, .ink = ink, .y = std::move(y)});
    }
    FigureBuilder& line(std::string label, std::vector<double> x, std::vector<double> y,
                        Ink ink = Ink::kernel) {
        return series({.label = std::move(label), .ink = ink, .x = std::move(x), .y = std::move(y)});
    }
    FigureBuilder& line(std::string label, Points points, Ink ink = Ink::kernel) {
        return line(std::move(label), std::move(points.x), std::move(points.y), ink);
    }
    /// What a function comes to at each x.
    FigureBuilder& line(std::string label, std::vector<double> x, const std::function<double(double)>& of,
                        Ink ink = Ink::kernel);
    /// Nothing where there are no points.
    FigureBuilder& scatter(std::string label, Points points, Ink ink = Ink::kernel);
    /// How many of these numbers lie in each of `bins` intervals of this width from low on: see
    /// histogram_of().
    FigureBuilder& histogram(std::string label, std::span<const double> numbers, double low, double width,
                             std::size_t bins, Ink ink, Mark mark = Mark::bars);
    /// What part of an array's elements lies in each of `bins` intervals of equal width from low to high, in
    /// percent of those that are drawn; NaN lies in none.
    FigureBuilder& distribution(std::string label, const PlotArray& of, double low, double high,
                                std::size_t bins, Ink ink = Ink::kernel);
    /// Of each variant that has runs: a number of its latest run at each value of a parameter, for "auto" at
    /// the value that the run chose, among the runs so far that `counts` accepts. Labels and scales x by the
    /// parameter.
    FigureBuilder& latest_by(std::string_view parameter,
                             const std::function<std::optional<double>(const Report& run)>& number,
                             const std::function<bool(const Report& run)>& counts = {});

    FigureBuilder& marker(Figure::Marker marker);
    FigureBuilder& horizontal();
    FigureBuilder& value_labels(bool shown = true);
    FigureBuilder& to_scale();
    FigureBuilder& whole_numbers();  ///< along x, alone
    /// A sentence, behind those that are there; none twice. Values are formatted into it.
    FigureBuilder& note(std::string_view sentence);
    template <class... Values>
    requires(sizeof...(Values) > 0) FigureBuilder& note(fmt::format_string<const Values&...> sentence,
                                                        const Values&... values) {
        return note(fmt::format(sentence, values...));
    }
    template <class... Values>
    FigureBuilder& note_if(bool is_said, fmt::format_string<const Values&...> sentence,
                           const Values&... values) {
        return note(is_said ? fmt::format(sentence, values...) : std::string());
    }
    FigureBuilder& measured(bool is_measured = true);
    /// In place of the figure: why there is none.
    FigureBuilder& missing(std::string sentence);
    /// Leaves the figure out, unless.
    FigureBuilder& only_if(bool shown);

 private:
    friend class Figures;
    FigureBuilder(const PictureInput& input, std::string id, std::string title);
    FigureBuilder& of_array(std::string label, Mark mark, const PlotArray& y, Ink ink);
    /// Takes what the series of an array says of the figure.
    void take(const PlotArray& array);
    void note_missing(const std::vector<double>& numbers);
    std::optional<Plot> plot() &&;

    const PictureInput& input_;
    Plot plot_;
    Figure figure_;
    bool left_out_ = false;
};

/// The pictures of a run, in the order in which they are added.
class Figures {
 public:
    explicit Figures(const PictureInput& input) : input_(input) {}

    /// Null before the first run.
    const Report* report() const { return input_.report; }
    /// The origin of a picture that is drawn from the report's outputs.
    Origin origin() const { return is_measured() ? Origin::measured : Origin::computed; }
    /// A run that was measured, or computed without a device.
    bool is_measured() const { return input_.report && !input_.report->computed; }
    std::span<const Report* const> history() const { return input_.history; }
    /// The latest run at each value of a count or real parameter, among the runs so far that `counts`
    /// accepts.
    std::map<double, const Report*> latest_by(std::string_view parameter,
                                              const std::function<bool(const Report& run)>& counts) const;
    const PictureInput& of() const { return input_; }

    /// Of the report; nothing before the first run.
    PlotArray input(std::string_view name) const;
    PlotArray output(std::string_view name) const;

    FigureBuilder& figure(std::string id, std::string title, AxisLabel x = {}, AxisLabel y = {});
    void cells(std::string id, std::string title, Cells cells, std::string note = {},
               Origin origin = Origin::computed);
    /// See recorded_plot().
    void recorded(std::string id, std::string title, const DrawRecorded& draw, std::uint32_t launch = 0);
    /// "who": takers_of() the main launch, such as which invocation takes which "number".
    void access_map(const std::string& buffer, const std::string& noun) {
        plot(who_takes_which(input_, buffer, noun));
    }
    void plot(std::optional<Plot> plot);

    std::vector<Plot> take() &&;

 private:
    struct Added {
        std::optional<Plot> plot;
        FigureBuilder* figure = nullptr;  ///< in place of the plot
    };
    const PictureInput& input_;
    std::deque<FigureBuilder> figures_;
    std::vector<Added> added_;
};

/// The pictures of what is asked; none where its lesson has none.
std::vector<Plot> plots_of(const PictureInput& input);

}  // namespace gridstride
