// Recording work for the device, running it, and reading its timestamps.
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

/// A range of a buffer bound to a kernel. offset is a multiple of Limits::binding_alignment.
struct BoundRange {
    const Buffer* buffer = nullptr;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

/// What a barrier orders: everything recorded before it against everything after it.
enum class Ordering {
    compute,  ///< dispatches, then dispatches
    all,      ///< dispatches, copies and fills in any order
};

/// A command buffer with its descriptors and timestamps, used again for every submission: begin(), record,
/// submit_and_wait(). Not thread-safe. Buffers and kernels must outlive the submission.
class Commands {
 public:
    explicit Commands(const Device& device);

    void begin();
    void copy(const Buffer& from, std::uint64_t from_offset, const Buffer& to, std::uint64_t to_offset,
              std::uint64_t bytes);
    void fill(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word);
    void dispatch(const Kernel& kernel, std::span<const BoundRange> bindings,
                  std::span<const std::uint32_t> push, const Extent& workgroups);
    void barrier(Ordering ordering);

    /// Writes a timestamp once all work recorded before it has ended, and returns its number in this
    /// submission. Work recorded later starts after it.
    std::uint32_t timestamp();

    /// Behind it the host sees what the device wrote to mapped memory.
    /// False when the device did not finish in time; it is still working then and must be given up.
    /// Throws std::runtime_error when the device is lost.
    bool submit_and_wait(std::chrono::nanoseconds deadline, Waiting waiting = Waiting::sleep);
    /// Processor time that this thread spent on the last wait, nanoseconds.
    double waiting_ns() const;

    /// Device time between two timestamps of the last submission, nanoseconds: masked to the valid bits,
    /// times the period. 0 when the device has none.
    double nanoseconds(std::uint32_t from, std::uint32_t to) const;

 private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace gridstride::gpu
