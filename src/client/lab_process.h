#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "base/child_process.h"
#include "client/channel.h"

namespace gridstride::lab {

/// How the lab ended.
struct ExitInfo {
    std::string description;   ///< "it crashed (segmentation fault)"
    std::string advice{};      ///< cause and fix in a sentence; may be empty
    bool has_crashed = false;  ///< in the lab's code or the driver
};

class LabProcess {
 public:
    /// Starts `program --lab …`. The child dies with the calling thread. Throws as ChildProcess does.
    explicit LabProcess(const std::filesystem::path& program);

    Channel& channel() { return channel_; }

    /// Waits for the lab to end and kills it after `timeout`: see ChildProcess.
    ExitInfo end(std::chrono::milliseconds timeout);

 private:
    ChildProcess process_;
    Channel channel_;
};

}  // namespace gridstride::lab
