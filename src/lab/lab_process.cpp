#include "lab/lab_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "lab/worker.h"

namespace gridstride::lab {

namespace {

/// Behind standard input, output and error.
constexpr int socket_of_child = 3;

/// A killed process that is still there after so long is held by a driver or a debugger.
constexpr std::chrono::milliseconds longest_death{2000};

[[noreturn]] void fail_to_start(const std::string& call, int error) {
    const std::string what = fmt::format("The lab cannot be started: {}: {}.", call, std::strerror(error));
    switch (error) {
        case EMFILE:
            throw NothingLeft(what + " Close other programs, or raise the limit (ulimit -n).");
        case ENFILE:
        case EAGAIN:
        case ENOMEM:
        case ENOBUFS:
            throw NothingLeft(what + " Close other programs.");
        default:
            throw std::runtime_error(what);
    }
}

std::pair<int, int> connected_sockets() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        fail_to_start("socketpair", errno);
    return {ends[0], ends[1]};
}

struct SpawnActions {
    posix_spawn_file_actions_t actions{};
    SpawnActions() { posix_spawn_file_actions_init(&actions); }
    ~SpawnActions() { posix_spawn_file_actions_destroy(&actions); }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;
};
struct SpawnAttributes {
    posix_spawnattr_t attributes{};
    SpawnAttributes() { posix_spawnattr_init(&attributes); }
    ~SpawnAttributes() { posix_spawnattr_destroy(&attributes); }
    SpawnAttributes(const SpawnAttributes&) = delete;
    SpawnAttributes& operator=(const SpawnAttributes&) = delete;
};

pid_t spawn(const std::filesystem::path& program, int socket) {
    SpawnActions files;
    posix_spawn_file_actions_adddup2(&files.actions, socket, socket_of_child);
    posix_spawn_file_actions_addopen(&files.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files.actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files.actions, socket_of_child + 1);
    posix_spawn_file_actions_addchdir_np(&files.actions, "/");

    // Ctrl-C and the end of a terminal go to every process of it; what happens then is for the client to say.
    SpawnAttributes with;
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaddset(&blocked, signal);
    posix_spawnattr_setsigmask(&with.attributes, &blocked);
    posix_spawnattr_setflags(&with.attributes, POSIX_SPAWN_SETSIGMASK);

    // Absolute, since the child looks for it from the root folder.
    std::string name = std::filesystem::absolute(program).string(), mode(worker_argument),
                number = std::to_string(socket_of_child), parent = std::to_string(getpid());
    std::array<char*, 5> arguments = {name.data(), mode.data(), number.data(), parent.data(), nullptr};
    pid_t pid = -1;
    const int error =
        posix_spawn(&pid, name.c_str(), &files.actions, &with.attributes, arguments.data(), environ);
    if (error != 0) fail_to_start(name, error);
    return pid;
}

std::string words_for(int status) {
    if (WIFEXITED(status)) return fmt::format("it ended with the exit code {}", WEXITSTATUS(status));
    switch (WTERMSIG(status)) {
        case SIGSEGV:
            return "it crashed (segmentation fault)";
        case SIGBUS:
            return "it crashed (bus error)";
        case SIGFPE:
            return "it crashed (arithmetic error)";
        case SIGILL:
            return "it crashed (illegal instruction)";
        case SIGABRT:
            return "it gave itself up (abort)";
        case SIGKILL:
            return "it was killed from outside, perhaps for want of memory";
        default:
            return fmt::format("it was ended by signal {}", WTERMSIG(status));
    }
}

}  // namespace

LabProcess::LabProcess(const std::filesystem::path& program) : LabProcess(program, connected_sockets()) {}

LabProcess::LabProcess(const std::filesystem::path& program, std::pair<int, int> sockets)
    : channel_(sockets.first) {
    const Channel childs(sockets.second);  // closes our copy in the end
    pid_ = spawn(program, childs.descriptor());
}

LabProcess::~LabProcess() {
    if (pid_ > 0) end(std::chrono::milliseconds(0));
}

std::string LabProcess::end(std::chrono::milliseconds patience) {
    if (pid_ < 0) return "it had ended before";
    auto until = std::chrono::steady_clock::now() + patience;
    int status = 0;
    bool killed = false;
    for (;;) {
        const pid_t ended = waitpid(pid_, &status, WNOHANG);
        if (ended == pid_) break;
        if (ended < 0 && errno == ECHILD) {
            // Started with SIGCHLD ignored, as some programs do: the system has reaped it.
            pid_ = -1;
            return killed ? "it was ended" : "it ended";
        }
        if (std::chrono::steady_clock::now() >= until) {
            if (killed) {
                pid_ = -1;
                return "it was killed, and the system has not ended it yet";
            }
            kill(pid_, SIGKILL);
            killed = true;
            until = std::chrono::steady_clock::now() + longest_death;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    pid_ = -1;
    return killed ? "it was ended" : words_for(status);
}

}  // namespace gridstride::lab
