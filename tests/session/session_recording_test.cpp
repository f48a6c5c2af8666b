// A recording is a run of its own: what asks for it, what it leaves alone, when it is no longer of the bench.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <utility>

#include "session/fake_lab.h"
#include "session/session.h"
#include "test_environment.h"
#include "ui/trace_case.h"

namespace gridstride::ui {
namespace {

using testing::HasSubstr;

class SessionRecording : public testing::Test {
 protected:
    SessionRecording() : session_(lab_, "en", [this] { return now_; }) {
        session_.open(*find_lesson("reduction"), 1);
        skip_questions(session_);
        session_.set_variant("tree_sequential");
        session_.pump();
        session_.run();
        answer(answer_to(last(), Status::ok));
    }
    const lab::Request& last() const { return lab_.asked.back(); }
    /// The lab answers; what it recorded is taken apart beside this thread.
    void answer(Report report) {
        const bool records = last().recorded.has_value();
        lab_.answers.push_back(std::move(report));
        const auto until = std::chrono::steady_clock::now() + patience;
        session_.pump();
        while (records && session_.is_recording() && std::chrono::steady_clock::now() < until) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            session_.pump();
        }
    }
    Report recorded() const {
        Report report = answer_to(last(), Status::ok);
        TraceCase::put(TraceCase{}.make(), report);
        return report;
    }

    FakeLab lab_;
    KernelClock::time_point now_{};
    Session session_;
};

TEST_F(SessionRecording, IsARunOfItsOwnInNoTable) {
    const std::size_t runs = session_.history().size();
    const Report* const shown = session_.report();
    session_.record({.launch = 1, .first_workgroup = 3});
    EXPECT_TRUE(session_.is_recording());
    ASSERT_TRUE(last().recorded);
    EXPECT_EQ(last().recorded->launch, 1U);
    EXPECT_EQ(last().recorded->first_workgroup, 3U);
    EXPECT_FALSE(last().sampling.measure);
    answer(recorded());
    EXPECT_FALSE(session_.in_flight());
    EXPECT_EQ(session_.history().size(), runs);
    EXPECT_EQ(session_.report(), shown);
    ASSERT_TRUE(session_.recording());
    EXPECT_EQ(session_.recording()->problem, "");
    EXPECT_EQ(session_.recording()->records.size(), session_.recording()->race_partners.size());
    EXPECT_FALSE(session_.recording()->findings.empty());
    EXPECT_EQ(session_.recording()->report->status, Status::ok) << "judged by itself";
}

TEST_F(SessionRecording, WaitsForTheRunInTheAirAndGoesBeforeWhatFollows) {
    session_.run();
    const std::uint64_t run = last().id;
    session_.record();
    EXPECT_EQ(last().id, run);
    answer(answer_to(last(), Status::ok));
    EXPECT_TRUE(last().recorded);
    session_.set_value("workgroup_size", std::uint64_t{64});
    EXPECT_FALSE(last().recorded) << "the newest wish goes first";
    EXPECT_FALSE(session_.is_recording());
}

TEST_F(SessionRecording, IsOldOnceTheBenchShowsSomethingElse) {
    session_.record();
    answer(recorded());
    EXPECT_FALSE(session_.recording_is_old());
    const std::uint64_t size = session_.values()[key::workgroup_size];
    session_.set_value("workgroup_size", size / 2);
    EXPECT_TRUE(session_.recording_is_old());
    session_.set_value("workgroup_size", size);
    EXPECT_FALSE(session_.recording_is_old());
    session_.edit_kernel("another text");
    EXPECT_TRUE(session_.recording_is_old());
}

TEST_F(SessionRecording, TakesTheKernelAsItStandsInTheEditor) {
    session_.edit_kernel("mine");
    session_.record();
    ASSERT_TRUE(last().recorded);
    ASSERT_TRUE(last().experiment.kernel);
    EXPECT_EQ(last().experiment.kernel->text, "mine");
    now_ += std::chrono::seconds(2);
    session_.pump();
    EXPECT_TRUE(last().recorded) << "the pause in the typing does not end it";
    Report broken = answer_to(last(), Status::failed);
    broken.message = "It does not compile.";
    broken.diagnostics = {{DiagnosticLevel::error, "tree_sequential.comp", 3, "no such name"}};
    answer(std::move(broken));
    EXPECT_EQ(session_.kernel_edit()->state, KernelState::bad);
    ASSERT_TRUE(session_.recording());
    EXPECT_THAT(session_.recording()->problem, HasSubstr("does not compile"));
}

TEST_F(SessionRecording, AStopLeavesTheOneBefore) {
    session_.record();
    answer(recorded());
    const auto before = session_.recording();
    session_.record();
    session_.stop();
    EXPECT_EQ(lab_.cancelled, 1);
    answer(answer_to(last(), Status::stopped));
    EXPECT_EQ(session_.recording(), before);
    EXPECT_FALSE(session_.in_flight());
}

TEST_F(SessionRecording, AnotherLessonGivesItBack) {
    session_.record();
    answer(recorded());
    session_.go_to_step(0);
    EXPECT_TRUE(session_.recording()) << "another step does not";
    session_.open(*find_lesson("histogram"), 0);
    EXPECT_FALSE(session_.recording());
}

TEST_F(SessionRecording, ComesAfterTheAnswerOfAQuestion) {
    std::size_t step = 0;
    while (step < session_.story().steps.size() && !session_.asks_first())
        session_.go_to_step(step++);
    ASSERT_TRUE(session_.asks_first());
    const std::size_t asked = lab_.asked.size();
    session_.record();
    EXPECT_EQ(lab_.asked.size(), asked);
    EXPECT_FALSE(session_.is_recording());
}

}  // namespace
}  // namespace gridstride::ui
