// What the window says of a run's verdict, and while one does not end.
#include "session/session_words.h"

#include "base/units.h"
#include "present/verdict_words.h"
#include "session/session_case.h"

namespace gridstride::ui::session_words_test {

using testing::HasSubstr;
using testing::IsEmpty;

using SessionVerdict = SessionTest;

TEST_F(SessionVerdict, WhatIsWrongOnPurposeIsNoMistake) {
    session_.open(*find_lesson("histogram"), 0);
    session_.pump();
    const auto verdict_on = [&](Status status) {
        session_.run();
        Report report = answer_to(last(), status);
        report.compare.judged_runs = 3;
        report.compare.wrong_runs = 2;
        reply(std::move(report));
        return verdict_of(session_);
    };
    struct Row {
        Status status;
        const char* text;
        Ink ink;
    };
    for (const Row& row : {Row{Status::wrong_on_purpose, "! wrong on purpose in 2 of 3 runs", Ink::caution},
                           {Status::mismatch, "✗ wrong in 2 of 3 runs", Ink::wrong},
                           {Status::stopped, "✗ stopped", Ink::quiet},
                           {Status::timed_out, "✗ past its deadline", Ink::quiet}}) {
        const Verdict verdict = verdict_on(row.status);
        EXPECT_EQ(verdict.text, row.text);
        EXPECT_TRUE(row.ink == Ink::quiet || verdict.ink == row.ink) << row.text;
    }
}

TEST(SessionWords, ARunWithoutAResultSaysHowLongItTakes) {
    EXPECT_THAT(waiting_in_words(std::nullopt, false), IsEmpty());
    EXPECT_THAT(waiting_in_words(0.9, false), IsEmpty());
    EXPECT_EQ(waiting_in_words(7.9, false), "running for 7 s · Escape stops it");
    EXPECT_EQ(waiting_in_few_words(7.9), "7 s · Escape stops it");
    EXPECT_THAT(waiting_in_words(2, true), HasSubstr("compiling or running"));
}

TEST(SessionWords, SlicesAreToldOnlyOfALaunchOfSeveral) {
    EXPECT_THAT(slices_in_words(std::nullopt, true), IsEmpty());
    EXPECT_THAT(slices_in_words(lab::Progress{.slices_done = 0, .slices = 1}, true), IsEmpty());
    lab::Progress progress{.slices_done = 96, .slices = 400};
    progress.seconds_left = 8.2;
    EXPECT_EQ(slices_in_words(progress, true), "slice 96 of 400, about 8 s left");
    EXPECT_EQ(slices_in_words(progress, false), "slice 96 of 400");
}

TEST(SessionWords, ANumberOfTheAnswerIsNamedAsTheCommandLineNamesIt) {
    Report report;
    report.status = Status::ok;
    report.result = {{"chain_y_largest", "Largest of chain.y", 5.354068}};
    EXPECT_EQ(answer_in_words(report), "largest of chain.y 5.354068");
    report.result = {{"total", "Total", std::uint64_t{524800}}};
    EXPECT_EQ(answer_in_words(report), "total " + format_count(524800));
}

}  // namespace gridstride::ui::session_words_test
