
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "client/client.h"
#include "client/ready.h"
#include "commands.h"
#include "csv_rows.h"
#include "exit_code.h"
#include "progress_line.h"
#include "session/sweep.h"
#include "session/sweep_json.h"
#include "session/sweep_values.h"
#include "session/sweep_words.h"
#include "standard_output.h"
#include "sweep_table.h"

namespace gridstride::app {

namespace {

using Clock = std::chrono::steady_clock;

void show(ProgressLine& line, const Sweep& sweep) {
    const SweepProgress progress = sweep.progress();
    const auto cells = static_cast<double>(std::max<std::size_t>(progress.cells, 1));
    line.show(static_cast<double>(progress.done) / cells, sweep_progress_words(sweep));
}

SweepSpec spec_of(const SweepOptions& options, const Limits& device) {
    std::vector<WrittenValues> written;
    for (const auto& [parameter, text] : options.flags)
        written.push_back({parameter, text});
    SweepSpec spec = sweep_of(*options.lesson, options.variants, written, device);
    spec.sampling = parse_sampling(options.samples);
    spec.deadline_seconds = options.deadline_seconds;
    spec.keep_samples = false;
    return spec;
}

/// Measures cell by cell until the end or Ctrl-C, or until stdout takes no more rows. Rows hold every report
/// with its samples, and refused cells.
void measure(Sweep& sweep, lab::Client& client, CsvRows& rows) {
    // The lab answers a cancellation in a fraction of this; a person who pressed Ctrl-C waits no longer.
    constexpr auto patience_after_stop = std::chrono::milliseconds(800);
    for (const SweepCell& cell : sweep.cells())
        if (cell.state == CellState::refused) rows.write(*cell.report);
    ProgressLine line;
    Clock::time_point stopped;
    for (std::uint64_t id = 1; !sweep.finished(); ++id) {
        show(line, sweep);
        if (std::optional<lab::Request> request = sweep.next_request(id)) client.submit(std::move(*request));
        const std::optional<Report> report = client.wait(std::chrono::milliseconds(50));
        // One that was cut short has its samples written too: they were measured.
        if (report && sweep.take(*report) && (!sweep.stopped() || !report->timings.kernel.samples.empty()))
            rows.write(*report);
        if ((interrupted() || stdout_has_failed()) && !sweep.stopped()) {
            sweep.stop();
            client.cancel();
            stopped = Clock::now();
        }
        if (sweep.stopped() && (!sweep.in_flight() || Clock::now() - stopped > patience_after_stop)) break;
    }
    line.clear();
}

int exit_code_of(const Sweep& sweep) {
    bool failed = !sweep.finished();
    for (const SweepCell& cell : sweep.cells()) {
        if (cell.state == CellState::done && cell.report->status == Status::mismatch) return exit_mismatch;
        failed = failed || cell.state == CellState::failed;
    }
    return failed ? exit_lab_lost : exit_fine;
}

}  // namespace

int sweep_lesson(const SweepOptions& options) {
    parse_sampling(options.samples);
    interrupted();
    const auto client = lab::start_lab({.device = options.device});
    const Limits device = lab::limits_in_time(*client, options.deadline_seconds, interrupted);
    Sweep sweep(spec_of(options, device), device);
    CsvRows rows(options.csv);
    measure(sweep, *client, rows);
    const bool all_kept = rows.finish();
    if (stdout_has_failed()) return exit_file;

    if (sweep.stopped()) {
        const SweepProgress progress = sweep.progress();
        say("stopped after {} of {} cells{}.", progress.done, progress.cells,
            options.csv.empty() ? ""
            : !rows.any()       ? "; there is no row to write"
            : all_kept          ? "; their rows are kept"
                                : "");
    }
    if (options.json)
        print("{}\n", to_json(sweep).dump());
    else if (options.csv != "-")
        print("{}", sweep_table(sweep));
    return all_kept ? exit_code_of(sweep) : exit_file;
}

}  // namespace gridstride::app
