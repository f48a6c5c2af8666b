#include "lab/measured_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/elapsed.h"
#include "base/text.h"
#include "base/units.h"
#include "lab/judge.h"
#include "lab/kernel_sampler.h"
#include "lab/sampling.h"
#include "lesson/comparison_text.h"

namespace gridstride::lab {

namespace {

/// Samples before a quick first report, and the interval of later ones.
constexpr std::size_t first_samples = 3;
constexpr double seconds_between_reports = 0.15;

/// Drops samples that were taken before the device was awake.
void drop_provisional_samples(Timings& timings) {
    // The CPU's clock was up, so its baselines stay.
    for (Timing* timing : {&timings.upload, &timings.kernel, &timings.kernel_in_wall, &timings.host,
                           &timings.download, &timings.waiting, &timings.wall})
        timing->samples.clear();
}

}  // namespace

PassTimes MeasuredRun::run_judged_pass() {
    PassTimes pass = execution_.run(control_);
    judge_outputs();
    return pass;
}

void MeasuredRun::judge_outputs() {
    Comparison& compare = report_.compare;
    ++compare.judged_runs;
    report_.outputs = execution_.outputs();
    report_.downloaded_bytes =
        downloaded_bytes(prepared_.plan, [&](const std::string& array) -> std::optional<std::uint64_t> {
            return static_cast<std::uint64_t>(find(report_.outputs, array)->as<std::uint32_t>().front());
        });
    std::vector<OutputComparison> comparisons;
    compare.outputs_without_reference = 0;
    std::vector<NamedArray> differ;
    std::vector<std::string> failures;
    distances_.clear();
    for (const Expected& output : expected_) {
        compare.outputs_without_reference += output.reference ? 0 : 1;
        if (!output.failure.empty()) failures.push_back(output.failure);
        if (!output.reference) continue;
        const OutputComparison& comparison = comparisons.emplace_back(judge(output, report_.outputs));
        const double distance =
            output.distance_in_scale ? comparison.max_scaled_error : comparison.max_abs_error;
        if (!output.distance_id.empty() && std::isfinite(distance))
            distances_.push_back({output.distance_id, output.distance_label, distance});
        if (!comparison.is_right && output.is_whole()) differ.push_back({output.output, output.reference});
    }
    bool right = std::ranges::all_of(comparisons, &OutputComparison::is_right);
    if (std::string broken = execution_.find_overwritten_output(control_); !broken.empty()) {
        compare.out_of_bounds_output = std::move(broken);
        right = false;
    }
    if (!right) ++compare.wrong_runs;
    // References of the outputs that differ in this pass, not in the first wrong one.
    report_.expected = std::move(differ);
    if (!right || compare.wrong_runs == 0) set_outputs(compare, comparisons, prepared_.plan);
    // A write out of bounds is never intended.
    const bool is_intended =
        compare.out_of_bounds_output.empty() && is_wrong_on_purpose(*prepared_.lesson, prepared_.experiment);
    report_.status = compare.wrong_runs == 0 && !failures.empty() ? Status::unjudged
                     : compare.wrong_runs == 0                    ? Status::ok
                     : is_intended                                ? Status::wrong_on_purpose
                     : compare.has_unwritten()                    ? Status::unwritten
                                                                  : Status::mismatch;
    if (compare.wrong_runs > 0) failures.insert(failures.begin(), describe_wrong_result(compare));
    report_.message = join(failures, " ");
}

void MeasuredRun::complete_report() {
    // A result computed from unwritten elements is meaningless.
    report_.result = report_.compare.has_unwritten() ? std::vector<Fact>()
                                                     : prepared_.task.result(prepared_, report_.outputs);
    report_.result.insert(report_.result.end(), distances_.begin(), distances_.end());
    time_baselines();
}

void MeasuredRun::add_times(const PassTimes& pass) {
    Timings& timings = report_.timings;
    timings.upload.samples.push_back(pass.ns(Phase::upload));
    timings.download.samples.push_back(pass.ns(Phase::download));
    timings.wall.samples.push_back(pass.wall_ns);
    timings.waiting.samples.push_back(pass.waiting_ns);
    timings.kernel_in_wall.samples.push_back(pass.ns(Phase::kernel));
    timings.host.samples.push_back(pass.ns(Phase::host));
    report_.launch.submissions = pass.submissions;
    report_.timeline = pass.timeline;
}

void MeasuredRun::time_baselines() {
    const Baseline& baseline = prepared_.lesson->baseline;
    if (!baseline || !prepared_.variant->has_baseline) return;
    if (prepared_.plan.operations > max_baseline_operations) {
        if (are_baselines_skipped_) return;
        are_baselines_skipped_ = true;
        return report_.notes.push_back(
            fmt::format("The CPU is not timed: {} operations would take too long, and the limit is {}.",
                        format_count(prepared_.plan.operations), format_count(max_baseline_operations)));
    }
    Timings& timings = report_.timings;
    timings.more_cpu.resize(baseline_threads.size() - 1);
    const gridstride::Values values =
        prepared_.lesson->values_affecting(Invalidates::reference, prepared_.values());
    while (timings.cpu.samples.size() < timings.wall.samples.size()) {
        const bool is_out_of_time = baseline_seconds_ > seconds_of_baselines || control_.is_superseded ||
                                    control_.is_cancelled || control_.remaining().count() <= 0;
        if (is_out_of_time && !timings.cpu.samples.empty()) return;
        for (std::size_t i = 0; i < baseline_threads.size(); ++i) {
            const Clock::time_point start = Clock::now();
            // volatile keeps the compiler from removing the computation.
            volatile double result = baseline(report_.input, values, baseline_threads[i].sum_ranges);
            (void)result;
            const double seconds = seconds_since(start);
            (i == 0 ? timings.cpu : timings.more_cpu[i - 1]).samples.push_back(seconds * 1e9);
            baseline_seconds_ += seconds;
        }
    }
}

void MeasuredRun::report_progress(const Sampling& sampling, const std::function<void()>& on_progress) {
    if (!sampling.quick_first_report || report_.timings.kernel.samples.size() < first_samples) return;
    if (last_progress_ && seconds_since(*last_progress_) < seconds_between_reports) return;
    complete_report();
    on_progress();
    last_progress_ = Clock::now();
}

void MeasuredRun::take_samples(const Sampling& sampling, const std::function<void()>& on_progress) {
    try {
        sample_until_enough(sampling, on_progress);
    } catch (const RunAborted&) {
        complete_report();
        throw;
    }
    complete_report();
    report_.timings.kernel.is_noisy = sampling.measure && is_noisy(report_.timings.kernel);
}

void MeasuredRun::sample_until_enough(const Sampling& sampling, const std::function<void()>& on_progress) {
    Timings& timings = report_.timings;
    KernelSampler sampler(execution_, report_.device, sampling);
    const Clock::time_point since = Clock::now();
    timings.is_unbatched = sampling.is_unbatched;
    double pass_seconds = 0;  // judging included
    PassTimes pass;
    while (needs_more_samples(sampling, timings, seconds_since(since))) {
        if (control_.is_superseded && !timings.kernel.samples.empty()) {
            report_.is_cut_short = true;
            break;
        }
        const Clock::time_point start = Clock::now();
        const bool needs_run = needs_pass(sampling, timings, sampler.is_standalone(), pass_seconds);
        if (needs_run) {
            pass = run_judged_pass();
            pass_seconds += seconds_since(start);
        }
        const std::vector<double> kernel =
            sampler.next(pass, max_kernel_samples(sampling, timings, pass_seconds),
                         missing_kernel_samples(sampling, timings), control_);
        if (timings.is_provisional && !sampler.is_provisional()) drop_provisional_samples(timings);
        timings.is_provisional = sampler.is_provisional();
        timings.kernel_repeats = sampler.repeats();
        timings.kernel.samples.insert(timings.kernel.samples.end(), kernel.begin(), kernel.end());
        if (needs_run) add_times(pass);
        report_progress(sampling, on_progress);
    }
}

}  // namespace gridstride::lab
