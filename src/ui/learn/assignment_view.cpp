// The assignment of the class at the top of the course page: what is done, and what is left.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "ui/learn/card.h"
#include "ui/learn/learn.h"
#include "ui/panels/panels.h"
#include "ui/text/rich_text.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

ProgressKey key_of(const DeviceProgress& progress, const AssignedExercise& exercise) {
    return progress.key(*exercise.entry->lesson, exercise.block.id);
}

bool is_solved(const DeviceProgress& progress, const AssignedExercise& exercise) {
    return progress.story_progress().solved_exercises.contains(key_of(progress, exercise));
}

std::size_t count_answered(const DeviceProgress& progress, const AssignedLesson& lesson) {
    return static_cast<std::size_t>(std::ranges::count_if(lesson.question_ids, [&](const std::string& id) {
        const Prediction* const known = progress.find(progress.key(*lesson.entry->lesson, id));
        return known && known->is_closed();
    }));
}

/// Returns, for example, "closes 2026-12-04 18:00 +01:00 · 5 of 9 points · 12 of 20 answers".
std::string describe_assignment(const DeviceProgress& progress, const Assignment& assignment) {
    std::size_t points = 0, answered = 0;
    for (const AssignedExercise& exercise : assignment.exercises)
        if (is_solved(progress, exercise)) points += exercise.points;
    for (const AssignedLesson& lesson : assignment.lessons)
        answered += count_answered(progress, lesson);
    const std::size_t questions = assignment.count_questions();
    if (questions > 0) points += assignment.answer_points * answered / questions;
    std::string words =
        tr("{} of {} · {} of {}", points, counted(assignment.count_points(), "point", "points"), answered,
           counted(questions, "answer", "answers"));
    if (const std::string& closes = assignment.closes; !closes.empty())
        words =
            tr("closes {} {} {} · {}", closes.substr(0, 10), closes.substr(11, 5), closes.substr(19), words);
    if (assignment.are_solutions_locked) words += tr(" · solutions are locked");
    return words;
}

/// Returns, for example, "smallest ✓ 5 points" or, if it is not solved, "smallest ○ 5 points, 3 checks". An
/// exercise whose expectation is withheld is never solved here, so the checks tell it from one not begun.
std::string describe_exercise(const DeviceProgress& progress, const AssignedExercise& exercise) {
    const bool solved = is_solved(progress, exercise);
    const auto& attempts = progress.story_progress().attempts;
    const auto found = attempts.find(key_of(progress, exercise));
    std::string words = fmt::format("{} {} {}", exercise.block.id, solved ? "✓" : "○",
                                    counted(exercise.points, "point", "points"));
    if (!solved && found != attempts.end()) words += ", " + counted(found->second, "check", "checks");
    return words;
}

/// Returns, for example, "steps 1 to 9 · make smallest".
std::string describe_task(const Assignment& assignment, const AssignedLesson& lesson) {
    const std::vector<std::size_t>& steps = lesson.steps;
    std::vector<std::string> parts;
    if (steps.size() == lesson.entry->step_ids.size())
        parts.push_back(tr("all steps"));
    else if (steps.size() == 1)
        parts.push_back(tr("step {}", steps.front() + 1));
    else if (steps.back() - steps.front() + 1 == steps.size())
        parts.push_back(tr("steps {} to {}", steps.front() + 1, steps.back() + 1));
    else
        parts.push_back(tr("{} of {} steps", steps.size(), lesson.entry->step_ids.size()));
    for (const AssignedExercise& exercise : assignment.exercises)
        if (exercise.entry == lesson.entry) parts.push_back(tr("make {}", exercise.block.id));
    return join(parts, " · ");
}

struct AssignmentCard {
    const AssignedLesson* lesson;
    std::string task;
    std::string left;                            ///< "8 of 11 answers · smallest ✓ 5 points"
    std::size_t done_count = 0, part_count = 0;  ///< answers and solved exercises; questions and exercises
    float left_height = 0;                       ///< of the text `left`, in pixels

    bool is_done() const { return part_count > 0 && done_count == part_count; }
};

AssignmentCard make_assignment_card(const DeviceProgress& progress, const Assignment& assignment,
                                    const AssignedLesson& lesson, float text_width) {
    AssignmentCard card{&lesson, describe_task(assignment, lesson), {}};
    std::vector<std::string> parts;
    if (card.part_count = lesson.question_ids.size(); card.part_count > 0) {
        card.done_count = count_answered(progress, lesson);
        parts.push_back(tr("{} of {}", card.done_count, counted(card.part_count, "answer", "answers")));
    }
    for (const AssignedExercise& exercise : assignment.exercises) {
        if (exercise.entry != lesson.entry) continue;
        ++card.part_count;
        if (is_solved(progress, exercise)) ++card.done_count;
        parts.push_back(describe_exercise(progress, exercise));
    }
    card.left = join(parts, " · ");
    card.left_height = spans_height({{card.left}}, TextStyle::note, text_width);
    return card;
}

