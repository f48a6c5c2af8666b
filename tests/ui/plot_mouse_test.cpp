// The mouse and the keys on a plot: reading, zooming, panning, the menu and the legend, and the wheel in a
// panel that scrolls.
#include "test_includes.h"
#include "ui/plot/draw_plot.h"
#include "ui/plot_case.h"

namespace gridstride::ui::plot_mouse_test {

TEST_F(PlotDrawing, HoverReadsTheNearestPoint) {
    const Plot plot = make_figure({Mark::bars}, {1, 2, 3});
    frames(plot, 2);
    EXPECT_EQ(readout_vertex_count_, 0);
    point_at(plot, ImVec2(300, 200));
    EXPECT_GT(readout_vertex_count_, 0);
    const Plot lanes = make_lanes(64);
    view_ = {};
    point_at(lanes, ImVec2(300, 62));
    EXPECT_GT(readout_vertex_count_, 0);
}

TEST_F(PlotDrawing, HitsTheBarUnderTheMouseAndTheSegmentOfAStack) {
    const Plot plot = make_figure({Mark::stacked_bars, Mark::stacked_bars}, {10, 20});
    const auto& figure = std::get<Figure>(plot.content);
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

TEST_F(PlotDrawing, WheelZoomsOnlyWithCtrlOrAfterAClick) {
    const Plot plot = make_figure({Mark::line}, std::vector<double>(100, 1));
    point_at(plot, ImVec2(300, 180));
    wheel(plot, 1);
    EXPECT_TRUE(view_.is_fitted);
    wheel(plot, 1, {.ctrl = true});
    EXPECT_FALSE(view_.is_fitted);
    view_.is_fitted = true;
    click(plot, ImVec2(300, 180));
    frames(plot, 2);
    wheel(plot, 1);
    EXPECT_FALSE(view_.is_fitted);
    view_.is_fitted = true;
    click(plot, ImVec2(700, 500));  // beside the plot
    point_at(plot, ImVec2(300, 180));
    wheel(plot, 1);
    EXPECT_TRUE(view_.is_fitted);
}

TEST_F(PlotDrawing, ZoomIsLimitedToTheDataAndAFewSamples) {
    const Plot plot = make_figure({Mark::line}, std::vector<double>(1000, 1));
    point_at(plot, ImVec2(300, 180));
    const Range all = view_.state->x;
    for (int i = 0; i < 60; ++i)
        wheel(plot, 1, {.ctrl = true});
    EXPECT_NEAR(view_.x_max - view_.x_min, 4, 1e-9) << "a zoom shows at least four samples";
    for (int i = 0; i < 120; ++i)
        wheel(plot, -1, {.ctrl = true});
    EXPECT_LE(view_.x_max - view_.x_min, 2 * all.length() * (1 + 1e-9));
    EXPECT_GE(view_.x_min, all.low - all.length() * 0.5 - 1e-9);
    EXPECT_LE(view_.x_max, all.high + all.length() * 0.5 + 1e-9);
    // However far the drag goes, the data stay in view.
    std::vector<ImVec2> far;
    for (float x = 300; x < 5000; x += 400)
        far.emplace_back(x, 180);
    drag(plot, far);
    EXPECT_GE(view_.x_min, all.low - all.length() * 0.5 - 1e-9);
}

TEST_F(PlotDrawing, FitButtonResetsTheZoomAndIsNotInPictures) {
    const Plot plot = make_figure({Mark::line}, std::vector<double>(100, 1));
    for (const Plot& one : {plot, make_lanes(400)}) {
        view_ = {};
        point_at(one, ImVec2(300, 120));
        EXPECT_EQ(find("test.plot.fit"), nullptr);
        wheel(one, 2, {.ctrl = true});
        frame(one);
        ASSERT_NE(find("test.plot.fit"), nullptr);
        view_.is_static_image = true;
        frame(one);
        EXPECT_EQ(find("test.plot.fit"), nullptr);
        view_.is_static_image = false;
        frame(one);
        click(one, "test.plot.fit");
        EXPECT_TRUE(view_.is_fitted);
        frames(one, 90);
        EXPECT_EQ(find("test.plot.fit"), nullptr);
    }
}

Plot make_threshold_plot(double at, bool on_y) {
    Plot plot = make_figure({Mark::line}, {0, 10, 40, 20, 30, 5, 15, 25});
    std::get<Figure>(plot.content).y = {.label = "level"};
    std::get<Figure>(plot.content).markers = {
        {.x = at, .label = "threshold", .is_on_y = on_y, .parameter = "threshold", .step = 1}};
    return plot;
}

TEST_F(PlotDrawing, MouseDragsTheMarkerOfAParameter) {
    for (const bool on_y : {true, false}) {
        view_ = {};
        Plot plot = make_threshold_plot(on_y ? 20 : 4, on_y);
        point_at(plot, ImVec2(-1, -1));
        const PlotArea area = view_.state->area;
        const auto position = [&](double value) {
            return on_y ? ImVec2(300, area.along_y(value)) : ImVec2(area.along_x(value), 180);
        };
        feed_mouse_position(position(on_y ? 20 : 4));
        frame(plot);
        EXPECT_EQ(marker_move_, std::nullopt);
        feed_mouse_button(0, true);
        frame(plot);
        feed_mouse_position(position(on_y ? 30.3 : 6.2));
        frame(plot);
        ASSERT_TRUE(marker_move_.has_value()) << on_y;
        EXPECT_EQ(marker_move_->parameter, "threshold");
        EXPECT_EQ(marker_move_->value, on_y ? 30 : 6) << "whole steps";
        EXPECT_TRUE(view_.is_fitted) << "the plot under it is not dragged";
        frame(plot);
        EXPECT_EQ(marker_move_, std::nullopt) << "the move is reported once";
        feed_mouse_button(0, false);
        frame(plot);
        EXPECT_EQ(widget_value("test.plot.marker.threshold"), on_y ? "30" : "6")
            << "the marker stays there until the next plot";
        plot = make_threshold_plot(on_y ? 29 : 5, on_y);
        frames(plot, 2);
        EXPECT_EQ(widget_value("test.plot.marker.threshold"), on_y ? "29" : "5");
    }
}

TEST_F(PlotDrawing, KeysAndScriptsMoveTheMarkerOfAParameter) {
    Plot plot = make_threshold_plot(20, true);
    frames(plot, 2);
    focus_widget("test.plot.marker.threshold");
    frames(plot, 2);
    feed_key(Key::up, true);
    frame(plot);
    ASSERT_TRUE(marker_move_.has_value());
    EXPECT_EQ(marker_move_->value, 21);
    feed_key(Key::up, false);
    plot = make_threshold_plot(21, true);
    frames(plot, 2);
    request_value("test.plot.marker.threshold", "12");
    frame(plot);
    ASSERT_TRUE(marker_move_.has_value());
    EXPECT_EQ(marker_move_->value, 12);
}

TEST_F(PlotDrawing, WheelZoomsAroundTheCursorAndDoubleClickFits) {
    const Plot plot = make_figure({Mark::line}, std::vector<double>(100, 1));
    point_at(plot, ImVec2(300, 180));
    const Range before = view_.state->x;
    const double x_under_mouse = view_.state->area.x_under(ImVec2(300, 180));
    wheel(plot, 1, {.ctrl = true});
    EXPECT_FALSE(view_.is_fitted);
    EXPECT_LT(view_.x_max - view_.x_min, before.length() * 0.9);
    EXPECT_GT(view_.state->x.length(), view_.x_max - view_.x_min) << "the zoom is animated";
    EXPECT_EQ(widgets_redraw_delay(), 0);
    frames(plot, 90);
    EXPECT_EQ(view_.state->x, (Range{view_.x_min, view_.x_max})) << "the animation has ended";
    EXPECT_GT(widgets_redraw_delay(), 1e9) << "without motion no frame is needed";
    EXPECT_NEAR(view_.state->area.x_under(ImVec2(300, 180)), x_under_mouse, before.length() * 1e-3);
    press_button(plot);
    feed_mouse_button(0, true);
    frame(plot);
    feed_mouse_button(0, false);
    EXPECT_TRUE(view_.is_fitted);
    frame(plot);
    EXPECT_TRUE(view_.state->is_animating) << "the view moves back";
    frames(plot, 90);
    EXPECT_FALSE(view_.state->is_animating);
    EXPECT_EQ(view_.state->x, before);
}

TEST_F(PlotDrawing, WithReducedMotionAZoomIsShownAtOnce) {
    ui_.theme().set_reduces_motion(true);
    const Plot plot = make_figure({Mark::line}, std::vector<double>(100, 1));
    point_at(plot, ImVec2(300, 180));
    wheel(plot, 1, {.ctrl = true});
    EXPECT_FALSE(view_.is_fitted);
    EXPECT_EQ(view_.state->x, (Range{view_.x_min, view_.x_max}));
    EXPECT_GT(widgets_redraw_delay(), 1e9);
}

TEST_F(PlotDrawing, DragPansAndRightDragZoomsToABox) {
    const Plot plot = make_figure({Mark::line}, std::vector<double>(100, 1));
    point_at(plot, ImVec2(300, 180));
    const Range before = view_.state->x;
    drag(plot, {ImVec2(340, 180)});
    EXPECT_LT(view_.x_min, before.low);
    EXPECT_NEAR(view_.x_max - view_.x_min, before.length(), 1e-9);

    drag(plot, {ImVec2(440, 220)}, 1);
    EXPECT_LT(view_.x_max - view_.x_min, before.length() * 0.4);
    EXPECT_EQ(find("test.plot.menu.fit"), nullptr) << "a box drag opens no menu";
}

TEST_F(PlotDrawing, RightClickOpensTheMenuWhichCopiesAndFits) {
    const Plot plot = make_figure({Mark::line}, {1, 4, 2});
    point_at(plot, ImVec2(300, 180));
    press_button(plot, 1);
    frames(plot, 2);
    click(plot, "test.plot.menu.copy");
    EXPECT_EQ(std::string(ImGui::GetClipboardText()), plot_csv(plot));
}

TEST_F(PlotDrawing, LegendClickHidesASeriesAndShowsItAgain) {
    const Plot plot = make_figure({Mark::line, Mark::line}, {1, 4, 2});
    frames(plot, 2);
    click(plot, "test.plot.legend.1");
    EXPECT_THAT(view_.hidden, ElementsAre(false, true));
    click(plot, "test.plot.legend.1");
    EXPECT_THAT(view_.hidden, ElementsAre(false, false));
}

TEST_F(PlotDrawing, KeysPanZoomAndFitWhileFocused) {
    const Plot plot = make_figure({Mark::line}, std::vector<double>(100, 1));
    frames(plot, 2);
    const Range before = view_.state->x;
    focus_widget("test.plot");
    frames(plot, 2);
    EXPECT_TRUE(is_key_used(Key::right));
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
    EXPECT_TRUE(view_.is_fitted);
}

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
    void scroll_to_plot() {
        panel_frames(3);
        for (int i = 0; i < 30 && find("test.plot")->min.y > 250; ++i)
            panel_frame(-1), panel_frame();
    }
    void move_mouse_to_plot() {
        ASSERT_TRUE(find("test.plot")->is_visible);
        mouse_ = ImVec2(300, UiFrames::widget_rect("test.plot").centre().y);
    }

    const Plot plot_ = make_figure({Mark::line}, std::vector<double>(100, 1));
    ImVec2 mouse_{300, 300};
    float scroll_ = 0;
};

TEST_F(PlotInPanel, ScrollingPastAPlotDoesNotZoomIt) {
    panel_frames(3);
    float before = scroll_;
    for (int i = 0; i < 30; ++i) {
        mouse_.x += i % 2 ? 1.0f : -1.0f;  // a mouse is never quite still
        panel_frame(-1);
        panel_frame();
        EXPECT_GE(scroll_, before);
        before = scroll_;
    }
    EXPECT_GT(scroll_, 900) << "the whole plot has passed under the mouse";
    EXPECT_TRUE(view_.is_fitted);
}

TEST_F(PlotInPanel, WheelScrollsThePanelAfterMouseMotion) {
    scroll_to_plot();
    move_mouse_to_plot();
    panel_frames(3);
    mouse_.x += 40;
    panel_frames(3);
    const float scroll_before = scroll_;
    panel_frame(-1);
    panel_frames(3);
    EXPECT_TRUE(view_.is_fitted);
    EXPECT_GT(scroll_, scroll_before);
}

TEST_F(PlotInPanel, ClickOrCtrlGivesThePlotTheWheel) {
    scroll_to_plot();
    const WidgetRect* plot = find("test.plot");
    ASSERT_TRUE(plot->is_visible && plot->min.y < 290 && plot->max.y > 310)
        << "the plot lies under the mouse";
    EXPECT_TRUE(view_.is_fitted);
    feed_modifiers({.ctrl = true});
    panel_frames(2);
    panel_frame(1);
    feed_modifiers({});
    EXPECT_FALSE(view_.is_fitted);
    view_.is_fitted = true;
    panel_frames(2);
    feed_mouse_button(0, true);
    panel_frames(2);
    feed_mouse_button(0, false);
    panel_frames(2);
    const float scroll_before = scroll_;
    panel_frame(1);
    EXPECT_FALSE(view_.is_fitted);
    EXPECT_EQ(scroll_, scroll_before);
}

}  // namespace gridstride::ui::plot_mouse_test
