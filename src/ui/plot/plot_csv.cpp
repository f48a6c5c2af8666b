#include <fmt/format.h>

#include <cmath>

#include "base/csv.h"
#include "ui/plot/plot_view.h"

namespace gridstride::ui {
namespace {

/// The shortest text that reads back as the same double, with a point whatever the locale; empty for what is
/// not there.
std::string number(const std::vector<double>& values, std::size_t i) {
    return i < values.size() ? fmt::format("{}", values[i]) : std::string();
}

std::string heading(const Axis& axis, const char* otherwise) {
    const std::string name = axis.label.empty() ? otherwise : axis.label;
    return axis.unit.empty() ? name : name + " (" + axis.unit + ")";
}

std::string figure_csv(const Figure& figure) {
    const std::string y = heading(figure.y, "y");
    std::string text = csv_record({"series", heading(figure.x, "x"), y, y + " low", y + " high"});
    for (const Series& series : figure.series) {
        for (std::size_t i = 0; i < series.y.size(); ++i) {
            if (!series.x.empty() && i >= series.x.size()) break;
            const double x = series.x.empty() ? static_cast<double>(i) : series.x[i];
            const bool named =
                x >= 0 && x == std::floor(x) && x < static_cast<double>(figure.x.categories.size());
            text +=
                csv_record({series.label,
                            named ? figure.x.categories[static_cast<std::size_t>(x)] : fmt::format("{}", x),
                            number(series.y, i), number(series.y_low, i), number(series.y_high, i)});
        }
    }
    return text;
}

std::string lanes_csv(const Lanes& lanes) {
    std::string text = csv_record({"lane", lanes.cell_name.empty() ? "cell" : lanes.cell_name, "kind"});
    for (const Lanes::Lane& lane : lanes.lanes)
        for (std::size_t i = 0; i < lane.cells.size(); ++i) {
            const std::uint8_t kind = lane.cells[i];
            text += csv_record(
                {lane.label, fmt::format("{}", i), kind < lanes.kinds.size() ? lanes.kinds[kind].label : ""});
        }
    return text;
}

}  // namespace

std::string plot_csv(const Plot& plot) {
    if (const auto* figure = std::get_if<Figure>(&plot.content)) return figure_csv(*figure);
    return lanes_csv(std::get<Lanes>(plot.content));
}

}  // namespace gridstride::ui
