// A lab process for tests of its client: started, asked, and looked at from outside.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "lab/client.h"
#include "lesson/lesson.h"

namespace gridstride::lab {

using std::chrono::milliseconds;
namespace fs = std::filesystem;

/// The processes that this one started and that are still there, ended ones that nobody reaped among them.
inline std::set<pid_t> children() {
    std::set<pid_t> found;
    for (const auto& task : fs::directory_iterator("/proc/self/task")) {
        std::ifstream list(task.path() / "children");
        for (pid_t pid = 0; list >> pid;)
            found.insert(pid);
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
    return start_lab({.program = std::getenv("GRIDSTRIDE")});
}

inline Request request(std::uint64_t elements = 1024) {
    static std::atomic<std::uint64_t> next = 1;
    const Lesson& lesson = *find_lesson("reduction");
    Request request;
    request.id = next++;
    request.lesson = lesson.id;
    request.variant = "tree_sequential";
    request.values = Values(lesson.parameters);
    request.values.set("elements", elements);
    request.sampling.samples = 3;
    return request;
}

/// A run that takes minutes, one sample after the other.
inline Request long_request() {
    Request r = request(1 << 20);
    r.sampling.samples = 1'000'000;
    r.sampling.first_quickly = true;
    r.deadline_seconds = 600;
    return r;
}

inline Report run(Client& client, Request r) {
    return run_to_end(client, std::move(r), [] { return false; });
}

inline void wait_for_first_report(Client& client) {
    while (!client.wait(milliseconds(1000))) {
    }
}

}  // namespace gridstride::lab
