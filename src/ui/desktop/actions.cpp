#include "ui/desktop/actions.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "ui/drive/script.h"
#include "ui/learn/learn.h"
#include "ui/panels/panels.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

namespace {

constexpr float max_scale = 3, min_scale = 0.5F, scale_step = 0.25F;

bool always(const Workspace&) {
    return true;
}
bool is_in_lesson(const Workspace& workspace) {
    return workspace.page == Page::lesson;
}
bool is_in_panels(const Workspace& workspace) {
    return is_in_lesson(workspace) && !workspace.is_presenting;
}

void switch_arrangement(Workspace& workspace) {
    Arrangement& arrangement = workspace.layout.arrangement;
    arrangement = arrangement == Arrangement::learn ? Arrangement::bench : Arrangement::learn;
    workspace.is_drawer_open = false;
}

void escape(Workspace& workspace) {
    Session& session = workspace.session;
    // The newest of these ends first.
    if (workspace.is_drawer_open)
        workspace.is_drawer_open = false;
    else if (session.has_active_jobs())
        session.stop();
    else if (session.sweeps().state() == SweepState::running)
        session.stop_sweep();
    else
        workspace.is_presenting = false;
}

void save(Workspace& workspace) {
    if (workspace.kernel_has_keyboard)
        open_kernel_dialog(workspace, Dialog::save_kernel);
    else
        open_export(workspace);
}

constexpr Action actions[] = {
    {"find", "Ctrl+K", tr_later("Find a lesson, step, question, action, control or term"), always,
     [](Workspace& w) {
         w.command_palette.open();
         w.dialog = Dialog::find;
     }},
    {"run", "F5, Ctrl+Enter", tr_later("Run, decide the question or grade the exercise"), is_in_lesson,
     run_or_ask},
    {"escape", "Escape", tr_later("Close the open panel, or stop the run"), is_in_lesson, escape, true},
    {"next", "Right, Page Down", tr_later("Next step"), is_in_lesson, step_forward, true},
    {"back", "Left, Page Up", tr_later("Previous step"), is_in_lesson, step_back, true},
    {"mode", "Ctrl+B", tr_later("Switch between Learn and Bench"), is_in_panels, switch_arrangement},
    {"runs", "Ctrl+R", tr_later("Open or close the table of runs"), is_in_panels,
     [](Workspace& w) { w.layout.runs_open() = !w.layout.runs_open(); }},
    {"story", "Ctrl+L", tr_later("Show or hide the story in Bench"),
     [](const Workspace& w) {
         return is_in_panels(w) && (w.layout.arrangement == Arrangement::bench || is_inside_open(w));
     },
     [](Workspace& w) { w.layout.is_story_unfolded = !w.layout.is_story_unfolded; }},
    {"present", "Shift+F11", tr_later("Present the question alone, for a projector"), is_in_lesson,
     [](Workspace& w) { w.is_presenting = !w.is_presenting; }},
    {"save", "Ctrl+S", tr_later("Export all runs as CSV; in the editor, save the kernel"), is_in_panels,
     save},
    {"pin", "Ctrl+P", tr_later("Pin the selected run as the baseline"),
     [](const Workspace& w) { return is_in_panels(w) && w.session.runs().selected(); },
     [](Workspace& w) { w.session.runs().pin(w.session.runs().selected()->number); }},
    {"full_screen", "F11", tr_later("Full screen"), always, [](Workspace& w) { w.toggle_full_screen(); },
     false, true},
    {"larger", "Ctrl++", tr_later("Make everything larger"), always,
     [](Workspace& w) { w.scale = std::min(max_scale, w.scale + scale_step); }, false, true},
    {"smaller", "Ctrl+-", tr_later("Make everything smaller"), always,
     [](Workspace& w) { w.scale = std::max(min_scale, w.scale - scale_step); }, false, true},
    {"usual_size", "Ctrl+0", tr_later("Reset the size to 100 %"), always, [](Workspace& w) { w.scale = 1; },
     false, true},
    {"keys", "F1", tr_later("Keys and manual"), always, [](Workspace& w) { w.dialog = Dialog::keys; }},
    {"theme", "", tr_later("Dark or light theme"), always,
     [](Workspace& w) { w.mode = w.mode == Mode::dark ? Mode::light : Mode::dark; }, false, true},
    {"motion", "", tr_later("Reduce motion, or animate again"), always,
     [](Workspace& w) { w.reduces_motion = !w.reduces_motion; }, false, true},
    {"restore", "", tr_later("Restore panels"), is_in_panels,
     [](Workspace& w) { w.layout = Layout{.arrangement = w.layout.arrangement}; }, false, true},
    {"course", "", tr_later("All lessons"), is_in_lesson, [](Workspace& w) { w.page = Page::course; }},
    {"open_data", "", tr_later("Open your own data"),
     [](const Workspace& w) { return is_in_panels(w) && !w.session.lesson().input_files.empty(); },
     [](Workspace& w) { w.dialog = Dialog::open_data; }},
    {"open_kernel", "", tr_later("Open a kernel or program of your own"), is_in_panels,
     [](Workspace& w) { open_kernel_dialog(w, Dialog::open_kernel); }},
    {"compare", "", tr_later("Compare two files of measurements"), always,
     [](Workspace& w) { w.dialog = Dialog::compare; }},
    {"save_progress", "", tr_later("Save progress to a file"), always,
     [](Workspace& w) { open_progress_dialog(w, Dialog::save_progress); }},
    {"take_progress", "", tr_later("Load progress from a file"), always,
     [](Workspace& w) { open_progress_dialog(w, Dialog::load_progress); }},
    {"lesson_folders", "", tr_later("Lesson folders: lessons that are loaded at each start"), always,
     [](Workspace& w) { w.dialog = Dialog::lesson_folders; }, false, true},
    {"earlier", "", tr_later("Earlier work"), [](const Workspace& w) { return w.autosave != nullptr; },
     [](Workspace& w) { w.autosave->offer(); }},
    {"help", "", tr_later("Help: the manual"), always, [](Workspace& w) { w.dialog = Dialog::help; }},
};

bool was_pressed(const Action& action) {
    for (const std::string_view name : split(action.keys, ',')) {
        const auto press = parse_key_press(std::string(trim(name)));
        if (press && is_key_pressed_with(press->key, press->modifiers) &&
            !(action.widget_first && is_key_used(press->key)))
            return true;
    }
    return false;
}

void draw_key(std::string_view keys, std::string_view shown_keys, std::string_view what) {
    const Theme& t = theme();
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    draw_text(ImGui::GetWindowDrawList(), TextStyle::mono, start, t.palette().text, shown_keys);
    set_cursor({start.x + t.px(168), start.y - t.px(2)});
    named_text("keys." + std::string(keys), TextStyle::body, t.palette().quiet, what);
    set_cursor({start.x, std::max(start.y + t.px(22), ImGui::GetItemRectMax().y + t.px(2))});
}

}  // namespace

