#include "client/lab_process.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <map>
#include <optional>

#include "base/units.h"
#include "client/worker.h"

namespace gridstride::lab {

namespace {

const std::map<int, const char*> crashes = {{SIGSEGV, "segmentation fault"},
                                            {SIGBUS, "bus error"},
                                            {SIGFPE, "arithmetic error"},
                                            {SIGILL, "illegal instruction"},
                                            {SIGABRT, "abort"}};

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
            bytes_text(*most));
    else if (rlimit files{}; getrlimit(RLIMIT_FSIZE, &files) == 0 && files.rlim_max != RLIM_INFINITY)
        // The lab takes the soft limit off: worker.cpp.
        ending.advice = fmt::format(
            "Files may have {} at most, and some drivers keep memory in files. Raise that limit (ulimit -f).",
            bytes_text(files.rlim_max));
    return ending;
}

Ending out_of_processor_time() {
    const auto most = limit_of(RLIMIT_CPU);
    return {fmt::format("it used up the processor time that a process is allowed{}",
                        most ? fmt::format(", {} s", *most) : ""),
            "Raise that limit (ulimit -t)."};
}

}  // namespace

LabProcess::LabProcess(const std::filesystem::path& program)
    // The socket lies behind the standard streams.
    : process_({"The lab",
                program,
                {std::string(worker_argument), "3", std::to_string(getpid())},
                {ChildFile::nothing, ChildFile::nothing, ChildFile::same, ChildFile::socket}}),
      channel_(process_.take_socket()) {}

Ending LabProcess::end(std::chrono::milliseconds patience) {
    const ProcessEnd end = process_.end(patience);
    if (end.exit_code) return {fmt::format("it ended with the exit code {}", *end.exit_code)};
    if (end.lingers) return {"it was killed, and the system has not ended it yet"};
    if (!end.signal) return {end.killed ? "it was ended" : "it ended"};
    if (const auto known = crashes.find(*end.signal); known != crashes.end()) return crash(known->second);
    switch (*end.signal) {
        case SIGXCPU:
            return out_of_processor_time();
        case SIGKILL:
            // Where the soft limit is the hard one, the system does not send SIGXCPU first.
            if (const auto most = limit_of(RLIMIT_CPU);
                most && end.processor_seconds + 1 >= static_cast<double>(*most))
                return out_of_processor_time();
            if (end.killed) return {"it was ended"};
            return {"it was killed from outside (signal 9)",
                    "The system kills a process when memory runs out: take fewer elements, or close other "
                    "programs."};
        default:
            return {fmt::format("it was ended by signal {} ({})", *end.signal, strsignal(*end.signal))};
    }
}

}  // namespace gridstride::lab
