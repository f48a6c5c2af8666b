// How what a person makes is judged, with a lab that answers as each test says.
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
MakeBlock fence(const std::string& lines) {
    const Story story = parse_story("# T\n## S\n```make maximum_place\n" + lines + "\n```\n", "story.en.md");
    return *find_make_block(story.steps.front());
}
ExerciseJob making(const std::string& lines, std::uint64_t draw = 1) {
    return {reduction(), fence(lines), example_experiment(), draw};
}

using Answer = std::function<void(const lab::Request&, Report&)>;
/// Answers every request: ok, but for what `answer` changes. How many there were.
std::size_t judge_all(ExerciseJob& making, const Answer& answer) {
    std::size_t requests = 0;
    for (; const auto request = making.next(); ++requests) {
        Report report;
        report.experiment = request->experiment;
        report.status = Status::ok;
        answer(*request, report);
        making.on_report(report, 0);
    }
    EXPECT_TRUE(making.finished());
    return requests;
}
std::uint64_t elements_of(const lab::Request& request) {
    return request.experiment.values[key::elements];
}
/// Ten samples within one part in a thousand.
void time(Report& report, double kernel_ns) {
    for (int i = 0; i < 10; ++i)
        report.timings.kernel.samples.push_back(kernel_ns * (1 + 0.001 * (i % 2)));
}

TEST(Cases, AreFixedOnesAndDrawnOnes) {
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
    EXPECT_EQ(sizes.size(), 11U + 15U) << "and fifteen that were drawn";
    EXPECT_EQ(cases, make_cases(reduction(), example_experiment(), 1)) << "the same draw, the same cases";
    EXPECT_NE(cases, make_cases(reduction(), example_experiment(), 2));
}

TEST(ExerciseJob, HoldsWhereEveryCaseDoes) {
    ExerciseJob made = making("require: matches");
    EXPECT_FALSE(made.done());
    EXPECT_EQ(judge_all(made,
                        [](const lab::Request& request, Report&) {
                            EXPECT_FALSE(request.sampling.measure);
                            EXPECT_FALSE(request.trace_options);
                        }),
              45U);
    EXPECT_TRUE(made.done());
    EXPECT_EQ(made.requirement_results()[0].cases, 45U);
    EXPECT_THAT(made.problem(), IsEmpty());
}

TEST(ExerciseJob, NamesTheFirstCaseThatFailsAndGoesOnWithTheOthers) {
    ExerciseJob made = making("require: matches\nrequire: races = 0 | No races");
    std::size_t recorded = 0;
    judge_all(made, [&](const lab::Request& request, Report& report) {
        if (request.trace_options) {
            ++recorded;
            report.trace_metrics = {{"races", Estimate{0, 0, 0}, "None."}};
        } else if (elements_of(request) == 33) {
            report.status = Status::mismatch;
            report.message = "total is 1.";
        }
    });
    const RequirementResult& matches = made.requirement_results()[0];
    EXPECT_EQ(matches.judgement.result, Result::failed);
    EXPECT_EQ(matches.cases, 4U) << "1, 31, 32 and 33 of the first workgroup";
    EXPECT_EQ(matches.failing->values[key::elements], 33U);
    EXPECT_THAT(matches.judgement.sentence,
                AllOf(HasSubstr("elements = 33, workgroup_size = 32"), HasSubstr("total is 1.")));
    EXPECT_TRUE(made.requirement_results()[1].holds());
    EXPECT_EQ(recorded, 1U);
    EXPECT_FALSE(made.done());
}

/// Refused by the lesson itself, whatever the answer is: no lesson runs over 0 elements.
void refuse_by_lesson(Report& report) {
    report.status = Status::refused;
    report.message = "Too few.";
    report.experiment.values.set(key::elements.id, std::uint64_t{0});
}

