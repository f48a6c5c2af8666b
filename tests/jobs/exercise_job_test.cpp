// Tests how an exercise is graded; each test supplies the reports.
#include "jobs/exercise_job.h"
#include "mentions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace gridstride::tests {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Result = RequirementJudgement::Result;

const Lesson& reduction() {
    return *find_lesson("reduction");
}
Experiment example_experiment() {
    Experiment experiment = default_experiment(reduction());
    experiment.kernel = KernelSource{.text = "void main() {}", .name = "mine.comp", .folder = {}};
    return experiment;
}
MakeBlock parse_make_block(const std::string& lines) {
    const Story story = parse_story("# T\n## S\n```make maximum_place\n" + lines + "\n```\n", "story.en.md");
    return *find_make_block(story.steps.front());
}
ExerciseJob make_job(const std::string& lines, std::uint64_t draw = 1) {
    return {reduction(), parse_make_block(lines), example_experiment(), draw};
}

using Answer = std::function<void(const lab::Request&, Report&)>;
/// Answers every request with an ok report that `answer` may change. Returns the number of requests.
std::size_t grade(ExerciseJob& job, const Answer& answer) {
    std::size_t requests = 0;
    for (; const auto request = job.next(); ++requests) {
        Report report;
        report.experiment = request->experiment;
        report.status = Status::ok;
        answer(*request, report);
        job.on_report(report, 0);
    }
    EXPECT_TRUE(job.is_finished());
    return requests;
}
std::uint64_t get_elements(const lab::Request& request) {
    return request.experiment.values[key::elements];
}
/// Adds ten kernel samples that differ by at most a thousandth.
void add_samples(Report& report, double kernel_ns) {
    for (int i = 0; i < 10; ++i)
        report.timings.kernel.samples.push_back(kernel_ns * (1 + 0.001 * (i % 2)));
}

TEST(Cases, IncludeFixedAndRandomSizes) {
    const std::vector<Experiment> cases = make_cases(reduction(), example_experiment(), 1);
    ASSERT_EQ(cases.size(), 45U);
    std::set<std::uint64_t> sizes, widths, grids, seeds;
    for (const Experiment& one : cases) {
        sizes.insert(one.values[key::elements]);
        widths.insert(one.values[key::workgroup_size]);
        grids.insert(one.values[key::workgroup_count]);
        seeds.insert(one.values[key::seed]);
        EXPECT_EQ(one.kernel, example_experiment().kernel);
    }
    for (const std::uint64_t size : {1, 31, 32, 33, 95, 96, 97, 255, 256, 257, 1'000'003})
        EXPECT_THAT(sizes, Contains(size));
    EXPECT_EQ(widths, (std::set<std::uint64_t>{32, 96, 256}));
    EXPECT_EQ(grids, (std::set<std::uint64_t>{0, 1, 3}));
    EXPECT_GT(seeds.size(), 40U);
    EXPECT_EQ(sizes.size(), 11U + 15U) << "there are 11 fixed and 15 random sizes";
    EXPECT_EQ(cases, make_cases(reduction(), example_experiment(), 1))
        << "the same draw gives the same cases";
    EXPECT_NE(cases, make_cases(reduction(), example_experiment(), 2));
}

TEST(ExerciseJob, HoldsIfEveryCaseHolds) {
    ExerciseJob job = make_job("require: matches");
    EXPECT_FALSE(job.is_done());
    EXPECT_EQ(grade(job,
                    [](const lab::Request& request, Report&) {
                        EXPECT_FALSE(request.sampling.measure);
                        EXPECT_FALSE(request.trace_options);
                    }),
              45U);
    EXPECT_TRUE(job.is_done());
    EXPECT_EQ(job.requirement_results()[0].cases, 45U);
    EXPECT_THAT(job.problem(), IsEmpty());
}

