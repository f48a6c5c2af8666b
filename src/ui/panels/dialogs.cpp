#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "ui/panels/panels.h"
#include "ui/widgets/widget_item.h"

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

bool draw_keys(const Rect& screen) {
    const Theme& t = theme();
    bool stays = begin_dialog("keys", "Keys", screen.min, screen.max, {t.px(720), t.px(448)});
    for (const Shortcut& shortcut : shortcuts) {
        const glm::vec2 start = ImGui::GetCursorScreenPos();
        draw_text(ImGui::GetWindowDrawList(), Type::mono, start, t.palette().text, shortcut.keys);
        ImGui::SetCursorScreenPos({start.x + t.px(168), start.y - t.px(2)});
        named_text(std::string("keys.") + shortcut.keys, Type::body, t.palette().quiet, shortcut.what);
        ImGui::SetCursorScreenPos(
            {start.x, std::max(start.y + t.px(24), ImGui::GetItemRectMax().y + t.px(4))});
    }
    gap(12);
    if (button("keys.close", "Close", {.emphasis = Emphasis::primary, .shortcut = "Esc"})) stays = false;
    end_dialog();
    return stays;
}

bool draw_export(Workspace& workspace, const Rect& screen) {
    const bool sweep = workspace.export_what == ExportWhat::sweep;
    const Session& session = workspace.session;
    const std::size_t rows = sweep ? session.sweep_rows() : session.history_rows();
    FileName& file = workspace.export_file;
    const auto write = [&] {
        const bool done = file.accept(
            false, [&] { write_file(file.path, sweep ? session.sweep_csv() : session.history_csv()); });
        workspace.say(
            done ? fmt::format("Wrote {} rows to {}.", format_count(rows), file.path) : file.problem, !done);
        return done;
    };
    return draw_file_dialog(
        {.window = "export",
         .id = "export",
         .title = sweep ? "Export the sweep as CSV" : "Export all runs as CSV",
         .height = 248,
         .what = fmt::format(
             "One row a sample, {} rows{}. The columns are those of the command line's --csv.",
             format_count(rows), !sweep && session.sweep() ? ", those of the sweeps among them" : ""),
         .verb_id = "write",
         .verb = "Write",
         .accept = write},
        file, screen);
}

bool draw_open(Workspace& workspace, const Rect& screen) {
    Session& session = workspace.session;
    FileName& file = workspace.data_file;
    const auto back_to_lesson = [&] {
        if (!session.experiment().input.numbers) return false;
        const bool pressed = button("open.lesson", "Back to the lesson's input");
        ImGui::SameLine(0, theme().px(8));
        if (pressed) session.use_lesson_input();
        return pressed;
    };
    return draw_file_dialog(
        {.window = "open",
         .id = "open",
         .title = "Your own data",
         .height = 280,
         .what = fmt::format("The name of a file to use in place of the lesson's input: {}.",
                             joined(session.lesson().input_files, ", ")),
         .verb_id = "use",
         .verb = "Use it",
         .accept = [&] { return file.accept(false, [&] { session.use_file(file.path); }); },
         .other = back_to_lesson},
        file, screen);
}

bool draw_kernel_dialog(Workspace& workspace, bool saves, const Rect& screen) {
    Session& session = workspace.session;
    FileName& file = workspace.kernel_file;
    const auto open = [&] { session.open_kernel(file.path); };
    const auto save = [&] {
        session.save_kernel(file.path, workspace.kernel_text());
        workspace.say(fmt::format("Wrote the kernel to {}.", file.path));
    };
    const auto accept = [&] {
        if (!saves) return file.accept(false, open);
        const KernelEdit* edit = session.kernel_edit();
        return file.accept(!edit || edit->path != file.path, save);
    };
    return draw_file_dialog(
        {.window = "kernel.dialog",
         .id = "kernel",
         .title = saves ? "Save the kernel" : "Open a kernel of your own",
         .height = 264,
         .what =
             saves ? "The name of the file to write this GLSL to. Includes are then looked for beside it as "
                     "well as in the shaders that ship."
                   : "The name of a compute shader in GLSL, at most 4 MiB. It takes this variant's place; "
                     "its bindings must be the variant's.",
         .verb_id = "accept",
         .verb = saves ? "Save" : "Open",
         .accept = accept},
        file, screen);
}

