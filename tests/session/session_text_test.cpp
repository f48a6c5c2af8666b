// Tests the window's texts about a run's verdict and a job's progress.
#include "session/session_text.h"

#include "base/units.h"
#include "present/verdict_text.h"
#include "session/session_case.h"

namespace gridstride::ui::session_text_test {

using SessionVerdict = SessionTest;

TEST_F(SessionVerdict, DistinguishesWrongOnPurposeFromAMismatch) {
    session_.open(*find_course_entry("histogram"), 0);
    session_.pump();
    const auto run_and_get_verdict = [&](Status status) {
        session_.run();
        Report report = answer_to(last(), status);
        report.compare.judged_runs = 3;
        report.compare.wrong_runs = 2;
        reply(std::move(report));
        return session_verdict(session_);
    };
    struct Row {
        Status status;
        const char* text;
        ColorRole color_role;
    };
    for (const Row& row :
         {Row{Status::wrong_on_purpose, "! wrong on purpose in 2 of 3 runs", ColorRole::caution},
          {Status::mismatch, "✗ wrong in 2 of 3 runs", ColorRole::wrong},
          {Status::stopped, "✗ stopped", ColorRole::quiet},
          {Status::timed_out, "✗ past its deadline", ColorRole::quiet}}) {
        const VerdictText verdict = run_and_get_verdict(row.status);
        EXPECT_EQ(verdict.text, row.text);
        EXPECT_TRUE(row.color_role == ColorRole::quiet || verdict.color_role == row.color_role) << row.text;
    }
}

TEST(SessionText, JobsShowProgressAndRemainingTime) {
    struct Row {
        JobState job;
        const char *longest, *shortest, *in_list;
    };
    const BenchRun run({lab::Request{}});
    for (const auto& [job, longest, shortest, in_list] : {
             Row{{&run, true, false, 7.9, {0, 1}}, "7 s elapsed", "7 s elapsed", "7 s elapsed"},
             Row{{&run, true, false, 9, {12, 45, 8.2}},
                 "12 of 45 · about 8 s left",
                 "12 of 45",
                 "12 of 45 · about 8 s left"},
             Row{{&run, false, false, 9, {12, 45, 8.2}},
                 "12 of 45 · about 8 s left",
                 "12 of 45",
                 "waits · 12 of 45"},
             Row{{&run, false, false, 9, {0, 45}}, "0 of 45 · 9 s elapsed", "0 of 45", "waits"},
             Row{{&run, true, true, 9, {12, 45, 8.2}},
                 "12 of 45 · stopping …",
                 "12 of 45",
                 "12 of 45 · stopping …"},
         }) {
        EXPECT_EQ(describe_progress(job).front(), longest);
        EXPECT_EQ(describe_progress(job).back(), shortest);
        EXPECT_EQ(describe_state(job), in_list);
    }
}

TEST(SessionText, ResultNamesMatchTheCommandLine) {
    Report report;
    report.status = Status::ok;
    report.result = {{"chain_y_largest", "Largest of chain.y", 5.354068}};
    EXPECT_EQ(describe_answer(report), "largest of chain.y: 5.354068");
    report.result = {{"total", "Total", std::uint64_t{524800}}};
    EXPECT_EQ(describe_answer(report), "total: " + format_count(524800));
}

}  // namespace gridstride::ui::session_text_test
