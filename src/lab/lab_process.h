// The lab as a child process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "lab/channel.h"

namespace gridstride::lab {

class LabProcess {
 public:
    /// Starts `program --lab …` with nothing of this process open but one end of a socket, in the root
    /// folder. The child dies with the calling thread. Throws std::runtime_error.
    explicit LabProcess(const std::filesystem::path& program);
    ~LabProcess();  ///< kills it
    LabProcess(const LabProcess&) = delete;
    LabProcess& operator=(const LabProcess&) = delete;

    Channel& channel() { return channel_; }
    pid_t pid() const { return pid_; }

    /// Waits for its end for so long, then kills it. How it ended, in words: "it crashed (segmentation
    /// fault)".
    std::string end(std::chrono::milliseconds patience);

 private:
    LabProcess(const std::filesystem::path& program, std::pair<int, int> sockets);

    Channel channel_;
    pid_t pid_ = -1;  ///< -1: ended and reaped
};

}  // namespace gridstride::lab
