#include "client/lab_process.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <map>
#include <optional>

#include "base/units.h"
#include "client/messages.h"

namespace gridstride::lab {

namespace {

const std::map<int, const char*> crash_signals = {{SIGSEGV, "segmentation fault"},
                                                  {SIGBUS, "bus error"},
                                                  {SIGFPE, "arithmetic error"},
                                                  {SIGILL, "illegal instruction"},
                                                  {SIGABRT, "abort"}};

/// Returns nullopt if there is no limit.
std::optional<rlim_t> resource_limit(decltype(RLIMIT_CPU) resource) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
    return limit.rlim_cur;
}

ExitInfo crash_info(const char* what) {
    ExitInfo ending{fmt::format("it crashed ({})", what), "", true};
    if (const auto limit = resource_limit(RLIMIT_AS))
        ending.advice = fmt::format(
            "Its address space is limited to {}, and drivers crash if they get no more. Raise the limit "
            "(ulimit -v).",
            format_byte_text(*limit));
    else if (rlimit files{}; getrlimit(RLIMIT_FSIZE, &files) == 0 && files.rlim_max != RLIM_INFINITY)
        // The lab raises its soft limit to the hard one: see worker.cpp.
        ending.advice = fmt::format(
            "Files are limited to {}, and some drivers keep memory in files. Raise the limit (ulimit -f).",
            format_byte_text(files.rlim_max));
    return ending;
}

ExitInfo cpu_time_exceeded() {
    const auto limit = resource_limit(RLIMIT_CPU);
    return {fmt::format("it used up the CPU time that a process may use{}",
                        limit ? fmt::format(", {} s", *limit) : ""),
            "Raise the limit (ulimit -t)."};
}

}  // namespace

LabProcess::LabProcess(const std::filesystem::path& program)
    // The socket is the first descriptor after the standard streams.
    : process_({"The lab",
                program,
                {std::string(worker_argument), "3", std::to_string(getpid())},
                {ChildDescriptor::nothing, ChildDescriptor::nothing, ChildDescriptor::inherited,
                 ChildDescriptor::socket}}),
      channel_(process_.release_socket()) {}

ExitInfo LabProcess::end(std::chrono::milliseconds timeout) {
    const ProcessEnd end = process_.end(timeout);
    if (end.exit_code) return {fmt::format("it ended with the exit code {}", *end.exit_code)};
    if (end.lingers) return {"it was killed, and the system has not ended it yet"};
    if (!end.signal) return {end.was_killed ? "it was ended" : "it ended"};
    if (const auto known = crash_signals.find(*end.signal); known != crash_signals.end())
        return crash_info(known->second);
    switch (*end.signal) {
        case SIGXCPU:
            return cpu_time_exceeded();
        case SIGKILL:
            // If the soft limit equals the hard one, the system sends SIGKILL without SIGXCPU.
            if (const auto limit = resource_limit(RLIMIT_CPU);
                limit && end.cpu_seconds + 1 >= static_cast<double>(*limit))
                return cpu_time_exceeded();
            if (end.was_killed) return {"it was ended"};
            return {"it was killed from outside (signal 9)",
                    "The system kills a process when memory runs out: use fewer elements, or close other "
                    "programs."};
        default:
            return {fmt::format("it was ended by signal {} ({})", *end.signal, strsignal(*end.signal))};
    }
}

}  // namespace gridstride::lab
