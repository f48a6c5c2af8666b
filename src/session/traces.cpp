#include "session/traces.h"

#include <optional>
#include <string>
#include <utility>

namespace gridstride {

void Traces::set(std::shared_ptr<const AnalyzedTrace> trace) {
    newest_ = std::move(trace);
    ++revision_;
}

void Traces::analyze(Experiment experiment, Report report) {
    // A report that was too large to be sent whole comes back without the kernel's source.
    report.experiment = experiment;
    experiment_ = std::move(experiment);
    auto traced_report = std::make_shared<Report>(std::move(report));
    worker_.start([this, traced_report](FileProgress&) -> FileWorker::Completion {
        auto analyzed = std::make_shared<const AnalyzedTrace>(analyze_trace(std::move(*traced_report)));
        return [this, analyzed] { set(analyzed); };
    });
}

void Traces::clear() {
    worker_.cancel();
    newest_.reset();
}

void Traces::pump() {
    const std::optional<std::string> problem = worker_.take();
    if (!problem || problem->empty()) return;
    set(std::make_shared<const AnalyzedTrace>(AnalyzedTrace{
        .report = std::make_shared<const Report>(Report{.experiment = experiment_}), .problem = *problem}));
}

}  // namespace gridstride
