// What the window says of runs that did not end well, and while one does not end.
#include "ui/verdict_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gridstride::ui {
namespace {

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
    const Report report = ended(Status::timed_out, "The run ended.");
    EXPECT_EQ(verdict_word(report, true), "✗ stopped");
    EXPECT_EQ(verdict_word(report, false), "✗ deadline");
    EXPECT_THAT(why_no_times(&report, true), HasSubstr("was stopped before its first sample"));
    EXPECT_THAT(why_no_times(&report, false), HasSubstr("reached its deadline before its first sample"));
}

TEST(VerdictWords, AMessageSaysWhatToDoNext) {
    const Report stopped = ended(Status::timed_out, "The run was stopped.");
    EXPECT_EQ(message_in_words(stopped, true), "The run was stopped. F5 runs it again.");
    EXPECT_THAT(message_in_words(ended(Status::lost, "The lab was lost."), false), HasSubstr("press F5"));
    EXPECT_EQ(message_in_words(ended(Status::failed, "It failed."), false), "It failed.");
    EXPECT_THAT(message_in_words(ended(Status::ok, ""), false), IsEmpty());
}

TEST(VerdictWords, TheTimesThatAreMissingAreExplainedByWhatHappened) {
    EXPECT_THAT(why_no_times(nullptr, false), HasSubstr("Run once"));
    for (const Status status : {Status::timed_out, Status::lost, Status::refused, Status::failed}) {
        const Report report = ended(status, "");
        EXPECT_THAT(why_no_times(&report, false), Not(HasSubstr("Run once")));
    }
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

}  // namespace
}  // namespace gridstride::ui
