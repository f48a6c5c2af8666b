#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "base/units.h"
#include "ui/panels/panels.h"
#include "ui/widgets/dialog_frame.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

struct Shortcut {
    const char* keys;
    const char* what;
};
constexpr Shortcut shortcuts[] = {
    {"F5, Ctrl+Enter", "Run; with a prediction chosen, run what decides it"},
    {"Escape", "Stop the run, close a dialog"},
    {"Right, Page Down", "Next step"},
    {"Left, Page Up", "Step before"},
    {"Ctrl+S", "Export all runs as CSV; in the kernel, save it"},
    {"Ctrl+P", "Pin the selected run as the baseline"},
    {"F11", "Full screen"},
    {"Ctrl + / Ctrl −", "Size of everything"},
    {"Ctrl+Z, Ctrl+Y", "In the kernel: undo, redo; Escape leaves it"},
    {"Tab, Space, arrows", "Reach and use every control"},
    {"On a plot", "drag pans, wheel zooms, double-click fits, right-drag zooms to a box"},
    {"F1", "These keys"},
};

void draw_keys(Workspace& workspace, const Rect& screen) {
    const Theme& t = theme();
    const bool stays = begin_dialog("keys", "Keys", screen.min, screen.max, {t.px(720), t.px(448)});
    for (const Shortcut& shortcut : shortcuts) {
        const glm::vec2 start = ImGui::GetCursorScreenPos();
        draw_text(ImGui::GetWindowDrawList(), Type::mono, start, t.palette().text, shortcut.keys);
        ImGui::SetCursorScreenPos({start.x + t.px(168), start.y - t.px(2)});
        text_wrapped(Type::body, t.palette().quiet, shortcut.what);
        const glm::vec2 min = ImGui::GetItemRectMin();
        const glm::vec2 max = ImGui::GetItemRectMax();
        register_widget(std::string("keys.") + shortcut.keys, "text", min, max, shortcut.what);
        ImGui::SetCursorScreenPos({start.x, std::max(start.y + t.px(24), max.y + t.px(4))});
    }
    gap(12);
    if (button("keys.close", "Close", {.emphasis = Emphasis::primary, .shortcut = "Esc"}) || !stays)
        workspace.show_keys = false;
    end_dialog();
}

void draw_export(Workspace& workspace, const Rect& screen) {
    const Theme& t = theme();
    const bool sweep = workspace.export_what == ExportWhat::sweep;
    const Session& session = workspace.session;
    const bool stays = begin_dialog("export", sweep ? "Export the sweep as CSV" : "Export all runs as CSV",
                                    screen.min, screen.max, {t.px(640), t.px(248)});
    text_wrapped(
        Type::body, t.palette().quiet,
        fmt::format("One row a sample, {} rows{}. The columns are those of the command line's --csv.",
                    format_count(sweep ? session.sweep_rows() : session.history_rows()),
                    !sweep && session.sweep() ? ", those of the sweeps among them" : ""));
    gap(8);
    const bool entered = text_field("export.path", &workspace.export_path, {.focus = workspace.wants_focus});
    workspace.wants_focus = false;
    gap(4);
    if (workspace.notice_is_bad) {
        text_wrapped(Type::note, t.as_text(Ink::wrong), "✗ " + workspace.notice);
        gap(4);
    }
    if (button("export.write", "Write", {.emphasis = Emphasis::primary, .shortcut = "Enter"}) || entered)
        export_csv(workspace);
    ImGui::SameLine(0, t.px(8));
    if (button("export.cancel", "Cancel", {.shortcut = "Esc"}) || !stays) workspace.show_export = false;
    end_dialog();
}

void draw_open(Workspace& workspace, const Rect& screen) {
    const Theme& t = theme();
    Session& session = workspace.session;
    const bool stays = begin_dialog("open", "Your own data", screen.min, screen.max, {t.px(640), t.px(280)});
    std::string endings;
    for (const std::string& ending : session.lesson().input_files)
        endings += (endings.empty() ? "" : ", ") + ending;
    text_wrapped(Type::body, t.palette().quiet,
                 fmt::format("The name of a file to use in place of the lesson's input: {}.", endings));
    gap(8);
    const bool entered = text_field("open.path", &workspace.open_path, {.focus = workspace.wants_focus});
    workspace.wants_focus = false;
    gap(4);
    if (!workspace.open_problem.empty()) {
        text_wrapped(Type::note, t.as_text(Ink::wrong), "✗ " + workspace.open_problem);
        gap(4);
    }
    if (button("open.use", "Use it", {.emphasis = Emphasis::primary, .shortcut = "Enter"}) || entered)
        open_file(workspace);
    ImGui::SameLine(0, t.px(8));
    if (session.experiment().input.numbers) {
        if (button("open.lesson", "Back to the lesson's input")) {
            session.use_lesson_input();
            workspace.show_open = false;
        }
        ImGui::SameLine(0, t.px(8));
    }
    if (button("open.cancel", "Cancel", {.shortcut = "Esc"}) || !stays) workspace.show_open = false;
    end_dialog();
}

