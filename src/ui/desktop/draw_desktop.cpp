// The arrangement of the panels. Learn: the story at the left, the stage beside it. Bench: the stage between
// the story's rail and the bench. Panels are drawn in Tab order: the story with its question first.
#include "ui/desktop/draw_desktop.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.h"
#include "ui/desktop/actions.h"
#include "ui/desktop/find.h"
#include "ui/learn/learn.h"
#include "ui/panels/panels.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

namespace {

// Design pixels.
constexpr float top_bar_height = 44;
constexpr float rail_width = 40;
constexpr glm::vec2 min_window(960, 540);  ///< a smaller window scrolls
constexpr float story_fraction = 0.34F;
constexpr float min_story_width = 430, max_story_width = 640;
constexpr float min_stage_width = 440;  ///< a splitter leaves no less
constexpr float runs_fraction = 0.28F;
constexpr float min_runs_height = 120;  ///< a heading and two rows
constexpr float max_runs_height = 232;
constexpr float min_stage_height = 220;
constexpr float min_bench_width = 280;

float story_width(const Layout& layout, float window) {
    const Theme& t = theme();
    const float width = layout.story_width > 0 ? t.px(layout.story_width)
                                               : std::clamp(window * story_fraction, t.px(min_story_width),
                                                            t.px(max_story_width));
    return std::floor(std::min(width, window - t.px(min_stage_width)));
}

float bench_width(const Layout& layout, float window) {
    const Theme& t = theme();
    return std::floor(std::min(t.px(layout.bench_width), window - t.px(rail_width + min_stage_width)));
}

float runs_height(Layout& layout, float room) {
    const Theme& t = theme();
    if (!layout.runs_open()) return std::floor(t.px(runs_strip_height));
    const float height = layout.runs_height > 0
                             ? t.px(layout.runs_height)
                             : std::clamp(room * runs_fraction, t.px(min_runs_height), t.px(max_runs_height));
    return std::floor(std::min(height, room - t.px(min_stage_height)));
}

bool draw_edge(const char* id, bool is_vertical, const Rect& line, float& size, float min_size,
               float max_size, float direction) {
    return splitter(id, is_vertical, line.min, line.max, &size, theme().px(min_size), max_size, direction);
}

/// Draws the story's title at the window's edge. A click shows or hides the story.
void draw_rail(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const Session& session = workspace.session;
    begin_panel("story.rail.panel", area.min, area.size(), t.palette().panel, false, 0);
    const Item item = interact("story.rail", {"button", tr("Story")}, area);
    bool& unfolded = workspace.layout.is_story_unfolded;
    if (item.was_clicked) unfolded = !unfolded;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 color_role = item.is_hovered ? t.palette().text : t.palette().quiet;
    const float line = t.line_height(TextStyle::note);
    draw_text(list, TextStyle::note, {std::floor(area.centre().x - t.px(3)), area.min.y + t.px(12)},
              color_role, unfolded ? "‹" : "›");
    list->AddLine({area.max.x - 1, area.min.y}, {area.max.x - 1, area.max.y}, t.palette().line);
    // The text is drawn left to right; then its vertices are rotated by 90° around its first corner.
    const glm::vec2 turn(area.min.x, area.min.y + t.px(48));
    const float room = std::min(area.max.y - turn.y - t.px(12), ImGui::GetIO().DisplaySize.x - turn.x);
    const std::string words = elide(TextStyle::note, tr("Story · {}", session.shown_step().title), room);
    const int first = list->VtxBuffer.Size;
    list->PushClipRectFullScreen();
    draw_text(list, TextStyle::note, turn, color_role, words);
    list->PopClipRect();
    const float right = std::floor(area.centre().x + line / 2);
    for (int i = first; i < list->VtxBuffer.Size; ++i) {
        const glm::vec2 from = glm::vec2(list->VtxBuffer[i].pos) - turn;
        list->VtxBuffer[i].pos = glm::vec2(right - from.y, turn.y + from.x);
    }
    if (item.is_focused) draw_focus_ring(area.expanded(glm::vec2(-t.px(6))), t.px(4));
    show_delayed_tooltip(item, make_widget_id("story.rail"),
                         unfolded ? tr("Hide the story: Ctrl+L") : tr("Show the story: Ctrl+L"));
    end_panel();
}

void draw_story_with_edge(Workspace& workspace, const Rect& area, float window) {
    Layout& layout = workspace.layout;
    draw_story_panel(workspace, area);
    float width = area.width();
    if (draw_edge("splitter.story", true, {{area.max.x, area.min.y}, {area.max.x + 1, area.max.y}}, width,
                  360, window - area.min.x - theme().px(min_stage_width), 1))
        layout.story_width = width / theme().scale();
}

void draw_bench_with_edge(Workspace& workspace, const Rect& area, float room) {
    draw_bench_panel(workspace, area);
    float width = area.width();
    if (draw_edge("splitter.bench", true, {area.min, {area.min.x + 1, area.max.y}}, width, min_bench_width,
                  room, -1))
        workspace.layout.bench_width = width / theme().scale();
}

/// Dragging the edge up opens the strip into a panel; dragging it down collapses the panel.
void draw_runs_with_edge(Workspace& workspace, const Rect& area, float room) {
    const Theme& t = theme();
    Layout& layout = workspace.layout;
    draw_runs_panel(workspace, area);
    float height = area.height();
    if (!draw_edge("splitter.runs", false, {area.min, {area.max.x, area.min.y + 1}}, height,
                   runs_strip_height, room - t.px(min_stage_height), -1))
        return;
    const float dragged_height = height / t.scale();
    const bool opens = layout.runs_open() ? dragged_height > min_runs_height * 0.6F
                                          : dragged_height > runs_strip_height + 12;
    layout.runs_open() = opens;
    if (opens) layout.runs_height = std::max(dragged_height, min_runs_height);
}

/// `area` is the part of the window below the top bar.
void draw_learn(Workspace& workspace, const Rect& area) {
    const float runs = runs_height(workspace.layout, area.height());
    const float bottom = area.max.y - runs;
    const float story = area.min.x + story_width(workspace.layout, area.width());
    draw_story_with_edge(workspace, {area.min, {story, bottom}}, area.max.x);
    draw_stage_panel(workspace, {{story + 1, area.min.y}, {area.max.x, bottom}});
    if (workspace.is_drawer_open) {
        const float left = area.max.x - bench_width(workspace.layout, area.width());
        draw_bench_with_edge(workspace, {{left, area.min.y}, {area.max.x, bottom}},
                             area.max.x - story - theme().px(80));
    }
    draw_runs_with_edge(workspace, {{area.min.x, bottom}, area.max}, area.height());
}

/// Also draws the Inside tab in Learn, which needs the story's width; there the bench is a drawer.
void draw_bench(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    Layout& layout = workspace.layout;
    const float runs = runs_height(layout, area.height());
    const float bottom = area.max.y - runs;
    const bool inside = is_inside_open(workspace);
    if (!inside) workspace.is_drawer_open = false;
    const float drawer = area.max.x - bench_width(layout, area.width());
    const float bench = inside ? area.max.x : drawer;
    float left = area.min.x + std::floor(t.px(rail_width));
    const Rect story{{left, area.min.y}, {left + story_width(layout, area.width()), bottom}};
    // The story covers the stage if there is no room beside it.
    const bool over = bench - story.max.x < t.px(min_stage_width);
    draw_rail(workspace, {area.min, {left, bottom}});
    if (layout.is_story_unfolded && !over) {
        draw_story_with_edge(workspace, story, bench);
        left = story.max.x + 1;
    }
    draw_stage_panel(workspace, {{left, area.min.y}, {bench, bottom}});
    if (!inside || workspace.is_drawer_open)
        draw_bench_with_edge(workspace, {{drawer, area.min.y}, {area.max.x, bottom}},
                             area.max.x - left - t.px(min_stage_width));
    if (layout.is_story_unfolded && over) draw_story_panel(workspace, story);
    draw_runs_with_edge(workspace, {{area.min.x, bottom}, area.max}, area.height());
}

void draw_below_top_bar(Workspace& workspace, const Rect& area) {
    if (workspace.page == Page::course)
        draw_course_page(workspace, area);
    else if (workspace.layout.arrangement == Arrangement::learn && !is_inside_open(workspace))
        draw_learn(workspace, area);
    else
        draw_bench(workspace, area);
}

void draw_settings_dialog(Workspace& workspace, const Rect& screen) {
    if (workspace.pending_settings.empty()) return;
    const Theme& t = theme();
    bool keep_open = begin_dialog("settings", tr("Waiting for your settings"), screen.min, screen.max,
                                  {t.px(560), t.px(280)});
    progress_line(-1);
    gap(12);
    const std::string words =
        quote_path(workspace.pending_settings) +
        tr(" cannot be read yet. Is its disk or network drive still connected? The window "
           "continues as soon as the file can be read.");
    named_text("settings.waits", TextStyle::body, t.palette().text, words);
    gap(8);
    text_wrapped(
        TextStyle::note, t.palette().quiet,
        tr("Without them, Gridstride starts with its defaults. Your settings are not lost: what you change "
           "from then on is merged into them when the disk responds."));
    gap(16);
    if (button("settings.without", tr("Continue without them"), {.shortcut = "Esc"})) keep_open = false;
    end_dialog();
    if (!keep_open) workspace.pending_settings.clear();
}

}  // namespace

