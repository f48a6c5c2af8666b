#include "session/tuned_launches.h"

#include <optional>
#include <utility>

#include "storage/notices.h"
#include "sweep/tuned_file.h"

namespace gridstride {

void TunedLaunches::keep_in(std::filesystem::path file) {
    file_ = std::move(file);
    read();
}

void TunedLaunches::read() {
    if (file_.empty()) return;
    reading_.start([this, file = file_](FileProgress&) -> FileWork::Then {
        return [this, kept = read_tuned(file)] { remember(known_, kept); };
    });
}

void TunedLaunches::remember_best(const Sweeps& sweeps) {
    sweep_ = sweeps.number();
    const TunedBySweep found = tuned_by(*sweeps.newest());
    remember(known_, found.best);
    remembered_ = remembered_in_words(found);
    if (file_.empty() || found.best.empty()) return;
    writing_.start([file = file_, best = found.best](FileProgress&) -> FileWork::Then {
        write_tuned(file, best);
        return {};
    });
}

void TunedLaunches::pump(const Sweeps& sweeps) {
    if (sweep_ != sweeps.number()) {
        remembered_.clear();
        if (sweeps.state() == SweepState::done) remember_best(sweeps);
    }
    if (const std::optional<std::string> problem = reading_.take()) {
        if (!problem->empty()) notify_user(*problem);
        ++revision_;
    }
    const std::optional<std::string> problem = writing_.take();
    if (problem && !problem->empty())
        remembered_.push_back("It could not be saved for the next start. " + *problem);
}

}  // namespace gridstride
