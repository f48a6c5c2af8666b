#include "lab/recording.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gridstride::lab {

void submit(gpu::Commands& commands, const Control& control, Waiting waiting) {
    control.check();
    if (!commands.submit_and_wait(control.remaining(), waiting))
        throw GivenUp("The device did not finish before the deadline.");
}

Recording::Recording(gpu::Commands& recorded, const Control& controlled, const Plan& plan,
                     const PlanMemory& memory)
    : commands(recorded),
      control(controlled),
      waiting_(plan.waiting),
      memory_(memory),
      touched_(memory.overlaps.size()) {
    commands.begin();
}

bool Recording::depends(std::size_t buffer, bool reads, bool writes, bool by_copy) const {
    const Touched& t = touched_[memory_.buffers[buffer].place];
    return (by_copy && t.apart_from_copies) || (reads && t.written) || (writes && (t.read || t.written));
}

void Recording::access(std::size_t buffer, bool reads, bool writes, bool by_copy) {
    if (depends(buffer, reads, writes, by_copy)) barrier(by_copy);
    note(buffer, reads, writes, by_copy);
}

void Recording::note(std::size_t buffer, bool reads, bool writes, bool by_copy) {
    for (const std::size_t place : memory_.overlaps[memory_.buffers[buffer].place]) {
        touched_[place].read |= reads;
        touched_[place].written |= writes;
    }
    touched_by_copies_ |= by_copy;
}

void Recording::barrier(bool by_copy) {
    const bool orders_copies = touched_by_copies_ || by_copy;
    commands.barrier(orders_copies ? gpu::Ordering::all : gpu::Ordering::compute);
    for (Touched& touched : touched_) {
        const bool apart = touched.apart_from_copies || touched.read || touched.written;
        touched = {.apart_from_copies = apart && !orders_copies};
    }
    touched_by_copies_ = false;
    ++barriers_;
}

std::uint32_t Recording::stamp() {
    if (!last_stamp_) last_stamp_ = commands.timestamp();
    return *last_stamp_;
}

void Recording::end_step(Phase phase, std::string label, std::uint32_t from) {
    last_stamp_ = commands.timestamp();
    timed_.push_back({phase, std::move(label), from, *last_stamp_, plan_step, std::exchange(barriers_, 0)});
}

void Recording::submit_and_collect() {
    submit(commands, control, waiting_);
    const Clock::time_point done = Clock::now();
    times.waiting_ns += commands.waiting_ns();
    ++times.submissions;
    for (const Pending& piece : pending)
        std::memcpy(piece.to, piece.from, piece.bytes);
    times.wall_ns = ns_since_start(Clock::now());
    // Device and host clocks have no common zero, so device times are shifted: the last one ends when the
    // wait ended.
    const double device_end = ns_since_start(done);
    const std::uint32_t last = timed_.back().to;
    for (Timed& step : timed_)
        times.timeline.push_back(
            {step.phase, std::move(step.label), device_end - commands.nanoseconds(step.from, last),
             commands.nanoseconds(step.from, step.to), step.step, times.submissions - 1, step.barriers});
    timed_.clear();
    pending.clear();
    last_stamp_.reset();
    upload_used = download_used = 0;
    slices_done += slices;
    slices = 0;
    if (control.on_slices && slices_in_all > 0) control.on_slices(slices_done, slices_in_all);
    std::fill(touched_.begin(), touched_.end(), Touched{});
    touched_by_copies_ = false;
}

void Recording::flush() {
    if (timed_.empty()) return;
    submit_and_collect();
    commands.begin();
}

PassTimes Recording::finish() {
    if (!timed_.empty())
        submit_and_collect();
    else
        times.wall_ns = ns_since_start(Clock::now());
    return std::move(times);
}

}  // namespace gridstride::lab
