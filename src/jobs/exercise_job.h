// The job that grades an exercise: it runs what each requirement needs, and records the results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/language.h"
#include "jobs/job.h"
#include "launch/limits.h"
#include "lesson/lesson.h"
#include "story/story.h"

namespace gridstride {

struct RefusedCase {
    Experiment experiment;
    std::string reason;
};

struct RequirementResult {
    bool is_judged = false;  ///< false: not judged yet
    /// Its sentence states the finding, or why the requirement is undecided; it may be empty.
    RequirementJudgement judgement;
    std::uint64_t cases = 0;            ///< cases that ran
    std::uint64_t all_cases = 0;        ///< cases to run; 0 if the requirement is about a single run
    std::vector<RefusedCase> refused;   ///< refused cases, which count in all_cases but not in `cases`
    std::optional<Experiment> failing;  ///< the first failing case, or the failing run

    bool holds() const { return is_judged && judgement.result == RequirementJudgement::Result::ok; }
    bool fails() const { return is_judged && judgement.result == RequirementJudgement::Result::failed; }
};

/// The cases of `matches`: workgroups of about 32, 96 and 256 invocations; for each, domains of 1, width - 1,
/// width, width + 1 and 1 000 003 elements, each twice, and five random sizes; grids auto, 1 and 3 in turn; a
/// random seed for each. Of these 45 cases the lesson may refuse some; at least min_cases must run, and at
/// least min_cases_per_grid with each of the three grids. The same `random_seed` yields the same cases.
inline constexpr std::uint64_t min_cases = 30, min_cases_per_grid = 8;
std::vector<Experiment> make_cases(const Lesson& lesson, const Experiment& experiment,
                                   std::uint64_t random_seed);

/// Sets the domain to about `elements` elements: nearly a square or a cube, with unequal sides in their
/// ranges.
void set_domain(const Lesson& lesson, std::uint64_t elements, Values& values);

/// Returns the experiment with its domain reduced to the invocations of its grid, for lessons whose launch
/// must cover the domain in one pass.
Experiment shrink_to_grid(const Lesson& lesson, const Experiment& one);

/// Returns "elements = 33, seed = 7: ", the values that differ from `base`; empty if none differ.
std::string differing_values(const Lesson& lesson, const Experiment& one, const Experiment& base);

/// Returns the id of the parameter that sets the number of workgroups in such a case.
std::string grid_parameter_id(const Experiment& one);

/// Grades an answer. Each requirement is judged by the verdict of its own runs first, then by its number. A
/// wrong result fails the requirement; a result that the driver's loop limit may have changed leaves it
/// undecided. For a kernel, the seeds of all runs are random, so that the correct result cannot be known in
/// advance.
class ExerciseJob final : public Job {
 public:
    /// `experiment` is the step's experiment with the user's kernel or the values that the user found.
    /// `random_seed` seeds the random sizes and seeds of the cases, and must not be predictable. `samples` is
    /// the number of samples of measured runs; 0 takes as many as the median needs to converge.
    ExerciseJob(const Lesson& lesson, MakeBlock block, Experiment experiment, std::uint64_t random_seed,
                std::uint32_t samples = 0);

    /// If `all` is false, grading stops at the first requirement that fails. The default is true.
    void set_grade_all(bool all) { grade_all_ = all; }

    std::string title() const override { return tr("Exercise"); }
    std::optional<lab::Request> next() override;
    void on_report(const Report& report, double seconds) override;
    JobProgress progress() const override;  ///< in cases; a requirement without cases counts as one

    bool is_finished() const { return current_ == order_.size(); }
    bool is_done() const;  ///< every requirement is met
    /// Returns true if the answer has the same text as the shipped solution, or compiles to the same code.
    bool is_shipped_solution() const { return is_shipped_solution_; }
    const MakeBlock& block() const { return block_; }
    const Experiment& experiment() const { return experiment_; }
    const std::vector<RequirementResult>& requirement_results() const { return requirement_results_; }
    /// Returns why nothing could be judged; empty if grading succeeded. If the kernel did not compile,
    /// diagnostics() has the compiler's messages.
    const std::string& problem() const { return problem_; }
    const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
    enum class Kind { traced, measured, measured_longer };
    struct Run {
        Experiment experiment;
        Kind kind;
        bool operator==(const Run&) const = default;
    };
    struct Problem {
        enum class Kind {
            wrong,    ///< the answer is wrong
            unclear,  ///< the driver may have cut its loops short, or there is no reference
            refused,  ///< the lesson or the device refuses the values, whatever the answer
        } kind;
        std::string sentence;
    };
    std::optional<Problem> find_problem(const Report& report) const;
    const Report* find_report(const Run& run) const;  ///< null: not run yet
    Experiment experiment_for(const MakeRequirement& requirement) const;
    lab::Request request_for(const Experiment& experiment) const;
    void grade_case(const Report& report);
    void finish_cases(RequirementResult& requirement_result);
    std::optional<Run> next_run(const MakeRequirement& requirement, RequirementResult& requirement_result);
    bool judge_by_verdict(RequirementResult& requirement_result, const std::vector<const Report*>& reports);
    void finish_number(const MakeRequirement& requirement, RequirementResult& requirement_result,
                       const std::vector<const Report*>& reports);
    void finish(RequirementResult& requirement_result, RequirementJudgement::Result result,
                std::string sentence);
    void abort_grading(std::string problem);
    void reject_shipped_kernel(const Report& report);

    const Lesson& lesson_;
    MakeBlock block_;
    Experiment experiment_;
    std::vector<Experiment> cases_;
    std::vector<RequirementResult> requirement_results_;
    /// Indices of requirements: exact ones before measured ones, because the time of a wrong kernel means
    /// nothing.
    std::vector<std::size_t> order_;
    std::size_t current_ = 0;    ///< index into order_
    std::size_t next_case_ = 0;  ///< index into cases_
    std::optional<Run> run_;     ///< the last request; nullopt: it was one of the cases
    std::uint32_t samples_;
    /// The first case whose result the driver may have changed.
    std::optional<std::pair<Experiment, std::string>> unclear_case_;
    bool grade_all_ = true;
    bool is_shipped_solution_ = false;
    std::vector<std::pair<Run, std::shared_ptr<const Report>>> reports_;
    std::string problem_;
    std::vector<Diagnostic> diagnostics_;
};

}  // namespace gridstride
