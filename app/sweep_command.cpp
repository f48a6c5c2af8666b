#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "client/client.h"
#include "client/start_lab.h"
#include "commands.h"
#include "csv_rows.h"
#include "jobs/run_job.h"
#include "present/verdict_text.h"
#include "progress_line.h"
#include "run_setup.h"
#include "standard_output.h"
#include "sweep/sweep_text.h"
#include "sweep/tuned_file.h"

namespace gridstride::app {

namespace {

/// Tables wider than this are split into blocks of columns, one below the other.
constexpr std::size_t max_table_width = 110;

/// Returns one unit for all times of the table: that of the best time, or of the longest if there is no best.
std::string unit_for(const Sweep& sweep) {
    if (const auto best = sweep.best()) return format_time(sweep.cells()[best->cell].kernel.median).unit;
    double longest = 0;
    for (const SweepCell& cell : sweep.cells())
        longest = std::max(longest, cell.kernel.median);
    return format_time(longest).unit;
}

std::string value_text(const Sweep& sweep, std::size_t axis, std::size_t i) {
    return format(sweep.parameter(axis), sweep.spec().axes[axis].values[i]);
}

/// Formats a sweep for the terminal: a table of kernel times for each variant over two parameters, or one
/// table of all variants over one parameter. Sentences below it name the best cell, its ties and the advice.
class Table {
 public:
    explicit Table(const Sweep& sweep) : sweep_(sweep), unit_(unit_for(sweep)), best_(sweep.best()) {
        if (best_) ties_.insert(best_->ties.begin(), best_->ties.end());
    }

    std::string text() {
        const auto& spec = sweep_.spec();
        out_ = fmt::format("{} · {} · kernel time in {}, median{}\n", spec.lesson->id,
                           describe_device(sweep_.device().device_name, sweep_.device().is_cpu), unit_,
                           shows_intervals() ? " ± half its 95 % interval" : "");
        if (spec.axes.size() == 2)
            for (std::size_t variant = 0; variant < spec.variants.size(); ++variant)
                add_map(variant);
        else
            add_list();
        add_legend();
        add_advice();
        return std::move(out_);
    }

 private:
    /// A table of two parameters has no space for intervals.
    bool shows_intervals() const { return sweep_.spec().axes.size() < 2; }

    std::string cell_text(std::size_t i) const {
        const SweepCell& cell = sweep_.cells()[i];
        switch (cell.state) {
            case CellState::pending:
            case CellState::running:
                return "·  ";
            case CellState::refused:
                return "-  ";
            case CellState::failed:
                return "!  ";
            case CellState::done:
                break;
        }
        std::string text = format_in_unit(cell.kernel.median, unit_);
        if (shows_intervals() && cell.kernel.count > 1)
            text += " ± " + format_in_unit(cell.kernel.median_error, unit_, 2);
        const char* mark = "  ";
        if (!cell.is_correct())
            mark = cell.report->status == Status::unjudged ? " ?" : " ✗";
        else if (best_ && best_->cell == i)
            mark = " *";
        else if (ties_.contains(i))
            mark = " =";
        return text + mark;
    }

    void add_rows(const std::vector<std::string>& row_names, const std::vector<std::string>& column_names,
                  const std::vector<std::vector<std::string>>& cells) {
        std::size_t first = 0;
        for (const std::string& name : row_names)
            first = std::max(first, characters(name));
        std::size_t widest = 8;
        for (std::size_t column = 0; column < column_names.size(); ++column) {
            widest = std::max(widest, characters(column_names[column]) + 2);
            for (const auto& row : cells)
                widest = std::max(widest, characters(row[column]));
        }
        const std::size_t room = max_table_width - std::min(first, max_table_width);
        const std::size_t block = std::max<std::size_t>(room / (widest + 2), 1);
        for (std::size_t from = 0; from < column_names.size(); from += block) {
            const std::size_t to = std::min(from + block, column_names.size());
            if (from > 0) out_ += '\n';
            out_ += std::string(first, ' ');
            for (std::size_t column = from; column < to; ++column)
                out_ += fmt::format("  {:>{}}", column_names[column] + "  ", widest);
            out_ += '\n';
            for (std::size_t row = 0; row < row_names.size(); ++row) {
                out_ += fmt::format("{:>{}}", row_names[row], first);
                for (std::size_t column = from; column < to; ++column)
                    out_ += fmt::format("  {:>{}}", cells[row][column], widest);
                out_ += '\n';
            }
        }
    }

