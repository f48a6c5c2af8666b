#include "session/recordings.h"

#include <optional>
#include <string>
#include <utility>

namespace gridstride {

void Recordings::put(std::shared_ptr<const TakenRecording> recording) {
    newest_ = std::move(recording);
    ++revision_;
}

void Recordings::take_apart(Experiment experiment, Report report) {
    // A report that was too large to be sent whole comes back without the kernel's source.
    report.experiment = experiment;
    experiment_ = std::move(experiment);
    auto recorded = std::make_shared<Report>(std::move(report));
    work_.start([this, recorded](FileProgress&) -> FileWork::Then {
        auto taken = std::make_shared<const TakenRecording>(taken_apart(std::move(*recorded)));
        return [this, taken] { put(taken); };
    });
}

void Recordings::forget() {
    work_.give_up();
    newest_.reset();
}

void Recordings::pump() {
    const std::optional<std::string> problem = work_.take();
    if (!problem || problem->empty()) return;
    put(std::make_shared<const TakenRecording>(TakenRecording{
        .report = std::make_shared<const Report>(Report{.experiment = experiment_}), .problem = *problem}));
}

}  // namespace gridstride
