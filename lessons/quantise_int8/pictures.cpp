#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "base/units.h"
#include "lesson/stock.h"
#include "quantise_int8/quantise_int8.h"

namespace gridstride::lessons::quantise_int8 {

namespace {

constexpr std::uint64_t few = 64, place_count = 256;
constexpr int lowest = -128;

/// What is drawn of all the weights is drawn of matrices of up to so many.
constexpr std::uint64_t most_weights = 1 << 22;

std::string digits(double number) {
    return format_significant(number);
}

/// Where the large weight stands, if there is one.
void mark_large_weight(Figure& figure, const Report& report, double at) {
    const double outlier = report.experiment.values[key::outlier];
    if (outlier == 0 || report.experiment.input.numbers) return;
    figure.markers.push_back({.x = at, .label = fmt::format("the large one, {}", digits(outlier))});
}

/// Before anyone rounds them.
Plot weights_picture(const Report& report) {
    constexpr std::size_t bins = 128;
    const auto weights = get(report.input, "weights").as<float>();
    const auto [smallest, largest] = std::ranges::minmax(weights);
    const double low = smallest, width = std::max((double{largest} - low) / bins, 1e-30);
    Series counts{.label = "weights", .mark = Mark::bars, .ink = Ink::upload};
    for (std::size_t bin = 0; bin < bins; ++bin)
        counts.x.push_back(low + (static_cast<double>(bin) + 0.5) * width);
    counts.y.resize(bins);
    for (const float weight : weights)
        ++counts.y[std::min(static_cast<std::size_t>((weight - low) / width), bins - 1)];
    Figure figure{.x = {.label = "weight"}, .y = {.label = "weights"}};
    figure.series.push_back(std::move(counts));
    mark_large_weight(figure, report, report.experiment.values[key::outlier]);
    return {.id = "weights",
            .title = "The weights, before they are rounded",
            .origin = Origin::computed,
            .content = std::move(figure),
            .note = fmt::format("{} from {} to {}.", counted(weights.size(), "weight"), digits(smallest),
                                digits(largest))};
}

/// A bar for each byte.
Plot places_picture(const Report& report) {
    const Values& values = report.experiment.values;
    const std::uint64_t columns = values[key::columns], pitch = padded(columns);
    const Array* const left = find(report.outputs, "bytes");
    const auto bytes = (left ? *left : get(report.input, "bytes")).as<std::int8_t>();
    Series counts{.label = "weights", .mark = Mark::bars, .ink = Ink::upload};
    for (std::uint64_t q = 0; q < place_count; ++q)
        counts.x.push_back(static_cast<double>(q) + lowest);
    counts.y.resize(place_count);
    for (std::uint64_t row = 0; row < values[key::rows]; ++row)
        for (const std::int8_t q : bytes.subspan(row * pitch, columns))
            ++counts.y[static_cast<std::size_t>(q - lowest)];
    const auto used = place_count - static_cast<std::uint64_t>(std::ranges::count(counts.y, 0));
    const auto steps = get(report.input, "steps").as<float>();
    const auto [smallest, largest] = std::ranges::minmax(steps);
    const Places first = places_of_row(report.input, 0);
    std::string note = steps.size() == 1
                           ? fmt::format("One step is {}.", digits(smallest))
                           : fmt::format("Steps of rows are {} to {}.", digits(smallest), digits(largest));
    note += fmt::format(" {} of 256 places are used; 0 stands at {}.", used, first.zero_point);
    Figure figure{.x = {.label = "byte", .whole_numbers = true}, .y = {.label = "weights"}};
    figure.series.push_back(std::move(counts));
    const std::uint64_t middle = values[key::rows] / 2 * pitch + columns / 2;
    mark_large_weight(figure, report, bytes[middle]);
    return {.id = "places",
            .title = "How many weights stand at each place",
            .origin = left && !report.computed ? Origin::measured : Origin::computed,
            .content = std::move(figure),
            .note = std::move(note)};
}

/// Weights within some steps of 0.
Plot errors_picture(const Report& report) {
    constexpr double shown_steps = 6;
    constexpr std::size_t most = 3000;
    const std::uint64_t columns = report.experiment.values[key::columns];
    const auto weights = get(report.input, "weights").as<float>();
    const auto bytes = get(report.input, "bytes").as<std::int8_t>();
    const Array* const restored = find(report.outputs, "restored");
    Series points{.label = "weight", .mark = Mark::scatter, .ink = Ink::kernel};
    for (std::uint64_t row = 0; row * columns < weights.size() && points.x.size() < most; ++row) {
        const Places of_row = places_of_row(report.input, row);
        for (std::uint64_t i = row * columns; i < (row + 1) * columns && points.x.size() < most; ++i) {
            if (std::abs(weights[i]) > shown_steps * of_row.step) continue;
            const double back =
                restored ? restored->number(i) : of_row.number_at(bytes[row * padded(columns) + i % columns]);
            if (!std::isfinite(back)) continue;
            points.x.push_back(weights[i] / double{of_row.step});
            points.y.push_back((back - weights[i]) / of_row.step);
        }
    }
    std::string note = points.x.empty()
                           ? fmt::format("No weight is within {} steps of 0.", shown_steps)
                           : fmt::format(
                                 "The first {} within {} steps of 0. From below a middle a weight goes "
                                 "down to its place, from above up.",
                                 counted(points.x.size(), "weight"), shown_steps);
    return {.id = "errors",
            .title = "How far rounding moves a weight",
            .origin = restored && !report.computed ? Origin::measured : Origin::computed,
            .content = Figure{.x = {.label = "weight", .unit = "steps"},
                              .y = {.label = "moved by", .unit = "steps"},
                              .series = {std::move(points)}},
            .note = std::move(note)};
}

/// Around the middle of the matrix, where a large weight may be.
Plot steps_picture(const Report& report) {
    const Values& values = report.experiment.values;
    const std::uint64_t rows = values[key::rows], columns = values[key::columns];
    const std::uint64_t shown = std::min(rows, few),
                        first = std::min(rows / 2 - std::min(rows / 2, shown / 2), rows - shown);
    const auto weights = get(report.input, "weights").as<float>();
    const auto step_of = [&](std::uint64_t begin, std::uint64_t end) {
        const auto [low, high] =
            std::ranges::minmax(weights.subspan(begin * columns, (end - begin) * columns));
        return double{places_for(Scheme::symmetric, std::min(low, 0.0F), std::max(high, 0.0F)).step};
    };
    Series bars{.label = "step of a row", .mark = Mark::bars, .ink = Ink::kernel};
    for (std::uint64_t row = first; row < first + shown; ++row) {
        bars.x.push_back(static_cast<double>(row));
        bars.y.push_back(step_of(row, row + 1));
    }
    Figure figure{.x = {.label = "row", .whole_numbers = true}, .y = {.label = "step"}};
    figure.series.push_back(std::move(bars));
    figure.markers.push_back({.x = step_of(0, rows), .label = "one step for all", .on_y = true});
    return {.id = "steps",
            .title = "The step that each row needs",
            .origin = Origin::computed,
            .content = std::move(figure),
            .note = fmt::format("Rows {} to {} of {}, symmetric.", format_count(first),
                                format_count(first + shown - 1), format_count(rows))};
}

/// The root mean square of what rounding does, over that of the weights.
double relative_error(const Report& report, Scheme scheme) {
    const std::uint64_t columns = report.experiment.values[key::columns];
    const Array& weights = get(report.input, "weights");
    const Quantised rounded = quantise(weights, columns, scheme);
    const Input made = {{"steps", rounded.steps}, {"zero_points", rounded.zero_points}};
    const auto numbers = weights.as<float>();
    const auto bytes = rounded.bytes->as<std::int8_t>();
    double of_errors = 0, of_weights = 0;
    for (std::uint64_t row = 0; row * columns < numbers.size(); ++row) {
        const Places of_row = places_of_row(made, row);
        for (std::uint64_t column = 0; column < columns; ++column) {
            const double weight = numbers[row * columns + column],
                         error = of_row.number_at(bytes[row * padded(columns) + column]) - weight;
            of_errors += error * error;
            of_weights += weight * weight;
        }
    }
    return of_weights > 0 ? std::sqrt(of_errors / of_weights) : 0;
}

Plot schemes_picture(const Report& report) {
    Plot plot{
        .id = "schemes", .title = "What the bytes cost: error of the weights", .origin = Origin::computed};
    const Array& weights = get(report.input, "weights");
    if (weights.count() > most_weights) {
        plot.missing =
            fmt::format("This is computed for matrices of up to {} weights. Set fewer rows or columns.",
                        format_count(most_weights));
        return plot;
    }
    constexpr std::array names = {"one, and a zero point", "one, symmetric", "one for each row"};
    const auto rows = static_cast<double>(report.experiment.values[key::rows]);
    const double bytes_each =
        double(get(report.input, "bytes").count()) / static_cast<double>(weights.count());
    Axis schemes;
    Series bars{.mark = Mark::bars, .ink = Ink::kernel};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto scheme = static_cast<Scheme>(i);
        const double words = scheme == Scheme::by_row ? rows : scheme == Scheme::one_step_and_zero ? 2 : 1;
        const double each = bytes_each + sizeof(float) * words / static_cast<double>(weights.count());
        schemes.categories.push_back(fmt::format("{}: {:.3f} bytes", names.at(i), each));
        bars.y.push_back(100 * relative_error(report, scheme));
    }
    plot.content = Figure{.x = std::move(schemes),
                          .y = {.label = "error of the weights", .unit = "%"},
                          .series = {std::move(bars)},
                          .horizontal = true,
                          .value_labels = true};
    plot.note =
        "Root mean square of the errors, over that of the weights, with the bytes for each weight. In f32 "
        "it has 4 bytes.";
    return plot;
}

/// The first weights of the matrix, as loads of 4 bytes bring them, and their products with the first vector.
Plot words_picture(const Report& report) {
    const std::uint64_t shown = std::min<std::uint64_t>(8, report.experiment.values[key::columns]);
    const auto weights = get(report.input, "weights").as<float>();
    const auto bytes = get(report.input, "bytes").as<std::int8_t>(),
               x = get(report.input, "x_bytes").as<std::int8_t>();
    const std::int32_t zero_point = places_of_row(report.input, 0).zero_point;
    enum Cell : std::uint8_t { of_a_load, of_the_next, computed };
    Cells cells{.kinds = {{"a load of 4 bytes", Ink::kernel},
                          {"the next one", Ink::upload},
                          {"computed", Ink::quiet, Cells::Fill::outlined}},
                .cell_name = "weight"};
    const auto add = [&](std::string label, auto kind_of, auto text_of) {
        Cells::Row& row = cells.rows.emplace_back(Cells::Row{.label = std::move(label)});
        for (std::uint64_t i = 0; i < shown; ++i) {
            row.kinds.push_back(static_cast<std::uint8_t>(kind_of(i)));
            row.written.push_back(text_of(i));
        }
    };
    const auto each = [](std::uint64_t i) { return i % 2 == 0 ? of_a_load : of_the_next; };
    const auto four = [](std::uint64_t i) { return i / 4 % 2 == 0 ? of_a_load : of_the_next; };
    const auto no_load = [](std::uint64_t) { return computed; };
    const auto product = [&](std::uint64_t i) { return (bytes[i] - zero_point) * x[i]; };
    std::int32_t sum = 0;
    add("weights in f32", each, [&](std::uint64_t i) { return fmt::format("{:.2f}", weights[i]); });
    add("weights as bytes", four, [&](std::uint64_t i) { return fmt::format("{}", bytes[i]); });
    add("x as bytes", four, [&](std::uint64_t i) { return fmt::format("{}", x[i]); });
    add(zero_point == 0 ? "products" : "(byte - zero point) times x", no_load,
        [&](std::uint64_t i) { return fmt::format("{}", product(i)); });
    add("sum so far", no_load, [&](std::uint64_t i) { return fmt::format("{}", sum += product(i)); });
    std::string note = fmt::format("The first {} of {}.", counted(shown, "weight"),
                                   format_count(report.experiment.values[key::columns]));
    if (zero_point != 0) note += fmt::format(" The zero point is {}.", zero_point);
    return {.id = "words",
            .title = "What loads of 4 bytes bring, and what comes of it",
            .origin = Origin::computed,
            .content = std::move(cells),
            .note = std::move(note)};
}

/// Of the first vector.
std::optional<Plot> results_picture(const Report& report) {
    const Array* const y = find(report.outputs, "y");
    if (!y || y->empty() || report.computed) return std::nullopt;
    const Values& values = report.experiment.values;
    const std::uint64_t shown = std::min(values[key::rows], few);
    const auto x = get(report.input, "x").as<float>().first(values[key::columns]);
    double sum = 0;
    for (const float number : x)
        sum += std::abs(number);
    Series errors{.label = "error of a result", .mark = Mark::scatter, .ink = Ink::kernel};
    Series worst{.label = "half a step of every weight, all one way", .mark = Mark::line, .ink = Ink::quiet};
    for (std::uint64_t row = 0; row < shown; ++row) {
        const double error = std::abs(y->number(row) - exact_result(report.input, values, row, 0));
        if (error > 0 && std::isfinite(error)) {
            errors.x.push_back(static_cast<double>(row));
            errors.y.push_back(error);
        }
        worst.x.push_back(static_cast<double>(row));
        worst.y.push_back(sum * places_of_row(report.input, row).step / 2);
    }
    Figure figure{.x = {.label = "row", .whole_numbers = true},
                  .y = {.label = "distance from the exact result", .scale = AxisScale::logarithmic}};
    figure.series.push_back(std::move(errors));
    if (report.experiment.variant != "f32") figure.series.push_back(std::move(worst));
    return Plot{.id = "results",
                .title = "How far results are from those of numbers that nobody rounded",
                .content = std::move(figure),
                .note = fmt::format("The first {} of {} rows, the first vector.", shown,
                                    format_count(values[key::rows]))};
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    std::vector<Plot> all;
    if (!input.report || input.report->input.empty()) return all;
    const Report& report = *input.report;
    all.push_back(weights_picture(report));
    all.push_back(places_picture(report));
    all.push_back(errors_picture(report));
    all.push_back(steps_picture(report));
    all.push_back(schemes_picture(report));
    all.push_back(words_picture(report));
    if (auto results = results_picture(report)) all.push_back(std::move(*results));
    return all;
}

}  // namespace gridstride::lessons::quantise_int8
