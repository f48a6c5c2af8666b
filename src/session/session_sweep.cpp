// The part of the session that knows about sweeps.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "session/session.h"
#include "storage/notices.h"
#include "sweep/tuned_file.h"

namespace gridstride {

void Session::start_sweep(SweepSpec spec) {
    if (would_answer(spec))
        throw Refusal("This sweep would answer the question of this step. Answer it first, or skip it.");
    auto next = std::make_shared<Sweep>(std::move(spec), *device_);
    queue_.remove(sweep_.get());
    const Reports before = sweep_reports();
    earlier_sweeps_.insert(earlier_sweeps_.end(), before.begin(), before.end());
    sweep_ = std::move(next);
    ++sweep_number_;
    remembered_.clear();
    queue_.add(sweep_, JobPriority::sweep);
}

void Session::stop_sweep() {
    queue_.stop(sweep_.get());
}

void Session::resume_sweep() {
    if (sweep_state() == SweepState::stopped && !would_answer(sweep_->spec()))
        queue_.add(sweep_, JobPriority::sweep);
}

SweepState Session::sweep_state() const {
    if (!sweep_) return SweepState::none;
    if (sweep_->finished()) return SweepState::done;
    const bool runs = queue_.holds(sweep_.get()) && !queue_.is_stopping(sweep_.get());
    return runs ? SweepState::running : SweepState::stopped;
}

std::uint64_t Session::sweep_revision() const {
    return (sweep_number_ << 32) + (sweep_ ? sweep_->revision() : 0);
}

Reports Session::sweep_reports() const {
    Reports reports;
    if (!sweep_) return reports;
    for (const SweepCell& cell : sweep_->cells())
        if (cell.report) {
            reports.push_back(cell.report);
            reports.insert(reports.end(), cell.again.begin(), cell.again.end());
        }
    return reports;
}

void Session::keep_tuned_in(std::filesystem::path file) {
    tuned_file_ = std::move(file);
    read_kept_tuned();
}

/// Whatever other windows and commands have found since goes into it as well.
void Session::read_kept_tuned() {
    if (tuned_file_.empty()) return;
    reading_tuned_.start([this, file = tuned_file_](FileProgress&) -> FileWork::Then {
        return [this, kept = read_tuned(file)] { remember(tuned_, kept); };
    });
}

void Session::remember_sweep() {
    if (sweep_state() != SweepState::done || remembered_sweep_ == sweep_number_) return;
    remembered_sweep_ = sweep_number_;
    const TunedBySweep found = tuned_by(*sweep_);
    remember(tuned_, found.best);
    remembered_ = remembered_in_words(found);
    if (tuned_file_.empty() || found.best.empty()) return;
    writing_tuned_.start([file = tuned_file_, best = found.best](FileProgress&) -> FileWork::Then {
        write_tuned(file, best);
        return {};
    });
}

void Session::pump_tuned() {
    remember_sweep();
    if (const std::optional<std::string> problem = reading_tuned_.take()) {
        if (!problem->empty()) notify_user(*problem);
        changed();
    }
    const std::optional<std::string> problem = writing_tuned_.take();
    if (problem && !problem->empty())
        remembered_.push_back("For the next start it is not remembered. " + *problem);
}

const Tuned* Session::tuned() const {
    return device_ && !kernel_edit() ? find_tuned(tuned_, bench_, *device_) : nullptr;
}

bool Session::has_tuned_on_bench() const {
    const Tuned* const best = tuned();
    return best && std::ranges::all_of(best->parameters, [&](const std::string& id) {
               return best->experiment.values.at(id) == bench_.values.at(id);
           });
}

void Session::use_tuned() {
    const Tuned& best = *tuned();
    for (const std::string& id : best.parameters)
        bench_.values.set(id, best.experiment.values.at(id));
    bench_changed();
}

}  // namespace gridstride
