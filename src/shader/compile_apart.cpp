#include "shader/compile_apart.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "shader/compile_messages.h"

namespace gridstride::shader {

namespace {

using Clock = std::chrono::steady_clock;

/// Far more than the SPIR-V of any kernel.
constexpr std::size_t most_answer_bytes = std::size_t{64} << 20;
constexpr int poll_milliseconds = 10;

[[noreturn]] void fail(const char* call, int error) {
    throw std::runtime_error(
        fmt::format("The compiler's process cannot be started: {}: {}.", call, std::strerror(error)));
}

class Descriptor {
 public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    ~Descriptor() { reset(); }
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        reset();
        fd_ = std::exchange(other.fd_, -1);
        return *this;
    }
    int get() const { return fd_; }
    void reset() {
        if (fd_ >= 0) close(fd_);
        fd_ = -1;
    }

 private:
    int fd_;
};

/// The job in a file of memory: a child that dies before it has read all of it harms nobody.
Descriptor file_of(const std::vector<std::byte>& bytes) {
    Descriptor file(memfd_create("gridstride-compile-job", MFD_CLOEXEC));
    if (file.get() < 0) fail("memfd_create", errno);
    std::size_t at = 0;
    while (at < bytes.size()) {
        const ssize_t put = write(file.get(), bytes.data() + at, bytes.size() - at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) fail("write", errno);
        at += static_cast<std::size_t>(put);
    }
    if (lseek(file.get(), 0, SEEK_SET) != 0) fail("lseek", errno);
    return file;
}

/// A child process that does not outlive its handle.
class Child {
 public:
    Child(const std::filesystem::path& program, int in, int out) {
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
        posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        // A crash is told in words; the runtime's own last words would stand among them.
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        // A group of its own: Ctrl-C is for the program, which then stops this child itself.
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes,
                                 POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
        std::string path = program.string();
        std::string argument(compile_argument);
        char* const argv[] = {path.data(), argument.data(), nullptr};
        const int error = posix_spawn(&pid_, path.c_str(), &actions, &attributes, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
        if (error != 0) {
            pid_ = -1;
            fail(path.c_str(), error);
        }
    }
    ~Child() {
        if (pid_ < 0) return;
        kill(pid_, SIGKILL);
        wait();
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// How it ended, as waitpid() tells.
    int wait() {
        int status = 0;
        const pid_t pid = std::exchange(pid_, -1);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        return status;
    }

 private:
    pid_t pid_ = -1;
};

enum class Reading { ended, too_long, out_of_patience, stopped };

Reading read_answer(int fd, const CompileLimits& limits, std::vector<std::byte>& bytes) {
    const Clock::time_point start = Clock::now();
    std::array<std::byte, 65536> piece;
    for (;;) {
        if (limits.stopped && limits.stopped()) return Reading::stopped;
        if (Clock::now() - start > limits.patience) return Reading::out_of_patience;
        pollfd waiting{fd, POLLIN, 0};
        if (poll(&waiting, 1, poll_milliseconds) <= 0) continue;
        const ssize_t got = read(fd, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return Reading::ended;
        if (bytes.size() + static_cast<std::size_t>(got) > most_answer_bytes) return Reading::too_long;
        bytes.insert(bytes.end(), piece.begin(), piece.begin() + got);
    }
}

std::string gibibytes(std::uint64_t bytes) {
    return fmt::format("{:.4g} GiB", static_cast<double>(bytes) / (std::uint64_t{1} << 30));
}

std::string too_much_memory(const CompileLimits& limits) {
    return fmt::format(
        "The compiler needed more than {} of memory; a macro that expands into itself does that",
        gibibytes(limits.memory_bytes));
}

/// Why there is no answer.
std::string explain(int status, const CompileLimits& limits) {
    if (!WIFSIGNALED(status)) return "The compiler ended without an answer";
    const int signal = WTERMSIG(status);
    switch (signal) {
        case SIGXCPU:
            return fmt::format(
                "The compiler needed more than {} s of processor time; a macro that expands into itself does "
                "that",
                limits.cpu_seconds);
        case SIGABRT:  // what an allocation that fails ends in, where nothing catches it
            return too_much_memory(limits);
        case SIGKILL:
            return "The compiler was killed; the system may be short of memory";
        default:
            return fmt::format(
                "The compiler crashed on this source ({}); brackets or blocks that nest thousands deep do "
                "that",
                signal == SIGSEGV ? "segmentation fault" : strsignal(signal));
    }
}

CompileResult failed(const CompileJob& job, std::string text) {
    CompileResult result;
    result.diagnostics.push_back({DiagnosticLevel::error, job.name, 0, std::move(text)});
    return result;
}

}  // namespace

CompileResult compile_apart(const CompileJob& job, const CompileLimits& limits,
                            const std::filesystem::path& program) {
    CompileOrder order{job, limits.cpu_seconds, limits.memory_bytes};
    wire::Writer writer;
    writer(order);
    Descriptor question = file_of(writer.bytes());
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe2", errno);
    const Descriptor answer(ends[0]);
    Descriptor answer_end(ends[1]);
    Child child(program, question.get(), answer_end.get());
    answer_end.reset();  // else the reading would never end

    std::vector<std::byte> bytes;
    switch (read_answer(answer.get(), limits, bytes)) {
        case Reading::stopped:
            return failed(job, "Compiling it was stopped");
        case Reading::out_of_patience:
            return failed(job, fmt::format("The compiler was still at work after {:.3g} s",
                                           std::chrono::duration<double>(limits.patience).count()));
        case Reading::too_long:
            return failed(job, "The compiler made more than 64 MiB of this source");
        case Reading::ended:
            break;
    }
    const int status = child.wait();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return failed(job, explain(status, limits));
    CompileResult result;
    try {
        wire::Reader reader(bytes);
        reader(result);
        reader.end();
    } catch (const wire::Malformed& error) {
        return failed(job, fmt::format("The compiler's answer cannot be read: {}", error.what()));
    }
    if (result.out_of_memory) {
        result.spirv.clear();
        result.diagnostics = {{DiagnosticLevel::error, job.name, 0, too_much_memory(limits)}};
    }
    return result;
}

}  // namespace gridstride::shader
