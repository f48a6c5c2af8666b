#include "sweep/sweep_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "present/run_remarks.h"
#include "present/verdict_text.h"

namespace gridstride {

namespace {

constexpr std::size_t max_ties = 4;
constexpr std::size_t max_reasons = 3;

std::string parameter_name(const Sweep& sweep, std::size_t axis) {
    const std::string& name = sweep.parameter(axis).label;
    return to_lower(name.substr(0, 1)) + name.substr(1);
}

std::string tied_cells(const Sweep& sweep, const std::vector<std::size_t>& ties) {
    std::string text;
    for (std::size_t i = 0; i < std::min(max_ties, ties.size()); ++i)
        text += (i > 0 ? "; " : "") + sweep.describe(sweep.cells()[ties[i]]);
    if (ties.size() > max_ties) text += tr("; and {} more", ties.size() - max_ties);
    return text;
}

/// Returns "21.4 µs ± 0.2 µs", with the time per element if that decides.
std::string describe_cell_time(const Sweep& sweep, const SweepCell& cell) {
    std::string text = describe_time(cell.kernel);
    if (sweep.is_per_element()) text += fmt::format(", {}", cost_text(sweep, sweep.cost(cell).median));
    return text;
}

std::string verdict(const SweepCell& cell) {
    if (cell.report) return verdict_word(*cell.report);
    return cell.state == CellState::running ? tr("running …") : tr("not measured yet");
}

}  // namespace

std::string sweep_title(const Sweep& sweep) {
    std::string title =
        sweep.is_per_element() ? tr("Kernel time per element over ") : tr("Kernel time over ");
    for (std::size_t i = 0; i < sweep.spec().axes.size(); ++i)
        title += (i > 0 ? tr(" and ") : "") + parameter_name(sweep, i);
    return title;
}

std::string describe_sweep_progress(const Sweep& sweep, bool is_running) {
    const SweepProgress progress = sweep.sweep_progress();
    std::string part = tr("{} of {} cells", format_count(progress.done), format_count(progress.cells));
    if (sweep.is_finished())
        return tr("All {}, measured in {}.", counted(progress.cells, "cell", "cells"),
                  format_duration(progress.seconds_spent));
    if (progress.done == progress.cells && progress.repeats > 0) {
        part = tr("All {} cells; the best are measured again in turn, {} of {} runs",
                  format_count(progress.cells), progress.repeats_done, progress.repeats);
        if (!is_running) return part + tr(". Stopped.");
    }
    if (!is_running) return tr("Stopped after {}. The measured cells are kept.", part);
    if (!progress.seconds_left) return part;
    return fmt::format("{}, {}", part, format_time_left(*progress.seconds_left));
}

std::string cost_text(const Sweep& sweep, double cost) {
    const std::string time = format_time(cost).text();
    return sweep.is_per_element() ? tr("{} per element", time) : time;
}

BestSummary describe_best(const Sweep& sweep) {
    const std::optional<BestCell> best = sweep.best();
    if (!best)
        return {sweep.is_finished() ? tr("No cell gave a correct answer, so there is no best cell.") : "", "",
                false};
    const SweepCell& cell = sweep.cells()[best->cell];
    BestSummary words;
    words.found = true;
    words.best = tr("Best{}{}: {}: {}", sweep.is_finished() ? "" : tr(" so far"),
                    sweep.is_per_element() ? tr(" by time per element") : "", sweep.describe(cell),
                    describe_cell_time(sweep, cell));
    if (best->confidence == 0) {
        words.confidence_sentence =
            tr("One sample has no confidence interval. Take at least 6 samples for a 95 % interval.");
        return words;
    }
    if (best->confidence < 0.95)
        words.confidence_sentence =
            tr("With {}, the interval has only {} confidence; 6 or more give 95 %. ",
               counted(cell.kernel.count, "sample", "samples"), format_percent(best->confidence).text());
    const auto right = std::count_if(sweep.cells().begin(), sweep.cells().end(),
                                     [](const SweepCell& c) { return c.may_be_best(); });
    if (right < 2) return words;
    if (sweep.is_finished() && sweep.drift())
        words.confidence_sentence +=
            tr("The best cells were measured {} times, in turn; the runs of one cell differed by up to {}. ",
               1 + repeat_rounds, format_percent(*sweep.drift() - 1).text());
    if (best->ties.empty())
        words.confidence_sentence += tr("No other cell's interval overlaps it.");
    else
        words.confidence_sentence +=
            tr("A tie with {}: {}. The intervals overlap, so these cannot be told apart.",
               best->ties.size() == 1 ? tr("one more") : tr("{} more", best->ties.size()),
               tied_cells(sweep, best->ties));
    return words;
}

std::vector<SweepRemark> collect_remarks(const Sweep& sweep) {
    std::vector<SweepRemark> all;
    for (const SweepCell& cell : sweep.cells()) {
        if (!cell.report) continue;
        for (Remark& remark : all_remarks(*cell.report)) {
            if (remark.severity == Severity::refusal) continue;
            const auto known = std::ranges::find(all, remark, &SweepRemark::remark);
            if (known != all.end())
                ++known->cells;
            else
                all.push_back({std::move(remark), 1});
        }
    }
    return all;
}

std::vector<std::string> describe_remarks(const Sweep& sweep, std::string_view where_to_see_all) {
    constexpr std::size_t max_remarks = 12;
    const std::vector<SweepRemark> remarks = collect_remarks(sweep);
    std::vector<std::string> lines;
    for (const auto& [remark, cells] : remarks) {
        if (lines.size() == max_remarks && remarks.size() > max_remarks + 1) {
            lines.push_back(tr("{} more remarks; {}.", remarks.size() - max_remarks, where_to_see_all));
            break;
        }
        lines.push_back((cells < sweep.cells().size() ? tr("In {} of {}: ", format_count(cells),
                                                           counted(sweep.cells().size(), "cell", "cells"))
                                                      : std::string()) +
                        describe_remark(remark));
    }
    return lines;
}

std::vector<std::string> missing_time_reasons(const Sweep& sweep, std::string_view where_to_see_all) {
    std::vector<std::string> reasons;
    std::size_t refused = 0, failed = 0, wrong = 0, on_purpose = 0, unjudged = 0;
    for (const SweepCell& cell : sweep.cells()) {
        refused += cell.state == CellState::refused ? 1 : 0;
        failed += cell.state == CellState::failed ? 1 : 0;
        const bool done = cell.state == CellState::done;
        on_purpose += done && cell.report->status == Status::wrong_on_purpose ? 1 : 0;
        wrong += done && cell.report->is_wrong() ? 1 : 0;
        unjudged += done && cell.report->status == Status::unjudged ? 1 : 0;
        if (cell.is_correct() || cell.reasons.empty()) continue;
        const std::string& reason = cell.reasons.front();
        if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
    }
    if (reasons.size() > max_reasons) {
        reasons.resize(max_reasons);
        reasons.push_back(tr("The other reasons are similar; {}.", where_to_see_all));
    }
    std::string counts;
    const auto count = [&](std::size_t n, const char* what) {
        if (n > 0) counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", n, what);
    };
    count(refused, refused == 1 ? tr("cell is refused") : tr("cells are refused"));
    count(failed, "failed");
    count(wrong, tr("gave a wrong answer"));
    count(on_purpose, tr("wrong on purpose"));
    count(unjudged, tr("not judged"));
    if (!counts.empty()) reasons.insert(reasons.begin(), counts + ".");
    return reasons;
}

CellTooltip cell_tooltip(const Sweep& sweep, std::size_t index) {
    const SweepCell& cell = sweep.cells()[index];
    CellTooltip words;
    words.title = sweep.spec().variants[cell.variant];
    for (std::size_t axis = 0; axis < sweep.spec().axes.size(); ++axis) {
        const Parameter& parameter = sweep.parameter(axis);
        words.lines.emplace_back(parameter.id, format(parameter, cell.experiment.values.at(parameter.id)));
    }
    if (cell.state == CellState::done) {
        words.lines.emplace_back("kernel", describe_cell_time(sweep, cell));
        if (cell.kernel.count > 1)
            words.lines.emplace_back(tr("{} interval", format_percent(cell.kernel.confidence).text()),
                                     fmt::format("{} … {}", format_time(cell.kernel.low).text(),
                                                 format_time(cell.kernel.high).text()));
        words.lines.emplace_back("samples",
                                 fmt::format("{}{}", cell.kernel.count,
                                             cell.report->timings.kernel.is_noisy ? tr(", noisy") : ""));
    }
    words.lines.emplace_back("", verdict(cell));
    for (const std::string& reason : cell.reasons)
        words.lines.emplace_back("", reason);
    return words;
}

}  // namespace gridstride
