#include "ui/plot/plot_view.h"

#include <imgui.h>
#include <iostream>

#include "csv_records.h"
#include "present/axis.h"
#include "test_includes.h"
#include "ui/pictures/series_data.h"
#include "ui/plot/cell_runs.h"
#include "ui/plot_case.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui::plot_test {

void expect_good_ticks(double low, double high, int target_count, bool whole) {
    SCOPED_TRACE(testing::Message() << low << " … " << high << ", about " << target_count << " ticks");
    const std::vector<double> ticks = nice_ticks(low, high, target_count, whole);
    ASSERT_GE(ticks.size(), 2U);
    const double step = ticks[1] - ticks[0], slack = step * 1e-6;
    EXPECT_LE(ticks.front() - low, step + slack) << "a step without a tick at the lower end";
    EXPECT_LE(high - ticks.back(), step + slack) << "a step without a tick at the upper end";
    EXPECT_GE(ticks.front(), low - slack);
    EXPECT_LE(ticks.back(), high + slack);
    EXPECT_LE(ticks.size(), static_cast<std::size_t>(2 * target_count + 1));
    const double leading = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
    EXPECT_TRUE(std::fabs(leading - 1) < 1e-6 || std::fabs(leading - 2) < 1e-6 ||
                std::fabs(leading - 5) < 1e-6)
        << step;
    for (const double tick : ticks) {
        EXPECT_NEAR(std::remainder(tick, step), 0, slack);
        if (whole) {
            EXPECT_EQ(tick, std::floor(tick));
        }
    }
}

TEST(Ticks, AreRoundNumbersThatCoverTheRange) {
    for (const int target_count : {2, 3, 5, 8, 12})
        for (const auto& [low, high] : {std::pair{0.0, 1.0},
                                        {0.0, 122944.0},
                                        {-3.0, 4.5},
                                        {1e-9, 7e-9},
                                        {-1e12, 3e15},
                                        {99.99, 100.02},
                                        {-0.7, -0.1},
                                        {0.0, 3e-300},
                                        {1e300, 9e300}})
            if ((high - low) * 3 / target_count > 0) expect_good_ticks(low, high, target_count, false);
}

TEST(Ticks, CoverRandomRanges) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> exponent(-12, 12), fraction(-1, 1);
    for (int i = 0; i < 2000; ++i) {
        const double low = fraction(random) * std::pow(10.0, exponent(random));
        expect_good_ticks(low, low + std::max(std::fabs(low) * 1e-3, std::pow(10.0, exponent(random))), 6,
                          false);
    }
}

TEST(Ticks, CanBeWholeNumbersOnly) {
    EXPECT_THAT(nice_ticks(-0.5, 3.5, 10, true), ElementsAre(0, 1, 2, 3));
    expect_good_ticks(0, 1e6, 5, true);
    EXPECT_TRUE(nice_ticks(0.2, 0.8, 5, true).empty());
}

TEST(Ticks, DegenerateRangesAreSafe) {
    EXPECT_THAT(nice_ticks(5, 5, 4, false), ElementsAre(5));
    EXPECT_TRUE(nice_ticks(nan, 1, 4, false).empty());
    EXPECT_TRUE(nice_ticks(0, infinity, 4, false).empty());
    EXPECT_LE(nice_ticks(1, std::nextafter(1.0, 2.0), 4, false).size(), 10U);
    const double max_double = std::numeric_limits<double>::max();
    EXPECT_LE(nice_ticks(-max_double, max_double, 4, false).size(), 10U);
    EXPECT_LE(nice_ticks(0, 1e-320, 4, false).size(), 30U);
    EXPECT_EQ(nice_ticks(1, 0, 4, false), nice_ticks(0, 1, 4, false));
}

TEST(Ticks, CoverLogarithmicRanges) {
    EXPECT_THAT(log_ticks(1, 1000, 4), ElementsAre(1, 10, 100, 1000));
    EXPECT_THAT(log_ticks(1, 100, 8), ElementsAre(1, 2, 5, 10, 20, 50, 100));
    EXPECT_LE(log_ticks(1e-300, 1e300, 6).size(), 8U);
    EXPECT_GE(log_ticks(1e-300, 1e300, 6).size(), 3U);
    EXPECT_GE(log_ticks(20, 115, 4).size(), 3U) << "within a decade";
    EXPECT_THAT(log_ticks(2.7, 8.3, 10), ElementsAre(3, 4, 5, 6, 7, 8)) << "the last two do not touch";
    EXPECT_TRUE(log_ticks(0, 10, 4).empty());
    EXPECT_TRUE(log_ticks(-5, -1, 4).empty());
}

