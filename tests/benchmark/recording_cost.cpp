// What a recording costs a person who waits for it: 64 Ki records of four workgroups of 1024 invocations of
// `tree_sequential`, from the press to the first frame that shows them, part by part, beside a run of the
// same kernel that records nothing; and then the window's own work for a frame that shows them. Without a
// display: the frames are laid out, not presented (window_benchmark.py --inside presents them); what they
// take is time of the processor.
//
//     build/release/bin/recording_cost build/release/bin/gridstride
#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/statistics.h"
#include "benchmark/laid_out_window.h"
#include "client/client.h"
#include "lesson/lesson.h"
#include "session/session.h"

namespace gridstride {
namespace {

constexpr int rounds = 15, frames = 1000;
// What the figures are held against, in milliseconds.
constexpr double shown_on_software_driver = 1000, shown_on_device = 300;

double milliseconds(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

class Lab {
 public:
    explicit Lab(const char* program) : client_(lab::start_lab({.program = program})) {
        experiment_ = default_experiment(*find_lesson("reduction"));
        experiment_.variant = "tree_sequential";
        for (const auto& [id, value] : {std::pair("elements", 4096), {"workgroup_size", 1024}})
            experiment_.values.set(id, static_cast<std::uint64_t>(value));
    }
    lab::Client& client() { return *client_; }

    Report run(bool recorded) {
        lab::Request request{next_++, experiment_, {.measure = false}};
        if (recorded) request.recorded.emplace();
        Report report = lab::run_to_end(*client_, std::move(request), [] { return false; });
        if (report.status != Status::ok || (recorded && !report.trace->reason.empty()))
            throw std::runtime_error(report.message + (recorded ? report.trace->reason : ""));
        return report;
    }

 private:
    std::unique_ptr<lab::Client> client_;
    Experiment experiment_;
    std::uint64_t next_ = 1;
};

void print(std::string_view what, const std::vector<double>& times, double plain,
           std::string_view more = "") {
    fmt::print("{:<44} {:>9.3f} {:>9.3f} {:>9.2f}  {}\n", what, median(times), quantile(times, 0.99),
               median(times) / plain, more);
}

/// The parts of one round, each a list over the rounds.
struct Parts {
    std::vector<double> plain, recorded, apart, findings, partners, lanes, first_frame, all, least;
};

TakenRecording measure_round(Lab& lab, Parts& parts) {
    parts.plain.push_back(milliseconds([&] { lab.run(false); }));
    Report report;
    parts.recorded.push_back(milliseconds([&] { report = lab.run(true); }));
    const trace::Trace trace = *report.trace;
    std::vector<trace::Record> records;
    parts.apart.push_back(milliseconds([&] { records = trace::records_of(trace); }));
    parts.findings.push_back(milliseconds([&] { trace::findings_of(trace, records); }));
    parts.partners.push_back(milliseconds([&] { trace::race_partners(trace, records); }));
    // No recording can do with less: the kernel runs to count and to record, and its words are read once.
    const double read = milliseconds([&] {
        const std::span<const std::uint32_t> words = trace.words->as<std::uint32_t>();
        const std::vector<std::uint32_t> copy(words.begin(), words.end());
    });
    parts.least.push_back(2 * parts.plain.back() + read);

    TakenRecording taken;
    const double all_taken = milliseconds([&] { taken = taken_apart(std::move(report)); });
    parts.lanes.push_back(milliseconds([&] { trace::Lanes(taken.trace(), taken.records, 0); }));
    parts.all.push_back(parts.recorded.back() + all_taken);
    return taken;
}

void measure(const char* program) {
    Lab lab(program);
    const bool software = lab.client().limits().is_cpu;
    const double budget = software ? shown_on_software_driver : shown_on_device;
    const double first_plain = milliseconds([&] { lab.run(false); });
    const double first_recorded = milliseconds([&] { lab.run(true); });

    Session session(lab.client(), "en");
    session.open(*find_lesson("reduction"), 0);
    while (const auto question = session.open_question())
        session.skip_question(*question);
    session.stop();
    LaidOutWindow shown(session, "inside");
    std::vector<double> empty_frame;
    for (int i = 0; i < frames; ++i)
        empty_frame.push_back(shown.draw());

    Parts parts;
    std::size_t records = 0;
    for (int round = 0; round < rounds; ++round) {
        session.keep_recording(std::make_shared<const TakenRecording>(measure_round(lab, parts)));
        records = session.recording()->records.size();
        parts.first_frame.push_back(milliseconds([&] { shown.draw(); }));
        parts.all.back() += parts.first_frame.back();
    }
    std::vector<double> each_frame;
    for (int i = 0; i < frames; ++i) {
        // A step further each time: nothing is as it was in the frame before.
        shown.workspace().inside.go_to_step(static_cast<std::size_t>(i) %
                                            shown.workspace().inside.shown->lanes.rows().size());
        each_frame.push_back(shown.draw());
    }

    const double plain = median(parts.plain);
    fmt::print("{}: {} records of 4 workgroups of 1024, {} rounds\n", lab.client().limits().device_name,
               records, rounds);
    fmt::print("{:<44} {:>9} {:>9} {:>9}\n", "", "median ms", "p99 ms", "of plain");
    print("first plain run, with its compile", {first_plain}, plain);
    print("first recording, with its compile", {first_recorded}, plain);
    print("plain run", parts.plain, plain);
    print("recorded run, in the lab and back", parts.recorded, plain);
    print("  records taken apart", parts.apart, plain);
    print("  findings", parts.findings, plain);
    print("  partners of races", parts.partners, plain);
    print("  lanes over time", parts.lanes, plain);
    print("first frame, with the lanes", parts.first_frame, plain);
    print("all, from the press to the first frame", parts.all, plain, fmt::format("budget {:.0f}", budget));
    print("  the least: two plain runs, words read once", parts.least, plain);
    fmt::print("{:<44} {:>9.1f}\n", "  times the least", median(parts.all) / median(parts.least));
    print("a frame at 1600x1000, a step each", each_frame, plain,
          fmt::format("budget {:.0f}", frame_budget_ms));
    print("  the least: the window without a recording", empty_frame, plain);
}

}  // namespace
}  // namespace gridstride

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "usage: recording_cost GRIDSTRIDE\n");
        return 2;
    }
    gridstride::measure(argv[1]);
}
