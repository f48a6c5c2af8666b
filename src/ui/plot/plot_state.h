// What the parts of a plot share: the area and its axes, what is remembered between frames, and small drawing
// aids.
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

/// The rectangle in which data are drawn, and what of the axes it shows. Horizontal: x runs down, y to the
/// right.
struct PlotArea : Rect {
    bool horizontal = false;
    Range x, y;

    float x_length() const { return horizontal ? height() : width(); }
    float y_length() const { return horizontal ? width() : height(); }
    float along_x(double position) const;  ///< screen coordinate, kept within reach of a float
    float along_y(double position) const;
    glm::vec2 at(double x_position, double y_position) const;
    double x_under(glm::vec2 point) const;
    double y_under(glm::vec2 point) const;
    /// From two coordinates along x and two along y, in any order, to the corners of a rectangle.
    Rect corners(float x0, float x1, float y0, float y1) const;
};

/// The point, bar or cell of a map that is pointed at.
struct Hit {
    std::size_t series = 0;  ///< or the row, from the top
    std::size_t index = 0;   ///< or the column
    double x = 0;
    double y = 0;
};

/// Which bars of a figure are not what its outlines say, where it has both.
struct Differences {
    std::size_t bars = 0, outlines = 0;  ///< their series
    bool of_many = false;                ///< bars: the differences stand in place of the outlines
    std::vector<std::size_t> wrong;      ///< by index, rising
    Series series;                       ///< of many: bar minus outline of those that are wrong
    SeriesData data;
    std::string label;  ///< "GPU − CPU reference"
    Rect area;          ///< under the bars; empty where none is wrong, or there is no room
    Range shown;
    std::vector<Tick> ticks;

    bool is_wrong(std::size_t bar) const { return std::ranges::binary_search(wrong, bar); }
    bool any_in(std::size_t begin, std::size_t end) const {
        const auto first = std::ranges::lower_bound(wrong, begin);
        return first != wrong.end() && *first < end;
    }
};

/// A marker that is, or was a moment ago, somewhere else than its figure says.
struct MovingMarker {
    std::string parameter;
    double at = 0;
    double from = 0;   ///< what the figure said when it was let go
    double until = 0;  ///< on ImGui's clock: then it is where the figure says
};

struct PlotState {
    bool drawn = false;  ///< x and y hold what the last frame showed
    Range x, y;
    bool easing = false;
    bool held = false;    ///< a mouse button went down on it and is still down
    bool boxing = false;  ///< the right one
    bool dragged = false;
    glm::vec2 press;
    std::optional<glm::vec2> stood_at;  ///< in the last frame; moves when the panel scrolls
    bool wants_wheel = false;           ///< it was clicked since: the wheel zooms
    bool owns_wheel = false;            ///< ImGui was told so a frame ago, and does not scroll the panel

    glm::ivec2 data_vertices{0};  ///< from and to: they fade when it is stale, axes and markers do not

    std::optional<PlotFile> chosen;  ///< in the menu, in this frame
    bool menu_by_key = false;        ///< the keyboard opened the menu, and goes back to the plot

    std::size_t key_column = 0, key_row = 0;  ///< of a map: where the arrow keys are, from the lowest row

    PlotArea area;             ///< of a figure or a map, as it was drawn last: for marks that the caller adds
    std::optional<Hit> hit;    ///< what the mouse, or in a map the keys, were on then
    glm::vec2 hit_at;          ///< of a map: the mouse, or the middle of the cell that the keys are on
    bool hit_clicked = false;  ///< of a map: pressed, by mouse or keys

    std::vector<SeriesData> data;
    std::vector<ImU32> colors;
    std::vector<Tick> x_ticks, y_ticks;
    std::optional<Differences> differences;
    std::optional<MovingMarker> moving;
    std::vector<bool> labelled;  ///< series whose bars carry their numbers
    std::string x_title, y_title;

    struct OrderedGraph {
        Graph graph;
        GraphOrder order;
    };
    std::optional<OrderedGraph> graph;