TEST(Ticks, NeighboursHaveDifferentTexts) {
    EXPECT_EQ(tick_text(31250, 31250), "31\u2009250");
    EXPECT_EQ(tick_text(0.25, 0.05), "0.25");
    EXPECT_EQ(tick_text(2, 0.5), "2.0");
    EXPECT_EQ(tick_text(-10, 10), "\u221210");
    EXPECT_EQ(tick_text(1e-17, 0.1), "0");
    EXPECT_EQ(tick_text(20e6, 10e6), "20\u2009M");
    EXPECT_EQ(tick_text(500000, 500000, 12e6), "0.5\u2009M");
}

std::vector<std::string> tick_labels(const std::vector<Tick>& ticks) {
    std::vector<std::string> labels;
    for (const Tick& tick : ticks)
        labels.push_back(tick.label);
    return labels;
}

TEST(Ticks, LogarithmicAxisWritesMillionsInOneNotation) {
    const Axis axis{.label = "elements", .scale = AxisScale::logarithmic};
    EXPECT_THAT(tick_labels(axis_ticks(axis, {5, 8}, 3)),
                ElementsAre("100\u2009000", "1\u2009M", "10\u2009M", "100\u2009M"));
    EXPECT_THAT(tick_labels(axis_ticks(axis, {4, 6}, 2)),
                ElementsAre("10\u2009000", "100\u2009000", "1\u2009000\u2009000"));
    const double two = std::log10(2.0);
    EXPECT_THAT(tick_labels(axis_ticks(axis, {8 * two, 30 * two}, 6, true)),
                ElementsAre("256", "4\u2009096", "65\u2009536", "1\u2009Mi", "16\u2009Mi", "256\u2009Mi"));
    EXPECT_THAT(tick_labels(axis_ticks(axis, {16 * two, 20 * two}, 4, true)),
                ElementsAre("65\u2009536", "262\u2009144", "1\u2009048\u2009576"));
    // Within a decade neighbouring labels differ.
    EXPECT_THAT(tick_labels(axis_ticks(axis, {std::log10(9.2e6), std::log10(10.7e6)}, 3)),
                ElementsAre("9.5\u2009M", "10.0\u2009M", "10.5\u2009M"));
    EXPECT_THAT(tick_labels(axis_ticks(axis, {std::log10(0.19), std::log10(0.31)}, 3)),
                ElementsAre("0.20", "0.25", "0.30"));
}

TEST(Axes, TimesHaveAUnitThatFitsTheRange) {
    const Axis axis{"time", "ns", AxisScale::linear, {}, false};
    EXPECT_EQ(axis_title(axis, axis_unit(axis, {0, 21400})), "time, µs");
    EXPECT_EQ(axis_title(axis, axis_unit(axis, {0, 800})), "time, ns");
    EXPECT_EQ(axis_title(axis, axis_unit(axis, {0, 3.2e9})), "time, s");
    const std::vector<Tick> ticks = axis_ticks(axis, {0, 40000}, 4);
    ASSERT_EQ(ticks.size(), 5U);
    EXPECT_EQ(ticks[1].label, "10");
    EXPECT_EQ(ticks[1].position, 10000);
    EXPECT_EQ(value_text(axis, 21400), "21.4\u00a0µs");
    EXPECT_EQ(value_text({"rate", "B/s", AxisScale::linear, {}, false}, 1.9e8), "190\u00a0MB/s");
    EXPECT_EQ(value_text({"sum", "", AxisScale::linear, {}, false}, 524800), "524\u2009800");
}

// --- decimation

Series make_series(std::vector<double> y, std::vector<double> x = {}) {
    Series series;
    series.x = std::move(x);
    series.y = std::move(y);
    return series;
}

