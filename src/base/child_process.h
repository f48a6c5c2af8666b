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

/// A process could not be started for lack of file descriptors, processes or memory. Retrying later may work.
struct ResourceShortage : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// How the child gets a file descriptor: as /dev/null, inherited from the parent, or as its end of the
/// socket.
enum class ChildDescriptor { nothing, inherited, socket };

struct ChildProgram {
    std::string display_name;  ///< starts error messages: "The lab"
    std::filesystem::path path;
    std::vector<std::string> arguments;  ///< without argv[0]
    std::vector<ChildDescriptor> files;  ///< the child's descriptors from 0 on; all others are closed
};

/// How a process ended. Neither exit_code nor signal is set if the process lingers, or if the system has
/// already reaped it (as it does if SIGCHLD is ignored).
struct ProcessEnd {
    std::optional<int> exit_code;
    std::optional<int> signal;
    bool was_killed = false;  ///< by end()
    bool lingers = false;     ///< killed, but not ended yet
    double cpu_seconds = 0;
};

class ChildProcess {
 public:
    /// Starts the program in the root folder with default signal actions. SIGINT, SIGTERM and SIGHUP are
    /// blocked, so that the parent decides what happens on Ctrl-C. Throws ResourceShortage if a retry may
    /// help, else std::runtime_error.
    explicit ChildProcess(ChildProgram program);
    ~ChildProcess();  ///< kills the process
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    int socket() const { return socket_; }                       ///< the parent's end
    int release_socket() { return std::exchange(socket_, -1); }  ///< the caller must close it

    /// Waits for the process to end, and kills it after `timeout`. Returns at most two seconds later, even
    /// if a driver keeps the process from ending; such a process is reaped by a later start or end(). Call it
    /// once.
    ProcessEnd end(std::chrono::nanoseconds timeout);

 private:
    int socket_ = -1;
    pid_t pid_ = -1;  ///< -1: reaped, or killed and left to the system
};

}  // namespace gridstride
