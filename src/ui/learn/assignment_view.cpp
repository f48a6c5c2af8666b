// The assignment of the class at the top of the course page: what is done, and what is left.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "ui/learn/learn.h"
#include "ui/panels/panels.h"
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

/// Returns, for example, "8 of 11 answers · smallest ✓ 5 points".
std::string describe_lesson(const DeviceProgress& progress, const Assignment& assignment,
                            const AssignedLesson& lesson) {
    std::vector<std::string> parts;
    if (!lesson.question_ids.empty())
        parts.push_back(tr("{} of {}", count_answered(progress, lesson),
                           counted(lesson.question_ids.size(), "answer", "answers")));
    for (const AssignedExercise& exercise : assignment.exercises)
        if (exercise.entry == lesson.entry) parts.push_back(describe_exercise(progress, exercise));
    return join(parts, " · ");
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
    const CourseEntry* opened = nullptr;
    float title_width = 0;
    for (const AssignedLesson& lesson : assignment.lessons)
        title_width = std::max(title_width, button_size(lesson.entry->title).x);
    for (const AssignedLesson& lesson : assignment.lessons) {
        const glm::vec2 beside(title_width + t.px(12), (hand_in_size.y - t.line_height(TextStyle::body)) / 2);
        named_line("assignment.left." + lesson.entry->id, TextStyle::body, cursor() + beside, p.quiet,
                   describe_lesson(progress, assignment, lesson));
        if (button("assignment.lesson." + lesson.entry->id, lesson.entry->title)) opened = lesson.entry;
        gap(6);
    }
    const glm::vec2 end = cursor();
    set_cursor({start.x + width - hand_in_size.x, start.y});
    if (button("assignment.hand_in", tr("Hand in …"), {.emphasis = Emphasis::primary}))
        open_hand_in(workspace);
    set_cursor(end);
    gap(8);
    separator();
    gap(16);
    if (opened) open_story(workspace, *opened);
}

}  // namespace gridstride::ui