/// Returns true if the card was clicked.
bool draw_assignment_card(const AssignmentCard& card, const Rect& rect) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const CourseEntry& entry = *card.lesson->entry;
    const Item item = interact("assignment.lesson." + entry.id,
                               {"button", card.is_done() ? entry.title + " ✓" : entry.title}, rect);
    if (!item.is_visible) return item.was_clicked;
    draw_card_frame(item, rect, p.line);
    const float padding = std::round(t.px(card_padding)), width = rect.width() - 2 * padding;
    glm::vec2 at = rect.min + glm::vec2(padding);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(list, TextStyle::body_strong, at, p.text, elide(TextStyle::body_strong, entry.title, width));
    at.y += t.line_height(TextStyle::body_strong);
    draw_text(list, TextStyle::note, at, p.quiet, elide(TextStyle::note, card.task, width));
    at.y += t.line_height(TextStyle::note) + std::round(t.px(8));
    draw_progress_bar(
        at, width,
        static_cast<float>(card.done_count) / static_cast<float>(std::max<std::size_t>(card.part_count, 1)));
    set_cursor({at.x, rect.max.y - padding - card.left_height});
    named_text("assignment.left." + entry.id, TextStyle::note,
               card.is_done() ? t.text_color(ColorRole::right) : p.text, card.left, {}, width);
    return item.was_clicked;
}

/// Draws the cards in rows, those of a row with one height. Returns the lesson that was clicked, or null.
const CourseEntry* draw_assignment_cards(const DeviceProgress& progress, const Assignment& assignment,
                                         float width) {
    constexpr float max_card_width = 320;  // design pixels
    const Theme& t = theme();
    const float spacing = std::round(t.px(card_spacing)), padding = std::round(t.px(card_padding));
    const float card_width = std::min(std::round(t.px(max_card_width)), width);
    const auto columns =
        static_cast<std::size_t>(std::max(1.0F, std::floor((width + spacing) / (card_width + spacing))));
    const CourseEntry* clicked = nullptr;
    for (std::size_t row = 0; row < assignment.lessons.size(); row += columns) {
        std::vector<AssignmentCard> cards;
        float left_height = t.line_height(TextStyle::note);
        for (std::size_t i = row; i < std::min(row + columns, assignment.lessons.size()); ++i) {
            cards.push_back(
                make_assignment_card(progress, assignment, assignment.lessons[i], card_width - 2 * padding));
            left_height = std::max(left_height, cards.back().left_height);
        }
        const float height = 2 * padding + t.line_height(TextStyle::body_strong) +
                             t.line_height(TextStyle::note) + 2 * std::round(t.px(8)) +
                             std::round(t.px(progress_bar_height)) + std::round(left_height);
        const glm::vec2 start = cursor();
        glm::vec2 at = start;
        for (const AssignmentCard& card : cards) {
            if (draw_assignment_card(card, {at, at + glm::vec2(card_width, height)}))
                clicked = card.lesson->entry;
            at.x += card_width + spacing;
        }
        set_cursor({start.x, start.y + height});
        ImGui::Dummy({0, 0});
        gap(card_spacing);
    }
    return clicked;
}

}  // namespace

bool is_solution_locked(const Workspace& workspace, const MakeBlock& make) {
    return workspace.assignment && workspace.assignment->are_solutions_locked &&
           std::ranges::any_of(workspace.assignment->exercises, [&](const AssignedExercise& exercise) {
               return exercise.entry->lesson == &workspace.session.lesson() && exercise.block.id == make.id;
           });
}

void draw_assignment(Workspace& workspace, float width) {
    if (!workspace.assignment) return;
    const Theme& t = theme();
    const Palette& p = t.palette();
    const Assignment& assignment = *workspace.assignment;
    const DeviceProgress& progress = workspace.session.progress();
    const glm::vec2 start = cursor(), hand_in_size = button_size(tr("Hand in …"));
    text_wrapped(TextStyle::step_title, p.text, printable(assignment.title),
                 width - hand_in_size.x - t.px(12));
    named_text("assignment.left", TextStyle::body, p.quiet, describe_assignment(progress, assignment), {},
               width);
    gap(12);
    const CourseEntry* const opened = draw_assignment_cards(progress, assignment, width);
    const glm::vec2 end = cursor();
    set_cursor({start.x + width - hand_in_size.x, start.y});
    if (button("assignment.hand_in", tr("Hand in …"), {.emphasis = Emphasis::primary}))
        open_hand_in(workspace);
    set_cursor(end);
    separator();
    gap(16);
    if (opened) open_story(workspace, *opened);
}

}  // namespace gridstride::ui