TEST(ExerciseJob, ListsCasesThatTheLessonRefusesAndWantsThirtyOfTheOthers) {
    std::size_t asked_for = 0;
    ExerciseJob made = making("require: matches");
    judge_all(made, [&](const lab::Request&, Report& report) {
        if (++asked_for <= 15) refuse_by_lesson(report);
    });
    EXPECT_TRUE(made.done()) << "30 ran, 10 with each grid";
    EXPECT_EQ(made.requirement_results()[0].cases, 30U);
    ASSERT_EQ(made.requirement_results()[0].refused.size(), 15U);
    EXPECT_EQ(made.requirement_results()[0].refused[0].reason, "Too few.");

    asked_for = 0;
    ExerciseJob few = making("require: matches");
    judge_all(few, [&](const lab::Request&, Report& report) {
        if (++asked_for <= 16) refuse_by_lesson(report);
    });
    EXPECT_FALSE(few.done());
    EXPECT_EQ(few.requirement_results()[0].judgement.result, Result::undecided);
    EXPECT_THAT(few.requirement_results()[0].judgement.sentence, test::Mentions(29, 45, "Too few."));
}

TEST(ExerciseJob, WantsEightCasesWithEachGrid) {
    const auto refusing = [](std::size_t most) {
        ExerciseJob made = making("require: matches");
        std::size_t refused = 0;
        judge_all(made, [&](const lab::Request& request, Report& report) {
            if (request.experiment.values[key::workgroup_count] == 3 && refused++ < most)
                refuse_by_lesson(report);
        });
        return made.requirement_results()[0].judgement.result;
    };
    EXPECT_EQ(refusing(7), Result::ok);
    EXPECT_EQ(refusing(8), Result::undecided) << "37 ran, but 7 of them with three workgroups";
}

TEST(ExerciseJob, FailsWhereTheKernelAloneIsRefused) {
    ExerciseJob made = making("require: matches");
    judge_all(made, [](const lab::Request& request, Report& report) {
        if (request.experiment.values[key::workgroup_size] != 256) return;
        report.status = Status::refused;
        report.message = "Your kernel declares 65 536 bytes of workgroup memory.";
    });
    EXPECT_EQ(made.requirement_results()[0].judgement.result, Result::failed);
    EXPECT_THAT(made.requirement_results()[0].judgement.sentence, HasSubstr("65 536 bytes"));
}

TEST(ExerciseJob, AsksTheVerdictOfEachRequirementsOwnRuns) {
    for (const char* const requirement :
         {"require: races = 0 | R", "require: kernel_ns < 1e9 | Fast", "require: launches <= 1 | One"})
        for (const Status status :
             {Status::mismatch, Status::wrong_on_purpose, Status::failed, Status::lost}) {
            ExerciseJob made = making(requirement);
            judge_all(made, [&](const lab::Request&, Report& report) {
                report.trace_metrics = {{"races", Estimate{0, 0, 0}, "None."}};
                report.launch.launches = 1;
                time(report, 1000);
                report.status = status;
                report.message = "total is 1.";
            });
            EXPECT_EQ(made.requirement_results()[0].judgement.result, Result::failed) << requirement;
            EXPECT_THAT(made.requirement_results()[0].judgement.sentence, HasSubstr("total is 1."));
            EXPECT_TRUE(made.requirement_results()[0].failing);
        }
}

TEST(ExerciseJob, NamesARaceBeforeTheWrongResultThatComesOfIt) {
    ExerciseJob made = making("require: races = 0 | R");
    judge_all(made, [](const lab::Request&, Report& report) {
        report.status = Status::mismatch;
        report.message = "total is 1.";
        report.trace_metrics = {{"races", Estimate{2, 2, 2}, "Two."}};
    });
    EXPECT_EQ(made.requirement_results()[0].judgement.result, Result::failed);
    EXPECT_EQ(made.requirement_results()[0].judgement.sentence, "Two.");
}

TEST(ExerciseJob, LeavesOpenWhatTheDriversLoopCapMayHaveChanged) {
    const auto judged = [](bool wrong_elsewhere) {
        ExerciseJob made = making("require: matches\nrequire: races = 0 | R");
        judge_all(made, [&](const lab::Request& request, Report& report) {
            const bool is_cut = request.trace_options || elements_of(request) == 1'000'003;
            if (!is_cut && !(wrong_elsewhere && elements_of(request) == 257)) return;
            report.status = Status::mismatch;
            report.message = "total is 1.";
            report.loops_truncated = is_cut;
            report.notes = {"The driver ended loops."};
        });
        return made;
    };
    const ExerciseJob open = judged(false);
    for (const RequirementResult& one : open.requirement_results()) {
        EXPECT_EQ(one.judgement.result, Result::undecided);
        EXPECT_THAT(one.judgement.sentence, HasSubstr("The driver ended loops."));
    }
    EXPECT_EQ(open.requirement_results()[0].cases, 45U) << "the others are tried, too";
    const ExerciseJob wrong = judged(true);
    EXPECT_EQ(wrong.requirement_results()[0].judgement.result, Result::failed);
    EXPECT_THAT(wrong.requirement_results()[0].judgement.sentence, HasSubstr("elements = 257"));
}

