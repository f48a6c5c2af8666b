#include "ui/workspace.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "lab/report_csv.h"
#include "lesson/story.h"
#include "ui/figures.h"
#include "ui/occupancy_figure.h"
#include "ui/roofline_figure.h"

namespace gridstride::ui {

void Workspace::refresh() {
    if (revision_ == session.revision()) return;
    revision_ = session.revision();
    lesson_plots_.clear();
    common_plots_.clear();
    plan_.reset();
    const Lesson& lesson = session.lesson();
    const Report* report = session.report();
    if (session.device() && session.valid()) {
        plan_ = lesson.plan(session.values(), session.variant(), *session.device());
        common_plots_.push_back(launch_picture(*plan_, session.values()));
    }
    if (session.device()) {
        std::vector<const Report*> history;
        for (const HistoryEntry& entry : session.history())
            // What a person's own kernel did says nothing about the variant's.
            if (entry.report.lesson == lesson.id && entry.report.kernel_name.empty())
                history.push_back(&entry.report);
        // A picture of results is of the run that made them; what can be drawn without a run is of the bench.
        const bool of_report = report && !report->outputs.empty();
        if (of_report || session.valid())
            lesson_plots_ = lesson.plots({of_report ? report->values : session.values(),
                                          of_report ? report->variant : session.variant(), *session.device(),
                                          of_report ? report : nullptr, history});
    }
    if (report && !report->timings.wall.samples.empty()) {
        common_plots_.push_back(where_the_time_goes(*report, lesson));
        common_plots_.push_back(kernel_samples(*report));
    }
    if (auto plot = time_per_variant(session)) common_plots_.push_back(std::move(*plot));
    if (auto plot = time_history(session)) common_plots_.push_back(std::move(*plot));
    std::vector<const Report*> runs;
    for (const HistoryEntry& entry : session.history())
        runs.push_back(&entry.report);
    if (auto plot = roofline(lesson, runs)) common_plots_.push_back(std::move(*plot));
    if (plan_) {
        if (auto plot = occupancy_picture(*plan_, known_registers(session), *session.device()))
            common_plots_.push_back(std::move(*plot));
    }
}

const std::vector<Plot>& Workspace::lesson_plots() {
    refresh();
    return lesson_plots_;
}

const Plan* Workspace::plan() {
    refresh();
    return plan_ ? &*plan_ : nullptr;
}

const Plot* Workspace::find_plot(std::string_view id) {
    refresh();
    for (const std::vector<Plot>* plots : {&lesson_plots_, &common_plots_})
        for (const Plot& plot : *plots)
            if (plot.id == id) return &plot;
    return nullptr;
}

const std::string& Workspace::shader_source(const std::string& file) {
    const auto found = sources_.find(file);
    if (found != sources_.end()) return found->second;
    std::string source;
    try {
        source = read_file(data_directory() / "shaders" / file);
    } catch (const FileError&) {
        // The panel says so in place of the code.
    }
    return sources_.emplace(file, std::move(source)).first->second;
}

void open_file(Workspace& workspace) {
    try {
        workspace.session.use_file(workspace.open_path);
        workspace.open_problem.clear();
        workspace.show_open = false;
    } catch (const Refusal& refused) {
        workspace.open_problem = refused.what();
    } catch (const FileError& error) {
        workspace.open_problem = error.what();
    }
}

const std::string& kernel_text(Workspace& workspace) {
    const Session& session = workspace.session;
    if (const KernelEdit* edit = session.kernel_edit()) return edit->source.text;
    return workspace.shader_source(find_variant(session.lesson(), session.variant())->kernel);
}

void open_kernel_dialog(Workspace& workspace, KernelDialog dialog) {
    const Session& session = workspace.session;
    const KernelEdit* edit = session.kernel_edit();
    if (edit && !edit->path.empty()) {
        workspace.kernel_path = edit->path;
    } else if (dialog == KernelDialog::save) {
        const char* home = std::getenv("HOME");
        workspace.kernel_path = fmt::format("{}/{}", home ? home : ".", session.lesson_kernel_name());
    }
    workspace.kernel_problem.clear();
    workspace.kernel_overwrites = false;
    workspace.kernel_dialog = dialog;
    workspace.wants_focus = true;
}

void answer_kernel_dialog(Workspace& workspace) {
    Session& session = workspace.session;
    const std::string& path = workspace.kernel_path;
    try {
        if (workspace.kernel_dialog == KernelDialog::open) {
            session.open_kernel(path);
        } else {
            const KernelEdit* edit = session.kernel_edit();
            std::error_code ignored;
            const bool other = !edit || edit->path != path;
            if (other && !workspace.kernel_overwrites && std::filesystem::is_regular_file(path, ignored)) {
                workspace.kernel_problem =
                    "There is a file of this name. Press Replace to write over it, or choose another name.";
                workspace.kernel_overwrites = true;
                return;
            }
            session.save_kernel(path, kernel_text(workspace));
            workspace.notice = fmt::format("Wrote the kernel to {}.", path);
            workspace.notice_is_bad = false;
        }
        workspace.kernel_dialog = KernelDialog::none;
    } catch (const FileError& error) {
        workspace.kernel_problem = error.what();
        workspace.kernel_overwrites = false;
    }
}

void export_csv(Workspace& workspace) {
    try {
        const Session& session = workspace.session;
        const bool sweep = workspace.export_what == ExportWhat::sweep;
        const std::size_t rows = sweep ? session.sweep_rows() : session.history_rows();
        write_file(workspace.export_path, sweep ? session.sweep_csv() : session.history_csv());
        workspace.notice = fmt::format("Wrote {} rows to {}.", format_count(rows), workspace.export_path);
        workspace.notice_is_bad = false;
        workspace.show_export = false;
    } catch (const FileError& error) {
        workspace.notice = error.what();
        workspace.notice_is_bad = true;
    }
}

}  // namespace gridstride::ui
