// Shared by the parts of a plot: the area and its axes, the state kept between frames, and drawing helpers.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/plot.h"
#include "present/axis.h"
#include "present/graph_layout.h"
#include "ui/pictures/series_data.h"
#include "ui/plot/cell_runs.h"
#include "ui/plot/plot_view.h"
#include "ui/widgets/rect.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

/// The rectangle of the data and the visible ranges of its axes. `is_horizontal`: x runs down, y to the
/// right.
struct PlotArea : Rect {
    bool is_horizontal = false;
    Range x, y;

    float x_length() const { return is_horizontal ? height() : width(); }
    float y_length() const { return is_horizontal ? width() : height(); }
    float along_x(double position) const;  ///< screen coordinate, clamped
    float along_y(double position) const;
    glm::vec2 at(double x_position, double y_position) const;
    double x_under(glm::vec2 point) const;
    double y_under(glm::vec2 point) const;
    /// Returns the rectangle between two coordinates along x and two along y, in any order.
    Rect corners(float x0, float x1, float y0, float y1) const;
};

/// The point, bar or map cell under the mouse.
struct Hit {
    std::size_t series = 0;  ///< in a map: the row, from the top
    std::size_t index = 0;   ///< in a map: the column
    double x = 0;
    double y = 0;
};

struct Differences {
    std::size_t bars = 0, outlines = 0;  ///< indices of their series
    bool has_many_bars = false;          ///< many bars: the differences are drawn in place of the outlines
    std::vector<std::size_t> wrong;      ///< indices, ascending
    Series series;                       ///< if has_many_bars: bar minus outline of the wrong bars
    SeriesData data;
    std::string label;  ///< "GPU − CPU reference"
    Rect area;          ///< below the bars; empty if no bar is wrong or there is no room
    Range shown;
    std::vector<Tick> ticks;

    bool is_wrong(std::size_t bar) const { return std::ranges::binary_search(wrong, bar); }
    bool any_in(std::size_t begin, std::size_t end) const {
        const auto first = std::ranges::lower_bound(wrong, begin);
        return first != wrong.end() && *first < end;
    }
};

/// A marker whose position was changed by the user and not yet by the figure.
struct PendingMarkerMove {
    std::string parameter;
    double at = 0;
    double from = 0;        ///< the figure's position at the release
    double expires_at = 0;  ///< in ImGui::GetTime(): then the figure's position applies
};

struct PlotState {
    bool is_drawn = false;  ///< x and y hold the ranges of the last frame
    Range x, y;
    bool is_animating = false;
    bool is_held = false;         ///< a mouse button was pressed on it and is still down
    bool is_box_zooming = false;  ///< with the right button
    bool is_dragged = false;
    glm::vec2 press_position;
    std::optional<glm::vec2> last_position;  ///< position in the last frame; changes when the panel scrolls
    bool is_wheel_enabled = false;           ///< it was clicked: the wheel zooms
    bool owns_wheel = false;  ///< ImGui knows since the last frame and does not scroll the panel

    glm::ivec2 data_vertices{0};  ///< first and last; they fade if stale, axes and markers do not

    std::optional<PlotFile> chosen;  ///< in the menu, in this frame
    bool menu_by_key = false;        ///< opened by keyboard, which then returns to the plot

    /// In a map: the cell selected by the arrow keys. Row 0 is the lowest.
    std::size_t key_column = 0, key_row = 0;

    PlotArea area;                 ///< of a figure or map in the last frame, for the caller's own marks
    std::optional<Hit> hit;        ///< under the mouse, or in a map the cell selected by keys
    glm::vec2 hit_position;        ///< of a map: the mouse position, or the middle of the cell
    bool was_hit_clicked = false;  ///< of a map: by mouse or keys

    std::vector<SeriesData> data;
    std::vector<ImU32> colors;
    std::vector<Tick> x_ticks, y_ticks;
    std::optional<Differences> differences;
    std::optional<PendingMarkerMove> pending_move;
    std::vector<bool> has_value_labels;  ///< series with numbers at their bars
    std::string x_title, y_title;

    struct OrderedGraph {
        Graph graph;
        GraphOrder order;
    };
    std::optional<OrderedGraph> graph;

    std::vector<CellRuns> cells;
    std::size_t picture = 0;  ///< the one under the mouse, or being dragged
};

