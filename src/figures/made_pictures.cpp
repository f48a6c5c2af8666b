#include "figures/made_pictures.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "figures/figures.h"

namespace gridstride {

namespace {

/// Returns whether the trace belongs to the prepared experiment. Before a run of the user's own kernel, the
/// experiment does not name that kernel.
bool is_of(const TakenRecording& recording, const PictureInput& input) {
    const Experiment& experiment = input.prepared.experiment;
    const Experiment& recorded = recording.experiment();
    const bool whichever_kernel = !input.report || input.report->computed;
    return same_question(recorded, experiment) && (whichever_kernel || recorded.kernel == experiment.kernel);
}

/// Returns whether a picture of the output would show the fill word as a number. In floats it is a NaN, drawn
/// as a gap.
bool shows_fill(const Array& array, const OutputVerdict& verdict) {
    if (!verdict.made_from_unwritten.empty()) return true;
    const bool is_float = array.type() == ElementType::f32 || array.type() == ElementType::f64;
    return verdict.unwritten > 0 && !is_float;
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

std::vector<Plot> MadePictures::of(PictureInput input) {
    const Experiment& experiment = input.prepared.experiment;
    if (input.recording && !is_of(*input.recording, input)) input.recording = nullptr;
    const bool failed = input.recording && !input.recording->problem.empty();
    std::erase_if(recorded_,
                  [&](const auto& one) { return one.second.experiment.lesson != experiment.lesson; });
    std::optional<Report> shown;
    if (input.report && input.report->compare.has_unwritten())
        input.report = &shown.emplace(without_fill(*input.report));
    std::vector<Plot> plots = plots_of(input);
    for (Plot& plot : plots) {
        if (plot.origin == Origin::measured && input.report && input.report->computed)
            plot.origin = Origin::computed;
        if (plot.origin != Origin::recorded || failed) continue;
        const auto before = recorded_.find(plot.id);
        if (plot.missing.empty()) {
            recorded_.insert_or_assign(plot.id, Drawn{plot, experiment});
        } else if (before != recorded_.end()) {
            plot = before->second.plot;
            plot.old = before->second.experiment != experiment;
        }
    }
    return plots;
}

}  // namespace gridstride
