// The window's own state, beside the session: what is open, how big, and how plots were zoomed.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lesson/plot.h"
#include "session/session.h"
#include "ui/panels/compare_dialog.h"
#include "ui/panels/plot_saving.h"
#include "ui/panels/sweep_panel.h"
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

enum class StageTab : std::size_t { result, launch, timings, sweep, kernel };

/// What the export dialog writes.
enum class ExportWhat { runs, sweep };

/// What is asked about a kernel of the person's own.
enum class KernelDialog { none, open, save };

struct Workspace {
    Session& session;
    Layout layout;
    Mode mode = Mode::dark;
    float scale = 1;
    StageTab tab = StageTab::result;
    bool show_keys = false;
    bool show_export = false;
    bool show_open = false;
    std::string open_path;
    std::string open_problem;  ///< why the file cannot be used
    KernelDialog kernel_dialog = KernelDialog::none;
    std::string kernel_path;
    std::string kernel_problem;        ///< why the file cannot be read or written
    bool kernel_overwrites = false;    ///< the person was told that the file exists, and presses on
    bool kernel_has_keyboard = false;  ///< what is typed goes into the kernel
    std::map<std::string, CodeEditor> kernel_editors;  ///< by "lesson/variant"
    ExportWhat export_what = ExportWhat::runs;
    std::string export_path;
    std::map<std::string, SweepDraft> sweep_drafts;  ///< by lesson
    SweepView sweep_view;
    CompareDialog compare;
    PlotSaving plot_saving;
    std::string notice;  ///< what just happened: "Wrote 64 rows to …"
    bool notice_is_bad = false;
    bool wants_focus = false;

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
    /// A plot that all lessons have, by id, or the lesson's own; null when there is none now.
    const Plot* find_plot(std::string_view id) const;

    explicit Workspace(Session& s) : session(s) {}

 private:
    std::uint64_t ordered_revision_ = ~std::uint64_t{0};
    std::size_t ordered_runs_ = 0;  ///< of the session's history
    std::shared_ptr<const PlotSet> plots_;
    std::map<std::string, std::string> sources_;
};

/// Takes the file that was named as the lesson's input; a problem is said in the dialog.
void open_file(Workspace& workspace);
/// Asks for a file to read the kernel from or to write it to.
void open_kernel_dialog(Workspace& workspace, KernelDialog dialog);
/// Reads or writes the file that was named; a problem is said in the dialog.
void answer_kernel_dialog(Workspace& workspace);
/// The text that the kernel tab shows: the person's own, else the lesson's.
const std::string& kernel_text(Workspace& workspace);
/// Writes the session's runs, or its newest sweep; the notice says what happened.
void export_csv(Workspace& workspace);

}  // namespace gridstride::ui
