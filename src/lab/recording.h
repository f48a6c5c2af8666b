// One run being recorded: what the command buffer holds since the last submission, which accesses the next
// ones must wait for, and the times of what has been submitted.
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

/// Throws GivenUp when the run must end, or the device does not finish before the deadline.
void submit(gpu::Commands& commands, const Control& control, Waiting waiting = Waiting::sleep);

/// One run of the whole plan.
struct PassTimes {
    double wall_ns = 0;     ///< host time, from the first byte staged to the last result on the host
    double waiting_ns = 0;  ///< processor time of the thread that waits for the device
    std::uint64_t submissions = 0;
    std::vector<StepTime> timeline;

    /// Of all steps of a phase: device time, the host's of the plan's CPU steps.
    double ns(Phase phase) const {
        double sum = 0;
        for (const StepTime& step : timeline)
            if (step.phase == phase) sum += step.duration_ns;
        return sum;
    }
};

struct Recording {
    using Clock = std::chrono::steady_clock;

    /// The clock starts here, and the command buffer with it. memory, which is the plan's, outlives it.
    Recording(gpu::Commands& recorded, const Control& controlled, const Plan& plan, const PlanMemory& memory);

    gpu::Commands& commands;
    const Control& control;
    Clock::time_point started = Clock::now();
    PassTimes times;

    double ns_since_start(Clock::time_point then) const {
        return std::chrono::duration<double, std::nano>(then - started).count();
    }

    // Since the last submission.
    std::uint64_t upload_used = 0, download_used = 0;  ///< bytes of the staging memory
    struct Pending {
        const std::byte* from;  ///< in the staging memory
        std::byte* to;
        std::uint64_t bytes;
    };
    std::vector<Pending> pending;  ///< to be copied once it is there
    std::size_t slices = 0;

    std::uint64_t set = 0;                             ///< of the buffers, that what is recorded next uses
    std::uint64_t plan_step = 0;                       ///< that is being recorded
    std::uint64_t slices_done = 0, slices_in_all = 0;  ///< of the pass; 0 in all: nobody is told

    /// Whether this access depends on one that no barrier has ordered before it.
    bool depends(std::size_t buffer, bool reads, bool writes, bool by_copy) const;
    /// A barrier if this access needs one; then the access is noted.
    void access(std::size_t buffer, bool reads, bool writes, bool by_copy);
    void note(std::size_t buffer, bool reads, bool writes, bool by_copy);
    void barrier(bool by_copy);

    /// The timestamp that ended the step before, or a new one.
    std::uint32_t stamp();
    void end_step(Phase phase, std::string label, std::uint32_t from);

    /// Submits what has been recorded, waits, and goes on with an empty command buffer.
    void flush();
    /// The last flush() of a run. The clock stops when the last result is in its host array.
    PassTimes finish();

 private:
    struct Timed {
        Phase phase;
        std::string label;
        std::uint32_t from, to;  ///< timestamps
        std::uint64_t step;      ///< of the plan
        std::uint64_t barriers;
    };
    struct Touched {
        bool read = false;
        bool written = false;
        bool apart_from_copies = false;  ///< by kernels, before barriers that order kernels alone
    };

    void submit_and_collect();

    const Waiting waiting_;
    const PlanMemory& memory_;

    std::vector<Timed> timed_;    ///< since the last submission
    std::uint64_t barriers_ = 0;  ///< since the last step
    std::optional<std::uint32_t> last_stamp_;
    std::vector<Touched> touched_;  ///< by place of the memory, since the last barrier
    bool touched_by_copies_ = false;
};

}  // namespace gridstride::lab
