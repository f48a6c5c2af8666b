// Helpers for tests of the client: they start a lab process, send requests and observe the process.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "client/client.h"
#include "client/start_lab.h"
#include "lesson/lesson.h"
#include "test_environment.h"
#include "test_includes.h"

namespace gridstride::lab {

using std::chrono::milliseconds;
namespace fs = std::filesystem;

/// Opens no file, because the process may have no descriptor left.
inline bool has_ended(pid_t child) {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == child;
}

/// The child processes of this process that have not ended. A child that ends slowly may stay in the list
/// until this process ends.
inline std::set<pid_t> children() {
    std::set<pid_t> found;
    for (const auto& task : fs::directory_iterator("/proc/self/task")) {
        std::ifstream list(task.path() / "children");
        for (pid_t pid = 0; list >> pid;)
            if (!has_ended(pid)) found.insert(pid);
    }
    return found;
}

inline std::size_t open_descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

inline std::size_t shared_mappings() {
    std::ifstream maps("/proc/self/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(maps, line);)
        if (line.find("memfd:gridstride") != std::string::npos) ++count;
    return count;
}

inline std::unique_ptr<Client> start() {
    return start_lab({.program = program()});
}

inline Request request(std::uint64_t elements = 1024) {
    static std::atomic<std::uint64_t> next = 1;
    const Lesson& lesson = *find_lesson("reduction");
    Request request;
    request.id = next++;
    request.experiment = default_experiment(lesson);
    request.experiment.variant = "tree_sequential";
    request.experiment.values.set("elements", elements);
    request.sampling.samples = 3;
    request.deadline_seconds = never_seconds;
    return request;
}

/// A run of so many samples that no test reaches its end.
inline Request long_request() {
    Request r = request(1 << 20);
    r.sampling.samples = 1'000'000;
    r.sampling.quick_first_report = true;
    return r;
}

inline Report run(Client& client, Request r) {
    return run_and_wait(client, std::move(r), [] { return false; });
}

/// The client's lab has opened the device when this returns.
inline std::unique_ptr<Client> start_ready() {
    auto client = start();
    client->limits();
    return client;
}

inline void signal_labs(int signal) {
    for (const pid_t lab : children())
        kill(lab, signal);
}

inline void expect_ok(Client& client, Request r = request()) {
    const Report report = run(client, std::move(r));
    EXPECT_EQ(report.status, Status::ok) << report.message;
}

/// Returns the next report for which the condition holds. Throws if none arrives within `patience`.
template <class Condition>
Report wait_for(Client& client, const Condition& condition) {
    for (;;)
        if (Report report = client.wait(patience).value(); condition(report)) return report;
}

inline Report wait_for_last(Client& client) {
    return wait_for(client, std::mem_fn(&Report::is_final));
}

inline void wait_for_first_report(Client& client) {
    while (!client.wait(patience)) {
    }
}

/// Polls a condition that has no event to wait for. Returns false if it does not hold within `patience`.
template <class Condition>
bool comes_true(const Condition& condition) {
    using Clock = std::chrono::steady_clock;
    for (const auto since = Clock::now(); Clock::now() - since < patience;) {
        if (condition()) return true;
        std::this_thread::sleep_for(milliseconds(2));
    }
    return false;
}

/// The processor time that the process has used, in clock ticks; 0 if it has ended.
inline long processor_ticks(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    std::getline(stat, line);
    // utime and stime are fields 14 and 15. Reading begins after the name, which may contain any character.
    std::istringstream rest(line.substr(std::min(line.size(), line.rfind(')') + 1)));
    std::string word;
    for (int i = 0; i < 11; ++i)
        rest >> word;
    long user = 0, system = 0;
    rest >> user >> system;
    return user + system;
}

}  // namespace gridstride::lab
