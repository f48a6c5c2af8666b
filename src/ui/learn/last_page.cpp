#include "ui/learn/last_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "ui/learn/learn.h"
#include "ui/learn/question.h"
#include "ui/text/rich_text.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

struct QuestionEntry {
    std::size_t step, block;
    const PredictBlock* question;
    const Prediction* prediction;  ///< null: never touched
};
std::vector<QuestionEntry> all_entries(const Session& session) {
    std::vector<QuestionEntry> all;
    const Story& story = session.story();
    const std::string device = session.device() ? session.device()->device_name : std::string();
    for (std::size_t step = 0; step < story.steps.size(); ++step)
        for (const std::size_t block : question_blocks(story.steps[step])) {
            const auto& question = get_question(story.steps[step], block);
            const auto found = session.progress().story_progress().predictions.find(
                {device, session.lesson().id, question.id});
            all.push_back(
                {step, block, &question,
                 found == session.progress().story_progress().predictions.end() ? nullptr : &found->second});
        }
    return all;
}

std::string describe_counts(const std::vector<QuestionEntry>& all) {
    std::size_t right = 0, right_on_gpu = 0, wrong = 0, undecided = 0, skipped = 0, open = 0;
    for (const QuestionEntry& entry : all) {
        if (!entry.prediction || !entry.prediction->is_closed())
            ++open;
        else if (!entry.prediction->outcome)
            ++skipped;
        else if (entry.prediction->outcome->result == Outcome::Result::right)
            ++(entry.prediction->outcome->judged_by ? right_on_gpu : right);
        else
            ++(entry.prediction->outcome->result == Outcome::Result::wrong ? wrong : undecided);
    }
    std::vector<std::string> parts = {tr("{} as predicted", right)};
    if (right_on_gpu > 0) parts.push_back(tr("{} right on a GPU", right_on_gpu));
    if (wrong > 0) parts.push_back(tr("{} not as predicted", wrong));
    if (undecided > 0) parts.push_back(tr("{} undecided", undecided));
    if (skipped > 0) parts.push_back(tr("{} skipped", skipped));
    if (open > 0) parts.push_back(tr("{} not answered", open));
    return fmt::format("{}: {}.", counted(all.size(), "question", "questions"), join(parts, ", "));
}

struct EntryText {
    std::string mark;
    ImU32 color;
    std::string below;  ///< the prediction and the outcome
};
EntryText describe_entry(const QuestionEntry& entry) {
    const Palette& p = theme().palette();
    if (!entry.prediction || !entry.prediction->is_closed()) return {"·", p.quiet, tr("Not answered yet.")};
    if (!entry.prediction->outcome) return {"–", p.quiet, tr("Skipped.")};
    const Outcome& outcome = *entry.prediction->outcome;
    const std::string answer = answer_text(*entry.question, *entry.prediction);
    const std::string measured = outcome_text(*entry.question, outcome);
    const ImU32 color = verdict_color(outcome.result);
    switch (outcome.result) {
        case Outcome::Result::right:
            return {"✓", color, fmt::format("{}: {}", describe_result(outcome), answer)};
        case Outcome::Result::wrong:
            return {"✗", color,
                    tr("You predicted: {}. {}: {}", answer,
                       outcome.judged_by ? tr("Recorded on a GPU") : tr("Result"), measured)};
        default:
            return {"○", color, tr("Too close to call. You predicted: {}", answer)};
    }
}

void draw_entry(Workspace& workspace, const QuestionEntry& entry, float width) {
    const Theme& t = theme();
    const EntryText words = describe_entry(entry);
    const float indent = std::round(t.px(24)), padding = std::round(t.px(6));
    const Spans& question = parse_spans(entry.question->question);
    const Spans below = {{words.below}};
    const float room = width - indent;
    const float first = spans_height(question, TextStyle::body, room),
                second = spans_height(below, TextStyle::note, room);
    const glm::vec2 start = cursor();
    const Rect rect{start, start + glm::vec2(width, first + second + 2 * padding)};
    const std::string id = "last.question." + entry.question->id;
    advance_cursor(rect.size());
    const Item item = interact(id, {"button", words.mark + " " + words.below}, rect);
    if (item.was_clicked) {
        show_step(workspace, entry.step);
        workspace.open_answers.insert(
            fmt::format("{}.{}.{}", workspace.session.entry().id, entry.step, entry.block));
    }
    if (item.is_visible) {
        ImDrawList* list = ImGui::GetWindowDrawList();
        if (item.is_hovered || item.is_held)
            list->AddRectFilled(rect.min, rect.max, with_style_alpha(t.palette().raised), t.px(6));
        draw_text(list, TextStyle::body_strong, {rect.min.x + std::round(t.px(4)), rect.min.y + padding},
                  words.color, words.mark);
        if (item.is_focused) draw_focus_ring(rect, t.px(6));
    }
    set_cursor({rect.min.x + indent, rect.min.y + padding});
    draw_spans(question, TextStyle::body, room);
    set_cursor({rect.min.x + indent, rect.min.y + padding + first});
    draw_spans(below, TextStyle::note, room, t.palette().quiet);
    set_cursor({rect.min.x, rect.max.y});
    ImGui::Dummy({0, 0});
    gap(4);
}