    std::vector<CellRuns> cells;
    std::size_t picture = 0;  ///< the one that the mouse is on, or holds
};

/// Of the box beside the mouse: "swatch label value", or words alone.
struct ReadoutLine {
    ImU32 color = 0;  ///< of the swatch; 0: none
    std::string label;
    std::string value;
    bool hint = false;  ///< of what the mouse can do
};

/// What a plot lets the mouse and the keys do to its view.
struct Navigable {
    PlotArea area;
    Range fit_x, fit_y;    ///< what "fit" shows
    bool y_fixed = false;  ///< rows: only x can be moved
    /// The wheel over the data zooms x alone: of ten million samples, a zoom on both axes would lose the
    /// curve before single samples are seen.
    bool wheel_along_x = false;
    bool fixed = false;     ///< a map: its view does not move, and the arrow keys are its own
    double min_span_x = 0;  ///< what the x axis shows at least
};
struct Navigation {
    bool over = false;        ///< the mouse is over the plot
    bool hovered = false;     ///< the mouse is over the data
    bool changed = false;     ///< the view, in this frame
    bool focused = false;     ///< by keyboard
    bool clicked = false;     ///< or Space or Enter was pressed
    std::optional<Item> fit;  ///< the button that is there while the plot is zoomed
};
/// Takes the input over [min, max], the plot with its axis labels: on the labels the wheel zooms one axis.
Navigation navigate(std::string_view id, const Plot& plot, PlotView& view, const Navigable& what,
                    glm::vec2 min, glm::vec2 max);
/// The context menu of a plot: its values to copy, and files. What it chose to write is left in
/// view.state->chosen.
enum class MenuOpens { not_now, by_mouse, by_key };
struct PlotMenu {
    MenuOpens opens = MenuOpens::not_now;
    bool fits = true;  ///< has a view that can be moved, and "Fit" to bring it back
    glm::vec2 corner;  ///< of the plot: where the menu opens by key
};
/// Between PushID() and PopID() of the plot. True when the view was fitted.
bool draw_plot_menu(const std::string& id, PlotView& view, const PlotMenu& menu,
                    const std::function<std::string()>& csv);
/// The axes follow the data again.
void fit(PlotView& view);
/// Over the data.
void draw_fit_button(ImDrawList* list, const Navigation& navigation);
/// How the plot is zoomed now, for a readout's last line.
ReadoutLine wheel_hint(const PlotState& state);

/// What to show in this frame, which the state remembers as drawn: the fit, the user's view, or a step from
/// one to the other.
void settle_ranges(PlotView& view, Range fit_x, Range fit_y, Range* x, Range* y);
void draw_zoom_box(ImDrawList* list, const PlotView& view, const PlotArea& area, bool y_fixed);
/// The ring where a plot has the keyboard, down to ring_bottom; its place in the widget map; the cursor after
/// it.
void end_plot(std::string_view id, glm::vec2 origin, glm::vec2 size, bool focused, float ring_bottom);

enum class Swatch { square, outline, hatch, frame, thick_frame, line, upright, dot };
struct LegendEntry {
    std::string_view label;
    ImU32 color = 0;
    Swatch swatch = Swatch::square;
    bool hidden = false;
    std::size_t shape = 0;  ///< of a line's or a dot's points, as draw_point_shape() counts them
};
/// Entries from the left, wrapped at the width. first_row is the width of the first row, where something
/// stands beside it.
float legend_height(const std::vector<LegendEntry>& entries, float width, float first_row);
/// Returns the entry that was clicked. Entries register as "<id>.legend.<n>"; clickable = false: they are
/// only read.
std::optional<std::size_t> draw_legend(std::string_view id, const std::vector<LegendEntry>& entries,
                                       glm::vec2 position, float width, float first_row, bool clickable);

/// A small box of lines beside the mouse, the first quiet.
void draw_readout(const std::vector<ReadoutLine>& lines, glm::vec2 at);

