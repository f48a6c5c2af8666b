#include "session/sweeps.h"

#include <utility>

namespace gridstride {

void Sweeps::start(SweepSpec spec, const Limits& device) {
    auto next = std::make_shared<Sweep>(std::move(spec), device);
    queue_.remove(sweep_.get());
    add_earlier(reports());
    sweep_ = std::move(next);
    ++number_;
    queue_.add(sweep_, JobPriority::sweep);
}

void Sweeps::resume() {
    if (state() == SweepState::stopped) queue_.add(sweep_, JobPriority::sweep);
}

SweepState Sweeps::state() const {
    if (!sweep_) return SweepState::none;
    if (sweep_->is_finished()) return SweepState::done;
    const bool runs = queue_.contains(sweep_.get()) && !queue_.is_stopping(sweep_.get());
    return runs ? SweepState::running : SweepState::stopped;
}

Reports Sweeps::reports() const {
    Reports reports;
    if (!sweep_) return reports;
    for (const SweepCell& cell : sweep_->cells())
        if (cell.report) {
            reports.push_back(cell.report);
            reports.insert(reports.end(), cell.repeats.begin(), cell.repeats.end());
        }
    return reports;
}

void Sweeps::add_earlier(const Reports& reports) {
    earlier_.insert(earlier_.end(), reports.begin(), reports.end());
}

}  // namespace gridstride