TEST(ExerciseJob, NamesTheFirstFailingCaseAndGradesTheOtherRequirements) {
    ExerciseJob job = make_job("require: matches\nrequire: races = 0 | No races");
    std::size_t trace_count = 0;
    grade(job, [&](const lab::Request& request, Report& report) {
        if (request.trace_options) {
            ++trace_count;
            report.trace_metrics = {{"races", Estimate{0, 0, 0}, "None."}};
        } else if (get_elements(request) == 33) {
            report.status = Status::mismatch;
            report.message = "total is 1.";
        }
    });
    const RequirementResult& matches = job.requirement_results()[0];
    EXPECT_EQ(matches.judgement.result, Result::failed);
    EXPECT_EQ(matches.cases, 4U) << "sizes 1, 31, 32 and 33 with the first workgroup size";
    EXPECT_EQ(matches.failing->values[key::elements], 33U);
    EXPECT_THAT(matches.judgement.sentence,
                AllOf(HasSubstr("elements = 33, workgroup_size = 32"), HasSubstr("total is 1.")));
    EXPECT_TRUE(job.requirement_results()[1].holds());
    EXPECT_EQ(trace_count, 1U);
    EXPECT_FALSE(job.is_done());
}

/// Makes a report that the lesson refuses for any kernel: no lesson accepts 0 elements.
void refuse_by_lesson(Report& report) {
    report.status = Status::refused;
    report.message = "Too few.";
    report.experiment.values.set(key::elements.id, std::uint64_t{0});
}

TEST(ExerciseJob, ListsRefusedCasesAndRequiresThirtyOthers) {
    std::size_t request_count = 0;
    ExerciseJob job = make_job("require: matches");
    grade(job, [&](const lab::Request&, Report& report) {
        if (++request_count <= 15) refuse_by_lesson(report);
    });
    EXPECT_TRUE(job.is_done()) << "30 cases ran, 10 with each grid";
    EXPECT_EQ(job.requirement_results()[0].cases, 30U);
    ASSERT_EQ(job.requirement_results()[0].refused.size(), 15U);
    EXPECT_EQ(job.requirement_results()[0].refused[0].reason, "Too few.");

    request_count = 0;
    ExerciseJob few = make_job("require: matches");
    grade(few, [&](const lab::Request&, Report& report) {
        if (++request_count <= 16) refuse_by_lesson(report);
    });
    EXPECT_FALSE(few.is_done());
    EXPECT_EQ(few.requirement_results()[0].judgement.result, Result::undecided);
    EXPECT_THAT(few.requirement_results()[0].judgement.sentence, test::Mentions(29, 45, "Too few."));
}

TEST(ExerciseJob, RequiresEightCasesWithEachGrid) {
    const auto grade_with_refusals = [](std::size_t max_refused) {
        ExerciseJob job = make_job("require: matches");
        std::size_t refused = 0;
        grade(job, [&](const lab::Request& request, Report& report) {
            if (request.experiment.values[key::workgroup_count] == 3 && refused++ < max_refused)
                refuse_by_lesson(report);
        });
        return job.requirement_results()[0].judgement.result;
    };
    EXPECT_EQ(grade_with_refusals(7), Result::ok);
    EXPECT_EQ(grade_with_refusals(8), Result::undecided) << "37 cases ran, but only 7 with three workgroups";
}

TEST(ExerciseJob, FailsIfOnlyTheKernelIsRefused) {
    ExerciseJob job = make_job("require: matches");
    grade(job, [](const lab::Request& request, Report& report) {
        if (request.experiment.values[key::workgroup_size] != 256) return;
        report.status = Status::refused;
        report.message = "Your kernel declares 65 536 bytes of workgroup memory.";
    });
    EXPECT_EQ(job.requirement_results()[0].judgement.result, Result::failed);
    EXPECT_THAT(job.requirement_results()[0].judgement.sentence, HasSubstr("65 536 bytes"));
}

