// The part of the session that knows about sweeps: their cells run in the gaps between what a person asks for
// at the bench.
#include <utility>

#include "present/report_csv.h"
#include "session/session.h"

namespace gridstride {

void Session::start_sweep(SweepSpec spec) {
    Sweep next(std::move(spec), *device_);
    stop_sweep();
    earlier_sweeps_ += rows_of_sweep();
    history_rows_ += sweep_rows();
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
    if (sweep_state() != SweepState::stopped) return;
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

void Session::use_cell(std::size_t index) {
    put_on_bench(sweep_->cells()[index].experiment);
    bench_changed();
}

std::string Session::rows_of_sweep() const {
    std::string rows;
    if (!sweep_) return rows;
    for (const SweepCell& cell : sweep_->cells())
        if (cell.report) rows += csv_rows(*cell.report);
    return rows;
}

std::string Session::sweep_csv() const {
    return csv_header() + rows_of_sweep();
}

std::size_t Session::sweep_rows() const {
    std::size_t rows = 0;
    if (!sweep_) return rows;
    for (const SweepCell& cell : sweep_->cells())
        if (cell.report) rows += csv_row_count(*cell.report);
    return rows;
}

}  // namespace gridstride
