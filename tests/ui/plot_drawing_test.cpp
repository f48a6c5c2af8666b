// Plots drawn in an ImGui context without a window, with a simulated mouse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>

#include "ui/imgui_compat.h"
#include "ui/plot/plot_state.h"
#include "ui/plot/plot_view.h"
#include "ui/widgets.h"

namespace gridstride::ui {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class PlotDrawing : public testing::Test {
 protected:
    PlotDrawing() {
        context_ = ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.DisplaySize = ImVec2(800, 600);
        io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
        map_keys_without_window();
        theme_ = std::make_unique<Theme>(Mode::dark, 1.0f);
        set_theme(theme_.get());
        unsigned char* pixels = nullptr;
        int width = 0, height = 0;
        io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
        feed_mouse_position(ImVec2(-1, -1));
    }
    ~PlotDrawing() override {
        set_theme(nullptr);
        theme_.reset();
        ImGui::DestroyContext(context_);
    }

    void frame(const Plot& plot, ImVec2 size = ImVec2(500, 300), bool stale = false) {
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        ImGui::NewFrame();
        begin_widgets();
        ImGui::SetNextWindowPos(ImVec2(0, 0));
        ImGui::SetNextWindowSize(ImVec2(800, 600));
        ImGui::Begin("window", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
        ImGui::SetCursorScreenPos(ImVec2(50, 50));
        draw_plot("test.plot", plot, view_, size, stale);
        ImDrawList* list = ImGui::GetWindowDrawList();
        for (const ImDrawVert& vertex : list->VtxBuffer) {
            if (!std::isfinite(vertex.pos.x) || !std::isfinite(vertex.pos.y)) {
                ADD_FAILURE() << "a vertex at " << vertex.pos.x << ", " << vertex.pos.y;
                break;
            }
        }
        vertices_ = list->VtxBuffer.Size;
        ImGui::End();
        ImGui::Render();
        readout_ = ImGui::GetForegroundDrawList()->VtxBuffer.Size;
    }
    void frames(const Plot& plot, int count) {
        for (int i = 0; i < count; ++i)
            frame(plot);
    }
    void click(const Plot& plot, ImVec2 at) {
        feed_mouse_position(at);
        frame(plot);
        feed_mouse_button(0, true);
        frame(plot);
        feed_mouse_button(0, false);
        frame(plot);
    }
    const WidgetRect* find(std::string_view id) const {
        for (const WidgetRect& widget : widget_map())
            if (widget.id == id) return &widget;
        return nullptr;
    }

    PlotView view_;
    int vertices_ = 0;
    int readout_ = 0;
    std::unique_ptr<Theme> theme_;
    ImGuiContext* context_ = nullptr;
};

Plot figure_of(const std::vector<Mark>& marks, std::vector<double> y, AxisScale scale = AxisScale::linear) {
    Figure figure;
    figure.x = {"x", "", scale, {}, false};
    figure.y = {"time", "ns", scale, {}, false};
    figure.value_labels = true;
    for (const Mark mark : marks) {
        Series series;
        series.label = "series " + std::to_string(figure.series.size());
        series.mark = mark;
        series.y = y;
        for (const double value : y)
            series.y_low.push_back(value * 0.9), series.y_high.push_back(value * 1.1);
        if (scale == AxisScale::logarithmic)
            for (std::size_t i = 0; i < y.size(); ++i)
                series.x.push_back(std::ldexp(1.0, static_cast<int>(i % 60)));
        figure.series.push_back(series);
    }
    return {"p", "", Origin::measured, figure, ""};
}

Plot lanes_of(std::size_t cells) {
    Lanes lanes;
    lanes.kinds = {{"adds", Ink::kernel}, {"reads", Ink::upload}, {"waits", Ink::quiet}};
    lanes.cell_name = "invocation";
    for (int level = 0; level < 4; ++level) {
        Lanes::Lane lane{"level " + std::to_string(level), {}, "some add"};
        for (std::size_t i = 0; i < cells; ++i)
            lane.cells.push_back(static_cast<std::uint8_t>(i % 4));  // 3: no kind
        lanes.lanes.push_back(lane);
    }
    return {"l", "", Origin::modelled, lanes, ""};
}

const std::vector<Mark> all_marks = {Mark::line,         Mark::scatter,      Mark::bars,        Mark::bars,
                                     Mark::outline_bars, Mark::stacked_bars, Mark::stacked_bars};

TEST_F(PlotDrawing, AwkwardDataOfEveryKindAndSize) {
    const double most = std::numeric_limits<double>::max();
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
                                                   {most, -most, 0},
                                                   {1e-310, 2e-310},
                                                   std::vector<double>(3000, 2.5),
                                                   std::vector<double>(100000, nan)};
    for (const std::vector<double>& y : data)
        for (const AxisScale scale : {AxisScale::linear, AxisScale::logarithmic})
            for (const bool horizontal : {false, true})
                for (const ImVec2 size : {ImVec2(500, 300), ImVec2(300, 160), ImVec2(1, 1), ImVec2(400, 0)}) {
                    if (y.size() > 5000 && size.x < 400) continue;
                    Plot plot = figure_of(all_marks, y, scale);
                    std::get<Figure>(plot.content).horizontal = horizontal;
                    view_ = {};
                    feed_mouse_position(ImVec2(60 + size.x / 2, 50 + size.y / 3));
                    frame(plot, size);
                    frame(plot, size, true);
                }
    Plot no_series{"p", "", Origin::computed, Figure{}, ""};
    frame(no_series);
    Plot no_lanes{"p", "", Origin::computed, Lanes{}, ""};
    frame(no_lanes);
    frame(no_lanes, ImVec2(300, 0));
}

TEST_F(PlotDrawing, UnequalLengthsAreSafe) {
    Plot plot = figure_of(all_marks, {1, 2, 3, 4});
    Figure& figure = std::get<Figure>(plot.content);
    figure.series[0].x = {1, 2};
    figure.series[1].y_low = {1};
    figure.series[5].y = {1};
    figure.series[6].y = {1, 2, 3, 4, 5, 6};
    figure.x.categories = {"one"};
    frames(plot, 2);
    EXPECT_NE(find("test.plot"), nullptr);
}

TEST_F(PlotDrawing, LanesOfAllSizes) {
    for (const std::size_t cells : {0U, 1U, 128U, 1024U, 100000U})
        for (const ImVec2 size : {ImVec2(500, 0), ImVec2(300, 160), ImVec2(60, 20), ImVec2(1, 1)}) {
            view_ = {};
            feed_mouse_position(ImVec2(60 + size.x / 2, 58));
            frame(lanes_of(cells), size);
            EXPECT_LT(vertices_, 200000);
        }
}

TEST_F(PlotDrawing, HoverReadsTheNearestPoint) {
    const Plot plot = figure_of({Mark::bars}, {1, 2, 3});
    frames(plot, 2);
    EXPECT_EQ(readout_, 0);
    feed_mouse_position(ImVec2(300, 200));
    frames(plot, 2);
    EXPECT_GT(readout_, 0);
    const Plot lanes = lanes_of(64);
    view_ = {};
    feed_mouse_position(ImVec2(300, 62));
    frames(lanes, 2);
    EXPECT_GT(readout_, 0);
}

TEST_F(PlotDrawing, HitsTheBarUnderTheMouseAndTheSegmentOfAStack) {
    const Plot plot = figure_of({Mark::stacked_bars, Mark::stacked_bars}, {10, 20});
    const Figure& figure = std::get<Figure>(plot.content);
    frames(plot, 2);
    FigurePaint paint{figure, view_, *view_.state, {}, nullptr, {}};
    paint.area = {ImVec2(0, 0), ImVec2(200, 100), false, {-0.5, 1.5}, {0, 50}};
    const auto hit = find_hit(paint, ImVec2(150, 40));  // x = 1, y = 30: the second segment, from 20 to 40
    ASSERT_TRUE(hit.has_value());
    EXPECT_EQ(hit->series, 1U);
    EXPECT_EQ(hit->index, 1U);
    const auto lower = find_hit(paint, ImVec2(50, 95));
    ASSERT_TRUE(lower.has_value());
    EXPECT_EQ(lower->series, 0U);
    EXPECT_EQ(lower->index, 0U);
}

TEST_F(PlotDrawing, WheelZoomsAroundTheCursorAndDoubleClickFits) {
    const Plot plot = figure_of({Mark::line}, {1, 4, 2, 8, 5, 7});
    feed_mouse_position(ImVec2(300, 180));
    frames(plot, 2);
    const Range before = view_.state->x;
    feed_mouse_wheel(1);
    frame(plot);
    EXPECT_FALSE(view_.fitted);
    EXPECT_LT(view_.x_max - view_.x_min, before.length() * 0.9);
    EXPECT_EQ(view_.state->x, (Range{view_.x_min, view_.x_max})) << "in the same frame";
    feed_mouse_wheel(0);
    feed_mouse_button(0, true);
    frame(plot);
    feed_mouse_button(0, false);
    frame(plot);
    feed_mouse_button(0, true);
    frame(plot);
    feed_mouse_button(0, false);
    EXPECT_TRUE(view_.fitted);
    frame(plot);
    EXPECT_TRUE(view_.state->easing) << "eases back";
    frames(plot, 90);
    EXPECT_FALSE(view_.state->easing);
    EXPECT_EQ(view_.state->x, before);
}

TEST_F(PlotDrawing, DragPansAndRightDragZoomsToABox) {
    const Plot plot = figure_of({Mark::line}, {1, 4, 2, 8, 5, 7});
    feed_mouse_position(ImVec2(300, 180));
    frames(plot, 2);
    const Range before = view_.state->x;
    feed_mouse_button(0, true);
    frame(plot);
    feed_mouse_position(ImVec2(340, 180));
    frame(plot);
    feed_mouse_button(0, false);
    frame(plot);
    EXPECT_LT(view_.x_min, before.low);
    EXPECT_NEAR(view_.x_max - view_.x_min, before.length(), 1e-9);

    feed_mouse_button(1, true);
    frame(plot);
    feed_mouse_position(ImVec2(440, 220));
    frame(plot);
    feed_mouse_button(1, false);
    frame(plot);
    EXPECT_LT(view_.x_max - view_.x_min, before.length() * 0.4);
    EXPECT_EQ(find("test.plot.menu.fit"), nullptr) << "a box is no click";
}

TEST_F(PlotDrawing, RightClickOpensTheMenuWhichCopiesAndFits) {
    const Plot plot = figure_of({Mark::line}, {1, 4, 2});
    feed_mouse_position(ImVec2(300, 180));
    feed_mouse_wheel(1);
    frame(plot);
    feed_mouse_wheel(0);
    frames(plot, 2);
    feed_mouse_button(1, true);
    frame(plot);
    feed_mouse_button(1, false);
    frames(plot, 3);
    const WidgetRect* copy = find("test.plot.menu.copy");
    ASSERT_NE(copy, nullptr);
    click(plot, ImVec2((copy->min.x + copy->max.x) / 2, (copy->min.y + copy->max.y) / 2));
    EXPECT_EQ(std::string(ImGui::GetClipboardText()), plot_csv(plot));
}

TEST_F(PlotDrawing, LegendClickHidesASeriesAndShowsItAgain) {
    const Plot plot = figure_of({Mark::line, Mark::line}, {1, 4, 2});
    frames(plot, 2);
    const WidgetRect* entry = find("test.plot.legend.1");
    ASSERT_NE(entry, nullptr);
    const ImVec2 at((entry->min.x + entry->max.x) / 2, (entry->min.y + entry->max.y) / 2);
    click(plot, at);
    EXPECT_THAT(view_.hidden, testing::ElementsAre(false, true));
    click(plot, at);
    EXPECT_THAT(view_.hidden, testing::ElementsAre(false, false));
}

TEST_F(PlotDrawing, KeysPanZoomAndFitWhileFocused) {
    const Plot plot = figure_of({Mark::line}, {1, 4, 2, 8});
    frames(plot, 2);
    const Range before = view_.state->x;
    focus_widget("test.plot");
    frames(plot, 2);
    EXPECT_TRUE(key_taken(Key::right));
    const auto press = [&](Key key) {
        feed_key(key, true);
        frame(plot);
        feed_key(key, false);
        frame(plot);
    };
    press(Key::right);
    EXPECT_GT(view_.x_min, before.low);
    press(Key::plus);
    EXPECT_LT(view_.x_max - view_.x_min, before.length() * 0.9);
    press(Key::home);
    EXPECT_TRUE(view_.fitted);
}

TEST_F(PlotDrawing, StaleFadesEveryVertex) {
    const Plot plot = figure_of({Mark::bars}, {1, 2, 3});
    frame(plot);
    frame(plot, ImVec2(500, 300), true);
    int opaque = 0;
    for (const ImDrawVert& vertex : ImGui::GetDrawData()->CmdLists[0]->VtxBuffer)
        if (vertex.pos.x > 50 && (vertex.col >> IM_COL32_A_SHIFT) > 103 && vertex.pos.y > 50 &&
            vertex.pos.x < 540)
            ++opaque;
    EXPECT_EQ(opaque, 0);
}

TEST_F(PlotDrawing, TenMillionSamples) {
    std::vector<double> y(10'000'000);
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = std::sin(static_cast<double>(i) * 1e-5) + static_cast<double>(i * 7919 % 1000) * 1e-4;
    y[1'234'567] = 40;
    for (const Mark mark : {Mark::line, Mark::bars}) {
        Plot plot{"p", "", Origin::computed, Figure{}, ""};
        Series series;
        series.mark = mark;
        series.y = std::move(y);
        std::get<Figure>(plot.content).series.push_back(std::move(series));
        view_ = {};
        for (int i = 0; i < 3; ++i) {
            const auto start = std::chrono::steady_clock::now();
            frame(plot);
            const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
            std::cout << (mark == Mark::line ? "line" : "bars") << " of 10 M samples, frame " << i << ": "
                      << took.count() << " ms, " << vertices_ << " vertices\n";
        }
        EXPECT_LT(vertices_, 20000);
        EXPECT_GT(view_.state->y.high, 40);
        y = std::move(std::get<Figure>(plot.content).series[0].y);
    }
}

template <class T>
ArrayRef array_of(const std::vector<T>& values) {
    return std::make_shared<Array>(Array::of<T>(values));
}

Plot waveform_of(ArrayRef samples, Mark mark = Mark::line) {
    Figure figure;
    figure.x = {"sample", "", AxisScale::linear, {}, true};
    figure.y.label = "level";
    Series series;
    series.mark = mark;
    series.y_array = std::move(samples);
    figure.series.push_back(series);
    return {"w", "", Origin::computed, figure, ""};
}

TEST_F(PlotDrawing, TenMillionSamplesOfAnArray) {
    std::vector<std::int16_t> samples(10'000'000);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<std::int16_t>(i * 7919 % 2000);
    samples[1'234'567] = 30000;
    for (const Mark mark : {Mark::line, Mark::bars}) {
        const Plot plot = waveform_of(array_of(samples), mark);
        view_ = {};
        feed_mouse_position(ImVec2(300, 180));  // the readout costs its part too
        double last = 0;
        for (int i = 0; i < 4; ++i) {
            const auto start = std::chrono::steady_clock::now();
            frame(plot);
            last =
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
            std::cout << (mark == Mark::line ? "line" : "bars") << " of 10 M i16, frame " << i << ": " << last
                      << " ms, " << vertices_ << " vertices\n";
        }
        EXPECT_LT(last, 200) << "looks at every sample in every frame";
        EXPECT_LT(vertices_, 20000);
        EXPECT_GT(view_.state->y.high, 30000);
        EXPECT_GT(readout_, 0);
    }
}

TEST_F(PlotDrawing, TheReadoutOfMillionsReadsTheSpikeThatIsDrawn) {
    std::vector<float> samples(1'000'000, 0.5f);
    samples[500'123] = 100;
    samples[200'000] = static_cast<float>(nan);
    const Plot plot = waveform_of(array_of(samples));
    frames(plot, 2);
    const Figure& figure = std::get<Figure>(plot.content);
    FigurePaint paint{figure, view_, *view_.state, {}, nullptr, {}};
    paint.area = {ImVec2(0, 0), ImVec2(500, 100), false, {0, 1e6}, {0, 100}};
    const auto hit = find_hit(paint, ImVec2(251, 5));
    ASSERT_TRUE(hit.has_value());
    EXPECT_EQ(hit->index, 500'123U);
    EXPECT_EQ(hit->y, 100);
}

TEST_F(PlotDrawing, TheWheelZoomsAWaveformAlongXDownToSingleSamples) {
    std::vector<std::int16_t> samples(10'000'000);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<std::int16_t>(i % 1000);
    const Plot plot = waveform_of(array_of(samples));
    feed_mouse_position(ImVec2(300, 180));
    frames(plot, 2);
    const Range y = view_.state->y;
    for (int i = 0; i < 12; ++i) {
        feed_mouse_wheel(7);
        frame(plot);
        feed_mouse_wheel(0);
    }
    EXPECT_LT(view_.state->x.length(), 10);
    EXPECT_NEAR(view_.state->y.low, y.low, 1e-6);
    EXPECT_NEAR(view_.state->y.high, y.high, 1e-6);
    frame(plot);
    EXPECT_GT(vertices_, 0);
}

TEST_F(PlotDrawing, ArraysOfEveryTypeAndSize) {
    const float f = std::numeric_limits<float>::quiet_NaN();
    const double most = std::numeric_limits<double>::max();
    const std::vector<ArrayRef> arrays = {array_of<std::uint8_t>({}),
                                          array_of<std::uint8_t>({7}),
                                          array_of<std::int16_t>({-5, 5, 0}),
                                          array_of<std::int32_t>({-1, 1}),
                                          array_of<std::uint32_t>({1, 2}),
                                          array_of<std::uint64_t>({~0ull, 0}),
                                          array_of<float>({f, 1, f}),
                                          array_of<float>({f, f}),
                                          array_of<double>({most, -most, 1e-310}),
                                          array_of<double>({infinity, -infinity}),
                                          array_of(std::vector<float>(50000, f))};
    for (const ArrayRef& array : arrays)
        for (const Mark mark :
             {Mark::line, Mark::scatter, Mark::bars, Mark::outline_bars, Mark::stacked_bars})
            for (const AxisScale scale : {AxisScale::linear, AxisScale::logarithmic})
                for (const ImVec2 size : {ImVec2(500, 300), ImVec2(300, 160), ImVec2(1, 1), ImVec2(400, 0)}) {
                    Plot plot = waveform_of(array, mark);
                    std::get<Figure>(plot.content).y.scale = scale;
                    view_ = {};
                    feed_mouse_position(ImVec2(60 + size.x / 2, 50 + size.y / 3));
                    frame(plot, size);
                    frame(plot, size, true);
                }
}

TEST_F(PlotDrawing, MarkersStandInsideTheDataWhateverTheirPlace) {
    const auto vertices_with = [this](std::vector<Figure::Marker> markers, ImVec2 size, bool horizontal) {
        Plot plot = figure_of({Mark::line}, {1, 4, 2, 8});
        Figure& figure = std::get<Figure>(plot.content);
        figure.markers = std::move(markers);
        figure.horizontal = horizontal;
        view_ = {};
        frames(plot, 2);
        frame(plot, size);
        return vertices_;
    };
    for (const bool horizontal : {false, true})
        for (const ImVec2 size : {ImVec2(500, 300), ImVec2(300, 160), ImVec2(40, 40), ImVec2(1, 1)}) {
            const int without = vertices_with({}, size, horizontal);
            EXPECT_GE(vertices_with({{1.5, "crossing"}}, size, horizontal), without + 4);
            EXPECT_EQ(vertices_with({{nan, "nowhere"}, {1e9, "far"}, {-infinity, ""}}, size, horizontal),
                      without);
            vertices_with(
                {{0, "at the very left"}, {3, "at the very right, with many words that do not fit"}}, size,
                horizontal);
            vertices_with(std::vector<Figure::Marker>(60, {1.0, "one of many"}), size, horizontal);
        }
}

TEST_F(PlotDrawing, MarkerLabelsGetRoomOverTheData) {
    Plot plot = figure_of({Mark::line}, {1, 4, 2, 8});
    frame(plot);
    const double before = view_.state->y.high;
    std::get<Figure>(plot.content).markers = {{1.5, "crossing"}};
    frame(plot);
    EXPECT_GT(view_.state->y.high, before * 1.03);
}

Plot pictures_of(std::vector<Picture> all) {
    return {"i", "", Origin::measured, Pictures{std::move(all)}, ""};
}

TEST_F(PlotDrawing, PicturesOfAllSizes) {
    const std::vector<std::uint8_t> noise = [] {
        std::vector<std::uint8_t> levels(1000 * 700);
        for (std::size_t i = 0; i < levels.size(); ++i)
            levels[i] = static_cast<std::uint8_t>(i * i * 31 >> 4);
        return levels;
    }();
    const Picture large{"before", 1000, array_of(noise)};
    Picture same_ends{"flat", 2, array_of<float>({1, 1, static_cast<float>(nan), 2, 3}), 1, 1};
    const std::vector<std::vector<Picture>> cases = {
        {},
        {Picture{}},
        {{"no width", 0, array_of(noise)}},
        {{"no values", 7, nullptr}, {"empty", 7, array_of<float>({})}},
        {{"one", 1, array_of<std::int16_t>({5})}},
        {{"line", 700000, array_of(noise)}},
        {{"column", 1, array_of(noise)}},
        {same_ends},
        {large},
        {large, large, same_ends, Picture{}},
        {{"", 3, array_of<double>({infinity, nan, -infinity, 1e308, -1e308}), nan, infinity}}};
    for (const std::vector<Picture>& pictures : cases)
        for (const ImVec2 size :
             {ImVec2(500, 300), ImVec2(300, 160), ImVec2(40, 20), ImVec2(1, 1), ImVec2(500, 0)}) {
            view_ = {};
            feed_mouse_position(ImVec2(50 + size.x / 4, 55));
            frame(pictures_of(pictures), size);
            frame(pictures_of(pictures), size, true);
            EXPECT_LT(vertices_, 220 * 220 * 4 * static_cast<int>(pictures.size()) + 2000);
        }
}

TEST_F(PlotDrawing, PicturesKeepTheirProportionsWhenZoomed) {
    std::vector<std::uint8_t> levels(64 * 48);
    for (std::size_t i = 0; i < levels.size(); ++i)
        levels[i] = static_cast<std::uint8_t>(i % 64 * 4);
    const Plot plot = pictures_of({{"a", 64, array_of(levels)}, {"b", 64, array_of(levels)}});
    feed_mouse_position(ImVec2(120, 100));
    frames(plot, 2);
    EXPECT_GT(readout_, 0);
    feed_mouse_wheel(5);
    frame(plot);
    feed_mouse_wheel(0);
    frame(plot);
    EXPECT_FALSE(view_.fitted);
    EXPECT_LT(view_.state->x.length(), 0.6);
    EXPECT_NEAR(view_.state->x.length(), view_.state->y.length(), 1e-12);
    EXPECT_GE(view_.state->x.low, 0);
    EXPECT_LE(view_.state->y.high, 1);
    // A flat box: the part that it spans, in the picture's own proportions.
    feed_mouse_button(1, true);
    frame(plot);
    feed_mouse_position(ImVec2(160, 112));
    frame(plot);
    feed_mouse_button(1, false);
    frame(plot);
    frame(plot);
    EXPECT_LT(view_.state->x.length(), 0.2);
    EXPECT_NEAR(view_.state->x.length(), view_.state->y.length(), 1e-12);
    feed_mouse_wheel(-40);
    frame(plot);
    EXPECT_TRUE(view_.fitted) << "there is nothing beside a picture";
    feed_mouse_wheel(0);
}

Plot timeline_of(std::vector<Timeline::Row> rows) {
    return {"t", "", Origin::measured, Timeline{std::move(rows)}, ""};
}

TEST_F(PlotDrawing, TimelinesOfAllSizes) {
    Timeline::Row many{"many", {}, 1e6};
    for (int i = 0; i < 50000; ++i)
        many.bars.push_back({"step", i % 2 ? Ink::kernel : Ink::upload, i * 20.0, 10});
    const Timeline::Row odd{"odd",
                            {{"nan", Ink::kernel, nan, 5},
                             {"negative", Ink::kernel, 5, -5},
                             {"endless", Ink::cpu, 0, infinity},
                             {"before", Ink::upload, -50, 20},
                             {"", Ink::series, 10, 0},
                             {"x", Ink::series, 20, 5}},
                            nan};
    const std::vector<std::vector<Timeline::Row>> cases = {
        {},
        {{}},
        {{"empty", {}, 100}},
        {{"one", {{"kernel", Ink::kernel, 0, 10}}, 10}},
        {{"short end", {{"kernel", Ink::kernel, 0, 10}}, 3}},
        {odd, many, odd},
        {{"huge", {{"k", Ink::kernel, 1e299, 1e299}}, std::numeric_limits<double>::max()}},
        std::vector<Timeline::Row>(300, odd)};
    for (const std::vector<Timeline::Row>& rows : cases)
        for (const ImVec2 size :
             {ImVec2(500, 300), ImVec2(300, 160), ImVec2(40, 20), ImVec2(1, 1), ImVec2(500, 0)}) {
            view_ = {};
            feed_mouse_position(ImVec2(60 + size.x / 2, 58));
            frame(timeline_of(rows), size);
            frame(timeline_of(rows), size, true);
        }
}

TEST_F(PlotDrawing, ATimelineTakesTheHeightThatItsRowsNeed) {
    const Timeline::Row row{"one", {{"kernel", Ink::kernel, 10, 10}}, 40};
    frames(timeline_of({row, row}), 2);
    const WidgetRect* plot = find("test.plot");
    ASSERT_NE(plot, nullptr);
    EXPECT_LT(plot->max.y - plot->min.y, 150);
    feed_mouse_position(ImVec2(230, 60));  // in the bar
    frames(timeline_of({row, row}), 2);
    EXPECT_GT(readout_, 0);
    feed_mouse_position(ImVec2(500, 60));  // waiting
    frames(timeline_of({row, row}), 2);
    EXPECT_GT(readout_, 0);
    feed_mouse_position(ImVec2(230, 60));
    frames(timeline_of({row, row}), 2);
    feed_mouse_wheel(3);
    frame(timeline_of({row, row}));
    feed_mouse_wheel(0);
    EXPECT_LT(view_.state->x.length(), 30);
}

// --- the wheel over a plot in a panel that scrolls

class PlotInPanel : public PlotDrawing {
 protected:
    void panel_frame(float wheel = 0) {
        ImGuiIO& io = ImGui::GetIO();
        io.DeltaTime = 1.0f / 60;
        feed_mouse_position(mouse_);
        if (wheel != 0) feed_mouse_wheel(wheel);
        ImGui::NewFrame();
        begin_widgets();
        ImGui::SetNextWindowPos(ImVec2(0, 0));
        ImGui::SetNextWindowSize(ImVec2(800, 600));
        ImGui::Begin("window", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
        begin_panel("panel", ImVec2(0, 0), ImVec2(600, 500), theme().palette().ground);
        gap(600);
        draw_plot("test.plot", plot_, view_, ImVec2(500, 300));
        gap(1200);
        scroll_ = ImGui::GetScrollY();
        end_panel();
        ImGui::End();
        ImGui::Render();
    }
    void panel_frames(int count) {
        for (int i = 0; i < count; ++i)
            panel_frame();
    }
    void rest_over_plot() {
        const WidgetRect* plot = find("test.plot");
        ASSERT_NE(plot, nullptr);
        ASSERT_TRUE(plot->visible);
        mouse_ = ImVec2(300, (plot->min.y + plot->max.y) / 2);
    }

    const Plot plot_ = figure_of({Mark::line}, {1, 4, 2, 8, 5, 7});
    ImVec2 mouse_{300, 300};
    float scroll_ = 0;
};

TEST_F(PlotInPanel, ScrollingPastAPlotLeavesItAsItIs) {
    panel_frames(3);
    float before = scroll_;
    for (int i = 0; i < 30; ++i) {
        mouse_.x += i % 2 ? 1.0f : -1.0f;  // no hand is still
        panel_frame(-1);
        panel_frame();
        EXPECT_GE(scroll_, before);
        before = scroll_;
    }
    EXPECT_GT(scroll_, 900) << "the whole plot has passed under the mouse";
    EXPECT_TRUE(view_.fitted);
}

TEST_F(PlotInPanel, MovingOnThePlotGivesItTheWheelUntilThePanelScrolls) {
    panel_frames(3);
    for (int i = 0; i < 8; ++i)
        panel_frame(-1), panel_frame();
    panel_frames(5);
    rest_over_plot();
    const float before = scroll_;
    ASSERT_GT(before, 100);
    panel_frame(-1);
    panel_frames(3);
    EXPECT_TRUE(view_.fitted) << "the mouse came with the wheel";
    mouse_.x += 20;
    panel_frames(3);
    const float stood = scroll_;
    panel_frame(1);
    panel_frames(2);
    EXPECT_FALSE(view_.fitted);
    EXPECT_EQ(scroll_, stood) << "the wheel does one thing";
    // Off the plot, the wheel scrolls; back under the mouse by that, the plot does not take it.
    const double length = view_.x_max - view_.x_min;
    mouse_ = ImVec2(590, mouse_.y);
    panel_frames(130);  // ImGui gives a panel that was scrolled the wheel for two seconds
    panel_frame(-1);
    panel_frames(2);
    EXPECT_GT(scroll_, stood);
    EXPECT_EQ(view_.x_max - view_.x_min, length);
}

TEST_F(PlotInPanel, ClickingOrCtrlGivesItTheWheelToo) {
    panel_frames(3);
    for (int i = 0; i < 30 && find("test.plot")->min.y > 250; ++i)
        panel_frame(-1), panel_frame();
    const WidgetRect* plot = find("test.plot");
    ASSERT_TRUE(plot->visible && plot->min.y < 290 && plot->max.y > 310) << "it lies under the mouse";
    EXPECT_TRUE(view_.fitted);
    feed_modifiers({.ctrl = true});
    panel_frames(2);
    panel_frame(1);
    feed_modifiers({});
    EXPECT_FALSE(view_.fitted);
    view_.fitted = true;
    panel_frames(2);
    feed_mouse_button(0, true);
    panel_frames(2);
    feed_mouse_button(0, false);
    panel_frames(2);
    const float stood = scroll_;
    panel_frame(1);
    EXPECT_FALSE(view_.fitted);
    EXPECT_EQ(scroll_, stood);
}

}  // namespace
}  // namespace gridstride::ui
