#include <fmt/format.h>

#include <cmath>

#include "ui/panels/panels.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

/// Draws words of the path from the left and returns where the next one starts.
float path_word(ImDrawList* list, float x, const Rect& area, Type type, ImU32 color, std::string_view word,
                float gap_after) {
    const float y = std::floor((area.min.y + area.max.y - theme().line_height(type)) / 2);
    draw_text(list, type, {x, y}, color, word);
    return x + text_size(type, word).x + theme().px(gap_after);
}

void lesson_menu(Workspace& workspace) {
    if (!ImGui::BeginPopup("lessons")) return;
    for (const Lesson* lesson : all_lessons()) {
        if (button("course." + lesson->id, lesson->title,
                   {.selected = lesson == &workspace.session.lesson(), .tooltip = lesson->question})) {
            workspace.session.open(*lesson, 0);
            ImGui::CloseCurrentPopup();
        }
    }
    ImGui::EndPopup();
}

void view_menu(Workspace& workspace) {
    if (!ImGui::BeginPopup("view")) return;
    Layout& layout = workspace.layout;
    const auto toggle = [](std::string_view id, std::string_view label, bool& shown) {
        if (button(id, fmt::format("{} {}", shown ? "✓" : "    ", label), {.emphasis = Emphasis::quiet}))
            shown = !shown;
    };
    toggle("view.story", "Story", layout.show_story);
    toggle("view.bench", "Bench", layout.show_bench);
    toggle("view.runs", "Runs", layout.show_runs);
    if (button("view.restore", "Restore panels", {.emphasis = Emphasis::quiet})) layout = Layout{};
    if (button("view.keys", "Keys", {.emphasis = Emphasis::quiet, .shortcut = "F1"})) {
        workspace.show_keys = true;
        ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
}

/// A chip whose right edge is at *right; moves *right on to its left.
bool chip_from_right(std::string_view id, std::string_view label, std::string_view tip, const Rect& area,
                     float* right) {
    const Theme& t = theme();
    const float width = text_size(Type::note, label).x + 2 * t.px(12);
    const float height = t.px(28);
    *right -= width;
    ImGui::SetCursorScreenPos({std::floor(*right), std::floor((area.min.y + area.max.y - height) / 2)});
    *right -= t.px(12);
    return chip(id, label, tip);
}

std::string device_label(const Session& session) {
    if (!session.no_device().empty()) return "no device";
    if (!session.device()) return "opening the device …";
    // "llvmpipe (LLVM 15.0.6, 256 bits)": what stands in brackets is for the tooltip.
    const std::string& name = session.device()->device_name;
    return name.substr(0, name.find(" (")) + (session.device()->is_cpu ? " · software device" : "");
}

}  // namespace

void draw_top_bar(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    Session& session = workspace.session;
    begin_panel("top", area.min, area.size(), palette.panel, false, 0);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddLine({area.min.x, area.max.y - 1}, {area.max.x, area.max.y - 1}, palette.line);

    float x = area.min.x + t.px(16);
    x = path_word(list, x, area, Type::body_strong, palette.text, "Gridstride", 12);
    const float course_width = button_size("Course", {.emphasis = Emphasis::quiet}).x;
    const float course_height = button_size("Course", {.emphasis = Emphasis::quiet}).y;
    ImGui::SetCursorScreenPos({x, std::floor((area.min.y + area.max.y - course_height) / 2)});
    if (button("top.course", "Course", {.emphasis = Emphasis::quiet, .tooltip = "Choose a lesson"}))
        ImGui::OpenPopup("lessons");
    lesson_menu(workspace);
    x += course_width + t.px(8);
    x = path_word(list, x, area, Type::body, palette.quiet, "›", 16);
    x = path_word(list, x, area, Type::body, palette.text, session.lesson().title, 16);
    x = path_word(list, x, area, Type::body, palette.quiet, "›", 16);
    const float path_end =
        path_word(list, x, area, Type::body, palette.text,
                  fmt::format("Step {} of {}", session.step() + 1, session.story().steps.size()), 16);

    float right = area.max.x - t.px(16);
    if (chip_from_right("top.scale", fmt::format("{:.0f} %", workspace.scale * 100),
                        "Size of everything: Ctrl+plus, Ctrl+minus", area, &right))
        workspace.scale = workspace.scale >= 2 ? 1.0F : workspace.scale + 0.25F;
    if (chip_from_right("top.theme", workspace.mode == Mode::dark ? "Dark" : "Light", "Dark or light", area,
                        &right))
        workspace.mode = workspace.mode == Mode::dark ? Mode::light : Mode::dark;
    if (chip_from_right("top.view", "View", "Show, hide and restore panels", area, &right))
        ImGui::OpenPopup("view");
    view_menu(workspace);
    const std::string tip = session.device()
                                ? session.device()->device_name + "\n" + session.device()->driver_version
                                : std::string(session.no_device());
    // Where there is no room for it, the path goes first.
    const std::string device = device_label(session);
    if (right - text_size(Type::note, device).x - 2 * t.px(12) >= path_end)
        chip_from_right("top.device", device, tip, area, &right);
    end_panel();
}

}  // namespace gridstride::ui
