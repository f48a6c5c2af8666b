// The deadline of a run, and the flags that end it earlier.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>

namespace gridstride::lab {

/// The run was aborted: its deadline passed, or it was cancelled.
struct RunAborted : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Shared by the client, which sets the flags, and the run, which reads them between submissions.
struct Control {
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    std::atomic<bool> is_cancelled = false;   ///< abort now
    std::atomic<bool> is_superseded = false;  ///< a newer request waits: end as soon as there is a result
    /// Called between the submissions of a pass with the finished slices and their total. May be empty.
    std::function<void(std::uint64_t done, std::uint64_t slices)> on_slices;

    std::chrono::nanoseconds remaining() const { return deadline - std::chrono::steady_clock::now(); }
    /// Throws RunAborted if the run must end.
    void check() const {
        if (is_cancelled) throw RunAborted("The run was stopped.");
        if (remaining().count() <= 0) throw RunAborted("The run did not finish before its deadline.");
    }
};

}  // namespace gridstride::lab