TEST(Decimation, KeepsEverySpike) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> noise(-1, 1);
    for (const std::size_t count : {1U, 63U, 64U, 65U, 4096U, 4097U, 100003U}) {
        SCOPED_TRACE(count);
        std::vector<double> y(count);
        for (double& value : y)
            value = noise(random);
        for (std::size_t i = 0; i < count; i += 997)
            y[i] = (i % 2 ? 50.0 : -50.0) + noise(random);
        y[count / 2] = nan;
        const Series series = make_series(y);
        SeriesData data;
        data.update(series, AxisScale::linear, AxisScale::linear);
        const Range shown{-0.5, static_cast<double>(count) - 0.5};
        const std::vector<Column> columns = compute_columns(data, shown, 317);
        ASSERT_EQ(columns.size(), 317U);
        std::size_t next_begin = 0;
        for (const Column& column : columns) {
            DataRange exact;
            for (std::size_t i = column.begin; i < column.end; ++i)
                exact.add(y[i]);
            ASSERT_EQ(column.begin, next_begin) << "no sample between two columns";
            next_begin = column.end;
            ASSERT_EQ(column.extent.empty(), exact.empty());
            if (exact.empty()) continue;
            ASSERT_EQ(column.extent.low, exact.low);
            ASSERT_EQ(column.extent.high, exact.high);
        }
        EXPECT_EQ(next_begin, count);
    }
}

TEST(Decimation, SortsAndDropsPointsWithoutAPosition) {
    const Series series = make_series({1, 2, 3, 4, 5}, {3, nan, 1, infinity, 2});
    SeriesData data;
    data.update(series, AxisScale::linear, AxisScale::linear);
    ASSERT_EQ(data.size(), 3U);
    EXPECT_EQ(data.x(0), 1);
    EXPECT_EQ(data.y(0), 3);
    EXPECT_EQ(data.pitch(), 1);
    EXPECT_EQ(data.lower_bound(1.5), 1U);
    const Series negative = make_series({-1, 0, 10, infinity});
    data.update(negative, AxisScale::logarithmic, AxisScale::logarithmic);
    EXPECT_EQ(data.y_range(), (Range{1, 1}));
    EXPECT_EQ(data.size(), 3U) << "a log axis cannot show x = 0";
}

TEST(Decimation, DetectsChangedData) {
    Series series = make_series({1, 2, 3});
    SeriesData data;
    data.update(series, AxisScale::linear, AxisScale::linear);
    series.y[1] = 9;
    data.update(series, AxisScale::linear, AxisScale::linear);
    EXPECT_EQ(data.y_range().high, 9);
}

// --- CSV

TEST(PlotCsv, WritesOneRowPerPoint) {
    Figure figure;
    figure.x = {"workgroup", "", AxisScale::linear, {"first, \"really\"", "second"}, false};
    figure.y = {"time", "ns", AxisScale::linear, {}, false};
    Series series = make_series({1.5, 0.1, nan});
    series.label = "gpu";
    series.y_low = {1.25};
    figure.series = {series};
    const auto rows = parse_csv(plot_csv({"p", "", Origin::measured, figure, ""}));
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_THAT(rows[0], ElementsAre("series", "workgroup", "time (ns)", "time (ns) low", "time (ns) high"));
    EXPECT_THAT(rows[1], ElementsAre("gpu", "first, \"really\"", "1.5", "1.25", ""));
    EXPECT_THAT(rows[2], ElementsAre("gpu", "second", "0.1", "", ""));
    EXPECT_THAT(rows[3], ElementsAre("gpu", "2", "nan", "", ""));
}

TEST(PlotCsv, WritesLanes) {
    Cells lanes;
    lanes.kinds = {{"adds", ColorRole::kernel}, {"waits", ColorRole::quiet}};
    lanes.rows = {{"level 1", {0, 1, 9}, "1 of 3"}};
    lanes.cell_name = "invocation";
    const auto rows = parse_csv(plot_csv({"p", "", Origin::modelled, lanes, ""}));
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_THAT(rows[2], ElementsAre("level 1", "1", "waits"));
    EXPECT_THAT(rows[3], ElementsAre("level 1", "2", ""));
}

TEST(PlotCsv, WritesMarkersAndArraysInTheirType) {
    Figure figure;
    figure.x.label = "sample";
    Series series;
    series.label = "a, b";
    series.x = {5, 6, 7};  // unused: an array has the x values 0, 1, 2, …
    series.y_array = array_of<float>({0.1f, -2});
    Series wide;
    wide.y_array = array_of<std::uint64_t>({18446744073709551615u});
    figure.series = {series, wide};
    figure.markers = {{1.5, "crossing"}};
    const auto rows = parse_csv(plot_csv({"p", "", Origin::measured, figure, ""}));
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_THAT(rows[1], ElementsAre("a, b", "0", "0.1", "", ""));
    EXPECT_THAT(rows[2], ElementsAre("a, b", "1", "-2", "", ""));
    EXPECT_THAT(rows[3], ElementsAre("", "0", "18446744073709551615", "", ""));
    EXPECT_THAT(rows[4], ElementsAre("crossing", "1.5", "", "", ""));
}

