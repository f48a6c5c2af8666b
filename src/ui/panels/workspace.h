// The window's own state beside the session: open panels and dialogs, sizes, and zoom of the plots.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "assignment/assignment.h"
#include "lesson/plot.h"
#include "session/autosave.h"
#include "session/session.h"
#include "sweep/sweep_figure.h"
#include "sweep/sweep_form.h"
#include "sweep/sweep_text.h"
#include "text_lesson/folder_setting.h"
#include "ui/inside/inside_view.h"
#include "ui/launch/launch_view.h"
#include "ui/limits/limits_view.h"
#include "ui/panels/dialog_state.h"
#include "ui/pictures/plot_maker.h"
#include "ui/plot/plot_view.h"
#include "ui/settings/settings.h"
#include "ui/text/code_editor.h"

namespace gridstride::ui {

enum class Page { course, lesson };

/// The open dialog. Saving a plot is separate: see PlotSaveDialog.
enum class Dialog {
    none,
    find,
    keys,
    help,
    export_csv,
    open_data,
    input_question,
    open_kernel,
    save_kernel,
    compare,
    browse_a,
    browse_b,
    save_progress,
    load_progress,
    save_trace,
    open_trace,
    hand_in,
    save_hand_in,
    load_lessons,    ///< FolderQuestion
    lesson_folders,  ///< the setting
    run_unanswered   ///< F5 while a question is open and unanswered
};

/// The reports that the export dialog writes, as of when it opened.
enum class ExportSource { runs, sweep };
struct ExportData {
    ExportSource what = ExportSource::runs;
    Reports reports;
    std::size_t rows = 0;
};

/// The form of a lesson's sweeps, and the result of checking it.
struct SweepDraft {
    SweepForm form;
    bool open = false;           ///< shown although there is a sweep
    float fields_height = 1e9F;  ///< of all fields, in pixels: measured while they are drawn
    ExaminedForm checked_form;
    std::optional<std::tuple<SweepForm, Experiment>> checked_inputs;
};

/// The pictures and texts of the newest sweep, rebuilt when it changes.
struct SweepView {
    std::uint64_t revision = 0;
    double rebuilt_at = -1;   ///< ImGui::GetTime() of the last rebuild
    std::size_t variant = 0;  ///< the variant that the map shows
    std::optional<SweepLines> lines;
    std::optional<SweepMap> map;
    std::optional<BestCell> found;
    BestSummary best;
    std::vector<std::string> untimed_reasons;
    std::vector<Advice> advice;
};

/// The editor of a kernel or of an included file.
struct KernelView {
    CodeEditor editor;
    /// The declarations generated for this revision of a kernel of a lesson of text.
    std::string declarations = {};
    /// Files below shaders/ that this revision of the text, or its declarations, include.
    std::vector<std::string> includes = {};
    std::uint64_t revision = ~std::uint64_t{0};
    /// The file of each text shown in this editor, by CodeText::document(). Undo can restore an earlier text,
    /// and then its file must be restored with it.
    std::map<std::uint64_t, KernelFile> files = {};
    std::uint64_t session_revision = ~std::uint64_t{0};
};

struct Workspace {
    Session& session;
    std::optional<Assignment> assignment;  ///< of the class
    Autosave* autosave = nullptr;          ///< null: no autosave
    Layout layout;
    Page page = Page::lesson;
    bool is_presenting = false;   ///< only the question is shown, in the whole window
    bool is_drawer_open = false;  ///< in Learn: the bench covers the stage
    Mode mode = Mode::dark;
    bool reduces_motion = false;
    std::string language;  ///< from the next start on; empty: never chosen
    float scale = 1;
    std::size_t tab = 0;                                    ///< of the stage, from the left
    std::pair<const CourseEntry*, std::size_t> tab_step{};  ///< the step for which the tab was last set
    /// The picture that the user chose among the step's pictures, until another step opens.
    struct SelectedPicture {
        const CourseEntry* entry = nullptr;
        std::size_t step = 0;
        std::string plot;
    } picture;
    std::vector<std::string> shown_pictures;  ///< ids of the pictures shown in the last frame
    Dialog dialog = Dialog::none;
    FileName data_file, kernel_file, export_file, compare_file, progress_file, trace_file;
    FileBrowser files;  ///< of the file dialogs
    InputFileState input_file_state;
    ExportData export_data;
    CompareDialog compare;
    HandInDialog hand_in;
    text_lesson::FolderSetting lesson_folders;
    FolderQuestion folder_question;
    FolderSettingView folder_setting;
    HelpView help;
    PaletteView command_palette;
    std::function<void()> toggle_full_screen = [] {};
    PlotSaveDialog plot_save_dialog;
    /// The settings file that the window waits for; empty if none.
    std::string pending_settings;
    bool has_dialog() const {
        return dialog != Dialog::none || plot_save_dialog.is_open || progress_to_reset ||
               !pending_settings.empty();
    }
    bool kernel_has_keyboard = false;  ///< typed characters go to the kernel
    /// By "lesson/variant"; editors of included files by file name.
    std::map<std::string, KernelView> kernel_views;
    std::string shown_include;  ///< file of shaders/ shown in place of the kernel; empty: the kernel
    std::map<std::string, SweepDraft> sweep_drafts;  ///< by lesson id
    SweepView sweep_view;
    InsideView inside;
    LimitsView limits;
    LaunchView launch;
    std::string notice;  ///< the latest message: "Wrote 64 rows to …"
    bool is_notice_error = false;
    void show_notice(std::string what, bool is_error = false) {
        notice = std::move(what);
        is_notice_error = is_error;
    }

