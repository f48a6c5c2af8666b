// The panels of the window. Each draws itself into a rectangle of the screen, or at the cursor, and changes
// the session when the user acts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "session/session_text.h"
#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

/// Returns the height in pixels of the strip below the top bar that offers the autosave of an earlier window;
/// 0 if there is no offer.
float restore_strip_height(const Workspace& workspace);
void draw_restore_strip(Workspace& workspace, const Rect& area);
void draw_stage_panel(Workspace& workspace, const Rect& area);
/// Returns true if the stage shows the Inside tab, which takes the width of story and bench as well. It is
/// false while a question is open, because the question is shown in the story.
bool is_inside_open(const Workspace& workspace);
/// Opens a tab of the stage: "picture", "inside", "timings", "launch", "sweep" or "kernel".
void open_tab(Workspace& workspace, std::string_view id);
void draw_bench_panel(Workspace& workspace, const Rect& area);
/// Draws the newest run in one line: verdict and times. Hidden while a question is open.
void draw_run_strip(Workspace& workspace, const Rect& area);
float run_strip_height();
/// Draws the strip of the runs, and the table below it if it is open.
void draw_runs_panel(Workspace& workspace, const Rect& area);
constexpr float runs_strip_height = 36;  ///< design pixels

/// Draws the remarks about a parameter's value on the bench; an empty `parameter` selects the remarks about
/// the whole run. While a question is open, only refusals are drawn, because others could give the answer
/// away.
void draw_remarks(const Session& session, std::string_view parameter);
/// Draw a control of the bench with its remarks.
void draw_variant_control(Session& session);
void draw_parameter_control(Workspace& workspace, const Parameter& parameter);
/// Draws the step's controls in a row, and the button that opens the whole bench. `has_room`: there is also
/// room for cautions.
void draw_step_controls(Workspace& workspace, bool has_room);

/// Handles F5: decides a prediction that has an answer, asks before a run would answer an open question,
/// grades the exercise of the step, else runs.
void run_or_ask(Workspace& workspace);
/// Draws a button that skips the step's open questions and runs the bench. Used where results are hidden.
glm::vec2 skip_button_size();
void draw_skip_button(std::string_view id, Session& session);
/// Grades the exercise of the step and scrolls to the requirements.
void grade_exercise(Workspace& workspace);

/// Draws the stage's Sweep tab: the form, the running or finished sweep, its best cell, and the usual advice
/// checked against it.
void draw_sweep_panel(Workspace& workspace);
/// Draws the sweep's form and starts the sweep. Requires a device.
void draw_sweep_form(Workspace& workspace, SweepDraft& draft);
/// Draws the stage's Kernel tab: the editor for the variant's GLSL. Fills the rest of the panel.
void draw_kernel_panel(Workspace& workspace);
/// Returns the state of the user's kernel and what it means for the results shown: "✗ Line 12 does not
/// compile; the results are those of your last kernel that did."
VerdictText kernel_status(const Session& session);
void draw_kernel_status(std::string_view id, const Session& session);

/// Draws the device's name, driver and ceilings, and a button that measures the ceilings again. Returns true
/// if it was pressed. Requires a device.
bool draw_device(Session& session);

/// Opens the dialog that writes the runs or the newest sweep as CSV; does nothing if there are none.
void open_export(Workspace& workspace, ExportSource what = ExportSource::runs);
/// Opens the dialog that reads or writes a kernel: Dialog::open_kernel or Dialog::save_kernel.
void open_kernel_dialog(Workspace& workspace, Dialog dialog);
/// Opens the dialog that reads or writes a trace: Dialog::open_trace or Dialog::save_trace.
void open_trace_dialog(Workspace& workspace, Dialog dialog);
/// Opens the first of the files dropped on the window, as a kernel or as the lesson's input. Asks whether to
/// load the lessons of a folder, with its assignment if there is one.
void open_dropped_file(Workspace& workspace, const std::vector<std::string>& paths);
/// Shows a notice that lists what can be dropped.
void refuse_dropped_file(Workspace& workspace, const std::filesystem::path& file);
/// Opens Dialog::load_lessons for a folder, a lesson.toml or an assignment.toml.
void ask_to_load_lessons(Workspace& workspace, const std::string& path, bool was_dropped);
/// Draws Dialog::input_question: the first rows of the file and the question how to read it. Returns false if
/// the dialog is to be closed.
bool draw_input_question(Workspace& workspace, const Rect& screen);
/// Opens the dialog that saves or imports progress: Dialog::save_progress or Dialog::load_progress.
void open_progress_dialog(Workspace& workspace, Dialog dialog);
/// Returns false if the dialog is to be closed.
bool draw_progress_dialog(Workspace& workspace, const Rect& screen);
void draw_dialogs(Workspace& workspace, const Rect& screen);
/// Starts saving if a plot's menu requested it since the last frame, and draws the dialog.
void draw_plot_saving(Workspace& workspace, const Rect& screen);
/// Returns the work that writes the plot to `path`. A picture also requires calls of continue_picture()
/// until it is drawn.
FileWorker::Task plot_write_work(Workspace& workspace, const std::string& path);

std::string home_path(const std::string& name);

// Shared parts of several panels.

/// Draws a note in small letters, wrapped at `width` pixels (0: the panel's width). Cautions and refusals
/// have a mark and a colour.
void note_text(std::string_view words, Severity severity = Severity::note, float width = 0);

/// Places buttons beside each other from the cursor on, in as many rows as they need.
class ButtonRows {
 public:
    /// `width`: of a row; `between`: between two rows. Both in pixels.
    ButtonRows(float width, float between) : width_(width), between_(between) {}
    ~ButtonRows();
    ButtonRows(const ButtonRows&) = delete;
    ButtonRows& operator=(const ButtonRows&) = delete;
    /// Returns true if the button was pressed.
    bool add(std::string_view id, std::string_view label, const ButtonOptions& options = {});

 private:
    /// Positions of the first and of the next button.
    glm::vec2 start_ = ImGui::GetCursorScreenPos(), at_ = start_;
    float width_, between_, bottom_ = start_.y;
};

/// A row of draw_number_box(): a label, a quantity in the mono face, and its error.
struct NumberRow {
    std::string label;
    Quantity quantity;
    std::string error = {};
    std::optional<ColorRole> color_role = {};  ///< of the quantity; nullopt: the text colour
};
/// Draws a box of rows, as wide as the panel, with quantities, units and errors aligned in columns.
void draw_number_box(const std::vector<NumberRow>& rows);

/// Draws a table cell, shortened to fit: text at the left (`left`) or numbers at the right. Returns the x of
/// the next cell.
float draw_cell(glm::vec2 at, float width, bool left, ImU32 color, std::string_view text);

}  // namespace gridstride::ui
