// The lab as a child process.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "base/child_process.h"
#include "client/channel.h"

namespace gridstride::lab {

/// What is known of the end of a lab.
struct Ending {
    std::string how;       ///< "it crashed (segmentation fault)"
    std::string advice{};  ///< a sentence on what does this and what to do; empty: nothing is known
    bool crashed = false;  ///< in its own code or its driver's
};

class LabProcess {
 public:
    /// Starts `program --lab …`. The child dies with the calling thread. Throws as ChildProcess does.
    explicit LabProcess(const std::filesystem::path& program);

    Channel& channel() { return channel_; }

    /// Waits for its end for so long, then kills it: see ChildProcess.
    Ending end(std::chrono::milliseconds patience);

 private:
    ChildProcess process_;
    Channel channel_;
};

}  // namespace gridstride::lab