    /// The help used in an exercise, by "lesson.name": number of hints, whether the solution is shown, and
    /// the text before it was started over.
    struct ExerciseHelp {
        std::size_t hints = 0;
        bool solution = false;
        std::optional<KernelSource> before;
    };
    std::map<std::string, ExerciseHelp> exercise_help;

    bool is_at_end = false;              ///< on the page after the lesson's last step
    std::set<std::string> open_answers;  ///< "story.step.block" of decided questions that are unfolded
    std::string last_decided;            ///< "story.step.block" whose outcome stays pinned
    std::string last_pinned_question;    ///< "story.step.block" of the question that was pinned last
    /// Returns "story.step.block" of a question of the open step.
    std::string question_id(std::size_t block) const;
    /// Runs the experiment that decides the prediction; its outcome stays pinned until the user continues.
    void decide(std::size_t block);
    /// While presenting: the hands that were raised for each choice, as typed, by question_id().
    std::map<std::string, std::vector<std::string>> raised_hands;
    std::map<std::string, std::vector<double>> mark_drafts;  ///< by question_id(); NaN: not placed
    /// Set while a dialog confirms a reset of progress: of this story, or of all stories if null.
    std::optional<const CourseEntry*> progress_to_reset;
    /// Returns the small picture of a story's card on the course page; null if there is none yet.
    const Plot* card_picture(const CourseEntry& shown_entry);

    std::map<std::string, PlotView> plot_views;

    PlotMaker plot_maker;
    /// Requests new pictures if the session changed, and takes the newest finished ones. Must be called
    /// between frames. Returns true if there were new ones.
    bool refresh_plots();
    bool has_pending_plots() const;  ///< newer plots are being built

    /// Returns the lesson's plots, as of the newest finished request.
    const std::vector<Plot>& lesson_plots() const;
    /// Returns the source of a shipped shader, which is read once; empty if it cannot be read.
    const std::string& shader_source(const std::string& file);
    /// Reads the sources again when they are next shown.
    void forget_sources() {
        sources_.clear();
        story_kernels.clear();
    }
    /// The parts of kernels that the story shows, by the story's file and line.
    std::map<std::pair<std::string, std::size_t>, std::string> story_kernels;
    /// Returns the text in the kernel tab: the user's, else the lesson's.
    const std::string& kernel_text();
    const std::string& lesson_kernel_text();
    /// Returns the text that is compiled before the kernel of a lesson of text; empty for other lessons.
    std::string kernel_declarations() const;
    /// Returns the registers per invocation of the bench's kernel, from the newest report if it has the same
    /// kernel and workgroup size; 0 if unknown.
    std::uint32_t known_registers() const;
    /// Returns the lesson's or a common plot by id; null if there is none now.
    const Plot* find_plot(std::string_view id) const;
    /// Returns the picture that compares the runs that decided the step's last decided question; null if
    /// there are none.
    const Plot* comparison();
    /// Returns the range of a parameter's slider for the current input; nullopt: the declared range.
    std::optional<ValueRange> slider_range(std::string_view parameter) const;
    /// Sets the parameter of a dragged marker on the bench.
    void apply_marker_move(const MarkerMove& move);

    explicit Workspace(Session& s) : session(s) {}

 private:
    std::uint64_t requested_revision_ = ~std::uint64_t{0};
    std::size_t requested_runs_ = 0;  ///< index into the session's history
    std::shared_ptr<const PlotSet> plots_;
    std::string zoom_key_;                              ///< the data that the current zooms refer to
    std::uint64_t cards_revision_ = ~std::uint64_t{0};  ///< lesson_revision() of the requested cards
    std::uint64_t comparison_revision_ = ~std::uint64_t{0};
    std::optional<Plot> comparison_;
    std::map<std::string, std::string> sources_;

    void reset_zoom();
};

}  // namespace gridstride::ui
