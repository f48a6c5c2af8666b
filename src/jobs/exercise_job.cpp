#include "jobs/exercise_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <random>

#include "base/language.h"
#include "base/text.h"
#include "lesson/comparison_text.h"
#include "lesson/kernel_file.h"
#include "lesson/trace_metrics.h"

namespace gridstride {

namespace {

using Result = RequirementJudgement::Result;

/// Large enough to trace a whole launch of a million elements and more, if the device has the memory.
constexpr std::uint64_t max_records = std::uint64_t{2} << 20;

/// Returns the phase in which a requirement is judged: matches, then traced, then measured.
int judging_phase(const MakeRequirement& requirement) {
    if (!requirement.what) return 0;
    return requirement.uses_trace() ? 1 : 2;
}

std::string wrong_result(const Report& report) {
    const std::optional<Mismatch>& wrong = report.compare.first_mismatch;
    const bool is_inside = report.compare.out_of_bounds_output.empty();
    return wrong && is_inside ? describe_mismatch(*wrong) + "." : report.message;
}

std::string strip_program(std::string_view text) {
    std::string bare;
    for (std::string_view line : split(text, '\n')) {
        line = line.substr(0, line.find("//"));
        std::ranges::copy_if(line, std::back_inserter(bare),
                             [](char c) { return !std::isspace(static_cast<unsigned char>(c)); });
    }
    return bare;
}

std::string shipped_file_message(const std::string& file) {
    return tr(
        "This is {}, which ships with the lesson, so the exercise does not count as done. Start from the "
        "starter and write your own.",
        file);
}

}  // namespace

std::string differing_values(const Lesson& lesson, const Experiment& one, const Experiment& base) {
    std::vector<std::string> differing;
    for (const Parameter& parameter : lesson.parameters) {
        const Value& value = one.values.at(parameter.id);
        if (value != base.values.at(parameter.id))
            differing.push_back(fmt::format("{} = {}", parameter.id, format(parameter, value)));
    }
    return differing.empty() ? "" : join(differing, ", ") + ": ";
}

ExerciseJob::ExerciseJob(const Lesson& lesson, MakeBlock block, Experiment experiment,
                         std::uint64_t random_seed, std::uint32_t samples)
    : lesson_(lesson),
      block_(std::move(block)),
      experiment_(std::move(experiment)),
      requirement_results_(block_.requirements.size()),
      order_(block_.requirements.size()),
      samples_(samples) {
    // Grading uses the lesson's own input, generated from the seed.
    experiment_.input = {};
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, {},
                             [&](std::size_t i) { return judging_phase(block_.requirements[i]); });
    for (std::size_t i = 0; i < requirement_results_.size(); ++i) {
        const MakeRequirement& requirement = block_.requirements[i];
        if (requirement.what) continue;
        cases_ = make_cases(lesson_, experiment_for(requirement), random_seed);
        requirement_results_[i].all_cases = cases_.size();
    }
    const Variant* const exercise = find_exercise(lesson_, block_.exercise);
    if (exercise) experiment_.values.set(key::seed.id, std::mt19937_64(random_seed + 1)() & 0xffffffffU);
    if (!exercise || !experiment_.kernel || !lesson_.has_programs()) return;
    const std::string answer = strip_program(experiment_.kernel->text);
    const auto is_shipped = [&](const std::string& file) {
        return answer == strip_program(read_shipped_kernel(file).text);
    };
    is_shipped_solution_ = is_shipped(exercise->solution);
    if (is_shipped_solution_) return;
    for (const Variant& variant : lesson_.variants)
        if (is_shipped(variant.kernel)) abort_grading(shipped_file_message(variant.kernel));
}

bool ExerciseJob::is_done() const {
    return problem_.empty() && std::ranges::all_of(requirement_results_, &RequirementResult::holds);
}

Experiment ExerciseJob::experiment_for(const MakeRequirement& requirement) const {
    Experiment experiment = experiment_;
    apply(lesson_, requirement.settings, experiment);
    return experiment;
}

const Report* ExerciseJob::find_report(const Run& run) const {
    const auto found = std::ranges::find(reports_, run, [](const auto& one) { return one.first; });
    return found == reports_.end() ? nullptr : found->second.get();
}

lab::Request ExerciseJob::request_for(const Experiment& experiment) const {
    return {.experiment = experiment,
            .sampling = {.samples = samples_},
            .is_graded = experiment.kernel.has_value()};
}

