// A graph of nodes and arrows: which values are computed from which.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "present/graph_layout.h"
#include "ui/plot/plot_state.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

using Node = Graph::Node;

constexpr float node_padding = 10;
constexpr float min_zoom = 0.1F;
/// Text does not shrink. Below this zoom, a group's sentence appears only in the readout of its nodes.
constexpr float min_words_zoom = 0.75F;
/// Below this zoom, nodes are too narrow for their names.
constexpr float min_names_zoom = 0.5F;

std::string first_word(const std::string& words) {
    return words.substr(0, words.find(' '));
}

struct GraphTexts {
    bool operations = true;  ///< false: only the name of a node
    bool sentences = true;   ///< of groups
};

/// Returns sizes at this zoom. Text does not shrink, so smaller nodes reserve the same pixels for it.
GraphSizes graph_sizes(const Graph& graph, float zoom = 1, GraphTexts words = {}) {
    const Theme& t = theme();
    GraphSizes sizes{.node_widths = {},
                     .words = {},
                     .node_height = t.px(28),
                     .lane_gap = t.px(12),
                     .column_gap = t.px(28),
                     // Short names leave the space between nodes to the sentence.
                     .widest_column_gap = t.px(words.sentences && !words.operations ? 160 : 64),
                     .band_gap = t.px(28),
                     .line = t.px(16) / (words.sentences ? zoom : 1)};
    for (const Node& node : graph.nodes)
        sizes.node_widths.push_back(
            text_size(TextStyle::mono, words.operations ? node.label : first_word(node.label)).x /
                (zoom < min_names_zoom ? 1 : zoom) +
            2 * t.px(node_padding));
    for (const std::string& sentence : graph.groups)
        if (words.sentences) sizes.words.push_back(text_size(TextStyle::note, sentence).x / zoom);
    return sizes;
}

GraphSizes small_graph_sizes(const Graph& graph) {
    const Theme& t = theme();
    return {.node_widths = std::vector<float>(graph.nodes.size(), t.px(16)),
            .words = {},
            .node_height = t.px(12),
            .lane_gap = t.px(8),
            .column_gap = t.px(8),
            .widest_column_gap = t.px(16),
            .band_gap = t.px(10),
            .line = 0};
}

struct FittedGraph {
    GraphLayout layout;
    float zoom = 1;  ///< shows the whole graph
    bool has_room = true;
};

/// Lays the graph out in the number of bands that shows it largest, at a zoom of at most 1, and at least
/// `least` if possible. `sizes_at(zoom)` returns the sizes at a zoom.
template <typename SizesAt>
FittedGraph fit_graph(const Graph& graph, const GraphOrder& order, glm::vec2 room, float zoom_limit,
                      SizesAt sizes_at) {
    FittedGraph best{{}, 0, false};
    for (float zoom = 1;; zoom = std::max(zoom_limit, zoom * 0.9F)) {
        GraphLayout layout = layout_graph(graph, order, sizes_at(zoom), room.x / zoom);
        const glm::vec2 fits = room / glm::max(layout.size, 1.0F);
        const float shown = std::min({1.0F, fits.x, fits.y});
        if (shown > zoom * 0.999F) return {std::move(layout), shown};
        if (shown > best.zoom) best = {std::move(layout), shown, false};
        if (zoom <= zoom_limit) return best;
    }
}

/// Drops text until the rest fits.
FittedGraph fit_graph_with_text(const Graph& graph, const GraphOrder& order, glm::vec2 room) {
    const auto fitted = [&](GraphTexts words, float zoom_limit) {
        return fit_graph(graph, order, room, zoom_limit,
                         [&](float zoom) { return graph_sizes(graph, zoom, words); });
    };
    for (const GraphTexts words :
         {GraphTexts{}, GraphTexts{.operations = false}, GraphTexts{.sentences = false}})
        if (FittedGraph one = fitted(words, min_words_zoom); one.has_room) return one;
    return fitted({.operations = false, .sentences = false}, min_zoom);
}

