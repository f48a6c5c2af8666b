#include "sweep/tuned_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "base/utc_time.h"

namespace gridstride {

namespace {

constexpr double min_confidence = 0.95;
constexpr std::size_t max_lines = 4;

std::uint64_t element_count(const TunedLaunch& tuned) {
    return domain_extent(tuned.experiment).product();
}

bool is_same_work(const TunedLaunch& tuned, const Experiment& experiment, const std::string& device) {
    return tuned.experiment.lesson == experiment.lesson && tuned.experiment.variant == experiment.variant &&
           tuned.device == device &&
           size_class(element_count(tuned)) == size_class(domain_extent(experiment).product());
}

std::string describe_value(const Lesson& lesson, const std::string& id, const Values& values) {
    return fmt::format("{} = {}", id, format(*find(lesson.parameters, id), values.at(id)));
}

bool is_swept(const Sweep& sweep, const Parameter& parameter) {
    return std::ranges::any_of(sweep.spec().axes,
                               [&](const SweepAxis& axis) { return axis.parameter == parameter.id; });
}

bool is_at_default(const Parameter& parameter, const SweepCell& cell) {
    return cell.experiment.values.at(parameter.id) == parameter.default_value;
}

std::vector<std::string> tuned_parameters(const Sweep& sweep, const SweepCell& best) {
    std::vector<std::string> ids;
    for (const Parameter& parameter : sweep.spec().lesson->parameters)
        if (parameter.invalidates == Invalidates::launch &&
            (is_swept(sweep, parameter) || !is_at_default(parameter, best)))
            ids.push_back(parameter.id);
    return ids;
}

std::optional<Estimate> default_ratio(const Sweep& sweep, const std::vector<std::size_t>& work,
                                      const SweepCell& best) {
    const auto is_default = [&](const SweepCell& cell) {
        return std::ranges::all_of(sweep.spec().lesson->parameters, [&](const Parameter& parameter) {
            return parameter.invalidates != Invalidates::launch || is_at_default(parameter, cell);
        });
    };
    for (const std::size_t i : work) {
        const SweepCell& cell = sweep.cells()[i];
        if (!cell.may_be_best() || !is_default(cell)) continue;
        if (&cell == &best) return Estimate{1, 1, 1};
        const Ratio times = ratio(sweep.comparable_time(cell), sweep.comparable_time(best));
        return Estimate{times.value, times.low, times.high};
    }
    return std::nullopt;
}

/// Returns the variant and the swept parameters that are not launch parameters, for example "tree_sequential,
/// elements = 1000".
std::string describe_work(const Sweep& sweep, const SweepCell& cell) {
    std::string words = cell.experiment.variant;
    for (std::size_t axis = 0; axis < sweep.spec().axes.size(); ++axis)
        if (sweep.parameter(axis).invalidates != Invalidates::launch)
            words +=
                ", " + describe_value(*sweep.spec().lesson, sweep.parameter(axis).id, cell.experiment.values);
    return words;
}

/// Returns why the launch is not stored, or an empty string if it is.
std::string rejection_reason(const BestCell& best, const SweepCell& cell) {
    if (cell.experiment.kernel)
        return tr(
            "it belongs to your own program, and another version of the program may need another launch.");
    if (best.confidence < min_confidence)
        return tr("with {}, its median has no 95 % interval. Take at least 6.",
                  counted(cell.kernel.count, "sample", "samples"));
    if (cell.report->timings.kernel.is_noisy)
        return tr("its median had not converged (noisy). Sweep again while the machine is idle.");
    return {};
}

/// Returns in what the work differed from the experiment's, apart from its size and seed.
std::string describe_other_work(const TunedLaunch& tuned, const Lesson& lesson,
                                const Experiment& experiment) {
    std::vector<std::string> other;
    for (const Parameter& parameter : lesson.parameters) {
        const bool counts = parameter.invalidates != Invalidates::launch && parameter.id != key::seed.id &&
                            !lesson.is_domain_parameter(parameter.id);
        if (counts && tuned.experiment.values.at(parameter.id) != experiment.values.at(parameter.id))
            other.push_back(describe_value(lesson, parameter.id, tuned.experiment.values));
    }
    if (tuned.experiment.input.name != printable(experiment.input.name))
        other.push_back(tuned.experiment.input.name.empty()
                            ? tr("the lesson's own input")
                            : tr("the input {}", tuned.experiment.input.name));
    return join(other, ", ");
}

std::string describe_gain(const TunedLaunch& tuned) {
    if (!tuned.default_over_best) return {};
    const Estimate& times = *tuned.default_over_best;
    if (times.low == 1 && times.high == 1) return tr(" It is the default.");
    if (times.low <= 1) return tr(" It cannot be told apart from the default.");
    return tr(" The default took {} times as long ({} to {}).", format_significant(times.value),
              format_significant(times.low), format_significant(times.high));
}

}  // namespace

std::uint64_t size_class(std::uint64_t elements) {
    const double count = static_cast<double>(std::max<std::uint64_t>(elements, 1));
    return static_cast<std::uint64_t>(std::exp2(std::round(std::log2(count))));
}

SweepTuning find_best_launches(const Sweep& sweep) {
    SweepTuning tuned;
    if (!sweep.is_finished()) return tuned;
    for (const std::vector<std::size_t>& work : sweep.group_by_work()) {
        const std::optional<BestCell> best = sweep.best_among(work);
        const auto candidates =
            std::ranges::count_if(work, [&](std::size_t i) { return sweep.cells()[i].may_be_best(); });
        if (candidates < 2) continue;  // with a single launch, there is no best one
        const SweepCell& cell = sweep.cells()[best->cell];
        if (const std::string reason = rejection_reason(*best, cell); !reason.empty()) {
            tuned.left_out.push_back(
                tr("The best launch of {} is not saved: {}", describe_work(sweep, cell), reason));
            continue;
        }
        const Summary time = sweep.comparable_time(cell);
        TunedLaunch found{.experiment = cell.experiment,
                          .parameters = tuned_parameters(sweep, cell),
                          .device = printable(sweep.device().device_name),
                          .driver = printable(sweep.device().driver_version),
                          .when = utc_now(),
                          .kernel_ns = {time.median, time.low, time.high},
                          .ties = best->ties.size(),
                          .default_over_best = default_ratio(sweep, work, cell)};
        found.experiment.input = {.numbers = {}, .name = printable(cell.experiment.input.name)};
        merge_tuned(tuned.best, {found});
    }
    return tuned;
}

void merge_tuned(std::vector<TunedLaunch>& known, const std::vector<TunedLaunch>& others) {
    for (const TunedLaunch& other : others) {
        const auto same = std::ranges::find_if(
            known, [&](const TunedLaunch& one) { return is_same_work(one, other.experiment, other.device); });
        if (same == known.end())
            known.push_back(other);
        else if (same->when <= other.when)
            *same = other;
    }
}

const TunedLaunch* find_tuned(const std::vector<TunedLaunch>& known, const Experiment& experiment,
                              const Limits& device) {
    const std::string name = printable(device.device_name);
    const auto found = std::ranges::find_if(
        known, [&](const TunedLaunch& one) { return is_same_work(one, experiment, name); });
    return found == known.end() ? nullptr : &*found;
}

bool is_stale(const TunedLaunch& tuned, const Limits& device) {
    return tuned.driver != printable(device.driver_version);
}

std::string describe_launch(const TunedLaunch& tuned) {
    const Lesson& lesson = *find_lesson(tuned.experiment);
    std::vector<std::string> values;
    for (const std::string& id : tuned.parameters)
        values.push_back(describe_value(lesson, id, tuned.experiment.values));
    return join(values, ", ");
}

std::string describe_tuned(const TunedLaunch& tuned, const Experiment& experiment) {
    const Lesson& lesson = *find_lesson(tuned.experiment);
    const std::string other = describe_other_work(tuned, lesson, experiment);
    std::string words =
        tr("A sweep found it on {}, at {}{}: the kernel took {} ({} … {}).", format_utc_minute(tuned.when),
           counted(element_count(tuned), "element", "elements"), other.empty() ? "" : tr(" with {}", other),
           format_time(tuned.kernel_ns.value).text(), format_time(tuned.kernel_ns.low).text(),
           format_time(tuned.kernel_ns.high).text());
    words += describe_gain(tuned);
    if (tuned.ties > 0)
        words += tr(" It ties with {}.", counted(tuned.ties, "other launch", "other launches"));
    return words;
}

std::string describe_staleness(const TunedLaunch& tuned, const Limits& device) {
    return tr(
        "The best launch was found with driver {}, and the driver is now {}, so it is not used. Sweep again.",
        tuned.driver, printable(device.driver_version));
}

std::vector<std::string> describe_stored_launches(const SweepTuning& tuned) {
    std::vector<std::string> lines;
    for (const TunedLaunch& one : tuned.best)
        lines.push_back(tr("Saved as the best launch of {} for about {}: {}.", one.experiment.variant,
                           counted(size_class(element_count(one)), "element", "elements"),
                           describe_launch(one)));
    lines.insert(lines.end(), tuned.left_out.begin(), tuned.left_out.end());
    if (lines.size() > max_lines) {
        const std::size_t saved_count = tuned.best.size(), left_out = tuned.left_out.size();
        lines.resize(max_lines - 1);
        lines.push_back(tr("In all {} saved, {} not.",
                           counted(saved_count, "best launch is", "best launches are"), left_out));
    }
    return lines;
}

}  // namespace gridstride