std::optional<lab::Request> ExerciseJob::next() {
    for (; !is_finished(); ++current_) {
        const MakeRequirement& requirement = block_.requirements[order_[current_]];
        RequirementResult& requirement_result = requirement_results_[order_[current_]];
        if (!grade_all_ && std::ranges::any_of(requirement_results_, &RequirementResult::fails)) {
            if (!requirement_result.is_judged)
                finish(requirement_result, Result::undecided,
                       tr("Not judged, because another requirement failed."));
            continue;
        }
        if (!requirement.what) {
            if (!requirement_result.is_judged && next_case_ == cases_.size())
                finish_cases(requirement_result);
            if (requirement_result.is_judged) continue;
            lab::Request request = request_for(cases_[next_case_]);
            request.sampling.measure = false;
            run_.reset();
            return request;
        }
        run_ = next_run(requirement, requirement_result);
        if (!run_) continue;
        lab::Request request = request_for(run_->experiment);
        if (run_->kind == Kind::traced) {
            request.sampling.measure = false;
            request.trace_options = lab::TraceOptions{.max_records = max_records};
        } else if (run_->kind == Kind::measured_longer) {
            request.sampling = with_longer_budget(request.sampling);
        }
        return request;
    }
    return std::nullopt;
}

/// Returns the next run that the requirement needs, or nullopt once the requirement is judged.
std::optional<ExerciseJob::Run> ExerciseJob::next_run(const MakeRequirement& requirement,
                                                      RequirementResult& requirement_result) {
    const bool is_wrong = std::ranges::any_of(requirement_results_, [](const RequirementResult& one) {
        return one.all_cases > 0 && one.judgement.result != Result::ok;
    });
    if (!requirement.uses_trace() && is_wrong) {
        finish(requirement_result, Result::undecided, tr("It is measured once the results are correct."));
        return std::nullopt;
    }
    std::vector<Experiment> experiments{experiment_for(requirement)};
    if (!requirement.against.empty()) {
        Experiment& against = experiments.emplace_back(Experiment(experiments.front()));
        apply(lesson_, requirement.against, against);
        if (against.variant != experiment_.variant) against.kernel.reset();
    }
    const std::vector<Kind> kinds = requirement.uses_trace()
                                        ? std::vector{Kind::traced}
                                        : std::vector{Kind::measured, Kind::measured_longer};
    for (const Kind kind : kinds) {
        std::vector<const Report*> reports;
        for (const Experiment& experiment : experiments) {
            Run run{experiment, kind};
            reports.push_back(find_report(run));
            if (!reports.back()) return run;
        }
        requirement_result.judgement = judge_requirement(requirement, reports);
        // A race explains more than the wrong result that it causes.
        const bool found_violation =
            requirement.uses_trace() && requirement_result.judgement.result == Result::failed;
        if (!found_violation && judge_by_verdict(requirement_result, reports)) break;
        const bool runs_again = requirement_result.judgement.result == Result::undecided &&
                                kind != kinds.back() && std::ranges::all_of(reports, &Report::is_measured);
        if (runs_again) continue;
        finish_number(requirement, requirement_result, reports);
        break;
    }
    return std::nullopt;
}

/// Judges the requirement by a wrong or unusable result, whatever its number. Returns false if the runs are
/// valid.
bool ExerciseJob::judge_by_verdict(RequirementResult& requirement_result,
                                   const std::vector<const Report*>& reports) {
    const Report& own = *reports.front();
    if (const std::optional<Problem> problem = find_problem(own)) {
        const bool is_wrong = problem->kind == Problem::Kind::wrong;
        if (is_wrong) requirement_result.failing = own.experiment;
        finish(requirement_result, is_wrong ? Result::failed : Result::undecided,
               differing_values(lesson_, own.experiment, experiment_) + problem->sentence);
        return true;
    }
    const Report& other = *reports.back();
    if (!other.is_measured()) {
        finish(requirement_result, Result::undecided,
               other.message.empty() ? tr("The run to compare with ended as {}.", name(other.status))
                                     : other.message);
        return true;
    }
    return false;
}

void ExerciseJob::finish_number(const MakeRequirement& requirement, RequirementResult& requirement_result,
                                const std::vector<const Report*>& reports) {
    const Result result = requirement_result.judgement.result;
    std::string sentence = std::move(requirement_result.judgement.sentence);
    if (result == Result::undecided && requirement_result.judgement.value && !requirement.uses_trace())
        sentence += tr(" On this device, the measurement does not decide the requirement.");
    if (sentence.empty()) sentence = tr("This device does not report the number.");
    if (result == Result::failed) requirement_result.failing = reports.front()->experiment;
    finish(requirement_result, result, std::move(sentence));
}

void ExerciseJob::finish(RequirementResult& requirement_result, Result result, std::string sentence) {
    requirement_result.is_judged = true;
    requirement_result.judgement.result = result;
    requirement_result.judgement.sentence = std::move(sentence);
}

void ExerciseJob::on_report(const Report& report, double) {
    if (!report.is_final) return;
    if (report.status == Status::stopped) return abort_grading(tr("The grading was stopped."));
    if (report.has_errors()) {
        diagnostics_ = report.diagnostics;
        return abort_grading(report.kernel_name().empty() ? report.message
                                                          : fmt::format("{} {}.", report.kernel_name(),
                                                                        lesson_.user_source().failure_verb));
    }
    reject_shipped_kernel(report);
    if (is_finished()) return;
    if (!run_) return grade_case(report);
    auto stored_report = std::make_shared<Report>(report);
    // A trace without accesses must not count as free of races.
    if (report.trace && report.trace->reason.empty() && !trace::has_access(*report.trace))
        stored_report->trace_metrics = make_empty_trace_metrics(tr("The trace contains no memory access."));
    stored_report->drop_arrays();
    reports_.emplace_back(*run_, std::move(stored_report));
}

