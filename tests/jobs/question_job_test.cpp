// Tests how reports decide a question.
#include "jobs/question_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/trace.h"

namespace gridstride::question_job_test {
namespace {

using Result = Outcome::Result;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* time_question =
    "run: workgroup_size = 32\nrun: workgroup_size = 64\nvalue: kernel_ns(2) / kernel_ns(1)\n"
    "choice: less | below 2 | Less.\nwhy: No.\nchoice: more | otherwise | More.\nwhy: No.\n";
constexpr const char* trace_question =
    "value: races\nchoice: none | equals 0 | None.\nwhy: No.\nchoice: some | otherwise | Some.\nwhy: No.\n";

PredictBlock parse_question(const std::string& lines) {
    const Story story =
        parse_story("# T\n## S\n```predict\nid: q\nquestion: How many?\n" + lines + "```\n", "story.en.md");
    return std::get<PredictBlock>(story.steps.front().blocks.front());
}

QuestionJob make_job(const std::string& lines, std::optional<std::size_t> choice) {
    const Lesson& lesson = *find_lesson("reduction");
    return {lesson, parse_question(lines), default_experiment(lesson), Answer{.choice = choice}};
}

Report make_measured(double low_ns, double high_ns) {
    Report report;
    report.status = Status::ok;
    for (int i = 0; i <= 10; ++i)
        report.timings.kernel.samples.push_back(low_ns + i * (high_ns - low_ns) / 10);
    return report;
}
Report make_failed(Status status, std::string message) {
    Report report;
    report.status = status;
    report.message = std::move(message);
    return report;
}

/// Answers the job's requests with these reports. Returns the number of reports that it used.
std::size_t answer_requests(QuestionJob& job, const std::vector<Report>& reports) {
    std::size_t used = 0;
    for (; used < reports.size() && job.next(); ++used)
        job.on_report(reports[used], 0);
    return used;
}

TEST(QuestionJob, IsDecidedByItsRuns) {
    struct Case {
        const char* name;
        std::vector<Report> reports;
        std::optional<Result> result;
        const char* problem = "";
    };
    const Report fast = make_measured(100, 100), slow = make_measured(500, 500),
                 unclear = make_measured(150, 250);
    const Case cases[] = {
        {"right", {fast, slow}, Result::right},
        {"wrong", {fast, fast}, Result::wrong},
        {"decided by measuring longer", {fast, unclear, fast, slow}, Result::right},
        {"never decided", {fast, unclear, fast, unclear}, Result::undecided},
        {"the first run failed", {make_failed(Status::failed, "No.")}, std::nullopt, "No."},
        {"stopped", {fast, make_failed(Status::stopped, "The run was stopped.")}, std::nullopt, "stopped"},
        {"past its deadline", {make_failed(Status::timed_out, "Too late.")}, std::nullopt, "Too late."},
        {"without a message", {make_failed(Status::lost, "")}, std::nullopt, "lost"}};
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        QuestionJob job = make_job(time_question, 1);
        EXPECT_EQ(answer_requests(job, one.reports), one.reports.size());
        EXPECT_FALSE(job.next()) << "the job has finished";
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

TEST(QuestionJob, MeasuresLongerIfTheIntervalsOverlap) {
    QuestionJob job = make_job(time_question, 1);
    const double budget = job.next()->sampling.budget_seconds;
    job.on_report(make_measured(100, 100), 0);
    job.next();
    job.on_report(make_measured(150, 250), 0);
    const std::optional<lab::Request> again = job.next();
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->sampling.whole_budget);
    EXPECT_GT(again->sampling.budget_seconds, budget);
    EXPECT_EQ(again->experiment, job.experiments().front());
}

TEST(QuestionJob, ProgressNeverDecreases) {
    QuestionJob job = make_job(time_question, 1);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> progress;
    const auto record_progress = [&] { progress.emplace_back(job.progress().done, job.progress().total); };
    record_progress();
    for (const double high_ns : {100, 250, 100, 500}) {
        ASSERT_TRUE(job.next());
        job.on_report(make_measured(high_ns == 250 ? 150 : high_ns, high_ns), 0);
        record_progress();
    }
    EXPECT_THAT(progress, testing::ElementsAre(std::pair(0, 2), std::pair(1, 2), std::pair(2, 4),
                                               std::pair(3, 4), std::pair(4, 4)));
}

TEST(QuestionJob, ChanceAndTraceQuestionsAreNotMeasuredLonger) {
    const std::string order =
        "run: workgroup_size = 32\nrun: workgroup_size = 64\nrun: workgroup_size = 128\n"
        "item: one | kernel_ns(1)\nitem: two | kernel_ns(2)\nitem: three | kernel_ns(3)\n";
    QuestionJob chance(*find_lesson("reduction"), parse_question("chance: yes\n" + order),
                       default_experiment(*find_lesson("reduction")), Answer{.order = {0, 1, 2}});
    EXPECT_EQ(answer_requests(chance, std::vector(4, make_measured(100, 100))), 3U);
    ASSERT_TRUE(chance.outcome());
    EXPECT_EQ(chance.outcome()->result, Result::undecided);

    QuestionJob job = make_job(
        "value: races\nchoice: few | below 5 | Few.\nwhy: No.\nchoice: many | otherwise | Many.\nwhy: No.\n",
        1);
    Report traced = make_measured(0, 0);
    traced.trace.emplace();
    traced.trace_metrics = {{"races", Estimate{5, 0, 10}, "About five."}};
    EXPECT_EQ(answer_requests(job, {traced, make_measured(100, 100), traced}), 2U);
    ASSERT_TRUE(job.outcome());
    EXPECT_EQ(job.outcome()->result, Result::undecided);
}

TEST(QuestionJob, RecordsATraceBeforeTheMeasuredRun) {
    QuestionJob job = make_job(trace_question, 1);
    std::optional<lab::Request> request = job.next();
    ASSERT_TRUE(request && request->trace_options);
    EXPECT_FALSE(request->sampling.measure);
    Report trace = make_measured(0, 0);
    trace.trace.emplace();
    trace.trace_metrics = {{"races", Estimate{17, 17, 17}, "Seventeen."}};
    job.on_report(trace, 0);
    request = job.next();
    ASSERT_TRUE(request && !request->trace_options);
    job.on_report(make_measured(100, 100), 0);
    ASSERT_TRUE(job.outcome());
    EXPECT_EQ(job.outcome()->result, Result::right);
    EXPECT_EQ(metric(job.runs().front(), "races"), 17);
}

TEST(QuestionJob, ReportsWhyATraceDoesNotDecideIt) {
    QuestionJob job = make_job(trace_question, 1);
    Report trace = make_measured(0, 0);
    trace.trace.emplace();
    trace.trace_metrics = {{"races", std::nullopt, "Only workgroup 0 was traced."}};
    EXPECT_EQ(answer_requests(job, {trace, make_measured(100, 100)}), 2U);
    EXPECT_FALSE(job.outcome());
    EXPECT_EQ(job.problem(), "Only workgroup 0 was traced.");
}

}  // namespace
}  // namespace gridstride::question_job_test
