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
constexpr std::chrono::milliseconds longest_death{2000};

/// Killed children that had not ended when end() returned.
std::vector<pid_t> lingering;
std::mutex lingering_mutex;

void reap_lingering() {
    const std::lock_guard lock(lingering_mutex);
    std::erase_if(lingering, [](pid_t child) { return waitpid(child, nullptr, WNOHANG) != 0; });
}

[[noreturn]] void fail_to_start(const ChildProgram& program, const std::string& call, int error) {
    const std::string what =
        fmt::format("{} cannot be started: {}: {}.", program.called, call, std::strerror(error));
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

/// Returns the error of posix_spawn().
int spawn(pid_t& pid, char* const* words, const std::vector<ChildFile>& places, int socket) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    const auto count = static_cast<int>(places.size());
    // Before all else: if the parent has closed its standard streams, the socket may be one of these
    // descriptors.
    for (int place = 0; place < count; ++place)
        if (places[place] == ChildFile::socket) posix_spawn_file_actions_adddup2(&files, socket, place);
    for (int place = 0; place < count; ++place)
        if (places[place] == ChildFile::nothing)
            posix_spawn_file_actions_addopen(&files, place, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, count);
    posix_spawn_file_actions_addchdir_np(&files, "/");

    posix_spawnattr_t with;
    posix_spawnattr_init(&with);
    sigset_t blocked, all;
    sigemptyset(&blocked);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaddset(&blocked, signal);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&with, &blocked);
    posix_spawnattr_setsigdefault(&with, &all);
    posix_spawnattr_setflags(&with, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    const int error = posix_spawn(&pid, words[0], &files, &with, words, environ);
    posix_spawnattr_destroy(&with);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

double in_seconds(const timeval& time) {
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

    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        fail_to_start(program, "socketpair", errno);
    const int error = spawn(pid_, words.data(), program.files, ends[1]);
    close(ends[1]);  // only the child holds it, so that its end is noticed
    if (error != 0) {
        close(ends[0]);
        fail_to_start(program, path, error);
    }
    socket_ = ends[0];
}

ChildProcess::~ChildProcess() {
    end(std::chrono::nanoseconds(0));
    if (socket_ >= 0) close(socket_);
}

ProcessEnd ChildProcess::end(std::chrono::nanoseconds patience) {
    ProcessEnd end;
    const pid_t pid = std::exchange(pid_, -1);
    if (pid < 0) return end;
    reap_lingering();
    auto until = std::chrono::steady_clock::now() + patience;
    int status = 0;
    rusage used{};
    pid_t ended = 0;
    while ((ended = wait4(pid, &status, WNOHANG, &used)) == 0) {
        if (std::chrono::steady_clock::now() >= until) {
            if (end.killed) {
                const std::lock_guard lock(lingering_mutex);
                lingering.push_back(pid);
                end.lingers = true;
                return end;
            }
            kill(pid, SIGKILL);
            end.killed = true;
            until = std::chrono::steady_clock::now() + longest_death;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (ended < 0) return end;
    if (WIFEXITED(status))
        end.exit_code = WEXITSTATUS(status);
    else
        end.signal = WTERMSIG(status);
    end.processor_seconds = in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
    return end;
}

}  // namespace gridstride
