#include <fmt/format.h>

#include <cmath>

#include "ui/desktop/draw_desktop.h"
#include "ui/panels/panels.h"
#include "ui/widgets/imgui_compat.h"

namespace gridstride::ui {

namespace {

/// Escape closes it.
bool begin_menu(const char* name) {
    if (!ImGui::BeginPopup(name)) return false;
    if (key_pressed(Key::escape)) ImGui::CloseCurrentPopup();
    return true;
}

void lesson_menu(Workspace& workspace) {
    if (!begin_menu("lessons")) return;
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
    if (!begin_menu("view")) return;
    Layout& layout = workspace.layout;
    const auto toggle = [](std::string_view id, std::string_view label, bool& shown) {
        if (button(id, fmt::format("{} {}", shown ? "✓" : "    ", label), {.emphasis = Emphasis::quiet}))
            shown = !shown;
    };
    toggle("view.story", "Story", layout.show_story);
    toggle("view.bench", "Bench", layout.show_bench);
    toggle("view.runs", "Runs", layout.show_runs);
    if (button("view.restore", "Restore panels", {.emphasis = Emphasis::quiet})) layout = Layout{};
    const auto item = [](std::string_view id, std::string_view label, std::string_view shortcut = "") {
        const bool pressed = button(id, label, {.emphasis = Emphasis::quiet, .shortcut = shortcut});
        if (pressed) ImGui::CloseCurrentPopup();
        return pressed;
    };
    if (item("view.save_progress", "Save progress to a file …"))
        open_progress_dialog(workspace, Dialog::save_progress);
    if (item("view.take_progress", "Take progress from a file …"))
        open_progress_dialog(workspace, Dialog::take_progress);
    if (workspace.keeping && item("view.earlier", "Earlier work")) workspace.keeping->offer();
    if (item("view.keys", "Keys", "F1")) workspace.dialog = Dialog::keys;
    if (item("view.help", "Help")) workspace.dialog = Dialog::help;
    ImGui::EndPopup();
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
    const auto top_of = [&](float height) { return std::floor((area.min.y + area.max.y - height) / 2); };

    float x = area.min.x + t.px(16);
    const auto path_word = [&](Type type, ImU32 color, std::string_view word, float gap_after) {
        draw_text(list, type, {x, top_of(t.line_height(type))}, color, word);
        x += text_size(type, word).x + t.px(gap_after);
    };
    path_word(Type::body_strong, palette.text, "Gridstride", 12);
    const ButtonOptions course{.emphasis = Emphasis::quiet, .tooltip = "Choose a lesson"};
    const glm::vec2 course_size = button_size("Course", course);
    ImGui::SetCursorScreenPos({x, top_of(course_size.y)});
    if (button("top.course", "Course", course)) ImGui::OpenPopup("lessons");
    lesson_menu(workspace);
    x += course_size.x + t.px(8);
    path_word(Type::body, palette.quiet, "›", 16);
    path_word(Type::body, palette.text, session.lesson().title, 16);
    path_word(Type::body, palette.quiet, "›", 16);
    path_word(Type::body, palette.text,
              fmt::format("Step {} of {}", session.step() + 1, session.story().steps.size()), 16);

    float right = area.max.x - t.px(16);
    const auto chip_from_right = [&](std::string_view id, std::string_view label, std::string_view tip) {
        right -= text_size(Type::note, label).x + 2 * t.px(12);
        ImGui::SetCursorScreenPos({std::floor(right), top_of(t.px(28))});
        right -= t.px(12);
        return chip(id, label, tip);
    };
    if (chip_from_right("top.scale", fmt::format("{:.0f} %", workspace.scale * 100),
                        "Size of everything: Ctrl+plus, Ctrl+minus"))
        workspace.scale = workspace.scale >= 2 ? 1.0F : workspace.scale + 0.25F;
    const bool dark = workspace.mode == Mode::dark;
    if (chip_from_right("top.theme", dark ? "Dark" : "Light", "Dark or light"))
        workspace.mode = dark ? Mode::light : Mode::dark;
    if (chip_from_right("top.view", "View", "Show, hide and restore panels")) ImGui::OpenPopup("view");
    view_menu(workspace);
    // Where there is no room for it, the path goes first.
    const std::string device = device_label(session);
    if (right - text_size(Type::note, device).x - 2 * t.px(12) >= x)
        chip_from_right("top.device", device,
                        session.device()
                            ? session.device()->device_name + "\n" + session.device()->driver_version
                            : session.no_device());
    end_panel();
}

}  // namespace gridstride::ui