TEST(PlotCsv, WritesPicturesAndTimelines) {
    const auto levels = array_of<std::uint8_t>({1, 2, 3, 4, 5});
    const Cells pictures{.numbers = {{"in", 2, levels}, {"none", 0, levels}}};
    const auto cells = parse_csv(plot_csv({"p", "", Origin::measured, pictures, ""}));
    ASSERT_EQ(cells.size(), 6U);
    EXPECT_THAT(cells[0], ElementsAre("picture", "x", "y", "value"));
    EXPECT_THAT(cells[4], ElementsAre("in", "1", "1", "4"));
    const Timeline timeline{{{"one", {{"scan", ColorRole::kernel, 1.5, 20}}, 30}, {"idle", {}, 5}}};
    const auto steps = parse_csv(plot_csv({"p", "", Origin::measured, timeline, ""}));
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_THAT(steps[0], ElementsAre("row", "step", "start (ns)", "duration (ns)", "end of row (ns)"));
    EXPECT_THAT(steps[1], ElementsAre("one", "scan", "1.5", "20", "30"));
    EXPECT_THAT(steps[2], ElementsAre("idle", "", "", "", "5"));
}

TEST(PlotCsv, WritesGraphsBoxesAndBarriers) {
    const Graph graph{{{"a", {}, Graph::Kind::input}, {"b, c", {0}}, {"t", {0, 1}, Graph::Kind::host, 2}},
                      {}};
    const auto nodes = parse_csv(plot_csv({"g", "", Origin::computed, graph, ""}));
    ASSERT_EQ(nodes.size(), 4U);
    EXPECT_THAT(nodes[0], ElementsAre("node", "kind", "group", "made from"));
    EXPECT_THAT(nodes[1], ElementsAre("a", "input", "", ""));
    EXPECT_THAT(nodes[2], ElementsAre("b, c", "operation", "", "a"));
    EXPECT_THAT(nodes[3], ElementsAre("t", "on the CPU", "2", "a; b, c"));
    Figure memory{.x = {.label = "step", .categories = {"add", "mul"}},
                  .y = {.label = "offset", .unit = "B"}};
    memory.boxes = {{0, 1, 0, 4096, "t1"}};
    memory.markers = {{8192, "planned peak", true}};
    memory.series = {{.label = "used", .y = {1, 2}}};
    const auto boxes = parse_csv(plot_csv({"m", "", Origin::computed, memory, ""}));
    ASSERT_EQ(boxes.size(), 5U);
    EXPECT_THAT(boxes[0],
                ElementsAre("series", "step", "offset (B)", "offset (B) low", "offset (B) high", "step end"));
    EXPECT_THAT(boxes[1], ElementsAre("used", "add", "1", "", "", ""));
    EXPECT_THAT(boxes[3], ElementsAre("t1", "add", "", "0", "4096", "mul"));
    EXPECT_THAT(boxes[4], ElementsAre("planned peak", "", "8192", "", "", ""));
    Timeline timeline{{{"submit 1", {{"scan", ColorRole::kernel, 1.5, 20}}, 30}}};
    timeline.rows[0].barriers_ns = {21.5};
    const auto steps = parse_csv(plot_csv({"c", "", Origin::measured, timeline, ""}));
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_THAT(steps[2], ElementsAre("submit 1", "barrier", "21.5", "0", "30"));
}

TEST(Ticks, BytesUsePowersOfTwo) {
    const Axis axis{.label = "offset", .unit = "B"};
    const auto labels = [&](double high, int target_count) {
        return tick_labels(axis_ticks(axis, {0, high}, target_count));
    };
    EXPECT_THAT(labels(128 * 0x1p20, 4), ElementsAre("0", "32", "64", "96", "128"));
    EXPECT_THAT(labels(130 * 0x1p20, 3), ElementsAre("0", "64", "128"));
    EXPECT_THAT(labels(1.5 * 0x1p30, 3), ElementsAre("0", "0.5", "1.0", "1.5"));
    EXPECT_THAT(labels(0, 3), SizeIs(1));
    EXPECT_EQ(axis_title(axis, axis_unit(axis, {0, 128 * 0x1p20})), "offset, MiB");
    EXPECT_EQ(value_text(axis, 64 * 0x1p20), "64\u00a0MiB");
}