TEST(ExerciseJob, RequirementFailsIfItsRunsFail) {
    for (const char* const requirement :
         {"require: races = 0 | R", "require: kernel_ns < 1e9 | Fast", "require: launches <= 1 | One"})
        for (const Status status :
             {Status::mismatch, Status::wrong_on_purpose, Status::failed, Status::lost}) {
            ExerciseJob job = make_job(requirement);
            grade(job, [&](const lab::Request&, Report& report) {
                report.trace_metrics = {{"races", Estimate{0, 0, 0}, "None."}};
                report.launch.launches = 1;
                add_samples(report, 1000);
                report.status = status;
                report.message = "total is 1.";
            });
            EXPECT_EQ(job.requirement_results()[0].judgement.result, Result::failed) << requirement;
            EXPECT_THAT(job.requirement_results()[0].judgement.sentence, HasSubstr("total is 1."));
            EXPECT_TRUE(job.requirement_results()[0].failing);
        }
}

TEST(ExerciseJob, ReportsARaceRatherThanTheWrongResultThatItCauses) {
    ExerciseJob job = make_job("require: races = 0 | R");
    grade(job, [](const lab::Request&, Report& report) {
        report.status = Status::mismatch;
        report.message = "total is 1.";
        report.trace_metrics = {{"races", Estimate{2, 2, 2}, "Two."}};
    });
    EXPECT_EQ(job.requirement_results()[0].judgement.result, Result::failed);
    EXPECT_EQ(job.requirement_results()[0].judgement.sentence, "Two.");
}

TEST(ExerciseJob, UnjudgedRunNeverPasses) {
    ExerciseJob job = make_job("require: matches\nrequire: launches <= 1 | One");
    const std::size_t requests = grade(job, [&](const lab::Request&, Report& report) {
        report.launch.launches = 1;
        report.status = Status::unjudged;
        report.message = "total is not judged.";
    });
    EXPECT_EQ(requests, 1U) << "each further case might wait for a deadline";
    EXPECT_FALSE(job.is_done());
    for (const RequirementResult& requirement : job.requirement_results())
        EXPECT_EQ(requirement.judgement.result, Result::undecided);
    EXPECT_THAT(job.requirement_results()[0].judgement.sentence, HasSubstr("total is not judged."));

    ExerciseJob measured = make_job("require: launches <= 1 | One");
    grade(measured, [&](const lab::Request&, Report& report) {
        report.launch.launches = 1;
        report.status = Status::unjudged;
    });
    EXPECT_EQ(measured.requirement_results()[0].judgement.result, Result::undecided);
}

TEST(ExerciseJob, IsUndecidedIfTruncatedLoopsMayHaveChangedTheResult) {
    const auto grade_with = [](bool has_wrong_case) {
        ExerciseJob job = make_job("require: matches\nrequire: races = 0 | R");
        grade(job, [&](const lab::Request& request, Report& report) {
            const bool is_truncated = request.trace_options || get_elements(request) == 1'000'003;
            if (!is_truncated && !(has_wrong_case && get_elements(request) == 257)) return;
            report.status = Status::mismatch;
            report.message = "total is 1.";
            report.has_truncated_loops = is_truncated;
            report.notes = {"The driver ended loops."};
        });
        return job;
    };
    const ExerciseJob open = grade_with(false);
    for (const RequirementResult& one : open.requirement_results()) {
        EXPECT_EQ(one.judgement.result, Result::undecided);
        EXPECT_THAT(one.judgement.sentence, HasSubstr("The driver ended loops."));
    }
    EXPECT_EQ(open.requirement_results()[0].cases, 45U) << "the other cases run as well";
    const ExerciseJob wrong = grade_with(true);
    EXPECT_EQ(wrong.requirement_results()[0].judgement.result, Result::failed);
    EXPECT_THAT(wrong.requirement_results()[0].judgement.sentence, HasSubstr("elements = 257"));
}