/// False: it is to be closed.
bool draw_dialog(Workspace& workspace, const Rect& screen) {
    switch (workspace.dialog) {
        case Dialog::none:
            break;
        case Dialog::keys:
            return draw_keys(screen);
        case Dialog::export_csv:
            return draw_export(workspace, screen);
        case Dialog::open_data:
            return draw_open(workspace, screen);
        case Dialog::open_kernel:
        case Dialog::save_kernel:
            return draw_kernel_dialog(workspace, workspace.dialog == Dialog::save_kernel, screen);
        case Dialog::compare:
            return draw_compare_dialog(workspace.compare, screen);
    }
    return true;
}

}  // namespace

bool FileName::accept(bool asks_to_replace, const std::function<void()>& use) {
    std::error_code ignored;
    if (asks_to_replace && !overwrites && std::filesystem::is_regular_file(path, ignored)) {
        problem = "There is a file of this name. Press Replace to write over it, or choose another name.";
        overwrites = true;
        return false;
    }
    try {
        use();
        return true;
    } catch (const FileError& error) {
        problem = error.what();
    } catch (const Refusal& refused) {
        problem = refused.what();
    }
    overwrites = false;
    return false;
}

bool draw_file_dialog(const FileDialog& dialog, FileName& name, const Rect& screen) {
    const Theme& t = theme();
    bool stays =
        begin_dialog(dialog.window, dialog.title, screen.min, screen.max, {t.px(640), t.px(dialog.height)});
    if (!dialog.subject.empty()) text_wrapped(Type::body, t.palette().text, dialog.subject);
    named_text(dialog.id + ".what", Type::body, t.palette().quiet, dialog.what);
    gap(8);
    const std::string before = name.path;
    const bool entered = text_field(dialog.id + ".path", &name.path, {.focus = ImGui::IsWindowAppearing()});
    if (name.path != before) name.forget_problem();
    gap(4);
    if (!name.problem.empty()) {
        const glm::vec2 min = ImGui::GetCursorScreenPos();
        text_wrapped(Type::note, t.as_text(name.overwrites ? Ink::caution : Ink::wrong),
                     (name.overwrites ? "! " : "✗ ") + name.problem);
        register_widget(dialog.id + ".problem", "text", min, ImGui::GetItemRectMax(), name.problem);
        gap(4);
    }
    if (button(dialog.id + "." + dialog.verb_id, name.overwrites ? "Replace" : dialog.verb,
               {.emphasis = Emphasis::primary, .shortcut = "Enter"}) ||
        entered)
        stays = !dialog.accept() && stays;
    ImGui::SameLine(0, t.px(8));
    if (dialog.other && dialog.other()) stays = false;
    if (button(dialog.id + ".cancel", "Cancel", {.shortcut = "Esc"})) stays = false;
    end_dialog();
    return stays;
}

std::string in_home(const std::string& name) {
    const char* home = std::getenv("HOME");
    return fmt::format("{}/{}", home ? home : ".", name);
}

void open_export(Workspace& workspace, ExportWhat what) {
    const Session& session = workspace.session;
    const bool sweep = what == ExportWhat::sweep;
    if ((sweep ? session.sweep_rows() : session.history_rows()) == 0) return;
    FileName& file = workspace.export_file;
    if (file.path.empty() || workspace.export_what != what)
        file.path = in_home(fmt::format("gridstride-{}{}-{:%Y%m%d-%H%M%S}.csv",
                                        (sweep ? *session.sweep()->spec().lesson : session.lesson()).id,
                                        sweep ? "-sweep" : "", fmt::localtime(std::time(nullptr))));
    file.forget_problem();
    workspace.export_what = what;
    workspace.say("");
    workspace.dialog = Dialog::export_csv;
}

void open_kernel_dialog(Workspace& workspace, Dialog dialog) {
    const Session& session = workspace.session;
    const KernelEdit* edit = session.kernel_edit();
    FileName& file = workspace.kernel_file;
    if (edit && !edit->path.empty())
        file.path = edit->path;
    else if (dialog == Dialog::save_kernel)
        file.path = in_home(session.lesson_kernel_name());
    file.forget_problem();
    workspace.dialog = dialog;
}

void draw_dialogs(Workspace& workspace, const Rect& screen) {
    // What is typed from now on is not for the kernel.
    if (workspace.has_dialog() && workspace.kernel_has_keyboard) leave_focus();
    take_comparison(workspace.compare);
    if (!draw_dialog(workspace, screen)) workspace.dialog = Dialog::none;
    draw_plot_saving(workspace, screen);
}

}  // namespace gridstride::ui
