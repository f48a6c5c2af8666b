// The compiler's own process: limits first, then the work, then the answer and the end.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>
#include <vector>

#include "base/quote.h"
#include "shader/compile_apart.h"
#include "shader/compile_messages.h"
#include "shader/robust_access.h"

namespace gridstride::shader {

namespace {

/// A source of a thousand mistakes is not read to its end by anyone.
constexpr std::size_t most_diagnostics = 200;
constexpr std::size_t most_text = 2000;

void limit(__rlimit_resource resource, rlim_t value) {
    const rlimit both{value, value};
    setrlimit(resource, &both);
}

void set_limits(const CompileOrder& order) {
    limit(RLIMIT_CORE, 0);
    // The soft limit ends the process with SIGXCPU, which tells the parent why.
    const rlimit cpu{order.cpu_seconds, order.cpu_seconds + 1};
    setrlimit(RLIMIT_CPU, &cpu);
#if !defined(__SANITIZE_ADDRESS__)  // which maps terabytes
    limit(RLIMIT_AS, order.memory_bytes);
#endif
}

std::optional<std::vector<std::byte>> read_all(int fd) {
    std::vector<std::byte> bytes;
    std::array<std::byte, 65536> piece;
    for (;;) {
        const ssize_t got = read(fd, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return std::nullopt;
        if (got == 0) return bytes;
        bytes.insert(bytes.end(), piece.begin(), piece.begin() + got);
    }
}

bool write_all(int fd, const std::vector<std::byte>& bytes) {
    std::size_t at = 0;
    while (at < bytes.size()) {
        const ssize_t put = write(fd, bytes.data() + at, bytes.size() - at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        at += static_cast<std::size_t>(put);
    }
    return true;
}

/// What the compiler says quotes the source, whatever bytes that holds: reports are UTF-8.
void make_readable(std::vector<Diagnostic>& diagnostics) {
    if (diagnostics.size() > most_diagnostics) diagnostics.resize(most_diagnostics);
    for (Diagnostic& d : diagnostics) {
        const bool cut = d.text.size() > most_text;
        std::replace(d.text.begin(), d.text.end(), '\n', ' ');
        d.text = printable(d.text.substr(0, most_text)) + (cut ? " …" : "");
        d.file = printable(d.file);
    }
}

CompileResult carry_out(const CompileJob& job) {
    const std::vector<std::filesystem::path> roots(job.include_roots.begin(), job.include_roots.end());
    CompileResult result = compile(job.source, job.name, job.defines, roots);
    if (result.ok() && job.clamp_indices) {
        try {
            result.spirv = clamp_indices(result.spirv);
        } catch (const std::bad_alloc&) {
            result.spirv.clear();
            result.out_of_memory = true;
        } catch (const std::exception& error) {
            result.spirv.clear();
            result.diagnostics.push_back({DiagnosticLevel::error, job.name, 0, error.what()});
        }
    }
    make_readable(result.diagnostics);
    return result;
}

}  // namespace

int serve_compile() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // What the compiler itself prints is no part of the answer.
    const int answer = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (answer < 0 || nothing < 0 || dup2(nothing, STDOUT_FILENO) < 0) return 1;
    const auto bytes = read_all(STDIN_FILENO);
    if (!bytes) return 1;

    CompileOrder order;
    try {
        wire::Reader reader(*bytes);
        reader(order);
        reader.end();
    } catch (const wire::Malformed&) {
        return 1;
    }
    set_limits(order);
    CompileResult result = carry_out(order.job);
    wire::Writer writer;
    writer(result);
    // No destructors: after a full memory there is nothing to be gained from them.
    _exit(write_all(answer, writer.bytes()) ? 0 : 1);
}

}  // namespace gridstride::shader