JobProgress ExerciseJob::progress() const {
    JobProgress progress;
    for (const RequirementResult& requirement_result : requirement_results_) {
        progress.done += requirement_result.is_judged
                             ? std::max<std::uint64_t>(requirement_result.all_cases, 1)
                             : requirement_result.cases;
        progress.total += std::max<std::uint64_t>(requirement_result.all_cases, 1);
    }
    return progress;
}

void ExerciseJob::reject_shipped_kernel(const Report& report) {
    const Variant* const exercise = find_exercise(lesson_, block_.exercise);
    if (!exercise || report.identical_kernels.empty()) return;
    const auto is = [&](const std::string& file) {
        return std::ranges::find(report.identical_kernels, file) != report.identical_kernels.end();
    };
    is_shipped_solution_ = is_shipped_solution_ || is(exercise->solution);
    // The unchanged starter is graded too: its failing requirements tell the user what to do.
    if (!is(exercise->solution) && !is(exercise->kernel))
        abort_grading(shipped_file_message(report.identical_kernels.front()));
}

std::optional<ExerciseJob::Problem> ExerciseJob::find_problem(const Report& report) const {
    if (report.status == Status::ok) return std::nullopt;
    if (report.has_truncated_loops) return Problem{Problem::Kind::unclear, report.notes.back()};
    if (report.status == Status::unjudged) return Problem{Problem::Kind::unclear, report.message};
    if (report.status == Status::refused && !prepare(lesson_, report.experiment, report.device).is_valid())
        return Problem{Problem::Kind::refused, report.message};
    std::string sentence = wrong_result(report);
    if (sentence.empty()) sentence = tr("The run ended as {}.", name(report.status));
    return Problem{Problem::Kind::wrong, std::move(sentence)};
}

void ExerciseJob::grade_case(const Report& report) {
    RequirementResult& requirement_result = requirement_results_[order_[current_]];
    const Experiment& case_experiment = cases_[next_case_++];
    const std::optional<Problem> problem = find_problem(report);
    if (problem && problem->kind == Problem::Kind::refused) {
        Experiment smaller = shrink_to_grid(lesson_, report.experiment);
        if (smaller != report.experiment && prepare(lesson_, smaller, report.device).is_valid()) {
            cases_[--next_case_] = std::move(smaller);
            return;
        }
        requirement_result.refused.push_back({case_experiment, problem->sentence});
        return;
    }
    ++requirement_result.cases;
    if (!problem) return;
    std::string sentence = differing_values(lesson_, case_experiment, experiment_) + problem->sentence;
    if (report.status == Status::unjudged) {
        // Further cases would not be judged either, and each may wait for a deadline.
        requirement_result.failing = case_experiment;
        return finish(requirement_result, Result::undecided, std::move(sentence));
    }
    if (problem->kind == Problem::Kind::unclear) {
        if (!unclear_case_) unclear_case_ = {case_experiment, std::move(sentence)};
        return;
    }
    requirement_result.failing = case_experiment;
    finish(requirement_result, Result::failed, std::move(sentence));
}

void ExerciseJob::finish_cases(RequirementResult& requirement_result) {
    if (unclear_case_) {
        requirement_result.failing = unclear_case_->first;
        return finish(requirement_result, Result::undecided, unclear_case_->second);
    }
    const std::string grid = grid_parameter_id(cases_.front());
    std::map<std::string, std::uint64_t> counts_by_grid;
    for (const Experiment& one : cases_)
        counts_by_grid[format(*find(lesson_.parameters, grid), one.values.at(grid))] += 1;
    for (const RefusedCase& one : requirement_result.refused)
        counts_by_grid[format(*find(lesson_.parameters, grid), one.experiment.values.at(grid))] -= 1;
    const bool enough =
        requirement_result.cases >= min_cases &&
        std::ranges::all_of(counts_by_grid, [](const auto& one) { return one.second >= min_cases_per_grid; });
    if (enough) return finish(requirement_result, Result::ok, "");
    std::vector<std::string> ran;
    for (const auto& [text, count] : counts_by_grid)
        ran.push_back(tr("{} with {} = {}", count, grid, text));
    finish(requirement_result, Result::undecided,
           tr("Only {} of {} cases could run ({}); at least {} are needed, and {} with each grid. "
              "The first refused case: {}{}",
              requirement_result.cases, requirement_result.all_cases, join(ran, ", "), min_cases,
              min_cases_per_grid,
              differing_values(lesson_, requirement_result.refused.front().experiment, experiment_),
              requirement_result.refused.front().reason));
}

void ExerciseJob::abort_grading(std::string problem) {
    problem_ = std::move(problem);
    for (RequirementResult& requirement_result : requirement_results_)
        if (!requirement_result.is_judged) finish(requirement_result, Result::undecided, "");
    current_ = order_.size();
}

}  // namespace gridstride
