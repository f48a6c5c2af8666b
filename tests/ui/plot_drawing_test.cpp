// Plots drawn in an ImGui context without a window, with a simulated mouse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>

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

}  // namespace
}  // namespace gridstride::ui
