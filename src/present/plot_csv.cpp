#include "present/plot_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/csv.h"

namespace gridstride {
namespace {

/// Returns the shortest text that reads back as the same double, with a decimal point in every locale; empty
/// if there is no value i.
std::string number(const std::vector<double>& values, std::size_t i) {
    return i < values.size() ? fmt::format("{}", values[i]) : std::string();
}

/// Formats an element in its own type: 0.1f is 0.1, and a large u64 keeps all its digits.
std::string number(const Array& array, std::size_t i) {
    if (array.type() == ElementType::f32) return fmt::format("{}", array.as<float>()[i]);
    if (array.type() == ElementType::u64) return fmt::format("{}", array.as<std::uint64_t>()[i]);
    return fmt::format("{}", array.number(i));
}

/// Returns the field with CSV quoting. Quoting a label once saves time in files of ten million records.
std::string quote_field(const std::string& field) {
    const std::string record = format_csv_record({field, {}});
    return record.substr(0, record.find_last_of(','));
}

std::string heading(const Axis& axis, const char* default_label) {
    return csv_heading(axis.label.empty() ? default_label : axis.label, axis.unit);
}

std::string position_field(const Axis& axis, double value) {
    const bool named =
        value >= 0 && value == std::floor(value) && value < static_cast<double>(axis.categories.size());
    return named ? quote_field(axis.categories[static_cast<std::size_t>(value)]) : fmt::format("{}", value);
}

std::string figure_csv(const Figure& figure) {
    const std::string y = heading(figure.y, "y");
    const std::string x = heading(figure.x, "x");
    std::vector<std::string> columns = {"series", x, y, y + " low", y + " high"};
    if (!figure.boxes.empty()) columns.push_back(x + " end");
    std::string text = format_csv_record(columns);
    const std::string end = figure.boxes.empty() ? "\r\n" : ",\r\n";
    for (const Series& series : figure.series) {
        const std::string label = quote_field(series.label);
        if (series.y_array && figure.x.categories.empty()) {
            for (std::size_t i = 0; i < series.y_array->count(); ++i)
                text += fmt::format("{},{},{},{},{}{}", label, i, number(*series.y_array, i),
                                    number(series.y_low, i), number(series.y_high, i), end);
            continue;
        }
        const bool has_x = !series.y_array && !series.x.empty();
        const std::size_t count = series.y_array ? series.y_array->count()
                                  : has_x        ? std::min(series.x.size(), series.y.size())
                                                 : series.y.size();
        for (std::size_t i = 0; i < count; ++i)
            text += fmt::format("{},{},{},{},{}{}", label,
                                position_field(figure.x, has_x ? series.x[i] : static_cast<double>(i)),
                                series.y_array ? number(*series.y_array, i) : number(series.y, i),
                                number(series.y_low, i), number(series.y_high, i), end);
    }
    for (const Figure::Box& box : figure.boxes)
        text += fmt::format("{},{},,{},{},{}\r\n", quote_field(box.label),
                            position_field(figure.x, box.x_from), position_field(figure.y, box.y_from),
                            position_field(figure.y, box.y_to), position_field(figure.x, box.x_to));
    for (const Figure::Marker& marker : figure.markers)
        text += marker.is_on_y ? fmt::format("{},,{},,{}", quote_field(marker.label), marker.x, end)
                               : fmt::format("{},{},,,{}", quote_field(marker.label),
                                             position_field(figure.x, marker.x), end);
    return text;
}

std::string cells_csv(const Cells& cells) {
    std::string text =
        cells.numbers.empty()
            ? format_csv_record({"lane", cells.cell_name.empty() ? "cell" : cells.cell_name, "kind"})
            : format_csv_record({"picture", "x", "y", "value"});
    if (cells.numbers.empty())
        for (const Cells::Row& row : cells.rows)
            for (std::size_t i = 0; i < row.kinds.size(); ++i)
                text += format_csv_record(
                    {row.label, fmt::format("{}", i),
                     row.kinds[i] < cells.kinds.size() ? cells.kinds[row.kinds[i]].label : ""});
    for (const Cells::Numbers& picture : cells.numbers) {
        if (picture.rows() == 0) continue;
        const std::string label = quote_field(picture.label);
        for (std::size_t i = 0; i < picture.values->count(); ++i)
            text += fmt::format("{},{},{},{}\r\n", label, i % picture.width, i / picture.width,
                                number(*picture.values, i));
    }
    return text;
}

std::string timeline_csv(const Timeline& timeline) {
    std::string text = format_csv_record({"row", "step", "start (ns)", "duration (ns)", "end of row (ns)"});
    for (const Timeline::Row& row : timeline.rows) {
        const std::string end = fmt::format("{}", row.end_ns);
        for (const Timeline::Bar& bar : row.bars)
            text += format_csv_record({row.label, bar.label, fmt::format("{}", bar.start_ns),
                                       fmt::format("{}", bar.duration_ns), end});
        for (const double at_ns : row.barriers_ns)
            text += format_csv_record({row.label, "barrier", fmt::format("{}", at_ns), "0", end});
        if (row.bars.empty()) text += format_csv_record({row.label, {}, {}, {}, end});
    }
    return text;
}

std::string graph_csv(const Graph& graph) {
    constexpr std::string_view kinds[] = {"operation", "input", "copy", "on the CPU"};
    std::string text = format_csv_record({"node", "kind", "group", "made from"});
    for (const Graph::Node& node : graph.nodes) {
        std::string sources;
        for (const std::size_t source : node.sources)
            sources += (sources.empty() ? "" : "; ") + graph.nodes.at(source).label;
        text += format_csv_record({node.label, std::string(kinds[static_cast<std::size_t>(node.kind)]),
                                   node.group ? fmt::format("{}", *node.group) : std::string(), sources});
    }
    return text;
}

}  // namespace

std::string csv_heading(const std::string& label, const std::string& unit) {
    return unit.empty() ? label : label + " (" + unit + ")";
}

std::string plot_csv(const Plot& plot) {
    if (plot.csv) return plot.csv();
    if (const auto* figure = std::get_if<Figure>(&plot.content)) return figure_csv(*figure);
    if (const auto* cells = std::get_if<Cells>(&plot.content)) return cells_csv(*cells);
    if (const auto* graph = std::get_if<Graph>(&plot.content)) return graph_csv(*graph);
    return timeline_csv(std::get<Timeline>(plot.content));
}

}  // namespace gridstride
