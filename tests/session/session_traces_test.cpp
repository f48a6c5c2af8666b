// Tests traces, which are separate runs: who requests one, what it leaves unchanged and when it becomes old.
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
    Report make_traced_report() const {
        Report report = answer_to(last(), Status::ok);
        TraceCase::put(TraceCase{}.make(), report);
        return report;
    }
    void answer(Report report) {
        const bool is_trace = last().trace_options.has_value();
        reply(std::move(report));
        if (is_trace) wait_for_trace();
    }
    void record() {
        session_.trace_run();
        answer(make_traced_report());
    }
    void go_to_question() {
        std::size_t step = 0;
        while (step < session_.story().steps.size() && !session_.has_open_question())
            session_.go_to_step(step++);
        ASSERT_TRUE(session_.has_open_question());
    }
};

TEST_F(SessionTraces, RunSeparatelyAndAreNotListedInTheTable) {
    const std::size_t runs = session_.runs().all().size();
    const Report* const shown_report = session_.report();
    session_.trace_run({.launch = 1, .first_workgroup = 3});
    EXPECT_TRUE(session_.is_tracing());
    ASSERT_TRUE(last().trace_options);
    EXPECT_EQ(last().trace_options->launch, 1U);
    EXPECT_EQ(last().trace_options->first_workgroup, 3U);
    EXPECT_FALSE(last().sampling.measure);
    answer(make_traced_report());
    EXPECT_FALSE(session_.has_active_jobs());
    EXPECT_EQ(session_.runs().all().size(), runs);
    EXPECT_EQ(session_.report(), shown_report);
    ASSERT_TRUE(session_.traces().newest());
    EXPECT_EQ(session_.traces().newest()->problem, "");
    EXPECT_EQ(session_.traces().newest()->records.size(), session_.traces().newest()->race_partners.size());
    EXPECT_FALSE(session_.traces().newest()->findings.empty());
    EXPECT_EQ(session_.traces().newest()->report->status, Status::ok) << "the run has a verdict of its own";
}

TEST_F(SessionTraces, WaitForTheActiveRunAndAreReplacedByNewerRequests) {
    session_.run();
    const std::uint64_t run = last().id;
    session_.trace_run();
    EXPECT_EQ(last().id, run);
    answer(answer_to(last(), Status::ok));
    EXPECT_TRUE(last().trace_options);
    set_size(64);
    EXPECT_FALSE(last().trace_options) << "the newest request runs first";
    EXPECT_FALSE(session_.is_tracing());
}

TEST_F(SessionTraces, AreOldAfterTheBenchChanges) {
    record();
    EXPECT_FALSE(session_.is_trace_old());
    const std::uint64_t size = session_.bench().values()[key::workgroup_size];
    set_size(size / 2);
    EXPECT_TRUE(session_.is_trace_old());
    set_size(size);
    EXPECT_FALSE(session_.is_trace_old());
    session_.edit_kernel("another text");
    EXPECT_TRUE(session_.is_trace_old());
}

TEST_F(SessionTraces, UseTheTextInTheEditor) {
    session_.edit_kernel("mine");
    session_.trace_run();
    ASSERT_TRUE(last().trace_options);
    ASSERT_TRUE(last().experiment.kernel);
    EXPECT_EQ(last().experiment.kernel->text, "mine");
    pass(std::chrono::seconds(2));
    EXPECT_TRUE(last().trace_options) << "a pause in typing does not end the trace run";
    Report broken = answer_to(last(), Status::failed);
    const std::string compile_message = broken.message = "It does not compile.";
    broken.diagnostics = {{DiagnosticLevel::error, "tree_sequential.comp", 3, "no such name"}};
    answer(std::move(broken));
    EXPECT_EQ(session_.kernel_edit()->state, KernelState::bad);
    ASSERT_TRUE(session_.traces().newest());
    EXPECT_THAT(session_.traces().newest()->problem, HasSubstr(compile_message));
}

TEST_F(SessionTraces, StoppingKeepsThePreviousTrace) {
    record();
    const auto before = session_.traces().newest();
    session_.trace_run();
    session_.stop();
    EXPECT_EQ(lab_.cancelled, 1);
    answer(answer_to(last(), Status::stopped));
    EXPECT_EQ(session_.traces().newest(), before);
    EXPECT_FALSE(session_.has_active_jobs());
}

TEST_F(SessionTraces, AreReleasedByOpeningAnotherLesson) {
    record();
    session_.go_to_step(0);
    EXPECT_TRUE(session_.traces().newest()) << "the trace remains at another step";
    session_.open(*find_course_entry("histogram"), 0);
    EXPECT_FALSE(session_.traces().newest());
}

TEST_F(SessionTraces, AreNotTracedWhileAQuestionIsOpen) {
    go_to_question();
    const std::size_t request_count = lab_.requests.size();
    session_.trace_run();
    EXPECT_EQ(lab_.requests.size(), request_count);
    EXPECT_FALSE(session_.is_tracing());
}

