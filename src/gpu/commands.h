// Records commands for the device, submits them and reads their timestamps.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>

#include "gpu/buffer.h"
#include "gpu/device.h"
#include "gpu/kernel.h"
#include "launch/plan.h"

namespace gridstride::gpu {

/// A range of a buffer bound to a kernel. offset must be a multiple of Limits::binding_alignment.
struct BoundRange {
    const Buffer* buffer = nullptr;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

/// The commands that a barrier orders: all that were recorded before it against all that follow.
enum class Ordering {
    compute,  ///< dispatches against dispatches
    all,      ///< dispatches, copies and fills against each other
};

/// A command buffer with its descriptors and timestamps, reused for every submission: call begin(), record
/// commands, then call submit_and_wait(). Not thread-safe. Buffers and kernels must outlive the submission.
class Commands {
 public:
    explicit Commands(const Device& device);

    void begin();
    /// Offsets and sizes are in bytes. Those of fill() must be multiples of 4.
    void copy(const Buffer& from, std::uint64_t from_offset, const Buffer& to, std::uint64_t to_offset,
              std::uint64_t bytes);
    void fill(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word);
    void dispatch(const Kernel& kernel, std::span<const BoundRange> bindings,
                  std::span<const std::uint32_t> push, const Extent& workgroups);
    void barrier(Ordering ordering);

    /// Records a timestamp, taken when all earlier commands have finished and before later ones start.
    /// Returns its index in this submission.
    std::uint32_t timestamp();

    /// Submits the recorded commands and blocks until they finish; then device writes to mapped memory are
    /// visible to the host. Returns false if the device does not finish within the timeout: it is still
    /// running and can no longer be used (see Device::is_hung()). Throws std::runtime_error if the device is
    /// lost.
    bool submit_and_wait(std::chrono::nanoseconds timeout, WaitMode waiting = WaitMode::sleep);
    /// Returns the processor time that this thread spent on the last wait, in nanoseconds.
    double waiting_ns() const;

    /// Returns the device time between two timestamps of the last submission, in nanoseconds. Ticks are
    /// masked to the valid bits, so a wrapped counter is handled. Returns 0 if the device has no timestamps.
    double nanoseconds(std::uint32_t from, std::uint32_t to) const;

 private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace gridstride::gpu