TEST(ExerciseJob, TraceWithoutAccessesDecidesNothing) {
    ExerciseJob job = make_job("require: races = 0 | R");
    grade(job, [](const lab::Request&, Report& report) {
        report.trace.emplace();
        report.trace->words = share(Array(ElementType::u32, trace::words::head));
        report.trace_metrics = {{"races", Estimate{0, 0, 0}, "None."}};
    });
    EXPECT_EQ(job.requirement_results()[0].judgement.result, Result::undecided);
    EXPECT_THAT(job.requirement_results()[0].judgement.sentence, HasSubstr("no memory access"));
}

TEST(ExerciseJob, DistinguishesShippedKernelsFromASolution) {
    const auto grade_with = [](std::vector<std::string> identical_kernels) {
        ExerciseJob job = make_job("require: matches");
        grade(job, [&](const lab::Request& request, Report& report) {
            EXPECT_TRUE(request.is_graded);
            report.identical_kernels = identical_kernels;
        });
        return job;
    };
    EXPECT_TRUE(grade_with({}).is_done());
    EXPECT_FALSE(grade_with({}).is_shipped_solution());
    const Variant& exercise = *find_exercise(reduction(), "maximum_place");
    EXPECT_TRUE(grade_with({exercise.solution}).is_done());
    EXPECT_TRUE(grade_with({exercise.solution}).is_shipped_solution());
    const ExerciseJob shipped = grade_with({"reduction/tree_packed.comp"});
    EXPECT_FALSE(shipped.is_done());
    EXPECT_THAT(shipped.problem(), HasSubstr("reduction/tree_packed.comp"));
}

TEST(ExerciseJob, DrawsTheSeedOfEveryRun) {
    std::set<std::uint64_t> seeds;
    for (const std::uint64_t draw : {1, 2, 3}) {
        ExerciseJob job = make_job("require: races = 0 | R", draw);
        seeds.insert(job.next()->experiment.values[key::seed]);
    }
    EXPECT_EQ(seeds.size(), 3U);
}

TEST(ExerciseJob, RecordsOneTraceForAllTraceRequirements) {
    ExerciseJob job = make_job(
        "require: races = 0 | R\nrequire: barriers <= 8 | B\nrequire: barriers <= 9 | B | at elements = 32");
    EXPECT_EQ(grade(job,
                    [](const lab::Request& request, Report& report) {
                        ASSERT_TRUE(request.trace_options);
                        report.trace_metrics = {{"races", Estimate{2, 2, 2}, "Two."},
                                                {"barriers", Estimate{8, 8, 8}, "Eight."}};
                    }),
              2U)
        << "one run at the step's values and one at 32 elements";
    EXPECT_EQ(job.requirement_results()[0].judgement.sentence, "Two.");
    EXPECT_EQ(job.requirement_results()[0].failing->values, job.experiment().values);
    EXPECT_TRUE(job.requirement_results()[1].holds());
    EXPECT_TRUE(job.requirement_results()[2].holds());
}

TEST(ExerciseJob, ComparesWithAVariantAndMeasuresCloseTimesLonger) {
    const std::string half = "require: kernel_ns / kernel_ns(variant = tree_first_add) < 0.5 | Half";
    const auto grade_with = [&](double user_ns) {
        ExerciseJob job = make_job(half);
        std::size_t longer_runs = 0;
        const std::size_t runs = grade(job, [&](const lab::Request& request, Report& report) {
            const bool is_user_kernel = request.experiment.kernel.has_value();
            EXPECT_EQ(request.experiment.variant,
                      is_user_kernel ? example_experiment().variant : "tree_first_add");
            longer_runs += request.sampling.whole_budget ? 1 : 0;
            add_samples(report, is_user_kernel ? user_ns : 1000);
        });
        return std::tuple(job.requirement_results()[0].judgement.result, runs, longer_runs);
    };
    EXPECT_EQ(grade_with(300), std::tuple(Result::ok, 2U, 0U));
    EXPECT_EQ(grade_with(700), std::tuple(Result::failed, 2U, 0U));
    EXPECT_EQ(grade_with(500), std::tuple(Result::undecided, 4U, 2U));
}

