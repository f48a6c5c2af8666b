// The panels of the window. Each draws itself into a rectangle of the screen, or at the cursor, and acts on
// the session.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "session/session_words.h"
#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

/// The strip below the top bar that offers what an earlier window left; its height is 0 without an offer.
float earlier_work_height(const Workspace& workspace);
void draw_earlier_work(Workspace& workspace, const Rect& area);
void draw_stage_panel(Workspace& workspace, const Rect& area);
/// The stage shows a recording: it needs the width that story and bench have beside it otherwise. Not while a
/// question is open, which the story asks.
bool inside_is_open(const Workspace& workspace);
/// One of the stage's tabs: "picture", "inside", "timings", "launch", "sweep", "kernel".
void open_tab(Workspace& workspace, std::string_view id);
void draw_bench_panel(Workspace& workspace, const Rect& area);
/// The newest run in one line: verdict, times, where the time goes. While a question is open, that it waits
/// for the answer.
void draw_run_strip(Workspace& workspace, const Rect& area);
float run_strip_height();
/// Its strip, and below that the table where it is open.
void draw_runs_panel(Workspace& workspace, const Rect& area);
constexpr float runs_strip_height = 36;  ///< design pixels

/// What there is to say of a parameter's value on the bench (or, without one, of the run as a whole), as far
/// as it does not answer a question that is open.
void draw_remarks(const Session& session, std::string_view parameter);
/// A control of the bench, as wide as the panel, with its remarks.
void draw_variant_control(Session& session);
void draw_parameter_control(Workspace& workspace, const Parameter& parameter);
/// The step's own controls in a row, and the button that opens the whole bench. `roomy`: there is room for
/// more than that.
void draw_step_controls(Workspace& workspace, bool roomy);

/// What F5 does: decides the prediction that has an answer, asks where the question has none, judges what is
/// made at the step, else runs.
void run_or_ask(Workspace& workspace);
/// A button that skips the step's open questions and runs what is on the bench, where results are hidden. Its
/// size first.
glm::vec2 skip_button_size();
void draw_skip_button(std::string_view id, Session& session);
/// Judges what is made at the step, where the person sees it.
void check_made(Workspace& workspace);

/// The stage's Sweep tab: a form, then the sweep as it fills in, its best cell, and the usual advice against
/// it.
void draw_sweep_panel(Workspace& workspace);
/// Its form; starts the sweep. Needs a device.
void draw_sweep_form(Workspace& workspace, SweepDraft& draft);
/// The stage's Kernel tab, the variant's GLSL, to read and to change: fills the rest of the panel.
void draw_kernel_panel(Workspace& workspace);
/// What the compiler's verdict means for the results on show, in a sentence: "✗ Line 12 does not compile; the
/// results are those of your last kernel that did."
Verdict kernel_status(const Session& session);
void draw_kernel_status(std::string_view id, const Session& session);

/// What the device is, what it can do at best, and since when that is known. True when that is to be measured
/// again. There must be a device.
bool draw_device(Session& session);

/// The rates of a run beside the device's ceilings: rows for kernel, upload and download, then what there is
/// to say of them. Nothing before a measured run.
void draw_rates(const Report& report, bool stale);
/// The share of a ceiling in few characters: "73 %", "1.6 %", "<0.01 %", and ">100 %" of what the ceiling is
/// no ceiling for: see why_over_ceiling().
std::string short_percent(double fraction);

/// Asks where to write the runs or the newest sweep; does nothing while there are none.
void open_export(Workspace& workspace, ExportWhat what = ExportWhat::runs);
/// Asks for a file to read the kernel from or to write it to: Dialog::open_kernel, save_kernel.
void open_kernel_dialog(Workspace& workspace, Dialog dialog);
/// Asks for a file to write the recording to or to read one from: Dialog::save_recording, open_recording.
void open_recording_dialog(Workspace& workspace, Dialog dialog);
/// Files that were dropped on the window: the first is opened, as a kernel or as the lesson's input.
void open_dropped(Workspace& workspace, const std::vector<std::string>& paths);
/// Dialog::choose_reading: shows the first rows of the file and asks how it is read. False: it is to be
/// closed.
bool draw_reading_dialog(Workspace& workspace, const Rect& screen);
/// Asks for a file to save progress to or to take it from: Dialog::save_progress, take_progress.
void open_progress_dialog(Workspace& workspace, Dialog dialog);
/// False: it is to be closed.
bool draw_progress_dialog(Workspace& workspace, const Rect& screen);
/// The dialog that is open.
void draw_dialogs(Workspace& workspace, const Rect& screen);
/// Takes up what the menu of a plot asked for since the last frame, and draws the dialog.
void draw_plot_saving(Workspace& workspace, const Rect& screen);
/// What writes the plot into this file; a picture while go_on_with_picture() is called.
FileWork::Work plot_writing(Workspace& workspace, const std::string& path);

/// The path of a file of this name in the home directory.
std::string in_home(const std::string& name);

// What several panels are made of.

/// A sentence in small letters, wrapped at width (0: the panel's): quiet, or in the colour of a caution or a
/// refusal behind its mark.
void note_text(std::string_view words, Severity severity = Severity::note, float width = 0);

/// Buttons beside each other from the cursor on, in as many rows as they need.
class ButtonRows {
 public:
    /// Pixels: of a row, and between two.
    ButtonRows(float width, float between) : width_(width), between_(between) {}
    /// Leaves the cursor under the last.
    ~ButtonRows();
    ButtonRows(const ButtonRows&) = delete;
    ButtonRows& operator=(const ButtonRows&) = delete;
    /// True when pressed.
    bool add(std::string_view id, std::string_view label, const ButtonOptions& options = {});

 private:
    glm::vec2 start_ = ImGui::GetCursorScreenPos(), at_ = start_;  ///< of the first button, of the next
    float width_, between_, bottom_ = start_.y;
};

/// A row of a quiet box: a label, a number in the mono face at the right, and what is uncertain about it.
struct NumberRow {
    std::string label;
    Quantity quantity;
    std::string error = {};
    std::optional<Ink> ink = {};  ///< of the number; nullopt: as text has
};
/// A quiet box of them, as wide as the panel: digits, units and errors stand under each other.
void draw_numbers(const std::vector<NumberRow>& rows);

/// A cell of a table's row, shortened to fit: words at its left, numbers at its right. Returns where the next
/// one starts.
float draw_cell(glm::vec2 at, float width, bool left, ImU32 color, std::string_view text);

}  // namespace gridstride::ui