std::span<const Action> all_actions() {
    return actions;
}

const Action& action(std::string_view id) {
    return *std::ranges::find(actions, id, &Action::id);
}

void perform_key_actions(Workspace& workspace) {
    if (workspace.has_dialog()) return;
    for (const Action& one : actions)
        if (was_pressed(one) && one.is_possible(workspace)) return one.perform(workspace);
}

bool draw_keys(Workspace& workspace, const Rect& screen) {
    const Theme& t = theme();
    bool keep_open = begin_dialog("keys", tr("Keys"), screen.min, screen.max, {t.px(720), t.px(580)});
    for (const Action& one : actions)
        if (!one.keys.empty()) draw_key(one.keys, one.keys, tr(one.what));
    // Controls handle these keys themselves while they have the focus.
    const auto draw = [](const char* keys, const char* what) { draw_key(keys, tr(keys), tr(what)); };
    draw(tr_later("Ctrl+Z, Ctrl+Y"), tr_later("In the editor: undo, redo; Escape leaves it"));
    draw(tr_later("Tab, Space, arrows"), tr_later("Reach and use every control"));
    draw(tr_later("In Inside's player"), tr_later("Space plays, arrows step, Home and End"));
    draw(tr_later("On a plot"), tr_later("drag pans, Ctrl+wheel zooms, double-click fits, right-drag zooms"));
    gap(12);
    if (button("keys.close", tr("Close"), {.emphasis = Emphasis::primary, .shortcut = "Esc"}))
        keep_open = false;
    ImGui::SameLine(0, t.px(8));
    const bool opens = button("help.open", tr("Manual"));
    end_dialog();
    if (opens) workspace.dialog = Dialog::help;
    return keep_open;
}

}  // namespace gridstride::ui
