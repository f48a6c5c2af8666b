#include "ui/plot/draw_plot.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "ui/plot/plot_state.h"

namespace gridstride::ui {
namespace {

constexpr unsigned stale_alpha = 102;  // 40 %
constexpr float min_figure_height = 104;

/// Fades the colours stored in the vertices.
void fade(ImDrawList* list, glm::ivec2 vertices) {
    for (int i = vertices.x; i < std::min(vertices.y, list->VtxBuffer.Size); ++i) {
        ImU32& color = list->VtxBuffer[i].col;
        const unsigned alpha = (color >> IM_COL32_A_SHIFT & 0xFFu) * stale_alpha / 255;
        color = (color & ~IM_COL32_A_MASK) | alpha << IM_COL32_A_SHIFT;
    }
}

}  // namespace

std::optional<MarkerMove> draw_plot(std::string_view id, const Plot& plot, PlotView& view, glm::vec2 size,
                                    bool is_stale) {
    if (!view.state) view.state = std::make_shared<PlotState>();
    if (size.x <= 0) size.x = ImGui::GetContentRegionAvail().x;
    size.x = std::max(size.x, theme().px(48));
    ImDrawList* list = ImGui::GetWindowDrawList();
    view.state->data_vertices = {list->VtxBuffer.Size, INT_MAX};
    ImGui::PushID(id.data(), id.data() + id.size());
    view.hovered.clear();
    std::optional<MarkerMove> marker_move;
    if (const auto* figure = std::get_if<Figure>(&plot.content))
        marker_move = draw_figure(id, plot, *figure, view, size);
    else if (const auto* cells = std::get_if<Cells>(&plot.content))
        draw_cells(id, plot, *cells, view, size);
    else if (const auto* graph = std::get_if<Graph>(&plot.content))
        draw_graph(id, plot, *graph, view, size);
    else
        draw_timeline(id, plot, std::get<Timeline>(plot.content), view, size);
    ImGui::PopID();
    if (is_stale) fade(list, view.state->data_vertices);
    if (const std::optional<PlotFile> file = std::exchange(view.state->chosen, std::nullopt))
        view.action = PlotAction{*file, std::make_shared<const Plot>(plot), size, is_stale};
    return marker_move;
}

float min_height(const Plot& plot, PlotView& view, float width) {
    if (!view.state) view.state = std::make_shared<PlotState>();
    if (const auto* graph = std::get_if<Graph>(&plot.content))
        return natural_height(*graph, *view.state, width);
    if (const auto* timeline = std::get_if<Timeline>(&plot.content)) return natural_height(*timeline, width);
    return theme().px(min_figure_height);
}

void draw_small_plot(const Plot& plot, PlotView& view, const Rect& rect) {
    if (!view.state) view.state = std::make_shared<PlotState>();
    ImGui::GetWindowDrawList()->PushClipRect(rect.min, rect.max, true);
    if (const auto* figure = std::get_if<Figure>(&plot.content))
        draw_small_figure(*figure, view, rect);
    else if (const auto* cells = std::get_if<Cells>(&plot.content))
        draw_small_cells(*cells, view, rect);
    else if (const auto* graph = std::get_if<Graph>(&plot.content))
        draw_small_graph(*graph, view, rect);
    else
        draw_small_timeline(std::get<Timeline>(plot.content), view, rect);
    ImGui::GetWindowDrawList()->PopClipRect();
}

}  // namespace gridstride::ui