    void add_map(std::size_t variant) {
        const auto& axes = sweep_.spec().axes;
        out_ += fmt::format("\n{}: {} in rows, {} in columns\n", sweep_.spec().variants[variant],
                            axes[0].parameter, axes[1].parameter);
        std::vector<std::string> row_names, column_names;
        for (std::size_t column = 0; column < axes[1].values.size(); ++column)
            column_names.push_back(value_text(sweep_, 1, column));
        std::vector<std::vector<std::string>> cells;
        for (std::size_t row = 0; row < axes[0].values.size(); ++row) {
            row_names.push_back(value_text(sweep_, 0, row));
            auto& texts = cells.emplace_back();
            for (std::size_t column = 0; column < column_names.size(); ++column)
                texts.push_back(cell_text(sweep_.index(variant, row, column)));
        }
        add_rows(row_names, column_names, cells);
    }

    /// Adds the table over one parameter, with a column per variant. Without a parameter, each variant is a
    /// row.
    void add_list() {
        const auto& spec = sweep_.spec();
        std::vector<std::vector<std::string>> cells;
        out_ += '\n';
        if (spec.axes.empty()) {
            for (std::size_t variant = 0; variant < spec.variants.size(); ++variant)
                cells.push_back({cell_text(variant)});
            return add_rows(spec.variants, {"kernel"}, cells);
        }
        std::vector<std::string> row_names;
        for (std::size_t row = 0; row < spec.axes[0].values.size(); ++row) {
            row_names.push_back(fmt::format("{} = {}", spec.axes[0].parameter, value_text(sweep_, 0, row)));
            auto& texts = cells.emplace_back();
            for (std::size_t variant = 0; variant < spec.variants.size(); ++variant)
                texts.push_back(cell_text(sweep_.index(variant, row, 0)));
        }
        add_rows(row_names, spec.variants, cells);
    }

    void add_legend() {
        const auto pending_cells = std::count_if(sweep_.cells().begin(), sweep_.cells().end(),
                                                 [](const SweepCell& cell) { return !cell.report; });
        out_ += '\n';
        if (pending_cells > 0)
            out_ += "·  not measured: " + counted(static_cast<std::size_t>(pending_cells), "cell") + '\n';
        const std::vector<std::string> reasons = missing_time_reasons(sweep_, "--json has each cell's");
        if (!reasons.empty())
            out_ += "-  refused   !  failed   ✗  differs from the reference   ?  not judged\n";
        for (const std::string& reason : reasons)
            out_ += "   " + reason + '\n';
        const BestSummary words = describe_best(sweep_);
        if (words.found) out_ += "*  ";
        if (!words.best.empty()) out_ += words.best + '\n';
        if (!words.confidence_sentence.empty())
            out_ += (ties_.empty() ? "   " : "=  ") + words.confidence_sentence + '\n';
    }

    void add_advice() {
        out_ += "\nThe usual advice, compared with these measurements\n";
        for (const Advice& advice : evaluate_advice(sweep_))
            out_ += fmt::format("{} {}: {}\n",
                                !advice.holds   ? "?"
                                : *advice.holds ? "✓"
                                                : "✗",
                                advice.title, advice.sentence);
    }

