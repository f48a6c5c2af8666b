#include "client/lab_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <thread>

#include "base/units.h"
#include "client/worker.h"

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

/// Nothing where there is no such limit.
std::optional<rlim_t> limit_of(decltype(RLIMIT_CPU) resource) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
    return limit.rlim_cur;
}

Ending crash(const char* what) {
    Ending ending{fmt::format("it crashed ({})", what), "", true};
    if (const auto most = limit_of(RLIMIT_AS))
        ending.advice = fmt::format(
            "It may use {} of address space, and drivers crash where they are refused more. Raise that limit "
            "(ulimit -v).",
            format_bytes(static_cast<double>(*most)).text());
    else if (rlimit files{}; getrlimit(RLIMIT_FSIZE, &files) == 0 && files.rlim_max != RLIM_INFINITY)
        // The lab takes the soft limit off: worker.cpp.
        ending.advice = fmt::format(
            "Files may have {} at most, and some drivers keep memory in files. Raise that limit (ulimit -f).",
            format_bytes(static_cast<double>(files.rlim_max)).text());
    return ending;
}

Ending out_of_processor_time() {
    const auto most = limit_of(RLIMIT_CPU);
    return {fmt::format("it used up the processor time that a process is allowed{}",
                        most ? fmt::format(", {} s", *most) : ""),
            "Raise that limit (ulimit -t)."};
}

/// by_us: it was killed by this process, if by anyone.
Ending ending_of(int status, const rusage& used, bool by_us) {
    if (WIFEXITED(status)) return {fmt::format("it ended with the exit code {}", WEXITSTATUS(status))};
    const auto processor_seconds = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1);
    switch (const int signal = WTERMSIG(status)) {
        case SIGSEGV:
            return crash("segmentation fault");
        case SIGBUS:
            return crash("bus error");
        case SIGFPE:
            return crash("arithmetic error");
        case SIGILL:
            return crash("illegal instruction");
        case SIGABRT:
            return crash("abort");
        case SIGXCPU:
            return out_of_processor_time();
        case SIGKILL:
            // Where the soft limit is the hard one, the system does not send SIGXCPU first.
            if (const auto most = limit_of(RLIMIT_CPU); most && processor_seconds >= *most)
                return out_of_processor_time();
            if (by_us) return {"it was ended"};
            return {"it was killed from outside (signal 9)",
                    "The system kills a process when memory runs out: take fewer elements, or close other "
                    "programs."};
        default:
            return {fmt::format("it was ended by signal {} ({})", signal, strsignal(signal))};
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

Ending LabProcess::end(std::chrono::milliseconds patience) {
    if (pid_ < 0) return {"it had ended before"};
    auto until = std::chrono::steady_clock::now() + patience;
    int status = 0;
    rusage used{};
    bool killed = false;
    for (;;) {
        const pid_t ended = wait4(pid_, &status, WNOHANG, &used);
        if (ended == pid_) break;
        if (ended < 0 && errno == ECHILD) {
            // Started with SIGCHLD ignored, as some programs do: the system has reaped it.
            pid_ = -1;
            return {killed ? "it was ended" : "it ended"};
        }
        if (std::chrono::steady_clock::now() >= until) {
            if (killed) {
                pid_ = -1;
                return {"it was killed, and the system has not ended it yet"};
            }
            kill(pid_, SIGKILL);
            killed = true;
            until = std::chrono::steady_clock::now() + longest_death;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    pid_ = -1;
    return ending_of(status, used, killed);
}

}  // namespace gridstride::lab
