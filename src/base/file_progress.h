// The progress of reading or writing a file, shared with a thread that shows it and may cancel.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace gridstride {

/// The user cancelled the work. Callers show no message.
struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("cancelled") {}
};

/// The work checks for cancellation at least once per this many bytes.
inline constexpr std::size_t max_chunk_bytes = std::size_t{4} << 20;

struct FileProgress {
    std::atomic<std::uint64_t> done = 0;   ///< bytes
    std::atomic<std::uint64_t> total = 0;  ///< 0: unknown
    std::atomic<bool> is_cancelled = false;

    /// Call at least once per max_chunk_bytes. Throws Cancelled.
    void advance(std::uint64_t bytes) {
        done += bytes;
        if (is_cancelled) throw Cancelled();
    }
};

}  // namespace gridstride