TEST(ExerciseJob, DecidesNothingByARecordingWithoutAccesses) {
    ExerciseJob made = making("require: races = 0 | R");
    judge_all(made, [](const lab::Request&, Report& report) {
        report.trace.emplace();
        report.trace->words = share(Array(ElementType::u32, trace::words::head));
        report.trace_metrics = {{"races", Estimate{0, 0, 0}, "None."}};
    });
    EXPECT_EQ(made.requirement_results()[0].judgement.result, Result::undecided);
    EXPECT_THAT(made.requirement_results()[0].judgement.sentence, HasSubstr("no access"));
}

TEST(ExerciseJob, TellsShippedKernelsFromAnAnswer) {
    const auto judged = [](std::vector<std::string> same_as) {
        ExerciseJob made = making("require: matches");
        judge_all(made, [&](const lab::Request& request, Report& report) {
            EXPECT_TRUE(request.graded);
            report.same_as = same_as;
        });
        return made;
    };
    EXPECT_TRUE(judged({}).done());
    EXPECT_FALSE(judged({}).is_shipped_solution());
    const Variant& exercise = *find_exercise(reduction(), "maximum_place");
    EXPECT_TRUE(judged({exercise.solution}).done());
    EXPECT_TRUE(judged({exercise.solution}).is_shipped_solution());
    const ExerciseJob shipped = judged({"reduction/tree_packed.comp"});
    EXPECT_FALSE(shipped.done());
    EXPECT_THAT(shipped.problem(), HasSubstr("reduction/tree_packed.comp"));
}

TEST(ExerciseJob, DrawsTheSeedOfEveryRun) {
    std::set<std::uint64_t> seeds;
    for (const std::uint64_t draw : {1, 2, 3}) {
        ExerciseJob made = making("require: races = 0 | R", draw);
        seeds.insert(made.next()->experiment.values[key::seed]);
    }
    EXPECT_EQ(seeds.size(), 3U);
}

TEST(ExerciseJob, RecordsOnceForAllThatARecordingSays) {
    ExerciseJob made = making(
        "require: races = 0 | R\nrequire: barriers <= 8 | B\nrequire: barriers <= 9 | B | at elements = 32");
    EXPECT_EQ(judge_all(made,
                        [](const lab::Request& request, Report& report) {
                            ASSERT_TRUE(request.trace_options);
                            report.trace_metrics = {{"races", Estimate{2, 2, 2}, "Two."},
                                                    {"barriers", Estimate{8, 8, 8}, "Eight."}};
                        }),
              2U)
        << "one at the step's values, one at 32 elements";
    EXPECT_EQ(made.requirement_results()[0].judgement.sentence, "Two.");
    EXPECT_EQ(made.requirement_results()[0].failing->values, made.experiment().values);
    EXPECT_TRUE(made.requirement_results()[1].holds());
    EXPECT_TRUE(made.requirement_results()[2].holds());
}

TEST(ExerciseJob, MeasuresAgainstAVariantAndLongerWhereThatIsTooClose) {
    const std::string half = "require: kernel_ns / kernel_ns(variant = tree_first_add) < 0.5 | Half";
    const auto judged = [&](double mine_ns) {
        ExerciseJob made = making(half);
        std::size_t longer = 0;
        const std::size_t runs = judge_all(made, [&](const lab::Request& request, Report& report) {
            const bool mine = request.experiment.kernel.has_value();
            EXPECT_EQ(request.experiment.variant, mine ? example_experiment().variant : "tree_first_add");
            longer += request.sampling.whole_budget ? 1 : 0;
            time(report, mine ? mine_ns : 1000);
        });
        return std::tuple(made.requirement_results()[0].judgement.result, runs, longer);
    };
    EXPECT_EQ(judged(300), std::tuple(Result::ok, 2U, 0U));
    EXPECT_EQ(judged(700), std::tuple(Result::failed, 2U, 0U));
    EXPECT_EQ(judged(500), std::tuple(Result::undecided, 4U, 2U));
}