ImU32 group_fill(const std::optional<std::size_t>& group) {
    const Palette& palette = theme().palette();
    return group ? group_color(*group) : palette.line;
}

struct NodeStyle {
    ImU32 fill = 0, frame = 0;  ///< frame 0: none
};
NodeStyle get_node_style(const Node& node) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    switch (node.kind) {
        case Graph::Kind::input:
            return {palette.raised, mix(palette.line, palette.quiet, 0.4F)};
        case Graph::Kind::copy:
            return {palette.ground, node.group ? t.series_color(*node.group) : palette.quiet};
        case Graph::Kind::host:
            // A frame, because fills are the colours of groups.
            return {palette.raised, t.color(ColorRole::cpu)};
        case Graph::Kind::operation:
            break;
    }
    return {group_fill(node.group), 0};
}

/// Returns entries for the kinds of nodes whose drawing does not show what they are.
std::vector<LegendEntry> make_legend(const Graph& graph) {
    const Theme& t = theme();
    std::vector<LegendEntry> legend;
    const auto has = [&](Graph::Kind kind) { return std::ranges::count(graph.nodes, kind, &Node::kind) > 0; };
    if (has(Graph::Kind::copy)) legend.push_back({tr("copy"), t.palette().quiet, Swatch::outline, false});
    if (has(Graph::Kind::host))
        legend.push_back({tr("on the CPU"), t.color(ColorRole::cpu), Swatch::outline, false});
    return legend;
}

struct ScreenTransform {
    glm::vec2 origin;
    float zoom = 1;

    glm::vec2 at(glm::vec2 point) const { return origin + point * zoom; }
    Rect at(const GraphBox& box) const { return {glm::round(at(box.min)), glm::round(at(box.max))}; }
};

void draw_stroke(ImDrawList* list, const ScreenTransform& screen, const GraphStroke& stroke, ImU32 color,
                 float thickness) {
    const glm::vec2 start = screen.at(stroke.start), end = screen.at(stroke.end);
    const glm::vec2 level((end.x - start.x) / 2, 0);
    if (stroke.is_curved)
        list->AddBezierCubic(start, start + level, end - level, end, color, thickness);
    else
        list->AddLine(start, end, color, thickness);
}

void draw_node(ImDrawList* list, const Node& node, const Rect& at, bool is_small, bool is_highlighted) {
    const Theme& t = theme();
    NodeStyle style = get_node_style(node);
    // Without text, the full colour is readable.
    if (is_small && node.group && node.kind == Graph::Kind::operation)
        style.fill = t.series_color(*node.group);
    const float radius = std::min(t.px(6), at.height() / 4);
    if (is_highlighted) style = {mix(style.fill, t.palette().text, 0.2F), t.palette().text};
    list->AddRectFilled(at.min, at.max, style.fill, radius);
    if (style.frame != 0)
        list->AddRect(at.min, at.max, style.frame, radius, 0,
                      std::max(1.0F, t.px(is_highlighted || node.kind == Graph::Kind::host ? 2 : 1)));
    const float height = t.font_size(TextStyle::mono);
    if (at.height() < height * 0.8F) return;  // letters are lower than the font size
    const std::string words =
        longest_fitting_text(TextStyle::mono, {node.label, first_word(node.label)}, at.width() - t.px(4));
    if (words.empty()) return;
    const glm::vec2 corner = at.centre() - glm::vec2(text_size(TextStyle::mono, words).x, height) / 2.0F;
    draw_plot_text(list, TextStyle::mono, glm::round(corner), t.text_on(style.fill), words);
}

struct GraphPaint {
    const Graph& graph;
    const GraphLayout& layout;
    ScreenTransform screen;
    ImDrawList* list;
    const PlotView& view;
    bool is_small = false;                 ///< on a card: without text
    std::optional<std::size_t> node = {};  ///< under the mouse

