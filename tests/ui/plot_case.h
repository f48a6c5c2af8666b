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
        ImGui::SetCursorScreenPos(ImVec2(50, 50));
        moved_ = draw_plot("test.plot", plot, view_, size, stale);
        ImDrawList* list = ImGui::GetWindowDrawList();
        for (const ImDrawVert& vertex : list->VtxBuffer) {
            if (!std::isfinite(vertex.pos.x) || !std::isfinite(vertex.pos.y)) {
                ADD_FAILURE() << "a vertex at " << vertex.pos.x << ", " << vertex.pos.y;
                break;
            }
        }
        vertices_ = list->VtxBuffer.Size;
        drawn_.assign(list->VtxBuffer.begin(), list->VtxBuffer.end());
        ImGui::End();
        ImGui::Render();
        readout_ = ImGui::GetForegroundDrawList()->VtxBuffer.Size;
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
    /// The mouse rests there.
    void point_at(const Plot& plot, ImVec2 place) {
        feed_mouse_position(place);
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
    void click(const Plot& plot, const std::string& id) { click(plot, UiFrames::rect_of(id).centre()); }
    /// From where the mouse is.
    void drag(const Plot& plot, const std::vector<ImVec2>& over, int button = 0) {
        feed_mouse_button(button, true);
        frame(plot);
        for (const ImVec2 place : over) {
            feed_mouse_position(place);
            frame(plot);
        }
        feed_mouse_button(button, false);
        frame(plot);
    }
    /// With the mouse over it, of this size, as it is and stale.
    void draw_at_size(const Plot& plot, ImVec2 size) {
        view_ = {};
        feed_mouse_position(ImVec2(60 + size.x / 2, 50 + size.y / 3));
        frame(plot, size);
        frame(plot, size, true);
    }
    static const WidgetRect* find(const std::string& id) { return UiFrames::find(id); }
    static std::string value_of(const std::string& id) { return UiFrames::value_of(id); }
    /// From the topmost vertex of this colour to the lowest, in pixels; negative: there is none.
    float height_of(ImU32 color) const {
        float low = std::numeric_limits<float>::infinity(), high = -std::numeric_limits<float>::infinity();
        for (const ImDrawVert& vertex : drawn_)
            if (vertex.col == color) low = std::min(low, vertex.pos.y), high = std::max(high, vertex.pos.y);
        return high - low;
    }

    UiFrames ui_;
    PlotView view_;
    std::optional<MarkerMove> moved_;  ///< in the last frame
    int vertices_ = 0;                 ///< of the window, in the last frame
    std::vector<ImDrawVert> drawn_;    ///< those
    int readout_ = 0;                  ///< vertices of what lies over all windows
};

/// The same numbers once for each mark.
inline Plot figure_of(const std::vector<Mark>& marks, const std::vector<double>& y,
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

/// Four levels of so many invocations.
inline Plot lanes_of(std::size_t cells) {
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

/// The samples in a row, 0, 1, 2, …
inline Plot waveform_of(ArrayRef samples, Mark mark = Mark::line) {
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
