#include "ui/panels/workspace.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"

namespace gridstride::ui {

std::string Workspace::question_name(std::size_t block) const {
    return fmt::format("{}.{}.{}", session.lesson().id, session.step(), block);
}

void Workspace::decide(std::size_t block) {
    // Set here and not when drawing: a fast device may have decided the prediction by the next frame.
    just_decided = question_name(block);
    session.decide_prediction(block);
}

bool Workspace::refresh_plots() {
    if (ordered_revision_ != session.revision()) {
        ordered_revision_ = session.revision();
        PlotOrder order{.lesson = &session.lesson(),
                        .prepared = session.bench().prepared(),
                        .registers = known_registers(),
                        .report = session.shared_report(),
                        .recording = session.recordings().newest(),
                        .running = session.is_measuring(),
                        .ended = {}};
        for (; ordered_runs_ < session.runs().all().size(); ++ordered_runs_)
            order.ended.push_back(&session.runs().all()[ordered_runs_]);
        plot_maker.order(std::move(order));
        forget_zoom();
    }
    return plot_maker.take_newest(plots_);
}

bool Workspace::plots_are_due() const {
    return ordered_revision_ != session.revision() || plot_maker.busy(plots_);
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
    const auto [found, is_new] = sources_.try_emplace(file);
    const bool leads_out = file.starts_with('/') || file.find("..") != std::string::npos;
    try {
        if (is_new && !leads_out) found->second = read_file(data_directory() / "shaders" / file);
    } catch (const FileError&) {
        // The panel reports an empty source.
    }
    return found->second;
}

std::uint32_t Workspace::known_registers() const {
    const Report* report = session.report();
    const bool same = report && report->experiment.variant == session.bench().variant() &&
                      !report->experiment.kernel &&
                      report->launch.workgroup_size() == workgroup_of(session.bench().values()).product();
    return same ? report->launch.registers : 0;
}

const std::string& Workspace::kernel_text() {
    if (const KernelEdit* edit = session.kernel_edit()) return edit->source.text;
    return lesson_kernel_text();
}

const std::string& Workspace::lesson_kernel_text() {
    const std::shared_ptr<const Prepared>& prepared = session.bench().prepared();
    const bool is_made = prepared && prepared->variant->kernel.empty() && !prepared->plan.steps.empty();
    return is_made ? prepared->plan.main().source
                   : shader_source(find_variant(session.lesson(), session.bench().variant())->kernel);
}

}  // namespace gridstride::ui
