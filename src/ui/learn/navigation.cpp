#include "ui/learn/learn.h"

#include <fmt/format.h>

#include <utility>

#include "ui/learn/question.h"
#include "ui/panels/panels.h"

namespace gridstride::ui {

bool is_on_last_page(const Workspace& workspace) {
    const Session& session = workspace.session;
    return workspace.is_at_end && session.step() + 1 == session.story().steps.size();
}

void show_step(Workspace& workspace, std::size_t step) {
    const bool stays = is_on_last_page(workspace) && step == workspace.session.step();
    workspace.is_at_end = false;
    workspace.last_decided.clear();
    workspace.page = Page::lesson;
    // On the last page, the last step's values are still on the bench.
    if (stays)
        workspace.session.set_on_last_page(false);
    else
        workspace.session.go_to_step(step);
}

void show_part(Workspace& workspace, const StoryPart& part) {
    show_step(workspace, part.step);
    if (workspace.layout.arrangement == Arrangement::bench || is_inside_open(workspace))
        workspace.layout.is_story_unfolded = true;
    if (part.kind == ItemKind::exercise) reveal_widget("make.requirement.0");
    if (part.kind != ItemKind::question) return;
    const std::optional<QuestionPlace> place = find_question(workspace.session.story(), part.id);
    if (!place || pinned_question(workspace) == place->block) return;
    if (!workspace.session.prediction(place->block).is_closed())
        return workspace.show_notice(
            tr("Answer this step's open question first: that question comes after it."));
    workspace.open_answers.insert(workspace.question_id(place->block));
    reveal_widget(fmt::format("story.card.{}.{}", place->step, place->block));
}

void select_stage_tab(Workspace& workspace) {
    const Session& session = workspace.session;
    const std::pair<const CourseEntry*, std::size_t> now{&session.entry(), session.step()};
    if (std::exchange(workspace.tab_step, now) == now) return;
    const MakeBlock* const make = session.exercise_block();
    open_tab(workspace, make && !make->exercise.empty() ? "kernel" : "picture");
}

void open_story(Workspace& workspace, const CourseEntry& entry) {
    Session& session = workspace.session;
    workspace.page = Page::lesson;
    const LastPosition left = session.progress().last_position(entry);
    const std::size_t step = find_step_by_id(entry, left.step).value_or(0);
    // An open story keeps its bench.
    if (session.entry().id != entry.id || session.entry().lesson != entry.lesson)
        session.open(entry, step);
    else if (const CourseEntry* last = session.progress().last_entry(); !last || last->id != entry.id)
        session.go_to_step(step);  // it was behind the course page and has not been begun
    workspace.is_at_end = false;
    if (left.is_at_end) step_forward(workspace);
}

void step_forward(Workspace& workspace) {
    Session& session = workspace.session;
    if (workspace.page == Page::course) return;
    if (session.step() + 1 < session.story().steps.size()) {
        show_step(workspace, session.step() + 1);
    } else if (session.story_problem().empty()) {
        workspace.is_at_end = true;
        session.set_on_last_page(true);
    }
}

void step_back(Workspace& workspace) {
    const Session& session = workspace.session;
    if (workspace.page == Page::course) return;
    if (is_on_last_page(workspace))
        show_step(workspace, session.step());
    else if (session.step() > 0)
        show_step(workspace, session.step() - 1);
}

}  // namespace gridstride::ui