    bool is_highlighted(std::size_t n) const {
        return n == node || ui::is_highlighted(view, graph.nodes[n].highlight_ids);
    }
};

void draw_strokes(const GraphPaint& paint) {
    const Theme& t = theme();
    const ImU32 quiet = mix(t.palette().line, t.palette().quiet, 0.6F);
    for (const bool highlighted : {false, true})
        for (const GraphStroke& stroke : paint.layout.strokes)
            if (highlighted == (stroke.from == paint.node || stroke.to == paint.node))
                draw_stroke(paint.list, paint.screen, stroke, highlighted ? t.palette().text : quiet,
                            std::max(1.0F, t.px(highlighted ? 2 : 1.25F)));
}

void draw_brackets(const GraphPaint& paint) {
    const Theme& t = theme();
    for (const GraphBracket& bracket : paint.layout.brackets) {
        const glm::vec2 left = paint.screen.at(bracket.left), right = paint.screen.at(bracket.right);
        paint.list->AddRectFilled(left, {right.x, left.y + std::max(2.0F, t.px(2))},
                                  t.series_color(bracket.group));
        if (bracket.lines == 0 || paint.screen.zoom < min_words_zoom) continue;
        const float room = bracket.room * paint.screen.zoom;
        // Lines broken between words are not quite full.
        const float full_width =
            bracket.lines == 1 ? room : room * (static_cast<float>(bracket.lines) - 0.4F);
        const glm::vec2 corner =
            paint.screen.at({bracket.sentence_x, bracket.left.y}) + glm::vec2(0, t.px(6));
        draw_glyphs(paint.list, t.font(TextStyle::note), glm::round(corner), t.palette().quiet,
                    elide(TextStyle::note, paint.graph.groups[bracket.group], full_width), room);
    }
}

void draw_graph_parts(const GraphPaint& paint) {
    draw_strokes(paint);
    for (std::size_t n = 0; n < paint.graph.nodes.size(); ++n)
        draw_node(paint.list, paint.graph.nodes[n], paint.screen.at(paint.layout.nodes[n]), paint.is_small,
                  paint.is_highlighted(n));
    draw_brackets(paint);
}

void draw_hover_readout(const GraphPaint& paint, glm::vec2 mouse, const ReadoutLine& hint) {
    const Node& node = paint.graph.nodes[*paint.node];
    std::vector<ReadoutLine> lines{{0, node.label, {}}};
    if (!node.note.empty()) lines.push_back({0, node.note, {}});
    if (node.group && *node.group < paint.graph.groups.size() && !paint.graph.groups[*node.group].empty())
        lines.push_back({0, paint.graph.groups[*node.group], {}});
    lines.push_back(hint);
    draw_readout(lines, mouse);
}

/// Computed once per graph, because minimizing crossings is too slow for a frame.
const GraphOrder& get_graph_order(PlotState& state, const Graph& graph) {
    if (!state.graph || state.graph->graph != graph) state.graph = {graph, order_graph(graph)};
    return state.graph->order;
}

}  // namespace

ImU32 group_color(std::size_t group) {
    return mix(theme().palette().ground, theme().series_color(group), 0.45F);
}

bool is_highlighted(const PlotView& view, const HighlightIds& highlight_ids) {
    return std::ranges::find_first_of(view.highlighted, highlight_ids) != view.highlighted.end();
}

float natural_height(const Graph& graph, PlotState& state, float width) {
    const std::vector<LegendEntry> legend = make_legend(graph);
    const GraphLayout layout = layout_graph(graph, get_graph_order(state, graph), graph_sizes(graph), width);
    return layout.size.y + legend_height(legend, width, width) + theme().px(4);
}

