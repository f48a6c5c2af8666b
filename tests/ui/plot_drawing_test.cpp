// Figures with awkward data, sizes and markers: the drawing stays finite, bounded and inside the plot.
#include "test_includes.h"
#include "ui/plot_case.h"

namespace gridstride::ui::plot_drawing_test {

const std::vector<Mark> all_marks = {Mark::line,         Mark::scatter,      Mark::bars,        Mark::bars,
                                     Mark::outline_bars, Mark::stacked_bars, Mark::stacked_bars};

TEST_F(PlotDrawing, StalePlotFadesItsDataButNotItsAxesAndMarkers) {
    Plot plot = make_figure({Mark::line}, {1, 5, 2, 4});
    auto& figure = std::get<Figure>(plot.content);
    figure.series.front().color_role = ColorRole::kernel;
    figure.markers = {{.x = 3, .label = "threshold", .is_on_y = true, .parameter = "threshold"}};
    const ImU32 data = theme().color(ColorRole::kernel), marker = theme().text_color(ColorRole::caution);
    frame(plot);
    EXPECT_GT(colored_height(data), 0);
    frame(plot, {500, 300}, true);
    EXPECT_LT(colored_height(data), 0) << "no vertex has its full colour";
    EXPECT_GT(colored_height(marker), 0);
    EXPECT_GT(colored_height(theme().palette().quiet), 200) << "the numbers along the axis";
}

TEST_F(PlotDrawing, RepeatedPointDoesNotThickenTheLine) {
    // With this many values the line has no points, which would be higher than the line.
    std::vector<double> once(200);
    std::iota(once.begin(), once.end(), 0.0);
    std::vector<double> twice = once;
    twice.insert(twice.begin() + 100, 100.0);
    const auto height = [&](const std::vector<double>& x) {
        Plot plot = make_figure({Mark::line}, {});
        std::get<Figure>(plot.content).series = {
            {.color_role = ColorRole::kernel, .x = x, .y = std::vector<double>(x.size(), 3)}};
        frame(plot);
        return colored_height(theme().color(ColorRole::kernel));
    };
    ASSERT_GT(height(once), 0);
    EXPECT_LT(height(once), 6) << "a flat line is thin";
    EXPECT_FLOAT_EQ(height(twice), height(once));
}

TEST_F(PlotDrawing, RowsGrowWithTheHeightUpToALimit) {
    const auto height = [&](float room) {
        view_ = {};
        frame(make_lanes(64), {500, room});
        return view_.state->area.height();
    };
    const float natural = height(0), has_room = height(2000);
    EXPECT_FLOAT_EQ(has_room, 1.5F * natural);
    EXPECT_LT(natural, height(210));
    EXPECT_LT(height(210), has_room);
    EXPECT_LT(height(100), natural) << "rows shrink when there is little room";
}

TEST_F(PlotDrawing, EqualAspectScalesBothAxesAlike) {
    Plot plot = make_figure({Mark::scatter}, {0, 1, 2});
    std::get<Figure>(plot.content).equal_aspect = true;
    for (const ImVec2 size : {ImVec2(500, 300), ImVec2(300, 300), ImVec2(200, 500)}) {
        frame(plot, size);
        const PlotArea& area = view_.state->area;
        const double right = static_cast<double>(area.x_length()) / area.x.length();
        const double upwards = static_cast<double>(area.y_length()) / area.y.length();
        EXPECT_NEAR(right / upwards, 1, 0.06) << size.x << " x " << size.y;
        EXPECT_LE(area.max.x, 50 + size.x);
    }
}

TEST_F(PlotDrawing, DrawsAwkwardDataAtEverySize) {
    const double max_double = std::numeric_limits<double>::max();
    const std::vector<std::vector<double>> data = {{},
                                                   {5},
                                                   {0},
                                                   {-3},
                                                   {7, 7, 7},
                                                   {nan, nan},
                                                   {infinity, -infinity, 1},
                                                   {0, 0, 0},
                                                   {-1, -2, -3},
                                                   {1, nan, 3, infinity, 2},
                                                   {max_double, -max_double, 0},
                                                   {1e-310, 2e-310},
                                                   std::vector<double>(3000, 2.5),
                                                   std::vector<double>(100000, nan)};
    for (const std::vector<double>& y : data)
        for (const AxisScale scale : {AxisScale::linear, AxisScale::logarithmic})
            for (const bool horizontal : {false, true})
                for (const ImVec2 size : {ImVec2(500, 300), ImVec2(300, 160), ImVec2(1, 1), ImVec2(400, 0)}) {
                    if (y.size() > 5000 && size.x < 400) continue;
                    Plot plot = make_figure(all_marks, y, scale);
                    std::get<Figure>(plot.content).is_horizontal = horizontal;
                    draw_at_size(plot, size);
                }
    Plot no_series{"p", "", Origin::computed, Figure{}, ""};
    frame(no_series);
    Plot no_lanes{"p", "", Origin::computed, Cells{}, ""};
    frame(no_lanes);
    frame(no_lanes, ImVec2(300, 0));
}

TEST_F(PlotDrawing, AcceptsUnequalLengths) {
    Plot plot = make_figure(all_marks, {1, 2, 3, 4});
    auto& figure = std::get<Figure>(plot.content);
    figure.series[0].x = {1, 2};
    figure.series[1].y_low = {1};
    figure.series[5].y = {1};
    figure.series[6].y = {1, 2, 3, 4, 5, 6};
    figure.x.categories = {"one"};
    frames(plot, 2);
    EXPECT_NE(find("test.plot"), nullptr);
}

TEST_F(PlotDrawing, DrawsArraysOfEveryTypeAtEverySize) {
    const float f = std::numeric_limits<float>::quiet_NaN();
    const double max_double = std::numeric_limits<double>::max();
    const std::vector<ArrayRef> arrays = {array_of<std::uint8_t>({}),
                                          array_of<std::uint8_t>({7}),
                                          array_of<std::int16_t>({-5, 5, 0}),
                                          array_of<std::int32_t>({-1, 1}),
                                          array_of<std::uint32_t>({1, 2}),
                                          array_of<std::uint64_t>({~0ull, 0}),
                                          array_of<float>({f, 1, f}),
                                          array_of<float>({f, f}),
                                          array_of<double>({max_double, -max_double, 1e-310}),
                                          array_of<double>({infinity, -infinity}),
                                          array_of(std::vector<float>(50000, f))};
    for (const ArrayRef& array : arrays)
        for (const Mark mark :
             {Mark::line, Mark::scatter, Mark::bars, Mark::outline_bars, Mark::stacked_bars})
            for (const AxisScale scale : {AxisScale::linear, AxisScale::logarithmic})
                for (const ImVec2 size : {ImVec2(500, 300), ImVec2(300, 160), ImVec2(1, 1), ImVec2(400, 0)}) {
                    Plot plot = make_waveform(array, mark);
                    std::get<Figure>(plot.content).y.scale = scale;
                    draw_at_size(plot, size);
                }
}

TEST_F(PlotDrawing, MarkersStayInsideThePlot) {
    const auto count_vertices = [this](std::vector<Figure::Marker> markers, ImVec2 size, bool horizontal) {
        Plot plot = make_figure({Mark::line}, {1, 4, 2, 8});
        auto& figure = std::get<Figure>(plot.content);
        figure.markers = std::move(markers);
        figure.is_horizontal = horizontal;
        view_ = {};
        frames(plot, 2);
        frame(plot, size);
        return vertex_count_;
    };
    for (const bool horizontal : {false, true})
        for (const ImVec2 size : {ImVec2(500, 300), ImVec2(300, 160), ImVec2(40, 40), ImVec2(1, 1)}) {
            const int without = count_vertices({}, size, horizontal);
            EXPECT_GE(count_vertices({{1.5, "crossing"}}, size, horizontal), without + 4);
            EXPECT_EQ(count_vertices({{nan, "nowhere"}, {1e9, "far"}, {-infinity, ""}}, size, horizontal),
                      without);
            count_vertices(
                {{0, "at the very left"}, {3, "at the very right, with many words that do not fit"}}, size,
                horizontal);
            count_vertices(std::vector<Figure::Marker>(60, {1.0, "one of many"}), size, horizontal);
        }
}

TEST_F(PlotDrawing, MarkerLabelsGetRoomAboveTheData) {
    Plot plot = make_figure({Mark::line}, {1, 4, 2, 8});
    frame(plot);
    const double before = view_.state->y.high;
    std::get<Figure>(plot.content).markers = {{1.5, "crossing"}};
    frame(plot);
    EXPECT_GT(view_.state->y.high, before * 1.03);
}

TEST_F(PlotDrawing, ValueLabelIsBesideItsBarNotTheErrorBar) {
    Figure figure;
    figure.is_horizontal = true;
    figure.value_labels = true;
    figure.x.categories = {"gpu", "cpu"};
    figure.y = {"whole run", ""};
    Series series{.mark = Mark::bars, .y = {245, 217}};
    series.y_low = {210, 120};
    series.y_high = {350, 500};
    figure.series = {series};
    record_drawn_texts(true);
    frame({"side", "", Origin::measured, figure, ""});
    const PlotArea& area = view_.state->area;
    std::size_t found = 0;
    for (const DrawnText& text : drawn_texts())
        for (const auto& [label, value] : {std::pair("245", 245.0), std::pair("217", 217.0)})
            if (text.text == label) {
                ++found;
                EXPECT_NEAR(text.rect.min.x, area.along_y(value), 12) << label;
            }
    EXPECT_EQ(found, 2U);
    record_drawn_texts(false);
}

TEST_F(PlotDrawing, ValueLabelOfAnUprightBarIsOnTheBarNotAtTheErrorBarsEnd) {
    Figure figure;
    figure.value_labels = true;
    figure.x.categories = {"first", "second"};
    Series series{.mark = Mark::bars, .y = {245, 217}};
    series.y_low = {210, 120};
    series.y_high = {350, 900};
    figure.series = {series};
    record_drawn_texts(true);
    frame({"side", "", Origin::measured, figure, ""});
    const PlotArea& area = view_.state->area;
    std::size_t found = 0;
    for (const DrawnText& text : drawn_texts())
        for (const auto& [label, value] : {std::pair("245", 245.0), std::pair("217", 217.0)})
            if (text.text == label) {
                ++found;
                EXPECT_NEAR(text.rect.max.y, area.along_y(value), 8) << label;
            }
    EXPECT_EQ(found, 2U);
    record_drawn_texts(false);
}

TEST_F(PlotDrawing, NumbersOfHorizontalStacksHaveTheirUnit) {
    Figure figure;
    figure.is_horizontal = true;
    figure.value_labels = true;
    figure.x.categories = {"GPU", "CPU"};
    figure.y = {"time", "ns"};
    figure.series = {Series{.label = "kernel", .mark = Mark::stacked_bars, .y = {145e6, NAN}},
                     Series{.label = "one thread", .mark = Mark::stacked_bars, .y = {NAN, 1.2e6}}};
    record_drawn_texts(true);
    frame({"side", "", Origin::measured, figure, ""});
    std::set<std::string> texts;
    for (const DrawnText& text : drawn_texts())
        texts.insert(text.text);
    EXPECT_THAT(texts, testing::IsSupersetOf({"kernel 145\u00a0ms", "one thread 1.2\u00a0ms"}))
        << "no axis names the unit";
    record_drawn_texts(false);
}

TEST_F(PlotDrawing, AxisLabelsAreUnderTheirTicks) {
    record_drawn_texts(true);
    for (double largest = 6e6; largest < 8e6; largest += 4e4) {
        Figure figure;
        figure.is_horizontal = true;
        figure.x.categories = {"own", "shared"};
        figure.y = {"device bytes", ""};
        figure.series = {Series{.mark = Mark::bars, .y = {largest, 4'718'592}}};
        view_ = {};
        frame({"side", "", Origin::measured, figure, ""});
        const PlotArea& area = view_.state->area;
        std::size_t found = 0;
        for (const Tick& tick : view_.state->y_ticks)
            for (const DrawnText& text : drawn_texts())
                if (text.text == tick.label && !tick.label.empty()) {
                    ++found;
                    EXPECT_NEAR(text.rect.centre().x, area.along_y(tick.position), 1) << tick.label;
                }
        EXPECT_GT(found, 2U);
    }
    record_drawn_texts(false);
}

}  // namespace gridstride::ui::plot_drawing_test