// --- arrays and pictures

template <class T>
void expect_array_like_vector(const std::vector<T>& values) {
    SCOPED_TRACE(name(ElementTypeOf<T>::value));
    Series series;
    series.y_array = std::make_shared<Array>(Array::of<T>(values));
    const Series vector_series = make_series(std::vector<double>(values.begin(), values.end()));
    for (const AxisScale scale : {AxisScale::linear, AxisScale::logarithmic}) {
        SeriesData shared, doubles;
        shared.update(series, AxisScale::linear, scale);
        doubles.update(vector_series, AxisScale::linear, scale);
        ASSERT_EQ(shared.size(), values.size());
        EXPECT_EQ(shared.y_range(), doubles.y_range());
        EXPECT_EQ(shared.x_range(), doubles.x_range());
        std::mt19937 random(3);
        for (int i = 0; i < 300; ++i) {
            const std::size_t first = random() % values.size(),
                              last = first + random() % (values.size() - first);
            const DataRange a = shared.extent(first, last), b = doubles.extent(first, last);
            ASSERT_EQ(a.empty(), b.empty());
            if (a.empty()) continue;
            ASSERT_EQ(a.low, b.low);
            ASSERT_EQ(a.high, b.high);
            ASSERT_EQ(shared.y(shared.find_value(a.high, first, last)), a.high);
            ASSERT_LT(shared.find_value(a.low, first, last), last);
        }
        EXPECT_EQ(shared.find_value(1e200, 0, values.size()), values.size());
    }
}

TEST(Decimation, ArraysOfEveryTypeDrawLikeDoubles) {
    std::mt19937 random(11);
    const auto random_values = [&random]<class T>(T) {
        std::vector<T> values(10007);
        for (T& value : values)
            value = static_cast<T>(static_cast<int>(random() % 250) - (std::is_signed_v<T> ? 120 : 0));
        return values;
    };
    const auto expect_like_vectors = [&](auto... zeros) {
        (expect_array_like_vector(random_values(zeros)), ...);
    };
    expect_like_vectors(std::uint8_t{}, std::int16_t{}, std::int32_t{}, std::uint32_t{}, std::uint64_t{},
                        double{});
    std::vector<float> floats = random_values(float{});
    for (std::size_t i = 100; i < 400; ++i)
        floats[i] = i % 2 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    expect_array_like_vector(floats);
}

unsigned red_level(ImU32 color) {
    return color >> IM_COL32_R_SHIFT & 0xFF;
}

TEST(CellRuns, AverageTheElementsThatTheyCover) {
    // 400 x 4 elements in 100 x 1 pixels: a cell is 4 x 4 elements.
    std::vector<float> values(1600);
    for (std::size_t y = 0; y < 4; ++y)
        for (std::size_t x = 0; x < 400; ++x)
            values[y * 400 + x] = static_cast<float>(x / 4 % 2 ? y * 10 : 200 - y);
    const Cells cells{.numbers = {{"", 400, std::make_shared<Array>(Array::of<float>(values))}}};
    CellRuns runs;
    runs.update(cells, {.region = {0, 0, 400, 4}, .pixels = {100, 1}, .not_a_number = 1});
    ASSERT_EQ(runs.runs().size(), 100U);
    EXPECT_EQ(red_level(runs.runs()[0].color), 199U) << "198.5, rounded";
    EXPECT_EQ(red_level(runs.runs()[1].color), 15U);
    EXPECT_EQ(runs.runs()[7].x0, 7);
    EXPECT_EQ(runs.runs()[7].x1, 8);
}

TEST(CellRuns, WeightElementsByTheirArea) {
    // Two cells show three elements; each gets half of the middle one.
    const Cells cells{.numbers = {{"", 3, array_of<float>({0, 90, 240})}}};
    CellRuns runs;
    runs.update(cells, {.region = {0, 0, 3, 1}, .pixels = {2, 1}, .not_a_number = 1});
    ASSERT_EQ(runs.runs().size(), 2U);
    EXPECT_EQ(red_level(runs.runs()[0].color), 30U);
    EXPECT_EQ(red_level(runs.runs()[1].color), 190U);
}

