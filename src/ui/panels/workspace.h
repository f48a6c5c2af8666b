// The window's own state, beside the session: what is open, how big, and how plots were zoomed.
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

#include "lesson/plot.h"
#include "session/keeping.h"
#include "session/session.h"
#include "sweep/sweep_figure.h"
#include "sweep/sweep_form.h"
#include "sweep/sweep_words.h"
#include "ui/inside/inside_view.h"
#include "ui/launch/launch_view.h"
#include "ui/panels/dialog_state.h"
#include "ui/pictures/plot_maker.h"
#include "ui/plot/plot_view.h"
#include "ui/settings/settings.h"
#include "ui/text/code_editor.h"

namespace gridstride::ui {

/// What fills the window below its top bar.
enum class Page { course, lesson };

/// What lies over the window, beside the saving of a plot.
enum class Dialog {
    none,
    find,
    keys,
    help,
    export_csv,
    open_data,
    choose_reading,
    open_kernel,
    save_kernel,
    compare,
    browse_a,
    browse_b,
    save_progress,
    take_progress,
    save_recording,
    open_recording,
    run_unanswered  ///< F5 while a question is open and has no answer
};

/// What the export dialog writes: what there was when it opened.
enum class ExportWhat { runs, sweep };
struct Exported {
    ExportWhat what = ExportWhat::runs;
    Reports reports;
    std::size_t rows = 0;
};

/// The form of a lesson's sweeps, and what was said of it last.
struct SweepDraft {
    SweepForm form;
    bool open = false;  ///< shown although there is a sweep
    ExaminedForm examined;
    std::optional<std::tuple<SweepForm, Experiment>> examined_for;
};

/// What is drawn of the newest sweep, made anew only when it changed.
struct SweepView {
    std::uint64_t revision = 0;
    double made_at = -1;      ///< on ImGui's clock
    std::size_t variant = 0;  ///< the one that the map shows
    std::optional<SweepLines> lines;
    std::optional<SweepMap> map;
    std::optional<BestCell> found;
    BestWords best;
    std::vector<std::string> without_time;
    std::vector<Advice> advice;
};

/// A kernel in its editor, or a file that kernels include.
struct KernelView {
    CodeEditor editor;
    std::vector<std::string> includes = {};  ///< files of shaders/, of the text of this revision
    std::uint64_t revision = ~std::uint64_t{0};
    /// Of each text that was put here, by its CodeText::document(), as of this revision of the session: undo
    /// brings a text back, and it is still its own file's.
    std::map<std::uint64_t, KernelFile> files = {};
    std::uint64_t session_revision = ~std::uint64_t{0};
};

struct Workspace {
    Session& session;
    Keeping* keeping = nullptr;  ///< null where nothing is kept
    Layout layout;
    Page page = Page::lesson;
    bool presenting = false;   ///< the question alone fills the window
    bool drawer_open = false;  ///< in Learn: the whole bench lies over the stage
    Mode mode = Mode::dark;
    float scale = 1;
    std::size_t tab = 0;                                  ///< of the stage, from the left
    std::pair<const Lesson*, std::size_t> stage_is_of{};  ///< the step that it was last turned to
    bool stage_is_turned = false;                         ///< the step chose the tab, not the person
    /// What the person chose among the step's pictures, until another step is open.
    struct ChosenPicture {
        const Lesson* lesson = nullptr;
        std::size_t step = 0;
        std::string plot;
    } picture;
    std::vector<std::string> on_stage;  ///< ids of the pictures that the last frame showed there
    Dialog dialog = Dialog::none;
    FileName data_file, kernel_file, export_file, compare_file, progress_file, recording_file;
    FileBrowser files;  ///< for the dialog that asks for one
    DataReading data_reading;
    Exported exported;
    CompareDialog compare;
    HelpView help;
    FindView finding;
    std::function<void()> toggle_full_screen = [] {};
    PlotSaving plot_saving;
    /// The settings' file while the window waits for it; empty: it does not.
    std::string awaited_settings;
    bool has_dialog() const {
        return dialog != Dialog::none || plot_saving.asks || forgets || !awaited_settings.empty();
    }
    bool kernel_has_keyboard = false;                ///< what is typed goes into the kernel
    std::map<std::string, KernelView> kernel_views;  ///< by "lesson/variant", of included files by their name
    std::string shown_include;  ///< in place of the kernel, a file of shaders/; empty: the kernel
    std::map<std::string, SweepDraft> sweep_drafts;  ///< by lesson
    SweepView sweep_view;
    InsideView inside;
    LaunchView launch;
    std::string notice;  ///< what just happened: "Wrote 64 rows to …"
    bool notice_is_bad = false;
    void say(std::string what, bool is_bad = false) {
        notice = std::move(what);
        notice_is_bad = is_bad;
    }

