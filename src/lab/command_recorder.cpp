#include "lab/command_recorder.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gridstride::lab {

void submit(gpu::Commands& commands, const Control& control, WaitMode waiting) {
    control.check();
    if (!commands.submit_and_wait(control.remaining(), waiting))
        throw RunAborted("The device did not finish before the deadline.");
}

CommandRecorder::CommandRecorder(gpu::Commands& recorded, const Control& controlled, const Plan& plan,
                                 const PlanMemory& memory)
    : commands(recorded),
      control(controlled),
      waiting_(plan.waiting),
      memory_(memory),
      access_states_(memory.overlaps.size()) {
    commands.begin();
}

bool CommandRecorder::needs_barrier(std::size_t buffer, bool reads, bool writes, bool by_copy) const {
    const AccessState& t = access_states_[memory_.buffers[buffer].range_index];
    return (by_copy && t.unordered_with_copies) || (reads && t.was_written) ||
           (writes && (t.read || t.was_written));
}

void CommandRecorder::access(std::size_t buffer, bool reads, bool writes, bool by_copy) {
    if (needs_barrier(buffer, reads, writes, by_copy)) barrier(by_copy);
    note_access(buffer, reads, writes, by_copy);
}

void CommandRecorder::note_access(std::size_t buffer, bool reads, bool writes, bool by_copy) {
    for (const std::size_t place : memory_.overlaps[memory_.buffers[buffer].range_index]) {
        access_states_[place].read |= reads;
        access_states_[place].was_written |= writes;
    }
    has_copy_accesses_ |= by_copy;
}

void CommandRecorder::barrier(bool by_copy) {
    const bool orders_copies = has_copy_accesses_ || by_copy;
    commands.barrier(orders_copies ? gpu::Ordering::all : gpu::Ordering::compute);
    for (AccessState& state : access_states_) {
        const bool apart = state.unordered_with_copies || state.read || state.was_written;
        state = {.unordered_with_copies = apart && !orders_copies};
    }
    has_copy_accesses_ = false;
    ++barriers_;
}

std::uint32_t CommandRecorder::get_timestamp() {
    if (!last_timestamp_) last_timestamp_ = commands.timestamp();
    return *last_timestamp_;
}

void CommandRecorder::end_step(Phase phase, std::string label, std::uint32_t from) {
    last_timestamp_ = commands.timestamp();
    timed_steps_.push_back(
        {phase, std::move(label), from, *last_timestamp_, plan_step, std::exchange(barriers_, 0)});
}

void CommandRecorder::submit_and_collect() {
    submit(commands, control, waiting_);
    const Clock::time_point end = Clock::now();
    times.waiting_ns += commands.waiting_ns();
    ++times.submissions;
    for (const Pending& piece : pending)
        std::memcpy(piece.to, piece.from, piece.bytes);
    times.wall_ns = ns_since_start(Clock::now());
    // Device and host clocks have no common zero, so device times are shifted: the last one ends when the
    // wait ended.
    const double device_end = ns_since_start(end);
    const std::uint32_t last = timed_steps_.back().to;
    for (TimedStep& step : timed_steps_)
        times.timeline.push_back(
            {step.phase, std::move(step.label), device_end - commands.nanoseconds(step.from, last),
             commands.nanoseconds(step.from, step.to), step.step, times.submissions - 1, step.barriers});
    timed_steps_.clear();
    pending.clear();
    last_timestamp_.reset();
    upload_used = download_used = 0;
    slices_done += slices;
    slices = 0;
    if (control.on_slices && total_slices > 0) control.on_slices(slices_done, total_slices);
    std::fill(access_states_.begin(), access_states_.end(), AccessState{});
    has_copy_accesses_ = false;
}

void CommandRecorder::flush() {
    if (timed_steps_.empty()) return;
    submit_and_collect();
    commands.begin();
}

PassTimes CommandRecorder::finish() {
    if (!timed_steps_.empty())
        submit_and_collect();
    else
        times.wall_ns = ns_since_start(Clock::now());
    return std::move(times);
}

}  // namespace gridstride::lab