/// A visible picture requests a trace in every frame.
class PictureTrace : public SessionTraces {
 protected:
    /// Draws a frame of a picture of this launch; returns whether that sent a request to the lab.
    bool requests_trace(std::uint32_t launch = 0) {
        const std::size_t request_count = lab_.requests.size();
        session_.trace_for_picture(launch);
        return lab_.requests.size() > request_count && last().trace_options &&
               last().trace_options->launch == launch;
    }
    Report make_traced_launch_report() const {
        Report report = make_traced_report();
        report.trace->launch_number = last().trace_options->launch;
        return report;
    }
};

TEST_F(PictureTrace, IsTracedOnceForEachLaunch) {
    ASSERT_TRUE(requests_trace());
    EXPECT_TRUE(session_.is_tracing());
    EXPECT_FALSE(last().sampling.measure);
    EXPECT_FALSE(requests_trace()) << "the request is pending";
    const std::size_t runs = session_.runs().all().size();
    answer(make_traced_launch_report());
    EXPECT_EQ(session_.runs().all().size(), runs);
    ASSERT_TRUE(session_.traces().newest()) << "the Inside tab shows this trace";
    EXPECT_FALSE(requests_trace());
    ASSERT_TRUE(requests_trace(2));
    answer(make_traced_launch_report());
    EXPECT_FALSE(requests_trace(2));
    session_.trace_run({.launch = 2, .first_workgroup = 3});
    answer(make_traced_launch_report());
    EXPECT_FALSE(requests_trace(2)) << "a trace that the user asked for serves as well";
}

TEST_F(PictureTrace, WaitsForTheBenchsRun) {
    set_size(64);
    EXPECT_FALSE(requests_trace()) << "the bench's run has not ended";
    answer(answer_to(last(), Status::ok));
    EXPECT_TRUE(requests_trace());
    set_size(32);
    EXPECT_FALSE(last().trace_options) << "a requested run goes first";
    EXPECT_FALSE(session_.is_tracing());
    answer(answer_to(last(), Status::failed));
    EXPECT_FALSE(requests_trace()) << "the kernel failed";
    session_.run();
    answer(answer_to(last(), Status::mismatch));
    EXPECT_TRUE(requests_trace()) << "a wrong result has a picture";
    EXPECT_EQ(last().experiment.values[key::workgroup_size], 32U);
}

TEST_F(PictureTrace, WaitsForASweepToFinish) {
    session_.start_sweep(make_size_sweep("32,64"));
    EXPECT_FALSE(requests_trace());
    answer(answer_to(last(), Status::ok));
    EXPECT_FALSE(requests_trace()) << "the sweep has another cell";
    answer(answer_to(last(), Status::ok));
    ASSERT_EQ(session_.sweeps().state(), SweepState::done);
    EXPECT_TRUE(requests_trace());
}

TEST_F(PictureTrace, IsNotRetriedAfterAFailureOrAStop) {
    ASSERT_TRUE(requests_trace());
    Report lost = answer_to(last(), Status::lost);
    const std::string lost_message = lost.message = "The lab ended.";
    answer(std::move(lost));
    EXPECT_THAT(session_.traces().newest()->problem, testing::StartsWith(lost_message));
    EXPECT_FALSE(requests_trace());
    session_.set_variant("tree_interleaved");
    answer(answer_to(last(), Status::ok));
    ASSERT_TRUE(requests_trace());
    session_.stop();
    answer(answer_to(last(), Status::stopped));
    EXPECT_NE(session_.traces().newest()->problem, "");
    EXPECT_FALSE(requests_trace());
}

TEST_F(PictureTrace, NeedsACompiledKernelAndNeverDelaysAnEdit) {
    ASSERT_TRUE(requests_trace());
    session_.edit_kernel("mine");
    pass(std::chrono::seconds(2));
    ASSERT_TRUE(last().experiment.kernel) << "the edited kernel does not wait for the trace";
    EXPECT_FALSE(last().trace_options);
    EXPECT_FALSE(requests_trace());
    answer(answer_to(last(), Status::ok));
    ASSERT_TRUE(requests_trace());
    EXPECT_EQ(last().experiment.kernel->text, "mine");
    answer(make_traced_launch_report());
    session_.edit_kernel("broken");
    EXPECT_FALSE(requests_trace()) << "not compiled yet";
}

TEST_F(PictureTrace, IsTracedWithoutARunWhileAQuestionIsOpen) {
    go_to_question();
    const std::size_t runs = session_.runs().all().size();
    ASSERT_TRUE(requests_trace());
    answer(make_traced_launch_report());
    EXPECT_TRUE(session_.traces().newest());
    EXPECT_TRUE(session_.has_open_question());
    EXPECT_EQ(session_.runs().all().size(), runs);
    // A trace that was aborted for another step does not prevent the next one.
    set_size(64);
    ASSERT_TRUE(requests_trace());
    const Report aborted = answer_to(last(), Status::stopped);
    session_.go_to_step(session_.step());
    answer(aborted);
    EXPECT_TRUE(requests_trace() || !session_.is_trace_old());
    EXPECT_EQ(session_.traces().newest()->problem, "");
}

}  // namespace gridstride::ui::session_traces_test
