#include "session/tuned_launches.h"

#include <optional>
#include <utility>

#include "storage/notices.h"
#include "sweep/tuned_file.h"

namespace gridstride {

void TunedLaunches::set_file(std::filesystem::path file) {
    file_ = std::move(file);
    read();
}

void TunedLaunches::read() {
    if (file_.empty()) return;
    reading_.start([this, file = file_](FileProgress&) -> FileWorker::Completion {
        return [this, stored = read_tuned(file)] { merge_tuned(known_, stored); };
    });
}

void TunedLaunches::store_best_launches(const Sweeps& sweeps) {
    sweep_ = sweeps.number();
    const SweepTuning found = find_best_launches(*sweeps.newest());
    merge_tuned(known_, found.best);
    store_messages_ = describe_stored_launches(found);
    if (file_.empty() || found.best.empty()) return;
    writing_.start([file = file_, best = found.best](FileProgress&) -> FileWorker::Completion {
        write_tuned(file, best);
        return {};
    });
}

void TunedLaunches::pump(const Sweeps& sweeps) {
    if (sweep_ != sweeps.number()) {
        store_messages_.clear();
        if (sweeps.state() == SweepState::done) store_best_launches(sweeps);
    }
    if (const std::optional<std::string> problem = reading_.take()) {
        if (!problem->empty()) notify_user(*problem);
        ++revision_;
    }
    const std::optional<std::string> problem = writing_.take();
    if (problem && !problem->empty())
        store_messages_.push_back("It could not be saved for the next start. " + *problem);
}

}  // namespace gridstride