/// A line of the readout beside the mouse: "swatch label value", or text only.
struct ReadoutLine {
    ImU32 color = 0;  ///< of the swatch; 0: none
    std::string label;
    std::string value;
    bool hint = false;  ///< explains the mouse
};

/// Limits on how mouse and keys may change a plot's view.
struct NavigationLimits {
    PlotArea area;
    Range fit_x, fit_y;       ///< the ranges that "Fit" shows
    bool is_y_fixed = false;  ///< only x can be moved
    /// The wheel over the data zooms x only: with ten million samples, zooming both axes would lose the curve
    /// before single samples are visible.
    bool wheel_along_x = false;
    bool is_fixed = false;  ///< a map: the view does not move; the arrow keys select cells
    double min_span_x = 0;  ///< minimum length of the visible x range
};
struct Navigation {
    bool over = false;         ///< the mouse is over the plot
    bool is_hovered = false;   ///< the mouse is over the data
    bool has_changed = false;  ///< the view changed in this frame
    bool is_focused = false;   ///< by keyboard
    bool was_clicked = false;  ///< by mouse, Space or Enter
    std::optional<Item> fit;   ///< the button, while the plot is zoomed
};
/// Handles mouse and keys over [min, max], the plot with its axis labels; over the labels, the wheel zooms
/// one axis.
Navigation navigate(std::string_view id, const Plot& plot, PlotView& view, const NavigationLimits& what,
                    glm::vec2 min, glm::vec2 max);
/// The context menu of a plot: copy its values, or save them or a picture. The chosen file type is stored in
/// view.state->chosen.
enum class MenuTrigger { none, by_mouse, by_key };
struct PlotMenu {
    MenuTrigger opens = MenuTrigger::none;
    bool fits = true;  ///< the menu contains "Fit"
    glm::vec2 corner;  ///< of the plot: position of a menu opened by keyboard
};
/// Must be called between PushID() and PopID() of the plot. Returns true if the view was fitted.
bool draw_plot_menu(const std::string& id, PlotView& view, const PlotMenu& menu,
                    const std::function<std::string()>& csv);
void fit(PlotView& view);
/// Must be called after the data are drawn.
void draw_fit_button(ImDrawList* list, const Navigation& navigation);
/// Explains how to zoom with the wheel, for the last line of a readout.
ReadoutLine wheel_hint(const PlotState& state);

/// Sets *x and *y to the ranges of this frame and stores them in the state: the fit, the user's view, or a
/// step of the animation between them.
void update_ranges(PlotView& view, Range fit_x, Range fit_y, Range* x, Range* y);
void draw_zoom_box(ImDrawList* list, const PlotView& view, const PlotArea& area, bool is_y_fixed);
/// Draws the focus ring down to ring_bottom, registers the plot as a widget, and moves the cursor below it.
void end_plot(std::string_view id, glm::vec2 origin, glm::vec2 size, bool is_focused, float ring_bottom);

enum class Swatch { square, outline, hatch, frame, thick_frame, line, upright, dot };
struct LegendEntry {
    std::string_view label;
    ImU32 color = 0;
    Swatch swatch = Swatch::square;
    bool is_hidden = false;
    std::size_t shape = 0;  ///< for draw_point_shape(), of a line's or scatter's points
};
/// Returns the height of the entries, wrapped at `width` pixels; `first_row`: the width of the first row.
float legend_height(const std::vector<LegendEntry>& entries, float width, float first_row);
/// Draws the legend. Returns the index of the entry that was clicked. Clickable entries register as
/// "<id>.legend.<n>".
std::optional<std::size_t> draw_legend(std::string_view id, const std::vector<LegendEntry>& entries,
                                       glm::vec2 position, float width, float first_row, bool is_clickable);

/// Draws a small box of lines beside the mouse.
void draw_readout(const std::vector<ReadoutLine>& lines, glm::vec2 at);

/// Draw text with its glyphs, not its line, at the given top left or top right corner.
void draw_plot_text(ImDrawList* list, TextStyle type, glm::vec2 position, ImU32 color, std::string_view text);
void draw_plot_text_right(ImDrawList* list, TextStyle type, glm::vec2 top_right, ImU32 color,
                          std::string_view text);

/// Returns the thickness of a highlighted cell's frame, for PlotHighlight::is_strong or not.
float ring_width(bool is_strong);
/// Returns the rectangle of a map's cell; `row` counts from the top.
Rect cell_rect(const PlotArea& area, std::size_t row, std::size_t column);