/// Text by the top left (or right) corner of its glyphs rather than of its line.
void put_text(ImDrawList* list, Type type, glm::vec2 position, ImU32 color, std::string_view text);
void put_text_right(ImDrawList* list, Type type, glm::vec2 top_right, ImU32 color, std::string_view text);

/// Thickness of the frame of a cell or bar that stands out, by PlotRing::strong.
float ring_width(bool strong);
/// Where the cell of a map stands. row: from the top.
Rect cell_corners(const PlotArea& area, std::size_t row, std::size_t column);

/// Rows and bars use the room that there is, up to so many times the height that they need.
constexpr float max_stretch = 1.5F;

/// Many rectangles in few calls; the last ones are given back when it ends.
class RectBatch {
 public:
    explicit RectBatch(ImDrawList* list) : list_(list) {}
    ~RectBatch();
    RectBatch(const RectBatch&) = delete;
    RectBatch& operator=(const RectBatch&) = delete;
    void add(glm::vec2 min, glm::vec2 max, ImU32 color);

 private:
    ImDrawList* list_;
    int left_ = 0;
};

/// Everything that drawing the marks of a figure needs.
struct FigurePaint {
    const Figure& figure;
    const PlotView& view;
    PlotState& state;
    PlotArea area;
    ImDrawList* list;
    std::optional<Hit> hit;
    bool small = false;                   ///< on a card: the data alone
    std::optional<std::size_t> box = {};  ///< under the mouse

    bool hidden(std::size_t series) const { return series < view.hidden.size() && view.hidden[series]; }
    /// The series with this mark, without hidden ones.
    auto shown(Mark mark) const {
        return std::views::iota(std::size_t{0}, figure.series.size()) |
               std::views::filter(
                   [this, mark](std::size_t s) { return figure.series[s].mark == mark && !hidden(s); });
    }
    bool is_wrong(std::size_t series, std::size_t index) const {
        return state.differences && state.differences->bars == series && state.differences->is_wrong(index);
    }
    /// Of a bar, brighter under the mouse.
    ImU32 color(std::size_t series, std::size_t index, float lit) const {
        const bool under_mouse = hit && hit->series == series && hit->index == index;
        const std::vector<Ink>& inks = figure.series[series].inks;
        const ImU32 own = is_wrong(series, index) ? theme().color(Ink::wrong)
                          : index < inks.size()   ? theme().color(inks[index])
                                                  : state.colors[series];
        return under_mouse ? mix(own, theme().palette().text, lit) : own;
    }
    AxisUnit y_unit() const { return axis_unit(figure.y, area.y); }
    /// On the screen; the lower end where a logarithmic axis has no place for it, which is where bars start.
    float along_value(double value) const {
        const double at = to_axis(figure.y.scale, value);
        return area.along_y(std::isnan(at) ? area.y.low : at);
    }
};
/// Where the parts of a figure stand beside the data, which are paint.area's.
struct FigureLayout {
    Range fit_x, fit_y;
    float legend_top = 0;
    float first_legend_row = 0;
    bool x_axis_below = true;     ///< numbers or names under the plot
    glm::vec2 title_right{0, 0};  ///< top right corner of the title of the axis that runs to the right
};
/// Lays the figure out in [origin, origin + size], settles what its axes show and fills the state's ticks and
/// titles.
/// The whole data in the rectangle, and nothing beside them.
void lay_out_small(FigurePaint& paint, const Rect& rect);
FigureLayout lay_out(FigurePaint& paint, PlotView& view, glm::vec2 origin, glm::vec2 size,
                     const std::vector<LegendEntry>& legend);
/// With room for all of its words, at this width.
float natural_height(const Graph& graph, PlotState& state, float width);
float natural_height(const Timeline& timeline, float width);
/// What a figure wants when it is asked: rows of its bars, or the usual height.
float natural_height(const Figure& figure, float legend_space);
Type tick_type(const Axis& axis);
float widest_tick(const std::vector<Tick>& ticks, Type type);

