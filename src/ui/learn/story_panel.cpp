#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "story/glossary.h"
#include "text_lesson/lesson_folders.h"
#include "ui/learn/last_page.h"
#include "ui/learn/learn.h"
#include "ui/learn/question.h"
#include "ui/learn/scroll_hint.h"
#include "ui/panels/panels.h"
#include "ui/text/rich_text.h"
#include "ui/widgets/control_colors.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

namespace {

// Design pixels.
constexpr float footer_height = 56;
constexpr float panel_padding = 16;
constexpr float help_width = 128;
constexpr float card_gap = 4;           ///< in addition to the text's padding
constexpr float min_text_height = 104;  ///< left by the card for the text: its title and three lines
constexpr float max_line_width = 536;   ///< about 72 characters

void draw_kernel(Workspace& workspace, const KernelBlock& block, std::size_t index) {
    const std::string file = block.file.substr(block.file.rfind('/') + 1);
    const Story& story = workspace.session.story();
    const auto [found, is_new] = workspace.story_kernels.try_emplace({story.file, block.line});
    try {
        if (is_new)
            found->second = kernel_excerpt(workspace.session.lesson(), story,
                                           story.steps[workspace.session.step()], block);
    } catch (const StoryError& error) {
        found->second = error.what();
    }
    draw_code(fmt::format("story.code.{}", index), file, found->second);
}

/// Draws a closed question that is not pinned as a line that expands: "✓ As you predicted. · A million …".
void draw_closed_question(Workspace& workspace, std::size_t block, float width) {
    const Theme& t = theme();
    const Question question = question_at(workspace, block);
    const bool open = workspace.open_answers.contains(question.name());
    const std::optional<Outcome>& outcome = question.prediction.outcome;
    const std::string verdict =
        outcome ? verdict_text(*outcome, describe_result(*outcome)) : std::string(tr("– Skipped."));
    const ImU32 color = outcome ? verdict_color(outcome->result) : t.palette().quiet;
    const std::string id = fmt::format("story.answer.{}", block);
    const glm::vec2 start = cursor();
    const float padding = std::round(t.px(12));
    const Rect rect{start, start + glm::vec2(width, t.line_height(TextStyle::body) + std::round(t.px(12)))};
    advance_cursor(rect.size());
    const Item item = interact(id, {"button", verdict}, rect);
    if (item.was_clicked) {
        if (open)
            workspace.open_answers.erase(question.name());
        else
            workspace.open_answers.insert(question.name());
    }
    if (item.is_visible) {
        ImDrawList* list = ImGui::GetWindowDrawList();
        draw_control_background(rect, button_colors({}, item), t.px(6));
        const float y = rect.min.y + std::round(t.px(6));
        draw_text(list, TextStyle::body_strong, {rect.min.x + padding, y}, color, verdict);
        const float x = rect.min.x + padding + text_size(TextStyle::body_strong, verdict).x + t.px(12);
        const char* arrow = open ? "▴" : "▾";
        draw_text_right(list, TextStyle::body, {rect.max.x - padding, y}, t.palette().quiet, arrow);
        draw_text(list, TextStyle::body, {x, y}, t.palette().quiet,
                  elide(TextStyle::body, plain_text(parse_spans(question.block.question)),
                        rect.max.x - 2 * padding - text_size(TextStyle::body, arrow).x - x));
        if (item.is_focused) draw_focus_ring(rect, t.px(6));
    }
    if (!open) return;
    gap(4);
    const FittedCard card(question, width, 1e6F);
    card.draw_at(cursor());
}

/// Returns false if nothing was drawn.
bool draw_block(Workspace& workspace, const Block& block, std::size_t index, float width) {
    if (const auto* paragraph = std::get_if<Paragraph>(&block)) {
        draw_spans(paragraph->spans, TextStyle::body, width);
    } else if (const auto* heading = std::get_if<Subheading>(&block)) {
        draw_spans(heading->spans, TextStyle::body_strong, width);
    } else if (const auto* list = std::get_if<ListBlock>(&block)) {
        draw_list(*list, width);
    } else if (const auto* table = std::get_if<TableBlock>(&block)) {
        draw_table(*table, width);
    } else if (const auto* code = std::get_if<CodeBlock>(&block)) {
        draw_code(fmt::format("story.code.{}", index), "", code->text);
    } else if (const auto* kernel = std::get_if<KernelBlock>(&block)) {
        draw_kernel(workspace, *kernel, index);
    } else if (const auto* inside = std::get_if<InsideBlock>(&block)) {
        // The trace would reveal the answer; the pinned card has a button of its own.
        if (workspace.session.has_open_question() || (index > 0 && pinned_question(workspace) == index - 1))
            return false;
        draw_inside_button(workspace, *inside, index);
    } else if (const auto* make = std::get_if<MakeBlock>(&block)) {
        draw_exercise(workspace, *make, width);
    } else if (std::holds_alternative<PredictBlock>(block)) {
        if (pinned_question(workspace) == index) return false;
        draw_closed_question(workspace, index, width);
    } else {
        return false;  // the stage shows the pictures and controls
    }
    return true;
}

void draw_lesson_errors(const Session& session) {
    const std::shared_ptr faulty = text_lesson::faulty_lessons();
    const auto found =
        std::ranges::find(*faulty, session.lesson().folder, &text_lesson::FolderLesson::folder);
    if (found == faulty->end()) return;
    const std::vector<std::string>& errors = found->errors;
    const NamedBlock block("lesson.errors", join(errors, "\n"));
    note_text(errors.size() == 1 ? tr("The lesson's files have an error. The last valid version stays open.")
                                 : tr("The lesson's files have {} errors. The last valid version stays open.",
                                      errors.size()),
              Severity::caution);
    for (const std::string& error : errors)
        note_text(error, Severity::refusal);
    gap(8);
}

void draw_story_problem(const Session& session) {
    if (session.story_problem().empty()) return;
    named_text("story.problem", TextStyle::body, theme().text_color(ColorRole::wrong),
               "✗ " + session.story_problem(), session.story_problem());
    gap(4);
    note_text(
        tr("The story cannot be shown until this is fixed. Then open the lesson again from the course page. "
           "The bench and the runs work without it."));
}

void draw_step_text(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    Session& session = workspace.session;
    // Each step has its own id, and so its own scroll position.
    ScrollHint more(fmt::format("story.step.text.{}.{}", session.entry().id, session.step()), area);
    more.begin_text();
    const float width = std::min(content_width(), std::round(t.px(max_line_width)));
    const StoryStep& step = session.shown_step();
    text_wrapped(TextStyle::step_title, t.palette().text, step.title, width);
    gap(8);
    draw_lesson_errors(session);
    draw_story_problem(session);
    bool first = true;
    // Blocks after an open question may reveal its outcome, so they are not shown.
    const std::size_t shown = session.shown_blocks();
    for (std::size_t i = 0; i < shown; ++i) {
        const glm::vec2 before = ImGui::GetCursorScreenPos();
        if (!first) gap(12);
        if (draw_block(workspace, step.blocks[i], i, width))
            first = false;
        else
            set_cursor(before);
    }
    more.end_text();
    more.draw_hint();
}

void draw_footer(Workspace& workspace, const Rect& area, std::optional<std::size_t> pinned) {
    const Theme& t = theme();
    Session& session = workspace.session;
    begin_panel("story.footer", area.min, area.size(), t.palette().panel, false, panel_padding);
    const bool last = is_on_last_page(workspace);
    const Prediction* prediction = pinned ? &session.prediction(*pinned) : nullptr;
    const bool open = prediction && !prediction->is_closed();
    const bool running = open && prediction->is_pending;
    const bool more_questions = !open && session.open_question().has_value();
    const bool has_exercise = !last && !open && session.exercise_block();
    const ExerciseJob* const exercise = has_exercise ? session.exercise() : nullptr;
    const bool done = exercise && exercise->is_done() && !session.is_exercise_old();
    ButtonOptions back{.is_enabled = last || session.step() > 0, .tooltip = tr("Left, or Page Up")};
    const bool answered = open && session.prediction_to_decide() == pinned;
    ButtonOptions decide{.emphasis = Emphasis::primary,
                         .is_enabled = answered,
                         .shortcut = "F5",
                         .tooltip = answered || running ? std::string_view{} : tr("Choose an answer first")};
    const bool judging = session.is_grading();
    ButtonOptions check{.emphasis = done ? Emphasis::normal : Emphasis::primary,
                        .is_enabled = !judging && session.device() && session.bench().is_valid(),
                        .shortcut = "F5"};
    const std::string_view check_words = judging ? tr("Checking …") : tr("Check");
    ButtonOptions next{
        .emphasis = open || (has_exercise && !done) ? Emphasis::quiet : Emphasis::primary,
        .tooltip = open && !running ? tr("Continue without an answer") : tr("Right, or Page Down")};
    const std::string_view next_words = open && !running             ? tr("Skip →")
                                        : more_questions && !running ? tr("Next question →")
                                                                     : tr("Next →");
    // In a narrow panel, the buttons lose their shortcuts, then become small.
    const auto needed = [&] {
        return button_size(tr("← Back"), back).x + button_size(next_words, next).x + t.px(16) +
               (open ? button_size(tr("Predict, then run"), decide).x : 0) +
               (has_exercise ? button_size(check_words, check).x + std::round(t.px(help_width)) : 0);
    };
    if (needed() > content_width()) decide.shortcut = check.shortcut = {};
    if (needed() > content_width()) back.is_small = decide.is_small = next.is_small = check.is_small = true;
    const float top = std::floor(area.min.y + (area.height() - button_size(tr("← Back"), back).y) / 2);
    float x = area.min.x + std::round(t.px(panel_padding));
    const float height = button_size(tr("← Back"), back).y;
    const auto place = [&](std::string_view words, const ButtonOptions& options) {
        const glm::vec2 size = button_size(words, options);
        set_cursor({x, top + std::round((height - size.y) / 2)});
        x += size.x + std::round(t.px(8));
    };
    place(tr("← Back"), back);
    if (button("story.back", tr("← Back"), back)) step_back(workspace);
    if (open) {
        place(tr("Predict, then run"), decide);
        if (button("story.decide", tr("Predict, then run"), decide)) workspace.decide(*pinned);
    }
    if (has_exercise) {
        place(check_words, check);
        if (button("make.check", check_words, check)) grade_exercise(workspace);
        for (const HelpButton& one : help_buttons(workspace, *session.exercise_block())) {
            const ButtonOptions help{
                .emphasis = Emphasis::quiet, .is_selected = one.is_selected, .is_small = true};
            place(one.label, help);
            if (button(one.id, one.label, help)) one.pressed();
        }
    }
    if (!last) {
        if (open || has_exercise)
            x = area.max.x - std::round(t.px(panel_padding)) - button_size(next_words, next).x;
        place(next_words, next);
        if (button("story.next", next_words, next)) {
            workspace.last_decided.clear();
            if (open && !running) session.skip_question(*pinned);
            if (running || !session.open_question()) step_forward(workspace);
        }
    }
    end_panel();
}

}  // namespace

