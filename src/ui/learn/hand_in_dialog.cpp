// Shows the whole hand-in of the assignment, and writes it to a file.

#include <algorithm>
#include <cctype>

#include "assignment/hand_in.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "base/utc_time.h"
#include "session/session_files.h"
#include "ui/learn/learn.h"
#include "ui/panels/panels.h"
#include "ui/text/rich_text.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

// Design pixels.
constexpr glm::vec2 dialog_size(760, 620);
constexpr float min_view_height = 120;

/// Formats the text again if what it is made of has changed.
void update_text(Workspace& workspace) {
    HandInDialog& hand_in = workspace.hand_in;
    hand_in.worker.take();
    std::pair typed(hand_in.name, hand_in.number);
    if (hand_in.worker.is_busy() || hand_in.formatted_for == typed) return;
    hand_in.problem.clear();
    hand_in.written.clear();
    try {
        hand_in.text = format_hand_in(*workspace.assignment,
                                      {workspace.session.progress().story_progress(), hand_in.kernels},
                                      hand_in.name, hand_in.number, utc_now());
    } catch (const Refusal& refused) {
        hand_in.text.clear();
        hand_in.problem = refused.what();
    }
    hand_in.formatted_for = std::move(typed);
}

void draw_field(std::string_view id, const char* label, std::string* value, float width, bool focus) {
    ImGui::BeginGroup();
    text(TextStyle::note, theme().palette().quiet, label);
    text_field(id, value, {.width = width, .focus = focus});
    ImGui::EndGroup();
}

/// Draws what is wrong, missing or done.
void draw_state(const Workspace& workspace) {
    const Theme& t = theme();
    const HandInDialog& hand_in = workspace.hand_in;
    const auto missing_exercises = exercises_without_text(*workspace.assignment, hand_in.kernels);
    if (!hand_in.problem.empty())
        named_text("hand_in.problem", TextStyle::note, t.text_color(ColorRole::wrong), "✗ " + hand_in.problem,
                   hand_in.problem);
    else if (!hand_in.written.empty())
        named_text("hand_in.written", TextStyle::note, t.text_color(ColorRole::right), "✓ " + hand_in.written,
                   hand_in.written);
    else if (!missing_exercises.empty() && !hand_in.worker.is_busy())
        named_text("hand_in.missing", TextStyle::note, t.text_color(ColorRole::caution),
                   tr("! No kernel or program of yours is in it for: {}.", join(missing_exercises, ", ")));
    else
        text(TextStyle::note, t.palette().quiet,
             hand_in.worker.is_busy() ? tr("Reading your kernels …") : format_byte_text(hand_in.text.size()));
}

FileWorker::Task write_work(HandInDialog& hand_in, const std::string& path) {
    return [&hand_in, path, text = hand_in.text](FileProgress& progress) -> FileWorker::Completion {
        write_file(path, text, &progress);
        return [&hand_in, words = tr("Wrote {} to {}. Hand in this file.", format_byte_text(text.size()),
                                     quote_path(path))] { hand_in.written = words; };
    };
}

}  // namespace

void open_hand_in(Workspace& workspace) {
    HandInDialog& hand_in = workspace.hand_in;
    hand_in.formatted_for.reset();
    hand_in.kernels = workspace.session.kernels().all();
    const auto folder = workspace.autosave ? workspace.autosave->folder() : std::filesystem::path();
    hand_in.worker.start([&hand_in, folder](FileProgress&) -> FileWorker::Completion {
        return [&hand_in, others = saved_kernels(folder)]() mutable { hand_in.kernels.merge(others); };
    });
    workspace.dialog = Dialog::hand_in;
}

bool draw_hand_in(Workspace& workspace, const Rect& screen) {
    const Theme& t = theme();
    HandInDialog& hand_in = workspace.hand_in;
    update_text(workspace);
    bool keep_open = begin_dialog("hand_in", tr("Hand in"), screen.min, screen.max,
                                  {t.px(dialog_size.x), t.px(dialog_size.y)});
    text_wrapped(TextStyle::body, t.palette().quiet,
                 tr("This is the whole file that you hand in. Nothing is sent: save it, and give it to your "
                    "teacher."));
    gap(12);
    const float width = std::floor((content_width() - t.px(12)) / 2);
    draw_field("hand_in.name", tr("Name"), &hand_in.name, width, ImGui::IsWindowAppearing());
    ImGui::SameLine(0, t.px(12));
    draw_field("hand_in.number", tr("Number"), &hand_in.number, width, false);
    gap(12);
    const float foot = button_size(tr("Save …")).y + t.line_height(TextStyle::note) * 2 + t.px(20);
    const glm::vec2 view(content_width(),
                         std::max(t.px(min_view_height), ImGui::GetContentRegionAvail().y - foot));
    const glm::vec2 start = cursor();
    begin_panel("hand_in.view", start, view, no_fill, true, 0);
    draw_code("hand_in.text", "", hand_in.text, false);
    end_panel();
    set_cursor({start.x, start.y + view.y + t.px(8)});
    draw_state(workspace);
    set_cursor({start.x, start.y + view.y + foot - button_size(tr("Save …")).y});
    const bool is_complete = !trim(hand_in.name).empty() && !trim(hand_in.number).empty();
    if (button("hand_in.save", tr("Save …"),
               {.emphasis = Emphasis::primary,
                .is_enabled = is_complete && hand_in.problem.empty() && !hand_in.worker.is_busy(),
                .tooltip = is_complete ? "" : tr("Type your name and number first")})) {
        hand_in.file.clear_problem();
        if (hand_in.file.path.empty()) {
            // A teacher collects the files of a class in one folder.
            std::string name = hand_in.number;
            std::ranges::replace_if(
                name, [](unsigned char c) { return c < 0x80 && std::isalnum(c) == 0; }, '_');
            hand_in.file.path = home_path(name + ".gridstride-hand-in.json");
        }
        workspace.dialog = Dialog::save_hand_in;
    }
    ImGui::SameLine(0, t.px(8));
    if (button("hand_in.close", tr("Close"), {.shortcut = "Esc"})) keep_open = false;
    end_dialog();
    if (!keep_open) hand_in.worker.cancel();
    return keep_open;
}

bool draw_save_hand_in(Workspace& workspace, const Rect& screen) {
    HandInDialog& hand_in = workspace.hand_in;
    if (!workspace.files.draw(
            {.window = "hand_in.save",
             .id = "hand_in.file",
             .title = tr("Save the hand-in"),
             .what = tr("One file of JSON, which you give to your teacher."),
             .extensions = {".json"},
             .verb_id = "write",
             .verb = tr("Save"),
             .writes = true,
             .work = [&hand_in](const std::string& path) { return write_work(hand_in, path); }},
            hand_in.file, screen))
        workspace.dialog = Dialog::hand_in;
    return true;
}

}  // namespace gridstride::ui