void draw_kernel_dialog(Workspace& workspace, const Rect& screen) {
    const Theme& t = theme();
    const bool saves = workspace.kernel_dialog == KernelDialog::save;
    const bool stays = begin_dialog("kernel.dialog", saves ? "Save the kernel" : "Open a kernel of your own",
                                    screen.min, screen.max, {t.px(640), t.px(264)});
    text_wrapped(
        Type::body, t.palette().quiet,
        saves ? "The name of the file to write this GLSL to. Includes are then looked for beside it as "
                "well as in the shaders that ship."
              : "The name of a compute shader in GLSL, at most 4 MiB. It takes this variant's place; its "
                "bindings must be the variant's.");
    gap(8);
    const std::string before = workspace.kernel_path;
    const bool entered = text_field("kernel.path", &workspace.kernel_path, {.focus = workspace.wants_focus});
    workspace.wants_focus = false;
    if (workspace.kernel_path != before) workspace.kernel_overwrites = false;
    gap(4);
    if (!workspace.kernel_problem.empty()) {
        const bool asks = workspace.kernel_overwrites;
        text_wrapped(Type::note, t.as_text(asks ? Ink::caution : Ink::wrong),
                     (asks ? "! " : "✗ ") + workspace.kernel_problem);
        gap(4);
    }
    const std::string_view label = !saves ? "Open" : workspace.kernel_overwrites ? "Replace" : "Save";
    if (button("kernel.accept", label, {.emphasis = Emphasis::primary, .shortcut = "Enter"}) || entered)
        answer_kernel_dialog(workspace);
    ImGui::SameLine(0, t.px(8));
    if (button("kernel.cancel", "Cancel", {.shortcut = "Esc"}) || !stays)
        workspace.kernel_dialog = KernelDialog::none;
    end_dialog();
}

}  // namespace

void open_export(Workspace& workspace, ExportWhat what) {
    const Session& session = workspace.session;
    if ((what == ExportWhat::runs ? session.history_rows() : session.sweep_rows()) == 0) return;
    if (workspace.export_path.empty() || workspace.export_what != what) {
        const char* home = std::getenv("HOME");
        const std::string& lesson =
            what == ExportWhat::runs ? session.lesson().id : session.sweep()->spec().lesson->id;
        workspace.export_path =
            fmt::format("{}/gridstride-{}{}-{:%Y%m%d-%H%M%S}.csv", home ? home : ".", lesson,
                        what == ExportWhat::sweep ? "-sweep" : "", fmt::localtime(std::time(nullptr)));
    }
    workspace.export_what = what;
    workspace.notice.clear();
    workspace.notice_is_bad = false;
    workspace.show_export = true;
    workspace.wants_focus = true;
}

void draw_dialogs(Workspace& workspace, const Rect& screen) {
    const bool any = workspace.show_keys || workspace.show_export || workspace.show_open ||
                     workspace.compare.open || workspace.plot_saving.open() ||
                     workspace.kernel_dialog != KernelDialog::none;
    // What is typed from now on is not for the kernel.
    if (any && workspace.kernel_has_keyboard) leave_focus();
    if (workspace.show_keys) draw_keys(workspace, screen);
    if (workspace.show_export) draw_export(workspace, screen);
    if (workspace.show_open) draw_open(workspace, screen);
    if (workspace.kernel_dialog != KernelDialog::none) draw_kernel_dialog(workspace, screen);
    take_comparison(workspace.compare);
    if (workspace.compare.open) draw_compare_dialog(workspace.compare, screen.min, screen.max);
    draw_plot_saving(workspace, screen.min, screen.max);
}

}  // namespace gridstride::ui
