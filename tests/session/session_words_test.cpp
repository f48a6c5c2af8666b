// What the window says of runs that did not end well, and while one does not end.
#include "session/session_words.h"
#include "present/verdict_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/units.h"
#include "session/fake_lab.h"
#include "session/session.h"

namespace gridstride::ui {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Report ended(Status status, std::string message) {
    Report report;
    report.status = status;
    report.message = std::move(message);
    return report;
}

TEST(VerdictWords, ADeadlineIsNotAStop) {
    const Report stopped = ended(Status::stopped, "The run was stopped.");
    const Report late = ended(Status::timed_out, "The run ended.");
    EXPECT_EQ(verdict_word(stopped), "✗ stopped");
    EXPECT_EQ(verdict_word(late), "✗ deadline");
    EXPECT_THAT(why_no_times(&stopped), HasSubstr("was stopped before its first sample"));
    EXPECT_THAT(why_no_times(&late), HasSubstr("reached its deadline before its first sample"));
}

TEST(VerdictWords, AMessageSaysWhatToDoNext) {
    const Report stopped = ended(Status::stopped, "The run was stopped.");
    EXPECT_EQ(message_in_words(stopped), "The run was stopped. F5 runs it again.");
    EXPECT_EQ(message_in_words(ended(Status::timed_out, "Too late.")), "Too late.");
    EXPECT_THAT(message_in_words(ended(Status::lost, "The lab was lost.")), HasSubstr("press F5"));
    EXPECT_EQ(message_in_words(ended(Status::failed, "It failed.")), "It failed.");
    EXPECT_THAT(message_in_words(ended(Status::ok, "")), IsEmpty());
}

TEST(VerdictWords, TheWindowsMessagesNameNoFlags) {
    EXPECT_EQ(
        message_in_words(ended(Status::timed_out, "Take fewer, or allow more time (--deadline). Or not.")),
        "Take fewer, or allow more time. Or not.");
    EXPECT_EQ(message_in_words(ended(Status::failed, "It failed (twice).")), "It failed (twice).");
}

TEST(VerdictWords, ARateBeyondItsCeilingSaysWhy) {
    Report report = ended(Status::ok, "");
    report.timings.kernel.samples = {1000, 1000, 1000};
    report.ceilings = Ceilings{.copy_bytes_per_second = 4e9};
    report.bytes_moved = 3900;  // in a microsecond
    EXPECT_THAT(why_over_ceiling(report), IsEmpty());
    report.bytes_moved = 4100;
    EXPECT_THAT(why_over_ceiling(report), HasSubstr("a copy reads and writes"));
    report.cache = {.working_set_bytes = 4096, .cache_bytes = 1 << 20};
    EXPECT_THAT(why_over_ceiling(report), HasSubstr("from a cache"));
}

TEST(VerdictWords, TheTimesThatAreMissingAreExplainedByWhatHappened) {
    EXPECT_THAT(why_no_times(nullptr), HasSubstr("Run once"));
    for (const Status status :
         {Status::timed_out, Status::stopped, Status::lost, Status::refused, Status::failed}) {
        const Report report = ended(status, "");
        EXPECT_THAT(why_no_times(&report), AllOf(HasSubstr("No times"), Not(HasSubstr("Run once"))));
    }
}

TEST(VerdictWords, WhatIsWrongOnPurposeIsNoMistake) {
    EXPECT_EQ(verdict_word(ended(Status::wrong_on_purpose, "")), "! on purpose");
    EXPECT_EQ(verdict_word(ended(Status::mismatch, "")), "✗ wrong");

    FakeLab lab;
    Session session(lab, "en");
    session.open(*find_lesson("histogram"), 0);
    session.pump();
    const auto verdict_on = [&](Status status) {
        session.run();
        Report report = answer_to(lab.asked.back(), status);
        report.compare.judged_runs = 3;
        report.compare.wrong_runs = 2;
        lab.answers.push_back(std::move(report));
        session.pump();
        return verdict_of(session);
    };
    const Verdict meant = verdict_on(Status::wrong_on_purpose), not_meant = verdict_on(Status::mismatch);
    EXPECT_EQ(meant.text, "! wrong on purpose in 2 of 3 runs");
    EXPECT_EQ(meant.ink, Ink::caution);
    EXPECT_EQ(not_meant.text, "✗ wrong in 2 of 3 runs");
    EXPECT_EQ(not_meant.ink, Ink::wrong);
    EXPECT_EQ(verdict_on(Status::stopped).text, "✗ stopped");
    EXPECT_EQ(verdict_on(Status::timed_out).text, "✗ past its deadline");
}

TEST(VerdictWords, WhatWasNeverWrittenIsAVerdictOfItsOwn) {
    Report report = ended(Status::unwritten, "y[5] was never written.");
    report.compare.judged_runs = 3;
    report.compare.wrong_runs = 2;
    EXPECT_EQ(verdict_word(report), "✗ unwritten");
    EXPECT_EQ(verdict_in_words(report), "✗ results were never written in 2 of 3 runs");
    EXPECT_EQ(ink_of(report), Ink::wrong);
}

TEST(VerdictWords, TheLargestErrorStandsBesideWhatIsAllowed) {
    Report report = ended(Status::ok, "");
    EXPECT_THAT(errors_in_words(report), IsEmpty()) << "it is exact";
    report.compare.max_abs_error = 1.2e-7;
    report.compare.allowed_abs_error = 3e-7;
    EXPECT_EQ(errors_in_words(report), "largest error 1.2e-7, allowed there 3e-7");
    report.status = Status::mismatch;
    report.compare.first_mismatch = Mismatch{"y", 5, 3.5, 3};
    EXPECT_EQ(errors_in_words(report), "largest error 1.2e-7, allowed at the first wrong number 3e-7");
    report.compare.max_abs_error = std::numeric_limits<double>::infinity();
    EXPECT_THAT(errors_in_words(report), IsEmpty()) << "one of them is no number";
    report.status = Status::lost;
    report.compare.max_abs_error = 1;
    EXPECT_THAT(errors_in_words(report), IsEmpty());
}

TEST(VerdictWords, AMistakeThatDidNotShowWasLucky) {
    const auto verdict = [](const char* lesson, const char* variant, const char* choice = nullptr) {
        Report report = ended(Status::ok, "");
        report.experiment = default_experiment(*find_lesson(lesson));
        report.experiment.variant = variant;
        if (choice) report.experiment.values.set(choice, ChoiceIndex{1});
        return verdict_in_words(report);
    };
    EXPECT_EQ(verdict("histogram", "race"), "✓ equal to the CPU reference, by luck");
    EXPECT_EQ(verdict("hidden_layer", "fused", "formula"), "✓ equal to the CPU reference, by luck");
    EXPECT_EQ(verdict("histogram", "atomic_global"), "✓ equal to the CPU reference");
    EXPECT_EQ(verdict("hidden_layer", "fused"), "✓ equal to the CPU reference");
    Report repaired = ended(Status::ok, "");
    repaired.experiment = default_experiment(*find_lesson("histogram"));
    repaired.experiment.variant = "race";
    repaired.experiment.kernel = KernelSource{.text = "void main() {}", .name = "mine.comp"};
    EXPECT_EQ(verdict_in_words(repaired), "✓ equal to the CPU reference");
}

TEST(VerdictWords, ARunWithoutAResultSaysHowLongItTakes) {
    EXPECT_THAT(waiting_in_words(std::nullopt, false), IsEmpty());
    EXPECT_THAT(waiting_in_words(0.9, false), IsEmpty());
    EXPECT_EQ(waiting_in_words(7.9, false), "running for 7 s · Escape stops it");
    EXPECT_EQ(waiting_in_few_words(7.9), "7 s · Escape stops it");
    EXPECT_THAT(waiting_in_words(2, true), HasSubstr("compiling or running"));
}

TEST(VerdictWords, SlicesAreToldOnlyOfALaunchOfSeveral) {
    EXPECT_THAT(slices_in_words(std::nullopt, true), IsEmpty());
    EXPECT_THAT(slices_in_words(lab::Progress{.slices_done = 0, .slices = 1}, true), IsEmpty());
    lab::Progress progress{.slices_done = 96, .slices = 400};
    progress.seconds_left = 8.2;
    EXPECT_EQ(slices_in_words(progress, true), "slice 96 of 400, about 8 s left");
    EXPECT_EQ(slices_in_words(progress, false), "slice 96 of 400");
}

TEST(SessionWords, ANumberOfTheAnswerIsNamedAsTheCommandLineNamesIt) {
    Report report = ended(Status::ok, "");
    report.result = {{"chain_y_largest", "Largest of chain.y", 5.354068}};
    EXPECT_EQ(answer_in_words(report), "largest of chain.y 5.354068");
    report.result = {{"total", "Total", std::uint64_t{524800}}};
    EXPECT_EQ(answer_in_words(report), "total " + format_count(524800));
}

}  // namespace
}  // namespace gridstride::ui