/// Pixels along x that many samples share: as wide as a line, so that a single spike stays as visible at 200
/// %.
float column_width();
bool is_bar(Mark mark);
/// Where the bars of a series stand, in axis units around its x.
struct BarSlot {
    double pitch = 1;   ///< between neighbouring groups
    double offset = 0;  ///< of the bar's middle from x
    double width = 0.7;
    /// Of a number over the bar, along x.
    double label_room() const { return offset == 0 ? pitch : width; }
};
BarSlot bar_slot(const FigurePaint& paint, std::size_t series);
SampleRange visible_bars(const FigurePaint& paint, std::size_t series, const BarSlot& slot);
/// In whole pixels, at least one wide. `from` and `to`: along y, on the screen.
Rect bar_corners(const FigurePaint& paint, const BarSlot& slot, double x, float from, float to);
float widest_number(const SeriesData& data, SampleRange range, const AxisUnit& unit);
/// What the pixels of the area along x show of a series.
std::vector<Column> screen_columns(const FigurePaint& paint, std::size_t series);
/// The sums of the visible stacked series before this one, at x position index i: where its segment starts.
double stack_below(const FigurePaint& paint, std::size_t series, std::size_t i);

/// Compares bars and outlines, when one of them changed.
void find_differences(const FigurePaint& paint, bool changed);
/// Makes room for the differences under the bars, whose area ends at `bottom` with them.
void place_differences(const FigurePaint& paint, PlotArea& area);
void draw_differences(const FigurePaint& paint);
/// The wrong bar that the mouse means there; nullopt: it is elsewhere, or none is near.
std::optional<Hit> find_difference(const FigurePaint& paint, glm::vec2 mouse);
/// A cross at each wrong bar of few.
void mark_wrong_bars(const FigurePaint& paint);
void draw_bars(const FigurePaint& paint);
void draw_bar_labels(const FigurePaint& paint);
void draw_stacks(const FigurePaint& paint);
void draw_lines(const FigurePaint& paint);
void draw_points(const FigurePaint& paint);
/// The shape of a series' points: circle, square, triangle, diamond, and again. Hiding one changes no other.
std::size_t point_shape(const Figure& figure, std::size_t series);
void draw_point_shape(ImDrawList* list, std::size_t shape, glm::vec2 at, float radius, ImU32 color);
void draw_errors(const FigurePaint& paint);
/// What boxes span, on an axis; low > high where there are none.
Range box_range(const Figure& figure, bool along_x);
std::optional<std::size_t> find_box(const FigurePaint& paint, glm::vec2 mouse);
void draw_boxes(const FigurePaint& paint);
/// What is said of one under the mouse.
void add_box(const Figure& figure, std::size_t index, std::vector<ReadoutLine>& lines);
/// Markers: their lines under the data, their labels over it.
void draw_marker_lines(const FigurePaint& paint);
void draw_marker_labels(const FigurePaint& paint);
/// Pixels at the upper edge that the labels take with what the area shows.
float marker_label_space(const FigurePaint& paint);
/// What the caller marks: view.rings and view.crosses.
void draw_rings(const FigurePaint& paint);
void draw_crosses(const FigurePaint& paint);
/// Where the cross of a position on the x axis stands.
Rect cross_corners(const PlotArea& area, double axis_x);
std::optional<std::size_t> find_marker(const FigurePaint& paint, glm::vec2 mouse);
/// Where it stands now: while it is dragged, where the mouse is.
double place_of(const FigurePaint& paint, const Figure::Marker& marker);
/// Lets the mouse and the keys move the markers of parameters. Before whatever lies under them.
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

/// Of the nodes and boxes of a group: a shade of its colour that words can stand on.
ImU32 group_color(std::size_t group);
/// One of these is pointed at, here or in a picture beside this one.
bool is_lit(const PlotView& view, const Subjects& subjects);

}  // namespace gridstride::ui
