// Wakes a thread that waits in poll().
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>

namespace gridstride::lab {

class WakeUp {
 public:
    /// Throws std::runtime_error.
    WakeUp() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (descriptor_ < 0)
            throw std::runtime_error(
                "The lab cannot be started: there is no file descriptor left. Close other programs.");
    }
    ~WakeUp() { close(descriptor_); }
    WakeUp(const WakeUp&) = delete;
    WakeUp& operator=(const WakeUp&) = delete;

    /// Readable from ring() on until hush().
    int descriptor() const { return descriptor_; }
    void ring() const {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = write(descriptor_, &one, sizeof one);
    }
    void hush() const {
        std::uint64_t count = 0;
        [[maybe_unused]] const ssize_t got = read(descriptor_, &count, sizeof count);
    }

 private:
    int descriptor_;
};

}  // namespace gridstride::lab