TEST(ExerciseJob, DoesNotMeasureWhatIsWrong) {
    ExerciseJob made = making("require: kernel_ns < 5 | Fast\nrequire: matches");
    judge_all(made, [](const lab::Request& request, Report& report) {
        EXPECT_FALSE(request.sampling.measure);
        report.status = Status::mismatch;
        report.message = "wrong.";
    });
    EXPECT_EQ(made.requirement_results()[0].judgement.result, Result::undecided);
    EXPECT_THAT(made.requirement_results()[0].judgement.sentence, test::Mentions("correct"));
}

TEST(ExerciseJob, RecordsBeforeItMeasures) {
    ExerciseJob made = making("require: kernel_ns < 5 | Fast\nrequire: races = 0 | R");
    EXPECT_TRUE(made.next()->trace_options);
}

TEST(ExerciseJob, ItsProgressCountsCasesAndOtherRequirements) {
    ExerciseJob made = making("require: matches\nrequire: races = 0 | R");
    EXPECT_EQ(made.progress().done, 0U);
    EXPECT_EQ(made.progress().total, 46U);
    std::uint64_t ended = 0;
    judge_all(made, [&](const lab::Request&, Report& report) {
        EXPECT_EQ(made.progress().done, ended++);
        report.trace_metrics = {{"races", Estimate{0, 0, 0}, "None."}};
    });
    EXPECT_EQ(made.progress().done, 46U);

    // What is decided before all cases have run counts whole.
    ExerciseJob wrong = making("require: matches");
    judge_all(wrong, [](const lab::Request&, Report& report) { report.status = Status::mismatch; });
    EXPECT_EQ(wrong.progress().done, 45U);
}

TEST(ExerciseJob, AStopEndsItAndDecidesNothing) {
    ExerciseJob made = making("require: matches\nrequire: races = 0 | R");
    EXPECT_EQ(judge_all(made, [](const lab::Request&, Report& report) { report.status = Status::stopped; }),
              1U);
    EXPECT_THAT(made.problem(), HasSubstr("stopped"));
    for (const RequirementResult& one : made.requirement_results())
        EXPECT_EQ(one.judgement.result, Result::undecided);
}

TEST(ExerciseJob, LeavesTheRestWhereOnlyPassingMatters) {
    ExerciseJob made = making("require: matches\nrequire: races = 0 | R");
    made.set_grade_all(false);
    EXPECT_EQ(judge_all(made, [](const lab::Request&, Report& report) { report.status = Status::mismatch; }),
              1U);
    EXPECT_EQ(made.requirement_results()[0].judgement.result, Result::failed);
    EXPECT_EQ(made.requirement_results()[1].judgement.result, Result::undecided);
}

TEST(ExerciseJob, EndsAtAKernelThatDoesNotCompile) {
    ExerciseJob made = making("require: matches\nrequire: races = 0 | R");
    EXPECT_EQ(
        judge_all(made,
                  [](const lab::Request&, Report& report) {
                      report.status = Status::failed;
                      report.diagnostics = {
                          {.level = DiagnosticLevel::error, .file = "mine.comp", .line = 1, .text = "no"}};
                  }),
        1U);
    EXPECT_THAT(made.problem(), test::Mentions("mine.comp", "compile"));
    EXPECT_EQ(made.diagnostics().size(), 1U);
    EXPECT_FALSE(made.done());
}

TEST(ExerciseJob, SaysAHangOrALossAsAFailure) {
    ExerciseJob made = making("require: matches");
    judge_all(made, [](const lab::Request&, Report& report) {
        report.status = Status::timed_out;
        report.message = "It ran past its deadline.";
    });
    EXPECT_EQ(made.requirement_results()[0].judgement.result, Result::failed);
    EXPECT_THAT(made.requirement_results()[0].judgement.sentence, HasSubstr("deadline"));
}

}  // namespace
}  // namespace gridstride::tests
