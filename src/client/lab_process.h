// The lab as a child process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "client/channel.h"

namespace gridstride::lab {

/// A lab cannot be started for want of file descriptors, processes or memory. They come back, so it may be
/// possible a little later.
struct NothingLeft : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What is known of the end of a process.
struct Ending {
    std::string how;       ///< "it crashed (segmentation fault)"
    std::string advice{};  ///< a sentence on what does this and what to do; empty: nothing is known
    bool crashed = false;  ///< in its own code or its driver's
};

class LabProcess {
 public:
    /// Starts `program --lab …` with nothing of this process open but one end of a socket, in the root
    /// folder. The child dies with the calling thread. Throws NothingLeft, and std::runtime_error for what
    /// will not change.
    explicit LabProcess(const std::filesystem::path& program);
    ~LabProcess();  ///< kills it
    LabProcess(const LabProcess&) = delete;
    LabProcess& operator=(const LabProcess&) = delete;

    Channel& channel() { return channel_; }
    pid_t pid() const { return pid_; }

    /// Waits for its end for so long, then kills it. Returns within two seconds more, even if the system
    /// cannot end it: a driver may hold it.
    Ending end(std::chrono::milliseconds patience);

 private:
    LabProcess(const std::filesystem::path& program, std::pair<int, int> sockets);

    Channel channel_;
    pid_t pid_ = -1;  ///< -1: ended and reaped, or killed and left to the system
};

}  // namespace gridstride::lab