void draw_exercises(Workspace& workspace, float width) {
    const Theme& t = theme();
    const Session& session = workspace.session;
    const Story& story = session.story();
    bool first = true;
    for (std::size_t step = 0; step < story.steps.size(); ++step) {
        const StepProgress progress =
            session.progress().step_progress(session.lesson(), session.story().steps[step]);
        if (!progress.has_exercise) continue;
        if (std::exchange(first, false)) {
            text(TextStyle::panel_title, t.palette().text, tr("Exercises"));
            gap(4);
        }
        const std::string words =
            fmt::format("{} {}", progress.is_solved ? "✓" : "○", story.steps[step].title);
        if (button(
                fmt::format("last.made.{}", step + 1), elide(TextStyle::body, words, width - t.px(32)),
                {.emphasis = Emphasis::quiet,
                 .tooltip = progress.is_solved ? tr("Completed on this device") : tr("Not completed yet")}))
            return show_step(workspace, step);
    }
    if (!first) gap(12);
}

}  // namespace

const CourseEntry* next_in_course(const CourseEntry& entry) {
    const auto& all = course();
    const auto here = std::ranges::find(all, entry.id, &CourseEntry::id);
    return here == all.end() || here + 1 == all.end() ? nullptr : &*(here + 1);
}

void draw_last_page(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    const Session& session = workspace.session;
    begin_panel("last.page." + session.entry().id, area.min, area.size(), palette.panel);
    const float width = content_width();
    text_wrapped(TextStyle::step_title, palette.text, tr("The end of {}", session.entry().title), width);
    gap(8);
    const CourseEntry* next = next_in_course(session.entry());
    if (next) {
        text(TextStyle::note, palette.quiet, tr("Next in the course"));
        text_wrapped(TextStyle::panel_title, palette.text, next->title, width);
        if (!next->head.question.empty()) draw_spans({{next->head.question}}, TextStyle::body, width);
        gap(8);
        const TabOrderFirst first;
        if (button("last.next", tr("Open {}", next->title), {.emphasis = Emphasis::primary}))
            open_story(workspace, *next);
    } else {
        draw_spans({{tr("That was the last lesson.")}}, TextStyle::body, width);
        gap(8);
        const TabOrderFirst first;
        if (button("last.course", tr("All lessons"), {.emphasis = Emphasis::primary}))
            workspace.page = Page::course;
    }
    gap(20);
    const std::vector<QuestionEntry> all = all_entries(workspace.session);
    if (!all.empty()) {
        text(TextStyle::panel_title, palette.text, tr("Your predictions"));
        gap(4);
        named_text("last.counts", TextStyle::note, palette.quiet, describe_counts(all));
        gap(8);
        for (const QuestionEntry& entry : all)
            draw_entry(workspace, entry, width);
        gap(12);
    }
    draw_exercises(workspace, width);
    if (button("last.forget", tr("Restart this lesson …"), {.emphasis = Emphasis::quiet, .is_small = true}))
        workspace.progress_to_reset = &session.entry();
    end_panel();
}

void draw_delete_progress_dialog(Workspace& workspace, const Rect& screen) {
    if (!workspace.progress_to_reset) return;
    const Theme& t = theme();
    const CourseEntry* entry = *workspace.progress_to_reset;
    const std::string scope = entry ? entry->title : tr("all lessons");
    bool keep_open = begin_dialog("forget", tr("Delete your progress in {}?", scope), screen.min, screen.max,
                                  {t.px(480), t.px(200)});
    text_wrapped(
        TextStyle::body, t.palette().text,
        tr("This deletes your steps, predictions and exercises on this device. Your runs and your kernels "
           "are kept."));
    gap(16);
    if (button("forget.yes", tr("Delete progress"), {.emphasis = Emphasis::primary})) {
        Session& session = workspace.session;
        workspace.mark_drafts.clear();
        workspace.open_answers.clear();
        workspace.last_decided.clear();
        if (!entry || entry->id == session.entry().id) workspace.is_at_end = false;
        session.reset_progress(entry);
        keep_open = false;
    }
    ImGui::SameLine(0, t.px(8));
    if (button("forget.no", tr("Cancel"), {.shortcut = "Esc"})) keep_open = false;
    end_dialog();
    if (!keep_open) workspace.progress_to_reset.reset();
}

}  // namespace gridstride::ui
