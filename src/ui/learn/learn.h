// Where a course is read: the page of its lessons, a step's text and questions, a lesson's last page, and the
// question alone for a projector.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// The step's text with its question's card and the buttons under it, or the lesson's last page.
void draw_story_panel(Workspace& workspace, const Rect& area);
/// What the glossary says of a word, with this device's numbers; empty where it has no such word.
std::string meaning_of_term(const Session& session, std::string_view name);
/// A step, a question or an exercise of a lesson.
struct StoryPart {
    std::string_view kind;  ///< "Step", "Question", "Exercise"
    std::string id;
    std::string title;  ///< of the step; of a question its text
    std::size_t step = 0;
};
/// Opens its step, with the question's card or the exercise in view; a question that an open one hides is
/// named in the notice.
void show_part(Workspace& workspace, const StoryPart& part);
/// In the story's order; none where it cannot be read.
const std::vector<StoryPart>& story_parts(const Lesson& lesson);
/// The lessons: what a first start shows, and where Course leads.
void draw_course_page(Workspace& workspace, const Rect& area);
/// The question alone until it is decided: then the verdict and the picture. Drawn with a theme of
/// presented_scale(); Escape leaves it.
void draw_presented(Workspace& workspace, const Rect& area);
/// Twice the scale, or what a window of so many pixels has room for.
float presented_scale(float scale, glm::vec2 window);

/// Asks whether the progress that Workspace::forgets names is to be forgotten; nothing while none is. Drawn
/// over all else.
void draw_forget_dialog(Workspace& workspace, const Rect& screen);

/// What is to be made at the step: when it is done and how that stands, hints, the solution, in this width.
void draw_make(Workspace& workspace, const MakeBlock& make, float width);
/// What helps with it, for the row of buttons under the text: the next hint, the solution.
struct HelpButton {
    std::string_view id, label;
    bool selected = false;  ///< what it opens is open
    std::function<void()> pressed;
};
std::vector<HelpButton> help_buttons(Workspace& workspace, const MakeBlock& make);

/// Opens a lesson where it was left, and shows it.
void open_lesson(Workspace& workspace, const Lesson& lesson);
/// A step of the lesson, and no more its last page.
void show_step(Workspace& workspace, std::size_t step);
/// Once for each step that is opened, wherever from: where a kernel is to be written it leads the stage.
void turn_stage_to_step(Workspace& workspace);
/// To the next step, from the last one to the last page.
void step_forward(Workspace& workspace);
void step_back(Workspace& workspace);
/// The last page stands in the story's place.
bool on_last_page(const Workspace& workspace);

}  // namespace gridstride::ui
