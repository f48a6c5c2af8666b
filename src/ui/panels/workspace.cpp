#include "ui/panels/workspace.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "story/story.h"
#include "ui/panels/occupancy_words.h"

namespace gridstride::ui {

bool Workspace::refresh_plots() {
    if (ordered_revision_ != session.revision()) {
        ordered_revision_ = session.revision();
        PlotOrder order{.lesson = &session.lesson(),
                        .asked = session.asked(),
                        .registers = known_registers(session),
                        .report = session.shared_report(),
                        .ended = {}};
        for (; ordered_runs_ < session.history().size(); ++ordered_runs_)
            order.ended.push_back(&session.history()[ordered_runs_]);
        plot_maker.order(std::move(order));
    }
    return plot_maker.take_newest(plots_);
}

bool Workspace::plots_are_due() const {
    return ordered_revision_ != session.revision() || plot_maker.busy();
}

const std::vector<Plot>& Workspace::lesson_plots() const {
    static const std::vector<Plot> none;
    return plots_ && plots_->lesson == &session.lesson() ? *plots_->of_lesson : none;
}

const Plot* Workspace::find_plot(std::string_view id) const {
    if (!plots_ || plots_->lesson != &session.lesson()) return nullptr;
    for (const std::vector<Plot>* plots : {plots_->of_lesson.get(), &plots_->common})
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
