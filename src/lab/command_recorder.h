// Records one run: the commands since the last submission, the accesses that later ones must wait for, and
// the times of submitted steps.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/commands.h"
#include "lab/control.h"
#include "lab/plan_memory.h"
#include "launch/plan.h"
#include "lesson/report.h"

namespace gridstride::lab {

/// Throws RunAborted if the run must end, or if the device does not finish before the deadline.
void submit(gpu::Commands& commands, const Control& control, WaitMode waiting = WaitMode::sleep);

struct PassTimes {
    double wall_ns = 0;     ///< host time, from staging the first byte to the last result on the host
    double waiting_ns = 0;  ///< processor time of the thread while it waits
    std::uint64_t submissions = 0;
    std::vector<StepTime> timeline;

    /// Returns the sum over all steps of a phase: device time, host time for CPU steps.
    double ns(Phase phase) const {
        double sum = 0;
        for (const StepTime& step : timeline)
            if (step.phase == phase) sum += step.duration_ns;
        return sum;
    }
};

struct CommandRecorder {
    using Clock = std::chrono::steady_clock;

    /// Starts the clock and begins the command buffer. memory, which is the plan's, must outlive the
    /// recording.
    CommandRecorder(gpu::Commands& recorded, const Control& controlled, const Plan& plan,
                    const PlanMemory& memory);

    gpu::Commands& commands;
    const Control& control;
    Clock::time_point start_time = Clock::now();
    PassTimes times;

    double ns_since_start(Clock::time_point time) const {
        return std::chrono::duration<double, std::nano>(time - start_time).count();
    }

    // Since the last submission.
    std::uint64_t upload_used = 0, download_used = 0;  ///< bytes of staging memory
    struct Pending {
        const std::byte* from;  ///< in staging memory
        std::byte* to;
        std::uint64_t bytes;
    };
    std::vector<Pending> pending;  ///< copied when the submission has ended
    std::size_t slices = 0;

    std::uint64_t set = 0;                            ///< index of the buffers' set to use next
    std::uint64_t plan_step = 0;                      ///< current step
    std::uint64_t slices_done = 0, total_slices = 0;  ///< of the pass; 0 in all: no progress reports

    /// Returns true if this access conflicts with an earlier one that no barrier has ordered before it.
    bool needs_barrier(std::size_t buffer, bool reads, bool writes, bool by_copy) const;
    /// Records a barrier if this access needs one, then notes the access.
    void access(std::size_t buffer, bool reads, bool writes, bool by_copy);
    void note_access(std::size_t buffer, bool reads, bool writes, bool by_copy);
    void barrier(bool by_copy);

    /// Returns the timestamp that ended the last step, or a new one.
    std::uint32_t get_timestamp();
    void end_step(Phase phase, std::string label, std::uint32_t from);

    /// Submits the recorded commands, waits for them and begins a new command buffer.
    void flush();
    /// The last flush() of a run. The clock stops when the last result is in its host array.
    PassTimes finish();

 private:
    struct TimedStep {
        Phase phase;
        std::string label;
        std::uint32_t from, to;  ///< timestamps
        std::uint64_t step;      ///< of the plan
        std::uint64_t barriers;
    };
    struct AccessState {
        bool read = false;
        bool was_written = false;
        bool unordered_with_copies = false;  ///< accessed by kernels; only compute barriers since
    };

    void submit_and_collect();

    const WaitMode waiting_;
    const PlanMemory& memory_;

    std::vector<TimedStep> timed_steps_;  ///< since the last submission
    std::uint64_t barriers_ = 0;          ///< since the last step
    std::optional<std::uint32_t> last_timestamp_;
    std::vector<AccessState> access_states_;  ///< by range_index, since the last barrier
    bool has_copy_accesses_ = false;
};

}  // namespace gridstride::lab
