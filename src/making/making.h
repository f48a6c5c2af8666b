// Judging what a person makes at a step: the runs that its requirements ask for, one after the other, and how
// each of them stands. Who has a lab hands the requests on, and the reports back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/request.h"
#include "launch/limits.h"
#include "lesson/lesson.h"
#include "story/story.h"

namespace gridstride {

/// How one requirement stands.
struct Standing {
    bool judged = false;  ///< false: it is still to be tried
    /// Its sentence says what was found, or why it cannot be decided; empty: nothing to say.
    Judgement judgement;
    std::uint64_t cases = 0;            ///< that were tried, of
    std::uint64_t all_cases = 0;        ///< so many; 0: it is about one run
    std::optional<Experiment> failing;  ///< the first case that fails, or the run that fails it

    bool holds() const { return judged && judgement.result == Judgement::Result::ok; }
};

/// What `matches` tries: workgroups of about 32, 96 and 256 invocations; of each, domains of 1, width - 1,
/// width, width + 1 and 1 000 003 elements twice, and five of drawn sizes; the grids automatic, 1 and 3 in
/// turn; every seed drawn. 45 in all, of which a lesson may refuse some. The same draw gives the same cases.
std::vector<Experiment> cases_of(const Lesson& lesson, const Experiment& asked, std::uint64_t draw);

/// Sets the domain to about so many elements: as near to a square or a cube as may be, and no multiple of
/// anything.
void set_domain(const Lesson& lesson, std::uint64_t elements, Values& values);

class Making {
 public:
    /// asked: the step's experiment with what the person made: their kernel, or the values that they found.
    /// `draw`: a number that nobody knows beforehand, from which sizes and seeds are drawn.
    Making(const Lesson& lesson, MakeBlock block, Experiment asked, std::uint64_t draw);

    /// The run that is due, to be answered by take(); nullopt while one is in the air, and once all is
    /// judged.
    std::optional<lab::Request> next_request(std::uint64_t id);
    /// Takes in a report of the request in the air. False: it answers another one.
    bool take(const Report& report);
    /// The request in the air was displaced by another one: its run is due again.
    void put_back() { in_air_.reset(); }
    bool in_flight() const { return in_air_.has_value(); }

    bool finished() const { return current_ == order_.size(); }
    bool done() const;  ///< every requirement holds
    const MakeBlock& block() const { return block_; }
    const Experiment& asked() const { return asked_; }
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
    struct InAir {
        std::uint64_t id;
        std::optional<Run> run;  ///< nullopt: one of the cases
    };
    const Report* report_of(const Run& run) const;  ///< null: it has not run
    Experiment experiment_of(const MakeRequirement& requirement) const;
    std::optional<lab::Request> next_case(Standing& standing);
    void judge_case(const Report& report);
    std::optional<Run> next_run(const MakeRequirement& requirement, Standing& standing);
    void finish_number(const MakeRequirement& requirement, Standing& standing,
                       const std::vector<const Report*>& reports);
    void finish(Standing& standing, Judgement::Result result, std::string sentence);
    void give_up(const Report& report);

    const Lesson& lesson_;
    MakeBlock block_;
    Experiment asked_;
    std::vector<Experiment> cases_;
    std::vector<Standing> standings_;
    /// Of requirements: what is exact before what is measured, which means nothing of a wrong kernel.
    std::vector<std::size_t> order_;
    std::size_t current_ = 0;    ///< in order_
    std::size_t next_case_ = 0;  ///< of cases_
    std::optional<InAir> in_air_;
    std::vector<std::pair<Run, std::shared_ptr<const Report>>> reports_;
    std::string problem_;
    std::vector<Diagnostic> diagnostics_;
};

}  // namespace gridstride
