// What a change costs, from the change to its report: the workgroup size of `zero_suppression` over 2^24
// samples dragged through its sizes, and the seed and the threshold changed in between, which make input and
// reference anew.
//
//     build/release/bin/change_cost build/release/bin/gridstride
#include <fmt/format.h>

#include <chrono>

#include "base/statistics.h"
#include "client/client.h"
#include "lesson/lesson.h"

namespace gridstride {
namespace {

constexpr int rounds = 7;
constexpr std::uint64_t sizes[] = {32, 64, 128, 256, 512};

class Bench {
 public:
    explicit Bench(const char* program) : client_(lab::start_lab({.program = program})) {
        experiment_ = default_experiment(*find_lesson("zero_suppression"));
        experiment_.variant = "packed";
        experiment_.values.set("elements", std::uint64_t{1} << 24);
    }

    /// Milliseconds to the judged result.
    double change(const char* parameter, std::uint64_t value) {
        experiment_.values.set(parameter, value);
        lab::Request request{next_++, experiment_, {.measure = false}};
        const auto start = std::chrono::steady_clock::now();
        const Report report = lab::run_to_end(*client_, std::move(request), [] { return false; });
        const double ms =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        if (report.status != Status::ok) throw std::runtime_error(report.message);
        return ms;
    }

 private:
    std::unique_ptr<lab::Client> client_;
    Experiment experiment_;
    std::uint64_t next_ = 1;
};

void measure(const char* program) {
    Bench bench(program);
    bench.change("seed", 1);
    for (const std::uint64_t size : sizes)  // so that no pipeline is new later
        bench.change("workgroup_size", size);
    std::vector<double> first, reference, later;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        first.push_back(bench.change("seed", 2 + round));
        reference.push_back(bench.change("threshold", 16 + round));
        for (const std::uint64_t size : sizes)
            later.push_back(bench.change("workgroup_size", size));
    }
    const Summary of_later = summarize(later);
    const auto row = [&](const char* what, const std::vector<double>& times) {
        const Summary summary = summarize(times);
        fmt::print("{:<34} {:>8.0f} ms {:>6.2f}\n", what, summary.median, summary.median / of_later.median);
    };
    fmt::print("{:<34} {:>11} {:>6}\n", "changed", "median", "ratio");
    row("seed: input and reference anew", first);
    row("threshold: reference anew", reference);
    row("workgroup size: neither", later);
}

}  // namespace
}  // namespace gridstride

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "usage: change_cost GRIDSTRIDE\n");
        return 2;
    }
    gridstride::measure(argv[1]);
}