    /// What was asked for at a thing to make, by "lesson.name": how many hints, the solution, and the text
    /// that was there before it was started over.
    struct MakeHelp {
        std::size_t hints = 0;
        bool solution = false;
        std::optional<KernelSource> before;
    };
    std::map<std::string, MakeHelp> make_help;

    bool at_end = false;                 ///< on the lesson's last page, behind its last step
    std::set<std::string> open_answers;  ///< "lesson.step.block" of decided questions that stand open
    std::string just_decided;            ///< the same of the one whose outcome stays pinned
    std::string last_asked;              ///< the same of the open one that stood pinned last
    /// "lesson.step.block" of a question of the open step.
    std::string question_name(std::size_t block) const;
    /// Runs what decides it; its outcome stays pinned until the person goes on.
    void decide(std::size_t block);
    std::map<std::string, std::vector<double>> mark_drafts;  ///< by the same: NaN where none is placed yet
    /// Asks first: the progress of this lesson, or, null, of all, is to be forgotten.
    std::optional<const Lesson*> forgets;
    /// The small picture of a lesson's card on the course page; null: none, or not made yet.
    const Plot* card_picture(const Lesson& lesson);

    std::map<std::string, PlotView> plot_views;

    PlotMaker plot_maker;
    /// Between frames: orders new pictures when the session changed, and takes in the newest that are made.
    /// True when there were some.
    bool refresh_plots();
    bool plots_are_due() const;  ///< newer ones are to come

    /// The lesson's plots, the newest that are made.
    const std::vector<Plot>& lesson_plots() const;
    /// The source of a shader that ships, read once. Empty when there is none.
    const std::string& shader_source(const std::string& file);
    /// The text that the kernel tab shows: the person's own, else the lesson's.
    const std::string& kernel_text();
    /// Empty when there is none.
    const std::string& lesson_kernel_text();
    /// Registers of an invocation of what is on the bench, from the newest report if it is of the same kernel
    /// at the same workgroup size; 0 if not known.
    std::uint32_t known_registers() const;
    /// A plot that all lessons have, by id, or the lesson's own; null when there is none now.
    const Plot* find_plot(std::string_view id) const;
    /// The runs that decided the step's last decided question, side by side; null where there are none.
    const Plot* comparison();
    /// Where a parameter's slider goes with the input in hand; nullopt: over all that is declared.
    std::optional<ValueRange> range_of(std::string_view parameter) const;
    /// Puts on the bench what was dragged in a plot.
    void take(const MarkerMove& move);

    explicit Workspace(Session& s) : session(s) {}

 private:
    std::uint64_t ordered_revision_ = ~std::uint64_t{0};
    std::size_t ordered_runs_ = 0;  ///< of the session's history
    std::shared_ptr<const PlotSet> plots_;
    std::string zoomed_for_;  ///< what the plots were of that a person may have zoomed
    bool cards_ordered_ = false;
    std::uint64_t compared_revision_ = ~std::uint64_t{0};
    std::optional<Plot> comparison_;
    std::map<std::string, std::string> sources_;

    void forget_zoom();
};

}  // namespace gridstride::ui
