// Judges what a person makes at a step: the runs that its requirements need, one after the other, and how
// each of them stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/job.h"
#include "launch/limits.h"
#include "lesson/lesson.h"
#include "story/story.h"

namespace gridstride {

/// A case of `matches` that the lesson or the device does not allow.
struct RefusedCase {
    Experiment experiment;
    std::string reason;
};

/// How one requirement stands.
struct Standing {
    bool judged = false;  ///< false: it is still to be tried
    /// Its sentence says what was found, or why it cannot be decided; empty: nothing to say.
    Judgement judgement;
    std::uint64_t cases = 0;            ///< that were tried, of
    std::uint64_t all_cases = 0;        ///< so many; 0: it is about one run
    std::vector<RefusedCase> refused;   ///< of all_cases, which is more than cases by these
    std::optional<Experiment> failing;  ///< the first case that fails, or the run that fails it

    bool holds() const { return judged && judgement.result == Judgement::Result::ok; }
    bool fails() const { return judged && judgement.result == Judgement::Result::failed; }
};

/// What `matches` tries: workgroups of about 32, 96 and 256 invocations; of each, domains of 1, width - 1,
/// width, width + 1 and 1 000 003 elements twice, and five of drawn sizes; the grids automatic, 1 and 3 in
/// turn; every seed drawn. 45 in all, of which a lesson may refuse some: min_cases must run, and
/// min_cases_per_grid with each of the three grids. The same draw gives the same cases.
inline constexpr std::uint64_t min_cases = 30, min_cases_per_grid = 8;
std::vector<Experiment> cases_of(const Lesson& lesson, const Experiment& experiment, std::uint64_t draw);

/// Sets the domain to about so many elements: as near to a square or a cube as may be, and no multiple of
/// anything.
void set_domain(const Lesson& lesson, std::uint64_t elements, Values& values);

/// The same over as many elements as its grid has invocations: for a lesson whose launches must cover their
/// domain in one pass.
Experiment covered_part(const Lesson& lesson, const Experiment& one);

/// "elements = 33, seed = 7: ": what tells it from `base`. Empty: nothing does.
std::string differing_values(const Lesson& lesson, const Experiment& one, const Experiment& base);

/// The parameter that says how many workgroups such a case has.
std::string grid_parameter(const Experiment& one);

/// Judges an answer: of every requirement first the verdict of its own runs, then its number. A wrong result
/// fails it, a run that the driver's loop cap may have changed leaves it undecided. Of a kernel, the seeds of
/// all runs are drawn, so that nobody knows the right result beforehand.
class ExerciseJob final : public Job {
 public:
    /// experiment: the step's experiment with what the person made: their kernel, or the values that they
    /// found. `draw`: a number that nobody knows beforehand, from which sizes and seeds are drawn. samples:
    /// of what is measured; 0: as many as settle its median.
    ExerciseJob(const Lesson& lesson, MakeBlock block, Experiment experiment, std::uint64_t draw,
                std::uint32_t samples = 0);

    /// Goes on to another requirement after one that failed only as long as this is true, as it is at first:
    /// whoever only asks whether the answer passes need not run the rest.
    void set_judges_all(bool all) { judges_all_ = all; }

    std::string title() const override { return "Exercise"; }
    std::optional<lab::Request> next() override;
    void on_report(const Report& report, double seconds) override;
    JobProgress progress() const override;  ///< cases, and requirements without any

    bool finished() const { return current_ == order_.size(); }
    bool done() const;  ///< every requirement holds
    /// What they made compiles to the code of the shipped solution, or is its text.
    bool is_shipped_solution() const { return is_shipped_solution_; }
    const MakeBlock& block() const { return block_; }
    const Experiment& experiment() const { return experiment_; }
    /// One a requirement, in its order.
    const std::vector<Standing>& standings() const { return standings_; }
    /// Why nothing can be judged, and what the compiler said where it is that; empty: all is well.
    const std::string& problem() const { return problem_; }
    const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
    enum class Kind { recorded, measured, measured_longer };
    struct Run {
        Experiment experiment;
        Kind kind;
        bool operator==(const Run&) const = default;
    };
    /// Why a run cannot count for the answer; nullopt: its result is right.
    struct Problem {
        enum class Kind {
            wrong,    ///< the answer's own fault
            unclear,  ///< the driver may have ended its loops
            refused,  ///< by the lesson or the device, whatever the answer
        } kind;
        std::string sentence;
    };
    std::optional<Problem> problem_of(const Report& report) const;
    const Report* report_of(const Run& run) const;  ///< null: it has not run
    Experiment experiment_of(const MakeRequirement& requirement) const;
    lab::Request request_for(const Experiment& experiment) const;
    void judge_case(const Report& report);
    void finish_cases(Standing& standing);
    std::optional<Run> next_run(const MakeRequirement& requirement, Standing& standing);
    bool finish_by_verdict(Standing& standing, const std::vector<const Report*>& reports);
    void finish_number(const MakeRequirement& requirement, Standing& standing,
                       const std::vector<const Report*>& reports);
    void finish(Standing& standing, Judgement::Result result, std::string sentence);
    void give_up(std::string problem);
    void compare_with_shipped(const Report& report);

    const Lesson& lesson_;
    MakeBlock block_;
    Experiment experiment_;
    std::vector<Experiment> cases_;
    std::vector<Standing> standings_;
    /// Of requirements: what is exact before what is measured, which means nothing of a wrong kernel.
    std::vector<std::size_t> order_;
    std::size_t current_ = 0;    ///< in order_
    std::size_t next_case_ = 0;  ///< of cases_
    std::optional<Run> run_;     ///< of the last request; nullopt: it is one of the cases
    std::uint32_t samples_;
    /// Of the cases so far, the first whose result the driver may have changed.
    std::optional<std::pair<Experiment, std::string>> unclear_case_;
    bool judges_all_ = true;
    bool is_shipped_solution_ = false;
    std::vector<std::pair<Run, std::shared_ptr<const Report>>> reports_;
    std::string problem_;
    std::vector<Diagnostic> diagnostics_;
};

}  // namespace gridstride
