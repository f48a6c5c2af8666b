#include "hidden_layer/timeline_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "hidden_layer/plan.h"

namespace gridstride::lessons::hidden_layer {

namespace {

Ink ink_of(Phase phase) {
    switch (phase) {
        case Phase::upload:
            return Ink::upload;
        case Phase::kernel:
            return Ink::kernel;
        case Phase::download:
            return Ink::download;
        case Phase::host:
            return Ink::cpu;
    }
    return Ink::quiet;
}

std::string label_of(const StepTime& step, bool is_before_the_last_kernel) {
    // The array is called by what it holds in the end; on its way there it holds values.
    const std::string what = step.label == "activations" && is_before_the_last_kernel ? "values" : step.label;
    switch (step.phase) {
        case Phase::upload:
            return "upload " + what;
        case Phase::download:
            return "download " + what;
        default:
            return what;
    }
}

/// Long copies come in pieces and long launches in slices: pieces of one kind with no gap worth seeing are
/// one bar.
void append(std::vector<Timeline::Bar>& bars, Timeline::Bar bar, double invisible_ns) {
    if (!bars.empty()) {
        Timeline::Bar& last = bars.back();
        const double gap = bar.start_ns - (last.start_ns + last.duration_ns);
        if (last.label == bar.label && gap < invisible_ns) {
            last.duration_ns = bar.start_ns + bar.duration_ns - last.start_ns;
            return;
        }
    }
    bars.push_back(std::move(bar));
}

Timeline::Row row_of(const Report& report) {
    Timeline::Row row;
    row.label = report.variant;
    row.end_ns = report.timings.wall.samples.empty() ? 0 : report.timings.wall.summary().median;
    std::size_t last_kernel = 0;
    for (std::size_t i = 0; i < report.timeline.size(); ++i)
        if (report.timeline[i].phase == Phase::kernel) last_kernel = i;
    for (std::size_t i = 0; i < report.timeline.size(); ++i) {
        const StepTime& step = report.timeline[i];
        append(row.bars,
               {label_of(step, i < last_kernel), ink_of(step.phase), step.start_ns, step.duration_ns},
               row.end_ns / 1000);
    }
    // The bars are the last run's, which may have been longer than most.
    if (!row.bars.empty())
        row.end_ns = std::max(row.end_ns, row.bars.back().start_ns + row.bars.back().duration_ns);
    return row;
}

bool is_of_this_bench(const Report& run, const PlotInput& input) {
    const bool same_input = !input.report || run.input_checksum == input.report->input_checksum;
    return same_input && run.values == input.values && !run.timeline.empty() &&
           !run.timings.wall.samples.empty();
}

}  // namespace

std::optional<Plot> timeline_picture(const PlotInput& input) {
    Timeline timeline;
    std::string missing;
    for (const Variant& variant : variants()) {
        const Report* latest = nullptr;
        for (const Report* run : input.history)
            if (run->variant == variant.id && is_of_this_bench(*run, input)) latest = run;
        // The run in hand may be on its way into the history.
        if (input.report && input.report->variant == variant.id && is_of_this_bench(*input.report, input))
            latest = input.report;
        if (latest)
            timeline.rows.push_back(row_of(*latest));
        else
            missing += (missing.empty() ? "" : ", ") + variant.id;
    }
    if (timeline.rows.empty()) return std::nullopt;
    std::string note =
        "The last run's steps; a row ends at the median run's end. Between bars the host copies, submits and "
        "waits.";
    if (!missing.empty()) note += fmt::format(" Not yet run with these values: {}.", missing);
    return Plot{.id = "timeline",
                .title = "What happened when",
                .origin = Origin::measured,
                .content = std::move(timeline),
                .note = std::move(note)};
}

}  // namespace gridstride::lessons::hidden_layer
