// A plot drawn in an ImGui context without a window, with a simulated mouse, and plots to draw.
#pragma once

#include "test_includes.h"
#include "ui/plot/draw_plot.h"
#include "ui/plot/plot_state.h"
#include "ui/ui_frame.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class PlotDrawing : public testing::Test {
 protected:
    PlotDrawing() {
        ImGuiIO& io = ImGui::GetIO();
        io.DisplaySize = ImVec2(800, 600);
        feed_mouse_position(ImVec2(-1, -1));
    }

    void frame(const Plot& plot, ImVec2 size = ImVec2(500, 300), bool stale = false) {
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        ImGui::NewFrame();
        begin_widgets();
        ImGui::SetNextWindowPos(ImVec2(0, 0));
        ImGui::SetNextWindowSize(ImVec2(800, 600));
        ImGui::Begin("window", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
        set_cursor(ImVec2(50, 50));
        marker_move_ = draw_plot("test.plot", plot, view_, size, stale);
        ImDrawList* list = ImGui::GetWindowDrawList();
        for (const ImDrawVert& vertex : list->VtxBuffer) {
            if (!std::isfinite(vertex.pos.x) || !std::isfinite(vertex.pos.y)) {
                ADD_FAILURE() << "a vertex at " << vertex.pos.x << ", " << vertex.pos.y;
                break;
            }
        }
        vertex_count_ = list->VtxBuffer.Size;
        drawn_vertices_.assign(list->VtxBuffer.begin(), list->VtxBuffer.end());
        ImGui::End();
        ImGui::Render();
        readout_vertex_count_ = ImGui::GetForegroundDrawList()->VtxBuffer.Size;
    }
    void frames(const Plot& plot, int count) {
        for (int i = 0; i < count; ++i)
            frame(plot);
    }
    void wheel(const Plot& plot, float lines, Modifiers modifiers = {}) {
        feed_modifiers(modifiers);
        feed_mouse_wheel(lines);
        frame(plot);
        feed_modifiers({});
        frame(plot);
    }
    /// Moves the mouse to this position and draws two frames.
    void point_at(const Plot& plot, ImVec2 position) {
        feed_mouse_position(position);
        frames(plot, 2);
    }
    void press_button(const Plot& plot, int button = 0) {
        feed_mouse_button(button, true);
        frame(plot);
        feed_mouse_button(button, false);
        frame(plot);
    }
    void click(const Plot& plot, ImVec2 at) {
        feed_mouse_position(at);
        frame(plot);
        press_button(plot);
    }
    void click(const Plot& plot, const std::string& id) { click(plot, UiFrames::widget_rect(id).centre()); }
    /// Drags from the current position of the mouse through these positions.
    void drag(const Plot& plot, const std::vector<ImVec2>& path, int button = 0) {
        feed_mouse_button(button, true);
        frame(plot);
        for (const ImVec2 position : path) {
            feed_mouse_position(position);
            frame(plot);
        }
        feed_mouse_button(button, false);
        frame(plot);
    }
    /// Draws the plot in this size, with the mouse over it: once current and once stale.
    void draw_at_size(const Plot& plot, ImVec2 size) {
        view_ = {};
        feed_mouse_position(ImVec2(60 + size.x / 2, 50 + size.y / 3));
        frame(plot, size);
        frame(plot, size, true);
    }
    static const WidgetRect* find(const std::string& id) { return UiFrames::find(id); }
    static std::string widget_value(const std::string& id) { return UiFrames::widget_value(id); }
    /// The distance from the topmost to the lowest vertex of this colour, in pixels; negative if there is
    /// none.
    float colored_height(ImU32 color) const {
        float low = std::numeric_limits<float>::infinity(), high = -std::numeric_limits<float>::infinity();
        for (const ImDrawVert& vertex : drawn_vertices_)
            if (vertex.col == color) low = std::min(low, vertex.pos.y), high = std::max(high, vertex.pos.y);
        return high - low;
    }

    UiFrames ui_;
    PlotView view_;
    std::optional<MarkerMove> marker_move_;   ///< of the last frame
    int vertex_count_ = 0;                    ///< the window's, in the last frame
    std::vector<ImDrawVert> drawn_vertices_;  ///< the window's vertices of the last frame
    int readout_vertex_count_ = 0;            ///< vertices of the foreground, which has the readout
};

/// A figure with one series of the same numbers for each mark.
inline Plot make_figure(const std::vector<Mark>& marks, const std::vector<double>& y,
                        AxisScale scale = AxisScale::linear) {
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

/// Four levels of `cells` invocations each.
inline Plot make_lanes(std::size_t cells) {
    Cells lanes;
    lanes.kinds = {{"adds", ColorRole::kernel}, {"reads", ColorRole::upload}, {"waits", ColorRole::quiet}};
    lanes.cell_name = "invocation";
    for (int level = 0; level < 4; ++level) {
        Cells::Row lane{"level " + std::to_string(level), {}, "some add"};
        for (std::size_t i = 0; i < cells; ++i)
            lane.kinds.push_back(static_cast<std::uint8_t>(i % 4));  // 3: no kind
        lanes.rows.push_back(lane);
    }
    return {"l", "", Origin::modelled, lanes, ""};
}

/// The samples over their indices 0, 1, 2, …
inline Plot make_waveform(ArrayRef samples, Mark mark = Mark::line) {
    Figure figure;
    figure.x = {"sample", "", AxisScale::linear, {}, true};
    figure.y.label = "level";
    Series series;
    series.mark = mark;
    series.y_array = std::move(samples);
    figure.series.push_back(series);
    return {"w", "", Origin::computed, figure, ""};
}

}  // namespace gridstride::ui
