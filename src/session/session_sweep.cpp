// The part of the session that knows about sweeps: their cells run in the gaps between what a person asks for
// at the bench.
#include <utility>

#include "base/error.h"
#include "session/session.h"

namespace gridstride {

void Session::start_sweep(SweepSpec spec) {
    if (asks_first())
        throw Refusal("A sweep would answer the question of this step. Answer it first, or skip it.");
    Sweep next(std::move(spec), *device_);
    stop_sweep();
    const Reports before = sweep_reports();
    earlier_sweeps_.insert(earlier_sweeps_.end(), before.begin(), before.end());
    sweep_.emplace(std::move(next));
    ++sweep_number_;
    submit_next_cell();
}

void Session::stop_sweep() {
    if (sweep_state() != SweepState::running) return;
    sweep_->stop();
    if (sweep_->in_flight()) client_.cancel();
}

void Session::resume_sweep() {
    if (sweep_state() != SweepState::stopped || asks_first()) return;
    sweep_->resume();
    submit_next_cell();
}

SweepState Session::sweep_state() const {
    if (!sweep_) return SweepState::none;
    if (sweep_->finished()) return SweepState::done;
    return sweep_->stopped() ? SweepState::stopped : SweepState::running;
}

std::uint64_t Session::sweep_revision() const {
    return (sweep_number_ << 32) + (sweep_ ? sweep_->revision() : 0);
}

void Session::submit_next_cell() {
    if (!sweep_ || !no_device_.empty() || in_flight()) return;
    std::optional<lab::Request> request = sweep_->next_request(next_request_);
    if (!request) return;
    ++next_request_;
    client_.submit(std::move(*request));
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

}  // namespace gridstride
