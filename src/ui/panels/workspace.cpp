#include "ui/panels/workspace.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"

namespace gridstride::ui {

std::string Workspace::question_id(std::size_t block) const {
    return fmt::format("{}.{}.{}", session.entry().id, session.step(), block);
}

void Workspace::decide(std::size_t block) {
    // Set here and not when drawing: a fast device may have decided the prediction by the next frame.
    last_decided = question_id(block);
    session.decide_prediction(block);
}

bool Workspace::refresh_plots() {
    if (requested_revision_ != session.revision()) {
        requested_revision_ = session.revision();
        PlotRequest request{.lesson = &session.lesson(),
                            .prepared = session.bench().prepared(),
                            .registers = known_registers(),
                            .report = session.shared_report(),
                            .trace = session.traces().newest(),
                            .is_running = session.is_measuring(),
                            .ended_runs = {}};
        for (; requested_runs_ < session.runs().all().size(); ++requested_runs_)
            request.ended_runs.push_back(&session.runs().all()[requested_runs_]);
        plot_maker.request(std::move(request));
        reset_zoom();
    }
    return plot_maker.take_newest(plots_);
}

bool Workspace::has_pending_plots() const {
    return requested_revision_ != session.revision() || plot_maker.is_busy(plots_);
}

const std::vector<Plot>& Workspace::lesson_plots() const {
    static const std::vector<Plot> none;
    return plots_ && plots_->lesson == &session.lesson() ? *plots_->lesson_specific : none;
}

const Plot* Workspace::find_plot(std::string_view id) const {
    if (!plots_ || plots_->lesson != &session.lesson()) return nullptr;
    for (const std::vector<Plot>* plots : {plots_->lesson_specific.get(), &plots_->common})
        for (const Plot& plot : *plots)
            if (plot.id == id) return &plot;
    return nullptr;
}

const std::string& Workspace::shader_source(const std::string& file) {
    const auto [found, is_new] = sources_.try_emplace(file);
    // The kernels of a lesson of text that does not ship are absolute.
    const std::string& folder = session.lesson().folder;
    const bool is_in_lesson = !folder.empty() && file.starts_with(folder + '/');
    const bool is_outside = (file.starts_with('/') && !is_in_lesson) || file.find("..") != std::string::npos;
    try {
        if (is_new && !is_outside) found->second = read_kernel_file(session.lesson(), file).text;
    } catch (const FileError&) {
        // The panel reports an empty source.
    }
    return found->second;
}

std::uint32_t Workspace::known_registers() const {
    const Report* report = session.report();
    const bool same =
        report && report->experiment.variant == session.bench().variant() && !report->experiment.kernel &&
        report->launch.workgroup_size() == requested_workgroup(session.bench().values()).product();
    return same ? report->launch.registers : 0;
}

const std::string& Workspace::kernel_text() {
    if (const KernelEdit* edit = session.kernel_edit()) return edit->source.text;
    return lesson_kernel_text();
}

const std::string& Workspace::lesson_kernel_text() {
    const std::shared_ptr<const PreparedExperiment>& prepared = session.bench().prepared();
    const bool is_generated = prepared && prepared->variant->kernel.empty() && !prepared->plan.steps.empty();
    return is_generated ? prepared->plan.main().source
                        : shader_source(find_variant(session.lesson(), session.bench().variant())->kernel);
}

std::string Workspace::kernel_declarations() const {
    const std::shared_ptr<const PreparedExperiment>& prepared = session.bench().prepared();
    if (!prepared || prepared->plan.steps.empty() || session.lesson().has_programs()) return {};
    const Dispatch& main = prepared->plan.main();
    return main.file_source ? main.source.substr(0, main.source.rfind("#line")) : std::string();
}

}  // namespace gridstride::ui
