// A recording is a run of its own: what asks for it, what it leaves alone, when it is no longer of the bench.
#include "session/session_case.h"
#include "test_includes.h"
#include "ui/trace_case.h"

namespace gridstride::ui::session_traces_test {

using testing::HasSubstr;

class SessionTraces : public SessionTest {
 protected:
    SessionTraces() {
        run_tree();
        reply();
    }
    Report recorded() const {
        Report report = answer_to(last(), Status::ok);
        TraceCase::put(TraceCase{}.make(), report);
        return report;
    }
    void answer(Report report) {
        const bool records = last().trace_options.has_value();
        reply(std::move(report));
        if (records) wait_for_recording();
    }
    void record() {
        session_.record();
        answer(recorded());
    }
    void go_to_question() {
        std::size_t step = 0;
        while (step < session_.story().steps.size() && !session_.has_open_question())
            session_.go_to_step(step++);
        ASSERT_TRUE(session_.has_open_question());
    }
};

TEST_F(SessionTraces, IsARunOfItsOwnInNoTable) {
    const std::size_t runs = session_.runs().all().size();
    const Report* const shown = session_.report();
    session_.record({.launch = 1, .first_workgroup = 3});
    EXPECT_TRUE(session_.is_recording());
    ASSERT_TRUE(last().trace_options);
    EXPECT_EQ(last().trace_options->launch, 1U);
    EXPECT_EQ(last().trace_options->first_workgroup, 3U);
    EXPECT_FALSE(last().sampling.measure);
    answer(recorded());
    EXPECT_FALSE(session_.in_flight());
    EXPECT_EQ(session_.runs().all().size(), runs);
    EXPECT_EQ(session_.report(), shown);
    ASSERT_TRUE(session_.traces().newest());
    EXPECT_EQ(session_.traces().newest()->problem, "");
    EXPECT_EQ(session_.traces().newest()->records.size(), session_.traces().newest()->race_partners.size());
    EXPECT_FALSE(session_.traces().newest()->findings.empty());
    EXPECT_EQ(session_.traces().newest()->report->status, Status::ok) << "judged by itself";
}

TEST_F(SessionTraces, WaitsForTheRunInTheAirAndGoesBeforeWhatFollows) {
    session_.run();
    const std::uint64_t run = last().id;
    session_.record();
    EXPECT_EQ(last().id, run);
    answer(answer_to(last(), Status::ok));
    EXPECT_TRUE(last().trace_options);
    set_size(64);
    EXPECT_FALSE(last().trace_options) << "the newest wish goes first";
    EXPECT_FALSE(session_.is_recording());
}

TEST_F(SessionTraces, IsOldOnceTheBenchShowsSomethingElse) {
    record();
    EXPECT_FALSE(session_.trace_is_old());
    const std::uint64_t size = session_.bench().values()[key::workgroup_size];
    set_size(size / 2);
    EXPECT_TRUE(session_.trace_is_old());
    set_size(size);
    EXPECT_FALSE(session_.trace_is_old());
    session_.edit_kernel("another text");
    EXPECT_TRUE(session_.trace_is_old());
}

TEST_F(SessionTraces, TakesTheKernelAsItStandsInTheEditor) {
    session_.edit_kernel("mine");
    session_.record();
    ASSERT_TRUE(last().trace_options);
    ASSERT_TRUE(last().experiment.kernel);
    EXPECT_EQ(last().experiment.kernel->text, "mine");
    pass(std::chrono::seconds(2));
    EXPECT_TRUE(last().trace_options) << "the pause in the typing does not end it";
    Report broken = answer_to(last(), Status::failed);
    const std::string words = broken.message = "It does not compile.";
    broken.diagnostics = {{DiagnosticLevel::error, "tree_sequential.comp", 3, "no such name"}};
    answer(std::move(broken));
    EXPECT_EQ(session_.kernel_edit()->state, KernelState::bad);
    ASSERT_TRUE(session_.traces().newest());
    EXPECT_THAT(session_.traces().newest()->problem, HasSubstr(words));
}

TEST_F(SessionTraces, AStopLeavesTheOneBefore) {
    record();
    const auto before = session_.traces().newest();
    session_.record();
    session_.stop();
    EXPECT_EQ(lab_.cancelled, 1);
    answer(answer_to(last(), Status::stopped));
    EXPECT_EQ(session_.traces().newest(), before);
    EXPECT_FALSE(session_.in_flight());
}

TEST_F(SessionTraces, AnotherLessonGivesItBack) {
    record();
    session_.go_to_step(0);
    EXPECT_TRUE(session_.traces().newest()) << "another step does not";
    session_.open(*find_lesson("histogram"), 0);
    EXPECT_FALSE(session_.traces().newest());
}

TEST_F(SessionTraces, ComesAfterTheAnswerOfAQuestion) {
    go_to_question();
    const std::size_t request_count = lab_.requests.size();
    session_.record();
    EXPECT_EQ(lab_.requests.size(), request_count);
    EXPECT_FALSE(session_.is_recording());
}

/// What a picture that is looked at wants, frame after frame.
class PictureRecording : public SessionTraces {
 protected:
    /// Whether it was asked for just now.
    bool looks_at(std::uint32_t launch = 0) {
        const std::size_t request_count = lab_.requests.size();
        session_.trace_for_picture(launch);
        return lab_.requests.size() > request_count && last().trace_options &&
               last().trace_options->launch == launch;
    }
    Report recorded_launch() const {
        Report report = recorded();
        report.trace->launch_number = last().trace_options->launch;
        return report;
    }
};

TEST_F(PictureRecording, IsMadeOnceForEachLaunch) {
    ASSERT_TRUE(looks_at());
    EXPECT_TRUE(session_.is_recording());
    EXPECT_FALSE(last().sampling.measure);
    EXPECT_FALSE(looks_at()) << "it is on its way";
    const std::size_t runs = session_.runs().all().size();
    answer(recorded_launch());
    EXPECT_EQ(session_.runs().all().size(), runs);
    ASSERT_TRUE(session_.traces().newest()) << "the one that the Inside tab shows";
    EXPECT_FALSE(looks_at());
    ASSERT_TRUE(looks_at(2));
    answer(recorded_launch());
    EXPECT_FALSE(looks_at(2));
    session_.record({.launch = 2, .first_workgroup = 3});
    answer(recorded_launch());
    EXPECT_FALSE(looks_at(2)) << "what a person has recorded does as well";
}

TEST_F(PictureRecording, WaitsForARunOfWhatIsOnTheBench) {
    set_size(64);
    EXPECT_FALSE(looks_at()) << "that runs now";
    answer(answer_to(last(), Status::ok));
    EXPECT_TRUE(looks_at());
    set_size(32);
    EXPECT_FALSE(last().trace_options) << "what is asked for goes first";
    EXPECT_FALSE(session_.is_recording());
    answer(answer_to(last(), Status::failed));
    EXPECT_FALSE(looks_at()) << "a kernel that died";
    session_.run();
    answer(answer_to(last(), Status::mismatch));
    EXPECT_TRUE(looks_at()) << "a wrong one has a picture";
    EXPECT_EQ(last().experiment.values[key::workgroup_size], 32U);
}

TEST_F(PictureRecording, WaitsForASweep) {
    session_.start_sweep(sweep_of_sizes("32,64"));
    EXPECT_FALSE(looks_at());
    answer(answer_to(last(), Status::ok));
    EXPECT_FALSE(looks_at()) << "between two of its cells";
    answer(answer_to(last(), Status::ok));
    ASSERT_EQ(session_.sweeps().state(), SweepState::done);
    EXPECT_TRUE(looks_at());
}

TEST_F(PictureRecording, ThatFailedOrWasStoppedIsNotTriedAgain) {
    ASSERT_TRUE(looks_at());
    Report lost = answer_to(last(), Status::lost);
    const std::string last_words = lost.message = "The lab ended.";
    answer(std::move(lost));
    EXPECT_THAT(session_.traces().newest()->problem, testing::StartsWith(last_words));
    EXPECT_FALSE(looks_at());
    session_.set_variant("tree_interleaved");
    answer(answer_to(last(), Status::ok));
    ASSERT_TRUE(looks_at());
    session_.stop();
    answer(answer_to(last(), Status::stopped));
    EXPECT_NE(session_.traces().newest()->problem, "");
    EXPECT_FALSE(looks_at());
}

TEST_F(PictureRecording, IsOfAKernelThatCompilesAndNeverKeepsATextFromIt) {
    ASSERT_TRUE(looks_at());
    session_.edit_kernel("mine");
    pass(std::chrono::seconds(2));
    ASSERT_TRUE(last().experiment.kernel) << "the text does not wait for the picture";
    EXPECT_FALSE(last().trace_options);
    EXPECT_FALSE(looks_at());
    answer(answer_to(last(), Status::ok));
    ASSERT_TRUE(looks_at());
    EXPECT_EQ(last().experiment.kernel->text, "mine");
    answer(recorded_launch());
    session_.edit_kernel("broken");
    EXPECT_FALSE(looks_at()) << "not compiled yet";
}

TEST_F(PictureRecording, OfWhatMayBeSeenIsMadeWithoutARunWhileAQuestionIsOpen) {
    go_to_question();
    const std::size_t runs = session_.runs().all().size();
    ASSERT_TRUE(looks_at());
    answer(recorded_launch());
    EXPECT_TRUE(session_.traces().newest());
    EXPECT_TRUE(session_.has_open_question());
    EXPECT_EQ(session_.runs().all().size(), runs);
    // One that is given up for another step is no reason against the next.
    set_size(64);
    ASSERT_TRUE(looks_at());
    const Report given_up = answer_to(last(), Status::stopped);
    session_.go_to_step(session_.step());
    answer(given_up);
    EXPECT_TRUE(looks_at() || !session_.trace_is_old());
    EXPECT_EQ(session_.traces().newest()->problem, "");
}

}  // namespace gridstride::ui::session_traces_test
