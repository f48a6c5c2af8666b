// What the lab costs by being a process: a run of `reduction` over 1024 elements, asked for through the
// client and done in this process by the same runner, in turns.
//
//     build/release/bin/process_cost build/release/bin/gridstride
#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "base/statistics.h"
#include "client/client.h"
#include "lab/runner.h"
#include "lesson/lesson.h"

namespace gridstride {
namespace {

constexpr int warm_up = 50;
constexpr int rounds = 500;

lab::Request small_request() {
    static std::uint64_t next = 1;
    const Lesson& lesson = *find_lesson("reduction");
    lab::Request request;
    request.id = next++;
    request.experiment = default_experiment(lesson);
    request.experiment.values.set(key::elements.id, std::uint64_t{1024});
    request.sampling.measure = false;
    request.deadline_seconds = 30;
    return request;
}

double microseconds(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

void compare(const char* program) {
    const auto client = lab::start_lab({.program = program});
    lab::Runner runner({});
    std::vector<double> apart, within;
    for (int round = 0; round < warm_up + rounds; ++round) {
        Report by_client, by_runner;
        const double there = microseconds(
            [&] { by_client = lab::run_to_end(*client, small_request(), [] { return false; }); });
        const double here = microseconds([&] {
            lab::Control control;
            runner.run(small_request(), control, [&](Report report) { by_runner = std::move(report); });
        });
        if (by_client.status != Status::ok || by_runner.status != Status::ok)
            throw std::runtime_error(by_client.message + by_runner.message);
        if (round < warm_up) continue;
        apart.push_back(there);
        within.push_back(here);
    }
    const Summary a = summarize(apart), b = summarize(within);
    fmt::print("{:<16} {:>10} {:>10} {:>10}\n", "run of 1024", "median µs", "p5", "p95");
    fmt::print("{:<16} {:>10.0f} {:>10.0f} {:>10.0f}\n", "in the lab", a.median, a.p5, a.p95);
    fmt::print("{:<16} {:>10.0f} {:>10.0f} {:>10.0f}\n", "in this process", b.median, b.p5, b.p95);
    fmt::print("ratio {:.2f}, {:.0f} µs more\n", a.median / b.median, a.median - b.median);
}

}  // namespace
}  // namespace gridstride

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "usage: process_cost GRIDSTRIDE\n");
        return 2;
    }
    gridstride::compare(argv[1]);
}
