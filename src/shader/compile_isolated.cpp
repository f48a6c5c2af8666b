#include "shader/compile_isolated.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/child_process.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "base/wire.h"
#include "shader/code_digest.h"

namespace gridstride::shader {

namespace {

using Clock = std::chrono::steady_clock;

/// Far more than the SPIR-V of any kernel.
constexpr std::size_t max_response_bytes = std::size_t{64} << 20;
constexpr int poll_milliseconds = 10;

std::string timeout_message(const CompileLimits& limits) {
    return fmt::format(
        "The compiler was still running after {:.3g} s, the limit; a macro that expands into itself can "
        "cause this",
        std::chrono::duration<double>(limits.timeout).count());
}

/// Receives the response while sending the request, because the compiler may end before it has read all of
/// it. Returns why it gave up; empty at the end of the response.
std::string exchange_messages(int socket, std::span<const std::byte> request, const CompileLimits& limits,
                              std::vector<std::byte>& bytes) {
    const Clock::time_point start = Clock::now();
    std::array<std::byte, 65536> piece;
    for (;;) {
        if (limits.is_cancelled && limits.is_cancelled()) return "Compilation was stopped";
        if (Clock::now() - start > limits.timeout) return timeout_message(limits);
        pollfd waiting{socket, static_cast<short>(request.empty() ? POLLIN : POLLIN | POLLOUT), 0};
        if (poll(&waiting, 1, poll_milliseconds) <= 0) continue;
        if (!request.empty()) {
            const ssize_t bytes_sent =
                send(socket, request.data(), request.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (bytes_sent > 0) request = request.subspan(static_cast<std::size_t>(bytes_sent));
            if (request.empty()) shutdown(socket, SHUT_WR);
        }
        const ssize_t bytes_received = recv(socket, piece.data(), piece.size(), MSG_DONTWAIT);
        if (bytes_received < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (bytes_received <= 0) return {};
        if (bytes.size() + static_cast<std::size_t>(bytes_received) > max_response_bytes)
            return fmt::format("The compiler produced more than {} from this source, the limit; shorten it",
                               format_byte_text(max_response_bytes));
        bytes.insert(bytes.end(), piece.begin(), piece.begin() + bytes_received);
    }
}

std::string failure_message(const ProcessEnd& end, const CompileLimits& limits) {
    if (end.was_killed) return timeout_message(limits);
    if (!end.signal) return "The compiler ended without a result";
    switch (*end.signal) {
        case SIGXCPU:
            return fmt::format(
                "The compiler needed more than {} s of processor time; a macro that expands into itself can "
                "cause this",
                limits.cpu_seconds);
        case SIGABRT:  // an uncaught std::bad_alloc
            return fmt::format(
                "The compiler needed more than {:.4g} GiB of memory; a macro that expands into itself can "
                "cause this",
                static_cast<double>(limits.memory_bytes) / (std::uint64_t{1} << 30));
        case SIGKILL:
            return "The compiler was killed; the system may be short of memory";
        default:
            return fmt::format(
                "The compiler crashed on this source ({}); brackets or blocks nested thousands deep can "
                "cause this",
                *end.signal == SIGSEGV ? "segmentation fault" : strsignal(*end.signal));
    }
}

struct CompileRequest {
    std::vector<CompileJob> jobs;
    std::uint32_t cpu_seconds = 0;
    std::uint64_t memory_bytes = 0;
    std::optional<InstrumentationOptions> instrumentation;  ///< nullopt: compile without it
};

/// The process ended without results.
struct CompilerFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws std::logic_error in a compiler's process that does something else than serve_compile(): each such
/// process would start another.
void require_other_process() {
    std::ifstream file("/proc/self/cmdline");
    std::string program, argument;
    if (std::getline(file, program, '\0') && std::getline(file, argument, '\0') &&
        argument == compile_argument)
        throw std::logic_error(
            fmt::format("{} was started as a compiler, but its main() does not call "
                        "serve_compile().",
                        program));
}

/// Returns a result for each job. Throws CompilerFailure.
std::vector<InstrumentedKernel> compile_in_child_process(const CompileRequest& request,
                                                         const CompileLimits& limits,
                                                         const std::filesystem::path& program) {
    require_other_process();
    wire::Writer writer;
    writer(request);
    // Its standard error is discarded: the parent describes a crash better than the runtime's messages.
    ChildProcess child({"The compiler's process",
                        program,
                        {std::string(compile_argument)},
                        {ChildDescriptor::socket, ChildDescriptor::socket, ChildDescriptor::nothing}});

    std::vector<std::byte> bytes;
    if (const std::string reason = exchange_messages(child.socket(), writer.bytes(), limits, bytes);
        !reason.empty())
        throw CompilerFailure(reason);
    const ProcessEnd end = child.end(limits.timeout);
    // If its exit status is unknown, the response alone decides.
    if (end.was_killed || end.signal || end.exit_code.value_or(0) != 0)
        throw CompilerFailure(failure_message(end, limits));
    std::vector<InstrumentedKernel> results;
    try {
        wire::Reader reader(bytes);
        reader(results);
        reader.end();
    } catch (const wire::MalformedMessage& error) {
        throw CompilerFailure(fmt::format("The compiler's output cannot be read: {}", error.what()));
    }
    if (results.size() != request.jobs.size())
        throw CompilerFailure(fmt::format("The compiler returned {} results for {} sources", results.size(),
                                          request.jobs.size()));
    return results;
}

InstrumentedKernel compile_one(const CompileJob& job,
                               const std::optional<InstrumentationOptions>& instrumentation,
                               const CompileLimits& limits, const std::filesystem::path& program) {
    try {
        return std::move(
            compile_in_child_process({{job}, limits.cpu_seconds, limits.memory_bytes, instrumentation},
                                     limits, program)
                .front());
    } catch (const CompilerFailure& failure) {
        InstrumentedKernel result;
        result.compiled.diagnostics.push_back({DiagnosticLevel::error, job.name, 0, failure.what()});
        return result;
    }
}

}  // namespace

CompileResult compile_isolated(const CompileJob& job, const CompileLimits& limits,
                               const std::filesystem::path& program) {
    return compile_one(job, std::nullopt, limits, program).compiled;
}

std::vector<CompileResult> compile_all_isolated(const std::vector<CompileJob>& jobs,
                                                const CompileLimits& limits,
                                                const std::filesystem::path& program) {
    if (jobs.size() == 1) return {compile_isolated(jobs.front(), limits, program)};
    std::vector<CompileResult> results;
    try {
        for (InstrumentedKernel& result : compile_in_child_process(
                 {jobs, limits.cpu_seconds, limits.memory_bytes, std::nullopt}, limits, program))
            results.push_back(std::move(result.compiled));
    } catch (const CompilerFailure&) {
        for (const CompileJob& job : jobs)
            results.push_back(compile_isolated(job, limits, program));
    }
    return results;
}

InstrumentedKernel compile_instrumented_isolated(const CompileJob& job, const InstrumentationOptions& launch,
                                                 const CompileLimits& limits,
                                                 const std::filesystem::path& program) {
    return compile_one(job, launch, limits, program);
}

// The compiler process: sets its limits, compiles, sends the response and exits.

namespace {

/// Further errors are dropped.
constexpr std::size_t max_diagnostics = 200;
constexpr std::size_t max_text = 2000;

void limit(__rlimit_resource resource, rlim_t value) {
    const rlimit both{value, value};
    setrlimit(resource, &both);
}

void set_limits(std::uint32_t cpu_seconds, [[maybe_unused]] std::uint64_t memory_bytes) {
    limit(RLIMIT_CORE, 0);
    // The soft limit ends the process with SIGXCPU, which tells the parent the cause.
    const rlimit cpu{cpu_seconds, cpu_seconds + 1};
    setrlimit(RLIMIT_CPU, &cpu);
#if !defined(__SANITIZE_ADDRESS__)  // AddressSanitizer maps terabytes
    limit(RLIMIT_AS, memory_bytes);
#endif
}

std::optional<std::vector<std::byte>> read_all(int fd) {
    std::vector<std::byte> bytes;
    std::array<std::byte, 65536> piece;
    for (;;) {
        const ssize_t bytes_received = read(fd, piece.data(), piece.size());
        if (bytes_received < 0 && errno == EINTR) continue;
        if (bytes_received < 0) return std::nullopt;
        if (bytes_received == 0) return bytes;
        bytes.insert(bytes.end(), piece.begin(), piece.begin() + bytes_received);
    }
}

/// The compiler's messages quote bytes of the source, which may not be UTF-8; reports must be.
void sanitize(std::vector<Diagnostic>& diagnostics) {
    if (diagnostics.size() > max_diagnostics) diagnostics.resize(max_diagnostics);
    for (Diagnostic& d : diagnostics) {
        const bool cut = d.text.size() > max_text;
        std::replace(d.text.begin(), d.text.end(), '\n', ' ');
        d.text = printable(d.text.substr(0, max_text)) + (cut ? " …" : "");
        d.file = printable(d.file);
    }
}

InstrumentedKernel run_compiler(const CompileJob& job,
                                const std::optional<InstrumentationOptions>& instrumentation) {
    const std::vector<std::filesystem::path> roots(job.include_roots.begin(), job.include_roots.end());
    InstrumentedKernel result;
    CompileResult& compiled = result.compiled;
    try {
        if (instrumentation)
            result =
                compile_instrumented(job.source, job.name, job.defines, roots, *instrumentation, job.files);
        else
            compiled = compile(job.source, job.name, job.defines, roots, job.files);
        if (compiled.ok() && job.wants_digest) compiled.digest = code_digest(compiled.spirv);
        if (compiled.ok()) compiled.spirv = clamp_indices(compiled.spirv);
    } catch (const std::bad_alloc&) {
        throw;  // the parent learns of it from the exit status
    } catch (const std::exception& error) {
        compiled.spirv.clear();
        compiled.diagnostics.push_back({DiagnosticLevel::error, job.name, 0, error.what()});
    }
    sanitize(compiled.diagnostics);
    for (trace::Site& site : result.sites)
        site.file = printable(site.file);
    return result;
}

}  // namespace

int serve_compile() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int response = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int null_device = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (response < 0 || null_device < 0 || dup2(null_device, STDOUT_FILENO) < 0) return 1;
    const auto bytes = read_all(STDIN_FILENO);
    if (!bytes) return 1;

    CompileRequest request;
    try {
        wire::Reader reader(*bytes);
        reader(request);
        reader.end();
    } catch (const wire::MalformedMessage&) {
        return 1;
    }
    set_limits(request.cpu_seconds, request.memory_bytes);
    // An uncaught std::bad_alloc ends the process, and the parent learns it from the exit status.
    std::vector<InstrumentedKernel> results;
    for (const CompileJob& job : request.jobs)
        results.push_back(run_compiler(job, request.instrumentation));
    wire::Writer writer;
    writer(results);
    // Destructors are skipped: the process ends here, and memory may be exhausted.
    const std::string_view written(reinterpret_cast<const char*>(writer.bytes().data()),
                                   writer.bytes().size());
    _exit(write_all(response, written) == written.size() ? 0 : 1);
}

}  // namespace gridstride::shader
