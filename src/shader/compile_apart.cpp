#include "shader/compile_apart.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>
#include <utility>

#include "base/child_process.h"
#include "shader/compile_messages.h"

namespace gridstride::shader {

namespace {

using Clock = std::chrono::steady_clock;

/// Far more than the SPIR-V of any kernel.
constexpr std::size_t most_answer_bytes = std::size_t{64} << 20;
constexpr int poll_milliseconds = 10;

std::string still_at_work(const CompileLimits& limits) {
    return fmt::format("The compiler was still at work after {:.3g} s",
                       std::chrono::duration<double>(limits.patience).count());
}

/// Sends the order meanwhile, whose reader may end before it has read all of it. Why that was given up;
/// empty: it has come to its end.
std::string read_answer(int socket, std::span<const std::byte> order, const CompileLimits& limits,
                        std::vector<std::byte>& bytes) {
    const Clock::time_point start = Clock::now();
    std::array<std::byte, 65536> piece;
    for (;;) {
        if (limits.stopped && limits.stopped()) return "Compiling it was stopped";
        if (Clock::now() - start > limits.patience) return still_at_work(limits);
        pollfd waiting{socket, static_cast<short>(order.empty() ? POLLIN : POLLIN | POLLOUT), 0};
        if (poll(&waiting, 1, poll_milliseconds) <= 0) continue;
        if (!order.empty()) {
            const ssize_t put = send(socket, order.data(), order.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (put > 0) order = order.subspan(static_cast<std::size_t>(put));
            if (order.empty()) shutdown(socket, SHUT_WR);
        }
        const ssize_t got = recv(socket, piece.data(), piece.size(), MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0) return {};
        if (bytes.size() + static_cast<std::size_t>(got) > most_answer_bytes)
            return "The compiler made more than 64 MiB of this source";
        bytes.insert(bytes.end(), piece.begin(), piece.begin() + got);
    }
}

std::string too_much_memory(const CompileLimits& limits) {
    return fmt::format(
        "The compiler needed more than {:.4g} GiB of memory; a macro that expands into itself does that",
        static_cast<double>(limits.memory_bytes) / (std::uint64_t{1} << 30));
}

/// Why there is no answer.
std::string explain(const ProcessEnd& end, const CompileLimits& limits) {
    if (end.killed) return still_at_work(limits);
    if (!end.signal) return "The compiler ended without an answer";
    switch (*end.signal) {
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
                *end.signal == SIGSEGV ? "segmentation fault" : strsignal(*end.signal));
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
    // Its standard error is nobody's: a crash is told in words, and the runtime's own last words would stand
    // among them.
    ChildProcess child({"The compiler's process",
                        program,
                        {std::string(compile_argument)},
                        {ChildFile::socket, ChildFile::socket, ChildFile::nothing}});

    std::vector<std::byte> bytes;
    if (std::string why = read_answer(child.socket(), writer.bytes(), limits, bytes); !why.empty())
        return failed(job, std::move(why));
    const ProcessEnd end = child.end(limits.patience);
    // Where nothing is known of its end, its answer speaks for itself.
    if (end.killed || end.signal || end.exit_code.value_or(0) != 0) return failed(job, explain(end, limits));
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