/// Rows and bars use spare height, up to this multiple of their natural height.
constexpr float max_stretch = 1.5F;

/// Draws many rectangles in few calls; the destructor releases the unused reservation.
class RectBatch {
 public:
    explicit RectBatch(ImDrawList* list) : list_(list) {}
    ~RectBatch();
    RectBatch(const RectBatch&) = delete;
    RectBatch& operator=(const RectBatch&) = delete;
    void add(glm::vec2 min, glm::vec2 max, ImU32 color);

 private:
    ImDrawList* list_;
    int remaining_ = 0;
};

struct FigurePaint {
    const Figure& figure;
    const PlotView& view;
    PlotState& state;
    PlotArea area;
    ImDrawList* list;
    std::optional<Hit> hit;
    bool is_small = false;                ///< on a card: only the data
    std::optional<std::size_t> box = {};  ///< under the mouse

    bool is_hidden(std::size_t series) const { return series < view.hidden.size() && view.hidden[series]; }
    auto visible_series(Mark mark) const {
        return std::views::iota(std::size_t{0}, figure.series.size()) |
               std::views::filter(
                   [this, mark](std::size_t s) { return figure.series[s].mark == mark && !is_hidden(s); });
    }
    bool is_wrong(std::size_t series, std::size_t index) const {
        return state.differences && state.differences->bars == series && state.differences->is_wrong(index);
    }
    /// Returns a bar's colour, brighter under the mouse.
    ImU32 color(std::size_t series, std::size_t index, float highlighted) const {
        const bool under_mouse = hit && hit->series == series && hit->index == index;
        const std::vector<ColorRole>& color_roles = figure.series[series].color_roles;
        const ImU32 own = is_wrong(series, index)      ? theme().color(ColorRole::wrong)
                          : index < color_roles.size() ? theme().color(color_roles[index])
                                                       : state.colors[series];
        return under_mouse ? mix(own, theme().palette().text, highlighted) : own;
    }
    AxisUnit y_unit() const { return axis_unit(figure.y, area.y); }
    /// Returns the screen coordinate of a value; the lower end, where bars start, if a logarithmic axis
    /// cannot show it.
    float along_value(double value) const {
        const double at = to_axis(figure.y.scale, value);
        return area.along_y(std::isnan(at) ? area.y.low : at);
    }
};
/// The layout of the parts around the data; the data are at paint.area.
struct FigureLayout {
    Range fit_x, fit_y;
    float legend_top = 0;
    float first_legend_row = 0;
    bool x_axis_below = true;         ///< with numbers or names below the plot
    glm::vec2 title_top_right{0, 0};  ///< top right corner of the horizontal axis's title
};
/// Lays out only the data, in the rectangle.
void lay_out_small(FigurePaint& paint, const Rect& rect);
/// Lays the figure out in [origin, origin + size]; sets the ranges of the axes, and the state's ticks and
/// titles.
FigureLayout lay_out(FigurePaint& paint, PlotView& view, glm::vec2 origin, glm::vec2 size,
                     const std::vector<LegendEntry>& legend);
/// Returns the height with room for all texts, at this width, in pixels.
float natural_height(const Graph& graph, PlotState& state, float width);
float natural_height(const Timeline& timeline, float width);
/// Returns the height of a figure without a given height: that of its horizontal bars, or the default.
float natural_height(const Figure& figure, float legend_space);
TextStyle tick_type(const Axis& axis);
float max_tick_width(const std::vector<Tick>& ticks, TextStyle type);

/// Pixels along x that are drawn as one column: as wide as a line, so that a single spike stays visible at
/// 200 %.
float column_width();
bool is_bar(Mark mark);
/// The place of a bar within its group, in axis units relative to its x.
struct BarSlot {
    double pitch = 1;   ///< between groups
    double offset = 0;  ///< of the bar's middle from x
    double width = 0.7;
    /// Width available to a number over the bar, along x.
    double label_room() const { return offset == 0 ? pitch : width; }
};
BarSlot bar_slot(const FigurePaint& paint, std::size_t series);
SampleRange visible_bars(const FigurePaint& paint, std::size_t series, const BarSlot& slot);
/// Returns a bar's rectangle in whole pixels, at least one pixel wide. `from` and `to`: screen coordinates
/// along y.
Rect bar_rect(const FigurePaint& paint, const BarSlot& slot, double x, float from, float to);
float max_number_width(const SeriesData& data, SampleRange range, const AxisUnit& unit);
/// Returns, for each pixel column along x, the extent of the samples in it.
std::vector<Column> screen_columns(const FigurePaint& paint, std::size_t series);
/// Returns the sum of the visible stacked series below this one at index i, where its segment starts.
double stack_base(const FigurePaint& paint, std::size_t series, std::size_t i);

