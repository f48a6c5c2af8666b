// A program started as another process, and a socket between the two.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gridstride {

/// A process cannot be started for want of file descriptors, processes or memory. They come back, so it may
/// be possible a little later.
struct NothingLeft : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What a child finds in the place of a descriptor: /dev/null, what its parent has there, its end of the
/// socket.
enum class ChildFile { nothing, same, socket };

struct ChildProgram {
    std::string called;  ///< at the head of messages: "The lab"
    std::filesystem::path path;
    std::vector<std::string> arguments;  ///< without its name
    std::vector<ChildFile> files;        ///< its descriptors from 0 on; it has nothing else open
};

/// What is known of the end of a process. Neither code nor signal: it lingers, or somebody else has reaped
/// it, as the system does where SIGCHLD is ignored.
struct ProcessEnd {
    std::optional<int> exit_code;
    std::optional<int> signal;
    bool killed = false;   ///< by end()
    bool lingers = false;  ///< the system has not ended it yet
    double processor_seconds = 0;
};

class ChildProcess {
 public:
    /// In the root folder, with every signal's default action, and those blocked by which a terminal or a
    /// person ends all processes of a program: what happens then is for the parent to say. Throws
    /// NothingLeft, and std::runtime_error for what will not change.
    explicit ChildProcess(ChildProgram program);
    ~ChildProcess();  ///< kills it
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    int socket() const { return socket_; }                    ///< this process's end
    int take_socket() { return std::exchange(socket_, -1); }  ///< the caller closes it

    /// Waits for its end for so long, then kills it. Returns within two seconds more, even if the system
    /// cannot end it: a driver may hold it. It is reaped when it has ended and another is started or ended.
    /// To be called once.
    ProcessEnd end(std::chrono::nanoseconds patience);

 private:
    int socket_ = -1;
    pid_t pid_ = -1;  ///< -1: ended and reaped, or killed and left to the system
};

}  // namespace gridstride