std::string term_definition(const Session& session, std::string_view name) {
    static std::map<std::pair<std::string, std::string>, std::string> known;
    const Limits* device = session.device();
    const auto [found, is_new] =
        known.try_emplace({std::string(name), device ? device->device_name : std::string()});
    if (!is_new) return found->second;
    try {
        if (const Term* term = find_term(glossary(), name))
            found->second = plain_text(parse_inline(meaning_for_device(*term, device)));
    } catch (const std::exception& error) {
        log_warning(error.what());
    }
    return found->second;
}

void draw_story_panel(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    const float footer = std::min(std::floor(t.px(footer_height)), area.height());
    const Rect foot{{area.min.x, area.max.y - footer}, area.max};
    Rect text_area{area.min, {area.max.x, foot.min.y}};
    begin_panel("story", area.min, area.size(), palette.panel, false, 0);
    if (is_on_last_page(workspace)) {
        draw_last_page(workspace, text_area);
        draw_footer(workspace, foot, std::nullopt);
        end_panel();
        return;
    }
    begin_terms("story.term", [&session = workspace.session](std::string_view name) {
        return term_definition(session, name);
    });
    const auto pinned = pinned_question(workspace);
    std::optional<FittedCard> card;
    if (pinned) {
        const Question question = question_at(workspace, *pinned);
        // A new question clears the focus, so that Tab reaches its answers first. If Next kept the focus,
        // Space would skip the question.
        if (question.accepts_answers() &&
            std::exchange(workspace.last_pinned_question, question.name()) != question.name()) {
            clear_focus();
            // go_to_step() did it for the first one.
            if (*pinned != question_blocks(workspace.session.shown_step()).front())
                workspace.session.show_question_values();
        }
        const float padding = std::round(t.px(panel_padding));
        const float max_height =
            text_area.height() - std::min(t.px(min_text_height), text_area.height() * 0.35F);
        card.emplace(question, area.width() - 2 * padding, std::floor(max_height));
        text_area.max.y = std::floor(foot.min.y - card->height() - t.px(card_gap));
    }
    draw_step_text(workspace, text_area);
    if (card) card->draw_at({area.min.x + std::round(t.px(panel_padding)), foot.min.y - card->height()});
    begin_links("");
    {
        const TabOrderFirst first;
        draw_footer(workspace, foot, pinned);
    }
    end_panel();
}

}  // namespace gridstride::ui
