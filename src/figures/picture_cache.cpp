#include "figures/picture_cache.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "figures/figures.h"
#include "lesson/compute_report.h"

namespace gridstride {

namespace {

/// Returns whether the trace belongs to the prepared experiment. Before a run of the user's own kernel, the
/// experiment does not name that kernel.
bool matches_input(const AnalyzedTrace& trace, const PictureInput& input) {
    const Experiment& experiment = input.prepared.experiment;
    const Experiment& traced = trace.experiment();
    const bool whichever_kernel = !input.report || input.report->computed;
    return same_expected_results(traced, experiment) &&
           (whichever_kernel || traced.kernel == experiment.kernel);
}

/// Returns whether a picture of the output would show the fill word as a number. In floats it is a NaN, drawn
/// as a gap.
bool shows_fill(const Array& array, const OutputVerdict& verdict) {
    if (!verdict.unwritten_source.empty()) return true;
    return verdict.unwritten > 0 && !is_float(array.type());
}

/// Removes those outputs, as before a run.
Report without_fill(const Report& report) {
    Report shown = report;
    std::erase_if(shown.outputs, [&](const NamedArray& output) {
        const auto verdict = std::ranges::find(report.compare.outputs, output.name, &OutputVerdict::output);
        return verdict != report.compare.outputs.end() && shows_fill(*output.array, *verdict);
    });
    return shown;
}

}  // namespace

std::vector<Plot> PictureCache::of(PictureInput input) {
    const Experiment& experiment = input.prepared.experiment;
    if (input.trace && !matches_input(*input.trace, input)) input.trace = nullptr;
    const bool failed = input.trace && !input.trace->problem.empty();
    std::erase_if(cache_, [&](const auto& one) { return one.second.experiment.lesson != experiment.lesson; });
    std::optional<Report> shown;
    if (input.report && input.report->compare.has_unwritten())
        input.report = &shown.emplace(without_fill(*input.report));
    std::vector<Plot> plots = make_plots(input);
    for (Plot& plot : plots) {
        if (plot.origin == Origin::measured && input.report && input.report->computed)
            plot.origin = Origin::computed;
        if (plot.origin != Origin::traced || failed) continue;
        const auto before = cache_.find(plot.id);
        if (plot.missing_reason.empty()) {
            cache_.insert_or_assign(plot.id, CachedPlot{plot, experiment});
        } else if (before != cache_.end()) {
            plot = before->second.plot;
            plot.is_outdated = before->second.experiment != experiment;
        }
    }
    return plots;
}

std::vector<Plot> make_computed_plots(const Lesson& lesson, const Experiment& experiment) {
    Limits limits;
    limits.subgroup_arithmetic = limits.subgroup_ballot = limits.subgroup_shuffle = true;
    const PreparedExperiment prepared = prepare(lesson, experiment, limits);
    if (!prepared.is_valid()) return {};
    const std::optional<Report> report = compute_report_for_pictures(prepared);
    std::vector<Plot> plots = PictureCache().of({prepared, report ? &*report : nullptr});
    std::erase_if(plots, [](const Plot& plot) { return !plot.missing_reason.empty(); });
    return plots;
}

}  // namespace gridstride
