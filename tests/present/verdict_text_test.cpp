// Tests the texts about a run's verdict.
#include "present/verdict_text.h"

#include "lesson/lesson.h"
#include "present/run_remarks.h"
#include "test_includes.h"

namespace gridstride::verdict_text_test {

Report make_report(Status status, std::string message = "") {
    Report report;
    report.status = status;
    report.message = std::move(message);
    return report;
}

TEST(VerdictText, EachStatusHasAMarkAndAWord) {
    for (const auto& [status, word] : {std::pair{Status::stopped, "✗ stopped"},
                                       {Status::timed_out, "✗ deadline"},
                                       {Status::wrong_on_purpose, "! on purpose"},
                                       {Status::mismatch, "✗ wrong"},
                                       {Status::unwritten, "✗ unwritten"},
                                       {Status::unjudged, "! not judged"}})
        EXPECT_EQ(verdict_word(make_report(status)), word);
}

TEST(VerdictText, MissingTimesHaveAReason) {
    std::set<std::string> reasons = {no_times_reason(nullptr)};
    for (const Status status : {Status::timed_out, Status::stopped}) {
        const Report report = make_report(status);
        EXPECT_TRUE(reasons.insert(no_times_reason(&report)).second) << name(status);
    }
    for (const Status status : {Status::lost, Status::refused, Status::failed}) {
        const Report report = make_report(status);
        EXPECT_NE(no_times_reason(&report), no_times_reason(nullptr)) << name(status);
    }
}

/// The window adds the key that runs the experiment again to some messages.
TEST(VerdictText, MessageExplainsHowToRunAgain) {
    struct Row {
        Status status;
        const char *message, *expected;
    };
    for (const Row& row : {Row{Status::stopped, "It was stopped.", "It was stopped. F5 runs it again."},
                           {Status::timed_out, "Too late.", "Too late."},
                           {Status::failed, "It failed.", "It failed."},
                           {Status::failed, "It failed (twice).", "It failed (twice)."},
                           {Status::ok, "", ""}})
        EXPECT_EQ(describe_message(make_report(row.status, row.message)), row.expected);
    EXPECT_THAT(describe_message(make_report(Status::lost, "It was lost.")), HasSubstr("F5"));
}

TEST(VerdictText, ExplainsARateAboveItsCeiling) {
    Report report = make_report(Status::ok);
    report.timings.kernel.samples = {1000, 1000, 1000};
    report.ceilings = Ceilings{.copy_bytes_per_second = 4e9};
    report.bytes_moved = 3900;  // in a microsecond
    EXPECT_THAT(over_ceiling_reason(report), IsEmpty());
    report.bytes_moved = 4100;
    EXPECT_THAT(over_ceiling_reason(report), HasSubstr("a copy"));
    report.cache = {.working_set_bytes = 4096, .cache_bytes = 1 << 20};
    EXPECT_THAT(over_ceiling_reason(report), HasSubstr("a cache"));
}

TEST(VerdictText, UnwrittenResultsHaveTheirOwnVerdict) {
    Report report = make_report(Status::unwritten, "y[5] was never written.");
    report.compare.judged_runs = 3;
    report.compare.wrong_runs = 2;
    EXPECT_EQ(describe_verdict(report), "✗ results were never written in 2 of 3 runs");
    EXPECT_EQ(report_color(report), ColorRole::wrong);
}

TEST(VerdictText, ShowsTheLargestErrorWithTheAllowedError) {
    Report report = make_report(Status::ok);
    EXPECT_THAT(describe_errors(report), IsEmpty()) << "the result is exact";
    report.compare.max_abs_error = 1.2e-7;
    report.compare.allowed_abs_error = 3e-7;
    EXPECT_EQ(describe_errors(report), "largest error 1.2e-7, allowed there 3e-7");
    report.compare.max_abs_error = 3.00001e-7;
    EXPECT_THAT(describe_errors(report), Mentions("3.00001e-7"));
    report.compare.max_abs_error = 1.2e-7;
    report.status = Status::mismatch;
    report.compare.first_mismatch = Mismatch{"y", 5, 3.5, 3};
    EXPECT_EQ(describe_errors(report), "largest error 1.2e-7, allowed at the first wrong number 3e-7");
    report.compare.max_abs_error = std::numeric_limits<double>::infinity();
    EXPECT_THAT(describe_errors(report), IsEmpty()) << "one error is not finite";
    report.status = Status::lost;
    report.compare.max_abs_error = 1;
    EXPECT_THAT(describe_errors(report), IsEmpty());
}

TEST(VerdictText, CorrectResultOfAWrongKernelIsByLuck) {
    struct Row {
        const char *lesson, *variant, *wrong_choice;
        bool is_user_kernel, is_lucky;
    };
    const std::string right = "✓ equal to the CPU reference";
    for (const Row& row : {Row{"histogram", "race", nullptr, false, true},
                           {"hidden_layer", "fused", "formula", false, true},
                           {"histogram", "atomic_global", nullptr, false, false},
                           {"hidden_layer", "fused", nullptr, false, false},
                           {"histogram", "race", nullptr, true, false}}) {
        Report report = make_report(Status::ok);
        report.experiment = default_experiment(*find_lesson(row.lesson));
        report.experiment.variant = row.variant;
        if (row.wrong_choice) report.experiment.values.set(row.wrong_choice, ChoiceIndex{1});
        if (row.is_user_kernel)
            report.experiment.kernel = KernelSource{.text = "void main() {}", .name = "mine"};
        EXPECT_EQ(describe_verdict(report), right + (row.is_lucky ? ", by luck" : "")) << row.variant;
    }
}

}  // namespace gridstride::verdict_text_test