/// Compares bars and outlines, if `has_changed`.
void find_differences(const FigurePaint& paint, bool has_changed);
/// Reserves the lower part of `area` for the differences.
void lay_out_differences(const FigurePaint& paint, PlotArea& area);
void draw_differences(const FigurePaint& paint);
/// Returns the wrong bar whose difference is under the mouse; nullopt if there is none.
std::optional<Hit> find_difference(const FigurePaint& paint, glm::vec2 mouse);
/// Marks each wrong bar with a cross, if there are few bars.
void mark_wrong_bars(const FigurePaint& paint);
void draw_bars(const FigurePaint& paint);
void draw_bar_labels(const FigurePaint& paint);
void draw_stacks(const FigurePaint& paint);
void draw_lines(const FigurePaint& paint);
void draw_points(const FigurePaint& paint);
/// Returns the index of a series' point shape: circle, square, triangle, diamond, repeating. Hiding a series
/// does not change the others.
std::size_t point_shape(const Figure& figure, std::size_t series);
void draw_point_shape(ImDrawList* list, std::size_t shape, glm::vec2 at, float radius, ImU32 color);
void draw_errors(const FigurePaint& paint);
/// Returns the range of all boxes on an axis; low > high if there are none.
Range box_range(const Figure& figure, bool along_x);
std::optional<std::size_t> find_box(const FigurePaint& paint, glm::vec2 mouse);
void draw_boxes(const FigurePaint& paint);
/// Adds the readout of a box.
void add_box_readout(const Figure& figure, std::size_t index, std::vector<ReadoutLine>& lines);
/// Marker lines go below the data, their labels above.
void draw_marker_lines(const FigurePaint& paint);
void draw_marker_labels(const FigurePaint& paint);
/// Returns the pixels that marker labels need at the top of the area.
float marker_label_space(const FigurePaint& paint);
/// Draw the caller's marks: view.rings and view.crosses.
void draw_rings(const FigurePaint& paint);
void draw_crosses(const FigurePaint& paint);
/// Returns the rectangle of a cross at a position on the x axis.
Rect cross_rect(const PlotArea& area, double axis_x);
std::optional<std::size_t> find_marker(const FigurePaint& paint, glm::vec2 mouse);
/// Returns the marker's current position, which follows the mouse during a drag.
double marker_position(const FigurePaint& paint, const Figure::Marker& marker);
/// Moves the markers of parameters by mouse and keys. Must be called before the plot handles the mouse.
std::optional<MarkerMove> move_markers(std::string_view id, const FigurePaint& paint);
std::optional<Hit> find_hit(const FigurePaint& paint, glm::vec2 mouse);

std::optional<MarkerMove> draw_figure(std::string_view id, const Plot& plot, const Figure& figure,
                                      PlotView& view, glm::vec2 size);
void draw_cells(std::string_view id, const Plot& plot, const Cells& cells, PlotView& view, glm::vec2 size);
void draw_timeline(std::string_view id, const Plot& plot, const Timeline& timeline, PlotView& view,
                   glm::vec2 size);
void draw_graph(std::string_view id, const Plot& plot, const Graph& graph, PlotView& view, glm::vec2 size);
void draw_small_figure(const Figure& figure, PlotView& view, const Rect& rect);
void draw_small_cells(const Cells& cells, PlotView& view, const Rect& rect);
void draw_small_timeline(const Timeline& timeline, const PlotView& view, const Rect& rect);
void draw_small_graph(const Graph& graph, PlotView& view, const Rect& rect);

/// Returns a shade of a group's colour on which text is readable.
ImU32 group_color(std::size_t group);
/// Returns true if one of the subjects is under the mouse, in this or in another picture.
bool is_highlighted(const PlotView& view, const HighlightIds& highlight_ids);

}  // namespace gridstride::ui
