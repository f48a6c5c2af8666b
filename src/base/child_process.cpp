#include "base/child_process.h"

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
#include <mutex>
#include <thread>

namespace gridstride {

namespace {

/// A killed process that still exists after this time is held by a driver or a debugger.
constexpr std::chrono::milliseconds kill_timeout{2000};

/// Killed children that had not ended when end() returned.
std::vector<pid_t> lingering;
std::mutex lingering_mutex;

void reap_lingering() {
    const std::lock_guard lock(lingering_mutex);
    std::erase_if(lingering, [](pid_t child) { return waitpid(child, nullptr, WNOHANG) != 0; });
}

[[noreturn]] void fail_to_start(const ChildProgram& program, const std::string& call, int error) {
    const std::string what =
        fmt::format("{} cannot be started: {}: {}.", program.display_name, call, std::strerror(error));
    switch (error) {
        case EMFILE:
            throw ResourceShortage(what + " Close other programs, or raise the limit (ulimit -n).");
        case ENFILE:
        case EAGAIN:
        case ENOMEM:
        case ENOBUFS:
            throw ResourceShortage(what + " Close other programs.");
        default:
            throw std::runtime_error(what);
    }
}

/// Returns the error of posix_spawn().
int spawn(pid_t& pid, char* const* argv, const std::vector<ChildDescriptor>& descriptors, int socket) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    const auto count = static_cast<int>(descriptors.size());
    // Before all else: if the parent has closed its standard streams, the socket may be one of these
    // descriptors.
    for (int descriptor = 0; descriptor < count; ++descriptor)
        if (descriptors[descriptor] == ChildDescriptor::socket)
            posix_spawn_file_actions_adddup2(&files, socket, descriptor);
    for (int descriptor = 0; descriptor < count; ++descriptor)
        if (descriptors[descriptor] == ChildDescriptor::nothing)
            posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, count);
    posix_spawn_file_actions_addchdir_np(&files, "/");

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t blocked, all;
    sigemptyset(&blocked);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaddset(&blocked, signal);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &blocked);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    const int error = posix_spawn(&pid, argv[0], &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

double to_seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

ChildProcess::ChildProcess(ChildProgram program) {
    reap_lingering();
    // Absolute, because the child resolves it from the root folder.
    std::string path = std::filesystem::absolute(program.path).string();
    std::vector<char*> words = {path.data()};
    for (std::string& argument : program.arguments)
        words.push_back(argument.data());
    words.push_back(nullptr);

    std::array<int, 2> sockets{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
        fail_to_start(program, "socketpair", errno);
    const int error = spawn(pid_, words.data(), program.files, sockets[1]);
    close(sockets[1]);  // only the child holds it, so that its end is noticed
    if (error != 0) {
        close(sockets[0]);
        fail_to_start(program, path, error);
    }
    socket_ = sockets[0];
}

ChildProcess::~ChildProcess() {
    end(std::chrono::nanoseconds(0));
    if (socket_ >= 0) close(socket_);
}

ProcessEnd ChildProcess::end(std::chrono::nanoseconds timeout) {
    ProcessEnd end;
    const pid_t pid = std::exchange(pid_, -1);
    if (pid < 0) return end;
    reap_lingering();
    auto until = std::chrono::steady_clock::now() + timeout;
    int status = 0;
    rusage usage{};
    pid_t ended_pid = 0;
    while ((ended_pid = wait4(pid, &status, WNOHANG, &usage)) == 0) {
        if (std::chrono::steady_clock::now() >= until) {
            if (end.was_killed) {
                const std::lock_guard lock(lingering_mutex);
                lingering.push_back(pid);
                end.lingers = true;
                return end;
            }
            kill(pid, SIGKILL);
            end.was_killed = true;
            until = std::chrono::steady_clock::now() + kill_timeout;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (ended_pid < 0) return end;
    if (WIFEXITED(status))
        end.exit_code = WEXITSTATUS(status);
    else
        end.signal = WTERMSIG(status);
    end.cpu_seconds = to_seconds(usage.ru_utime) + to_seconds(usage.ru_stime);
    return end;
}

}  // namespace gridstride