void draw_graph(std::string_view id, const Plot& plot, const Graph& graph, PlotView& view, glm::vec2 size) {
    const Theme& t = theme();
    PlotState& state = *view.state;
    const glm::vec2 origin = ImGui::GetCursorScreenPos();
    const std::vector<LegendEntry> legend = make_legend(graph);
    const float legend_space = legend_height(legend, size.x, size.x);
    const float natural = natural_height(graph, state, size.x);
    size.y = size.y > 0 ? std::min(size.y, natural) : natural;
    PlotArea area{{origin + glm::vec2(0, t.px(2)), {}}, false, {}, {}};
    area.max = glm::max(area.min + t.px(24), origin + size - glm::vec2(0, legend_space + t.px(2)));
    const FittedGraph fitted = fit_graph_with_text(graph, get_graph_order(state, graph), area.size());

    // The axes are pixels of the layout; y runs upwards in a plot. A graph smaller than the area is at its
    // left.
    const glm::dvec2 visible_size = glm::dvec2(area.size()) / static_cast<double>(fitted.zoom);
    const Range fit_x{0, visible_size.x}, fit_y{-visible_size.y, 0};
    update_ranges(view, fit_x, fit_y, &area.x, &area.y);
    const Navigation navigation =
        navigate(id, plot, view,
                 {.area = area, .fit_x = fit_x, .fit_y = fit_y, .min_span_x = static_cast<double>(t.px(160))},
                 origin, {origin.x + size.x, area.max.y});
    if (navigation.has_changed && !view.is_fitted) {
        // Keep the aspect ratio, also after a zoom to a box.
        const double middle = (view.y_min + view.y_max) / 2;
        const double half = (view.x_max - view.x_min) * area.height() / area.width() / 2;
        view.y_min = middle - half;
        view.y_max = middle + half;
    }
    if (navigation.has_changed) update_ranges(view, fit_x, fit_y, &area.x, &area.y);
    state.area = area;

    const glm::vec2 mouse = ImGui::GetIO().MousePos;
    GraphPaint paint{graph,
                     fitted.layout,
                     {{area.along_x(0), area.along_y(0)}, area.width() / static_cast<float>(area.x.length())},
                     ImGui::GetWindowDrawList(),
                     view};
    if (navigation.is_hovered && !state.is_box_zooming)
        for (std::size_t n = 0; n < graph.nodes.size(); ++n)
            if (paint.screen.at(fitted.layout.nodes[n]).contains(mouse)) paint.node = n;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        const Rect at = paint.screen.at(fitted.layout.nodes[n]).clipped_to(area);
        if (at.width() > 0 && at.height() > 0)
            register_widget(fmt::format("{}.node.{}", id, n), "node", at.min, at.max, graph.nodes[n].label);
    }
    if (paint.node) view.hovered = graph.nodes[*paint.node].highlight_ids;
    paint.list->PushClipRect(area.min - t.px(2), area.max + t.px(2), true);
    draw_graph_parts(paint);
    draw_zoom_box(paint.list, view, area, false);
    paint.list->PopClipRect();
    draw_fit_button(paint.list, navigation);
    draw_legend(id, legend, {origin.x, area.max.y + t.px(2)}, size.x, size.x, false);
    if (paint.node) draw_hover_readout(paint, mouse, wheel_hint(state));
    end_plot(id, origin, size, navigation.is_focused, area.max.y);
}

void draw_small_graph(const Graph& graph, PlotView& view, const Rect& rect) {
    Graph unlabelled = graph;
    unlabelled.groups.clear();
    for (Node& node : unlabelled.nodes)
        node.label.clear();
    const FittedGraph fitted = fit_graph(unlabelled, get_graph_order(*view.state, graph), rect.size(),
                                         min_zoom, [&graph](float) { return small_graph_sizes(graph); });
    const glm::vec2 spare = rect.size() - fitted.layout.size * fitted.zoom;
    draw_graph_parts({unlabelled,
                      fitted.layout,
                      {glm::round(rect.min + spare / 2.0F), fitted.zoom},
                      ImGui::GetWindowDrawList(),
                      view,
                      /*small=*/true});
}

}  // namespace gridstride::ui