TEST(CellRuns, ShowTheStrongestKindOfAPixel) {
    Cells cells{.kinds = {{"waits", ColorRole::quiet},
                          {"adds", ColorRole::kernel},
                          {"reads", ColorRole::upload},
                          {"races", ColorRole::wrong}},
                .rows = {{"", std::vector<std::uint8_t>(40, 0)}, {"", {9, 9, 1}}}};
    cells.rows[0].kinds[5] = 2;
    cells.rows[0].kinds[6] = 1;
    cells.rows[0].kinds[25] = 3;
    CellRuns runs;
    const CellRuns::Paint paint{.region = {0, 0, 40, 2}, .pixels = {4, 20}, .kinds = {10, 11, 12, 13}};
    runs.update(cells, paint);
    ASSERT_EQ(runs.runs().size(), 5U);
    EXPECT_EQ(runs.runs()[0].color, 11U) << "the first of the two active kinds";
    EXPECT_EQ(runs.runs()[1].color, 10U);
    EXPECT_EQ(runs.runs()[2].color, 13U);
    EXPECT_EQ(runs.runs()[4].color, 11U) << "kind 9 does not exist, and the row ends early";
    EXPECT_EQ(runs.runs()[4].y0, 10);
    cells.rows[0].kinds[5] = 3;
    runs.update(cells, paint);
    EXPECT_EQ(runs.runs()[0].color, 13U) << "only the kinds have changed";
}

TEST(CellRuns, MergeEqualNeighbours) {
    const float none = std::numeric_limits<float>::quiet_NaN();
    const Cells cells{.numbers = {{"", 4, array_of<float>({0, 0, 0, 255, none, 9, 9})}}};
    CellRuns runs;
    runs.update(cells, {.region = {0, 0, 4, 2}, .pixels = {40, 20}, .not_a_number = 0x12345678});
    ASSERT_EQ(runs.runs().size(), 4U) << "the last row ends early";
    EXPECT_EQ(runs.runs()[0].x1, 30);
    EXPECT_EQ(runs.runs()[2].color, 0x12345678U);
    EXPECT_EQ(runs.runs()[3].x1, 30);
    const CellRuns::Run* first_run = runs.runs().data();
    runs.update(cells, {.region = {0, 0, 4, 2}, .pixels = {40, 20}, .not_a_number = 0x12345678});
    EXPECT_EQ(runs.runs().data(), first_run);
    runs.update(cells, {.region = {1, 0, 3, 1}, .pixels = {40, 20}, .not_a_number = 0x12345678});
    EXPECT_EQ(runs.runs().size(), 1U) << "two equal elements after zooming in";
}

TEST(Ticks, UseOneNotationPerAxis) {
    const std::vector<Tick> ticks = axis_ticks({.label = "sum"}, {0, 16e6}, 9);
    ASSERT_GT(ticks.size(), 3U);
    EXPECT_EQ(ticks[0].label, "0");
    EXPECT_EQ(ticks[1].label, "2\u2009M");
    EXPECT_EQ(ticks.back().label, "16\u2009M");
}

TEST(Ticks, HaveDifferentLabelsOnEveryLinearAxis) {
    const Axis bytes{.label = "offset", .unit = "B"}, plain{.label = "value"};
    EXPECT_THAT(tick_labels(axis_ticks(bytes, {0, 0x1p20}, 4)),
                ElementsAre("0", "0.25", "0.50", "0.75", "1.00"));
    EXPECT_THAT(tick_labels(axis_ticks(plain, {0.001019, 0.001025}, 3)),
                ElementsAre("0.001020", "0.001022", "0.001024"));
    std::mt19937 random(1);
    const auto exponent = [&](double low, double high) {
        return std::pow(10.0, std::uniform_real_distribution(low, high)(random));
    };
    for (int i = 0; i < 20'000; ++i) {
        const Axis& axis = i % 4 == 0 ? bytes : plain;
        const double length = exponent(-12, 12), low = i % 3 == 0 ? 0 : length * exponent(-3, 4);
        const std::vector<Tick> ticks = axis_ticks(axis, {low, low + length}, 2 + i % 9);
        std::set<std::string> labels;
        for (const Tick& tick : ticks)
            EXPECT_TRUE(labels.insert(tick.label).second)
                << tick.label << " appears twice in " << low << " to " << low + length << ' ' << axis.unit;
    }
}

TEST(Ticks, NeighboursInMillionsHaveDifferentTexts) {
    EXPECT_EQ(tick_text(12345678, 1), "12\u2009345\u2009678");
    EXPECT_EQ(tick_text(12000000, 2000000), "12\u2009M");
}

}  // namespace gridstride::ui::plot_test