void draw_desktop(Workspace& workspace, glm::vec2 window) {
    const Theme& t = theme();
    // While presenting, presentation_scale() makes the question fit.
    const glm::vec2 min_size = workspace.is_presenting ? glm::vec2(1) : glm::floor(min_window * t.scale());
    // A scroll bar reduces the room in the other direction.
    const float bar = ImGui::GetStyle().ScrollbarSize;
    const bool narrow = window.x < min_size.x, low = window.y - (narrow ? bar : 0) < min_size.y;
    const glm::vec2 size(narrow ? min_size.x : std::max(min_size.x, window.x - (low ? bar : 0)),
                         low ? min_size.y : std::max(min_size.y, window.y - (narrow ? bar : 0)));
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(window);
    ImGui::SetNextWindowContentSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                             ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoMove |
                             ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoSavedSettings |
                             ImGuiWindowFlags_NoBackground;  // each frame is cleared to the ground colour
    if (narrow) flags |= ImGuiWindowFlags_HorizontalScrollbar;
    if (!narrow && !low) flags |= ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
    ImGui::Begin("desktop", nullptr, flags);
    ImGui::PopStyleVar(3);

    const glm::vec2 origin(-ImGui::GetScrollX(), -ImGui::GetScrollY());
    const Rect whole{origin, origin + size};
    if (workspace.is_presenting) {
        draw_presentation(workspace, whole);
    } else {
        const float below_bar = whole.min.y + std::floor(t.px(top_bar_height));
        const float top = below_bar + restore_strip_height(workspace);
        if (workspace.page == Page::lesson) select_stage_tab(workspace);
        draw_below_top_bar(workspace, {{whole.min.x, top}, whole.max});
        if (top > below_bar) draw_restore_strip(workspace, {{whole.min.x, below_bar}, {whole.max.x, top}});
        draw_top_bar(workspace, {whole.min, {whole.max.x, below_bar}});
    }
    ImGui::End();
    const Rect screen{{0, 0}, window};
    draw_dialogs(workspace, screen);
    if ((workspace.dialog == Dialog::keys && !draw_keys(workspace, screen)) ||
        (workspace.dialog == Dialog::find && !draw_find(workspace, screen)) ||
        (workspace.dialog == Dialog::hand_in && !draw_hand_in(workspace, screen)) ||
        (workspace.dialog == Dialog::save_hand_in && !draw_save_hand_in(workspace, screen)) ||
        (workspace.dialog == Dialog::load_lessons && !draw_folder_question(workspace, screen)) ||
        (workspace.dialog == Dialog::lesson_folders && !draw_folder_setting(workspace, screen)))
        workspace.dialog = Dialog::none;
    draw_delete_progress_dialog(workspace, screen);
    draw_settings_dialog(workspace, screen);
}

}  // namespace gridstride::ui
