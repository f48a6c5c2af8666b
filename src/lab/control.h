// How long a run may go on, and who may end it earlier.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>

namespace gridstride::lab {

/// The run was given up: past its deadline, or cancelled.
struct GivenUp : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Shared by the client, which sets the flags, and the run, which reads them between submissions.
struct Control {
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    std::atomic<bool> cancelled = false;   ///< give up now
    std::atomic<bool> superseded = false;  ///< a newer request waits: end once there is a result
    /// Called between the submissions of one pass: slices done, of all. May be empty.
    std::function<void(std::uint64_t done, std::uint64_t slices)> on_slices;

    std::chrono::nanoseconds remaining() const { return deadline - std::chrono::steady_clock::now(); }
    /// Throws GivenUp when the run must end.
    void check() const {
        if (cancelled) throw GivenUp("The run was stopped.");
        if (remaining().count() <= 0) throw GivenUp("The run did not finish before its deadline.");
    }
};

}  // namespace gridstride::lab
