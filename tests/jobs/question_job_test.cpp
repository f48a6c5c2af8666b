// What decides a question, by a table of reports.
#include "jobs/question_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/trace.h"

namespace gridstride::question_job_test {
namespace {

using Result = Outcome::Result;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* timed =
    "run: workgroup_size = 32\nrun: workgroup_size = 64\nvalue: kernel_ns(2) / kernel_ns(1)\n"
    "choice: less | below 2 | Less.\nwhy: No.\nchoice: more | otherwise | More.\nwhy: No.\n";
constexpr const char* recorded =
    "value: races\nchoice: none | equals 0 | None.\nwhy: No.\nchoice: some | otherwise | Some.\nwhy: No.\n";

PredictBlock question_of(const std::string& lines) {
    const Story story =
        parse_story("# T\n## S\n```predict\nid: q\nquestion: How many?\n" + lines + "```\n", "story.en.md");
    return std::get<PredictBlock>(story.steps.front().blocks.front());
}

QuestionJob job_of(const std::string& lines, std::optional<std::size_t> choice) {
    const Lesson& lesson = *find_lesson("reduction");
    return {lesson, question_of(lines), default_experiment(lesson), Answer{.choice = choice}};
}

Report measured(double low_ns, double high_ns) {
    Report report;
    report.status = Status::ok;
    for (int i = 0; i <= 10; ++i)
        report.timings.kernel.samples.push_back(low_ns + i * (high_ns - low_ns) / 10);
    return report;
}
Report failed(Status status, std::string message) {
    Report report;
    report.status = status;
    report.message = std::move(message);
    return report;
}

/// Hands these reports to the job, one a request. How many it took.
std::size_t run(QuestionJob& job, const std::vector<Report>& reports) {
    std::size_t taken = 0;
    for (; taken < reports.size() && job.next(); ++taken)
        job.on_report(reports[taken], 0);
    return taken;
}

TEST(QuestionJob, IsDecidedByItsRuns) {
    struct Case {
        const char* name;
        std::vector<Report> reports;
        std::optional<Result> result;
        const char* problem = "";
    };
    const Report fast = measured(100, 100), slow = measured(500, 500), unclear = measured(150, 250);
    const Case cases[] = {
        {"right", {fast, slow}, Result::right},
        {"wrong", {fast, fast}, Result::wrong},
        {"decided by measuring longer", {fast, unclear, fast, slow}, Result::right},
        {"never decided", {fast, unclear, fast, unclear}, Result::undecided},
        {"the first run failed", {failed(Status::failed, "No.")}, std::nullopt, "No."},
        {"stopped", {fast, failed(Status::stopped, "The run was stopped.")}, std::nullopt, "stopped"},
        {"past its deadline", {failed(Status::timed_out, "Too late.")}, std::nullopt, "Too late."},
        {"without a message", {failed(Status::lost, "")}, std::nullopt, "lost"}};
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        QuestionJob job = job_of(timed, 1);
        EXPECT_EQ(run(job, one.reports), one.reports.size());
        EXPECT_FALSE(job.next()) << "it has finished";
        ASSERT_EQ(job.outcome().has_value(), one.result.has_value());
        EXPECT_EQ(job.measures_longer(), one.reports.size() > 2);
        if (!one.result) {
            EXPECT_THAT(job.problem(), HasSubstr(one.problem));
            continue;
        }
        EXPECT_EQ(job.outcome()->result, *one.result);
        EXPECT_EQ(job.runs().size(), 2U);
        EXPECT_THAT(job.problem(), IsEmpty());
    }
}

TEST(QuestionJob, MeasuresLongerOnlyWhereThatMayDecide) {
    QuestionJob job = job_of(timed, 1);
    const double budget = job.next()->sampling.budget_seconds;
    job.on_report(measured(100, 100), 0);
    job.next();
    job.on_report(measured(150, 250), 0);
    const std::optional<lab::Request> again = job.next();
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->sampling.whole_budget);
    EXPECT_GT(again->sampling.budget_seconds, budget);
    EXPECT_EQ(again->experiment, job.experiments().front());
}

TEST(QuestionJob, ItsProgressNeverGoesBack) {
    QuestionJob job = job_of(timed, 1);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> progress;
    const auto note = [&] { progress.emplace_back(job.progress().done, job.progress().total); };
    note();
    for (const double high_ns : {100, 250, 100, 500}) {
        ASSERT_TRUE(job.next());
        job.on_report(measured(high_ns == 250 ? 150 : high_ns, high_ns), 0);
        note();
    }
    EXPECT_THAT(progress, testing::ElementsAre(std::pair(0, 2), std::pair(1, 2), std::pair(2, 4),
                                               std::pair(3, 4), std::pair(4, 4)));
}

TEST(QuestionJob, NeitherChanceNorARecordingIsMeasuredLonger) {
    const std::string order =
        "run: workgroup_size = 32\nrun: workgroup_size = 64\nrun: workgroup_size = 128\n"
        "item: one | kernel_ns(1)\nitem: two | kernel_ns(2)\nitem: three | kernel_ns(3)\n";
    QuestionJob chance(*find_lesson("reduction"), question_of("chance: yes\n" + order),
                       default_experiment(*find_lesson("reduction")), Answer{.order = {0, 1, 2}});
    EXPECT_EQ(run(chance, std::vector(4, measured(100, 100))), 3U);
    ASSERT_TRUE(chance.outcome());
    EXPECT_EQ(chance.outcome()->result, Result::undecided);

    QuestionJob trace = job_of(
        "value: races\nchoice: few | below 5 | Few.\nwhy: No.\nchoice: many | otherwise | Many.\nwhy: No.\n",
        1);
    Report recording = measured(0, 0);
    recording.trace.emplace();
    recording.trace_metrics = {{"races", Estimate{5, 0, 10}, "About five."}};
    EXPECT_EQ(run(trace, {recording, measured(100, 100), recording}), 2U);
    ASSERT_TRUE(trace.outcome());
    EXPECT_EQ(trace.outcome()->result, Result::undecided);
}

TEST(QuestionJob, ARecordingComesBeforeTheRunThatIsMeasured) {
    QuestionJob job = job_of(recorded, 1);
    std::optional<lab::Request> request = job.next();
    ASSERT_TRUE(request && request->trace_options);
    EXPECT_FALSE(request->sampling.measure);
    Report trace = measured(0, 0);
    trace.trace.emplace();
    trace.trace_metrics = {{"races", Estimate{17, 17, 17}, "Seventeen."}};
    job.on_report(trace, 0);
    request = job.next();
    ASSERT_TRUE(request && !request->trace_options);
    job.on_report(measured(100, 100), 0);
    ASSERT_TRUE(job.outcome());
    EXPECT_EQ(job.outcome()->result, Result::right);
    EXPECT_EQ(metric(job.runs().front(), "races"), 17);
}

TEST(QuestionJob, SaysWhyARecordingDoesNotDecideIt) {
    QuestionJob job = job_of(recorded, 1);
    Report trace = measured(0, 0);
    trace.trace.emplace();
    trace.trace_metrics = {{"races", std::nullopt, "Only workgroup 0 was recorded."}};
    EXPECT_EQ(run(job, {trace, measured(100, 100)}), 2U);
    EXPECT_FALSE(job.outcome());
    EXPECT_EQ(job.problem(), "Only workgroup 0 was recorded.");
}

}  // namespace
}  // namespace gridstride::question_job_test