TEST(ExerciseJob, DoesNotMeasureAWrongKernel) {
    ExerciseJob job = make_job("require: kernel_ns < 5 | Fast\nrequire: matches");
    grade(job, [](const lab::Request& request, Report& report) {
        EXPECT_FALSE(request.sampling.measure);
        report.status = Status::mismatch;
        report.message = "wrong.";
    });
    EXPECT_EQ(job.requirement_results()[0].judgement.result, Result::undecided);
    EXPECT_THAT(job.requirement_results()[0].judgement.sentence, test::Mentions("correct"));
}

TEST(ExerciseJob, RecordsBeforeItMeasures) {
    ExerciseJob job = make_job("require: kernel_ns < 5 | Fast\nrequire: races = 0 | R");
    EXPECT_TRUE(job.next()->trace_options);
}

TEST(ExerciseJob, ProgressCountsCasesAndOtherRequirements) {
    ExerciseJob job = make_job("require: matches\nrequire: races = 0 | R");
    EXPECT_EQ(job.progress().done, 0U);
    EXPECT_EQ(job.progress().total, 46U);
    std::uint64_t done = 0;
    grade(job, [&](const lab::Request&, Report& report) {
        EXPECT_EQ(job.progress().done, done++);
        report.trace_metrics = {{"races", Estimate{0, 0, 0}, "None."}};
    });
    EXPECT_EQ(job.progress().done, 46U);

    // A requirement that is decided early counts as complete.
    ExerciseJob wrong = make_job("require: matches");
    grade(wrong, [](const lab::Request&, Report& report) { report.status = Status::mismatch; });
    EXPECT_EQ(wrong.progress().done, 45U);
}

TEST(ExerciseJob, StopDecidesNothing) {
    ExerciseJob job = make_job("require: matches\nrequire: races = 0 | R");
    EXPECT_EQ(grade(job, [](const lab::Request&, Report& report) { report.status = Status::stopped; }), 1U);
    EXPECT_THAT(job.problem(), HasSubstr("stopped"));
    for (const RequirementResult& one : job.requirement_results())
        EXPECT_EQ(one.judgement.result, Result::undecided);
}

TEST(ExerciseJob, StopsAtTheFirstFailureUnlessAllAreGraded) {
    ExerciseJob job = make_job("require: matches\nrequire: races = 0 | R");
    job.set_grade_all(false);
    EXPECT_EQ(grade(job, [](const lab::Request&, Report& report) { report.status = Status::mismatch; }), 1U);
    EXPECT_EQ(job.requirement_results()[0].judgement.result, Result::failed);
    EXPECT_EQ(job.requirement_results()[1].judgement.result, Result::undecided);
}

TEST(ExerciseJob, EndsIfTheKernelDoesNotCompile) {
    ExerciseJob job = make_job("require: matches\nrequire: races = 0 | R");
    EXPECT_EQ(grade(job,
                    [](const lab::Request&, Report& report) {
                        report.status = Status::failed;
                        report.diagnostics = {
                            {.level = DiagnosticLevel::error, .file = "mine.comp", .line = 1, .text = "no"}};
                    }),
              1U);
    EXPECT_THAT(job.problem(), test::Mentions("mine.comp", "compile"));
    EXPECT_EQ(job.diagnostics().size(), 1U);
    EXPECT_FALSE(job.is_done());
}

TEST(ExerciseJob, ReportsATimeoutAsAFailure) {
    ExerciseJob job = make_job("require: matches");
    grade(job, [](const lab::Request&, Report& report) {
        report.status = Status::timed_out;
        report.message = "It ran past its deadline.";
    });
    EXPECT_EQ(job.requirement_results()[0].judgement.result, Result::failed);
    EXPECT_THAT(job.requirement_results()[0].judgement.sentence, HasSubstr("deadline"));
}

}  // namespace
}  // namespace gridstride::tests
