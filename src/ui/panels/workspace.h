// The window's own state, beside the session: what is open, how big, and how plots were zoomed.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lesson/plot.h"
#include "session/keeping.h"
#include "session/session.h"
#include "session/sweep_figure.h"
#include "session/sweep_form.h"
#include "session/sweep_words.h"
#include "ui/panels/dialogs.h"
#include "ui/plot/plot_maker.h"
#include "ui/plot/plot_view.h"
#include "ui/text/code_editor.h"
#include "ui/widgets/theme.h"

namespace gridstride::ui {

/// Sizes in design pixels, so that they keep their meaning at every scale.
struct Layout {
    float story_width = 400;
    float bench_width = 344;
    float runs_height = 196;
    bool show_story = true;
    bool show_bench = true;
    bool show_runs = true;
};

/// What the window remembers between sessions, in the XDG configuration directory.
struct Settings {
    Mode mode = Mode::dark;
    float scale = 0;  ///< 0: never chosen
    std::string lesson;
    std::size_t step = 0;
    Layout layout;
    std::map<PredictionKey, Prediction> predictions{};
    FilePlaces files{};
};

/// A damaged file is set aside as settings.json.damaged, with a warning in the log, and the defaults are
/// used.
Settings load_settings(const std::filesystem::path& file);
std::string format_settings(const Settings& settings);
/// Changes in the file what differs between two texts of format_settings(); what else another window wrote
/// there stays. Throws FileError.
void write_settings(const std::filesystem::path& file, const std::string& before, const std::string& now);
std::filesystem::path settings_file();

/// What lies over the window, beside the saving of a plot.
enum class Dialog {
    none,
    keys,
    help,
    export_csv,
    open_data,
    open_kernel,
    save_kernel,
    compare,
    browse_a,
    browse_b,
    save_progress,
    take_progress
};

/// What the export dialog writes.
enum class ExportWhat { runs, sweep };

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

struct Workspace {
    Session& session;
    Keeping* keeping = nullptr;  ///< null where nothing is kept
    Layout layout;
    Mode mode = Mode::dark;
    float scale = 1;
    std::size_t tab = 0;  ///< of the stage, from the left
    Dialog dialog = Dialog::none;
    FileName data_file, kernel_file, export_file, compare_file, progress_file;
    FileBrowser files;  ///< for the dialog that asks for one
    ExportWhat export_what = ExportWhat::runs;
    CompareDialog compare;
    HelpView help;
    PlotSaving plot_saving;
    bool has_dialog() const { return dialog != Dialog::none || plot_saving.asks; }
    bool kernel_has_keyboard = false;                  ///< what is typed goes into the kernel
    std::map<std::string, CodeEditor> kernel_editors;  ///< by "lesson/variant"
    std::map<std::string, SweepDraft> sweep_drafts;    ///< by lesson
    SweepView sweep_view;
    std::string notice;  ///< what just happened: "Wrote 64 rows to …"
    bool notice_is_bad = false;
    void say(std::string what, bool is_bad = false) {
        notice = std::move(what);
        notice_is_bad = is_bad;
    }

    std::string just_decided;  ///< "step.block" of the prediction whose outcome is to be brought into view

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
    /// Registers of an invocation of what is on the bench, from the newest report if it is of the same kernel
    /// at the same workgroup size; 0 if not known.
    std::uint32_t known_registers() const;
    /// A plot that all lessons have, by id, or the lesson's own; null when there is none now.
    const Plot* find_plot(std::string_view id) const;

    explicit Workspace(Session& s) : session(s) {}

 private:
    std::uint64_t ordered_revision_ = ~std::uint64_t{0};
    std::size_t ordered_runs_ = 0;  ///< of the session's history
    std::shared_ptr<const PlotSet> plots_;
    std::map<std::string, std::string> sources_;
};

}  // namespace gridstride::ui
