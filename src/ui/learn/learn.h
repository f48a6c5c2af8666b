// The pages of the course: the list of lessons, a step's text and questions, a lesson's last page, and the
// question alone for a projector.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// Draws the step's text with its question's card and buttons, or the lesson's last page.
void draw_story_panel(Workspace& workspace, const Rect& area);
/// Returns the glossary's definition of a term, with this device's numbers; empty if there is none.
std::string term_definition(const Session& session, std::string_view name);
/// The kinds of items that Find lists. A story has the first three.
enum class ItemKind { step, question, exercise, lesson, term, setting, action, control, manual };
/// Returns "Step"; tr() translates it.
constexpr const char* name(ItemKind kind) {
    constexpr const char* names[] = {tr_later("Step"),   tr_later("Question"), tr_later("Exercise"),
                                     tr_later("Lesson"), tr_later("Term"),     tr_later("Setting"),
                                     tr_later("Action"), tr_later("Control"),  tr_later("Manual")};
    return names[static_cast<std::size_t>(kind)];
}

struct StoryPart {
    ItemKind kind = ItemKind::step;
    std::string id;
    std::string title;  ///< the step's title, or a question's text
    std::size_t step = 0;
};
/// Opens the step of a part and scrolls to the question's card or the exercise. If an open question hides
/// the part, a notice says so.
void show_part(Workspace& workspace, const StoryPart& part);
/// Returns the parts in the story's order; empty if the story cannot be read.
const std::vector<StoryPart>& story_parts(const CourseEntry& entry);
void draw_course_page(Workspace& workspace, const Rect& area);
/// Draws the assignment, if there is one, with a button for each of its lessons.
void draw_assignment(Workspace& workspace, float width);
/// Opens Dialog::hand_in. Requires an assignment.
void open_hand_in(Workspace& workspace);
/// Draws the hand-in with the fields for name and number. Returns false if the dialog is to be closed.
bool draw_hand_in(Workspace& workspace, const Rect& screen);
/// Draws the dialog that writes the hand-in to a file, and returns to Dialog::hand_in.
bool draw_save_hand_in(Workspace& workspace, const Rect& screen);
/// Returns true if the assignment asks for this exercise of the open lesson, and locks solutions.
bool is_solution_locked(const Workspace& workspace, const MakeBlock& make);
/// Draws the question alone until it is decided, then its verdict and the picture. Requires a theme with
/// presentation_scale(). Escape leaves the page.
void draw_presentation(Workspace& workspace, const Rect& area);
/// Returns up to twice the scale, as far as a window of this size, in pixels, has room for it.
float presentation_scale(float scale, glm::vec2 window);

/// Draws the dialog that confirms deleting the progress named by Workspace::progress_to_reset, if there is
/// one.
void draw_delete_progress_dialog(Workspace& workspace, const Rect& screen);

/// Draws an exercise: its requirements with their results, hints, the solution. width: pixels.
void draw_exercise(Workspace& workspace, const MakeBlock& make, float width);
/// A button that shows the next hint or the solution, in the row of buttons under the text.
struct HelpButton {
    std::string_view id, label;
    bool is_selected = false;  ///< the solution is shown
    std::function<void()> pressed;
};
std::vector<HelpButton> help_buttons(Workspace& workspace, const MakeBlock& make);

/// Opens a story at the step where the user left it.
void open_story(Workspace& workspace, const CourseEntry& entry);
/// Shows a step of the open story in place of its last page.
void show_step(Workspace& workspace, std::size_t step);
/// Selects the stage's tab once for each step that is opened: the kernel for an exercise that writes one,
/// else the picture. A tab that the user chooses stays for that step.
void select_stage_tab(Workspace& workspace);
void step_forward(Workspace& workspace);
void step_back(Workspace& workspace);
/// Returns true if the last page is shown in place of the step.
bool is_on_last_page(const Workspace& workspace);

}  // namespace gridstride::ui
