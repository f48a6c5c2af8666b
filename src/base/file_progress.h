// How far a file has been read or written, for another thread that shows it and may give it up.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace gridstride {

/// Somebody gave the work up: nothing is to be said of it.
struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("cancelled") {}
};

/// Bytes between two looks at whether somebody gave the work up.
inline constexpr std::size_t max_bytes_at_once = std::size_t{4} << 20;

struct FileProgress {
    std::atomic<std::uint64_t> done = 0;   ///< bytes
    std::atomic<std::uint64_t> total = 0;  ///< 0: not known
    std::atomic<bool> cancelled = false;

    /// To be called at least every max_bytes_at_once. Throws Cancelled.
    void advance(std::uint64_t bytes) {
        done += bytes;
        if (cancelled) throw Cancelled();
    }
};

}  // namespace gridstride