    const Sweep& sweep_;
    std::string unit_;
    std::optional<BestCell> best_;
    std::set<std::size_t> ties_;
    std::string out_;
};

SweepSpec make_spec(const SweepOptions& options, const Limits& device) {
    SweepSpec spec = make_sweep_spec(*options.lesson, options.variants, options.flags, device);
    std::size_t item = 0;
    const auto is_elsewhere = [&](const auto&) { return !options.shard.has(item++); };
    // Divides the longest list, which allows the most parts.
    const auto longest =
        std::ranges::max_element(spec.axes, {}, [](const auto& axis) { return axis.values.size(); });
    const bool divides_variants = longest == spec.axes.end() || spec.variants.size() > longest->values.size();
    if (divides_variants)
        std::erase_if(spec.variants, is_elsewhere);
    else
        std::erase_if(longest->values, is_elsewhere);
    if (item < options.shard.count)
        throw Refusal("--shard {}/{} cannot be used: only {} can be divided. Use at most {} parts.",
                      options.shard.index, options.shard.count,
                      counted(item, divides_variants ? "variant" : "value"), item);
    spec.sampling = parse_sampling(options.samples);
    spec.deadline_seconds = options.deadline_seconds;
    spec.keeps_samples = false;
    spec.repeats_best_cells = !options.is_shard;
    return spec;
}

/// Measures all cells, until Ctrl-C or until stdout cannot be written. Writes a row for every report with
/// samples and for refused cells. Returns true if all cells were measured.
bool measure(Sweep& sweep, lab::Client& client, CsvRowWriter& rows) {
    for (const SweepCell& cell : sweep.cells())
        if (cell.state == CellState::refused) rows.write(*cell.report);
    ProgressLine line;
    return run_job(client, sweep,
                   {.interrupted =
                        [&] {
                            const JobProgress progress = sweep.progress();
                            line.show(progress.done, progress.total, describe_sweep_progress(sweep, true));
                            return is_interrupted() || stdout_has_failed();
                        },
                    // A stopped run may have valid samples, which are written too.
                    .on_report =
                        [&](const Report& report) {
                            const bool is_stopped = report.status == Status::stopped;
                            if (!is_stopped || !report.timings.kernel.samples.empty()) rows.write(report);
                        }});
}

/// Saves the best launch for --tuned, and reports it. A write error does not affect the measurements.
void save_best_launches(const Sweep& sweep) {
    const SweepTuning tuned = find_best_launches(sweep);
    try {
        write_tuned(tuned_file(), tuned.best);
    } catch (const FileError& error) {
        return print_status("The best launch was not saved. {}", error.what());
    }
    for (const std::string& line : describe_stored_launches(tuned))
        print_status("{}", line);
}

int exit_code_for(const Sweep& sweep) {
    bool failed = !sweep.is_finished();
    for (const SweepCell& cell : sweep.cells()) {
        if (cell.state == CellState::done && app::exit_code_for(*cell.report) == exit_mismatch)
            return exit_mismatch;
        failed = failed || cell.state == CellState::failed;
    }
    return failed ? exit_lab_lost : exit_success;
}

}  // namespace

int run_command(const SweepOptions& options) {
    parse_sampling(options.samples);
    is_interrupted();
    const auto client = lab::start_lab({.device = options.device});
    const Limits device = lab::wait_for_limits(*client, options.deadline_seconds, is_interrupted);
    Sweep sweep(make_spec(options, device), device);
    CsvRowWriter rows(options.csv);
    const bool stopped = !measure(sweep, *client, rows);
    const bool all_kept = rows.finish();
    if (stdout_has_failed()) return exit_file;

    if (stopped) {
        const SweepProgress progress = sweep.sweep_progress();
        print_status("stopped after {} of {} cells{}.", progress.done, progress.cells,
                     options.csv.empty() ? ""
                     : !rows.any()       ? "; there are no rows to write"
                     : all_kept          ? "; their rows are kept"
                                         : "");
    }
    if (options.json)
        print("{}\n", to_json(sweep).dump());
    else if (options.csv != "-")
        print("{}", Table(sweep).text());
    flush_stdout();
    if (!stdout_has_failed())
        for (const std::string& line : describe_remarks(sweep, "--json has each cell's"))
            print_status("{}", line);
    if (!options.is_shard) save_best_launches(sweep);
    return all_kept ? exit_code_for(sweep) : exit_file;
}

}  // namespace gridstride::app
