// How a session handles user kernels, with a lab that gives the test's answers.
#include "lesson/kernel_file.h"
#include "session/session_case.h"
#include "test_includes.h"
#include "ui/panels/panels.h"

namespace gridstride::ui::session_kernel_test {

class SessionKernelTest : public SessionTest {
 protected:
    SessionKernelTest() {
        run_tree();
        reply();
    }

    void answer(Status status, std::vector<Diagnostic> diagnostics = {}, bool final = true) {
        Report report = answer_to(last(), status);
        report.is_final = final;
        report.diagnostics = std::move(diagnostics);
        reply(std::move(report));
    }
    void answer_with_error(std::uint32_t line = 12) {
        answer(Status::failed,
               {{DiagnosticLevel::error, last().experiment.kernel->name, line, "no such name"}});
    }
    void wait_for_quiet_time() { pass(std::chrono::milliseconds(401)); }
    void type(const std::string& text) {
        session_.edit_kernel(text);
        wait_for_quiet_time();
    }
    /// Types the text and waits for the quiet time; the lab answers that it compiles.
    void type_valid_kernel(const std::string& text) {
        type(text);
        reply();
    }
    void type_broken_kernel(const std::string& text = "broken") {
        type(text);
        answer_with_error();
    }
    std::string requested_kernel() const {
        return last().experiment.kernel ? last().experiment.kernel->text : "the lesson's own";
    }
    const KernelEdit& edit() const { return *session_.kernel_edit(); }
    bool has_state(KernelState state, std::size_t errors) const {
        return edit().state == state && edit().errors() == errors;
    }
};

TEST_F(SessionKernelTest, RunsTheLessonsKernelUntilAnEdit) {
    EXPECT_EQ(session_.kernel_edit(), nullptr);
    EXPECT_FALSE(last().experiment.kernel);
    EXPECT_EQ(session_.lesson_kernel_name(), "tree_sequential.comp");
}

TEST_F(SessionKernelTest, CompilesWhenTypingPauses) {
    const std::size_t before = lab_.requests.size();
    EXPECT_TRUE(std::isinf(session_.seconds_until_compile()));
    session_.edit_kernel("a");
    pass(std::chrono::milliseconds(300));
    session_.edit_kernel("ab");
    pass(std::chrono::milliseconds(300));
    EXPECT_EQ(lab_.requests.size(), before) << "every key restarts the quiet time";
    EXPECT_NEAR(session_.seconds_until_compile(), 0.1, 1e-6);
    pass(std::chrono::milliseconds(101));
    ASSERT_EQ(lab_.requests.size(), before + 1);
    EXPECT_EQ(last().experiment.kernel, (KernelSource{"ab", "tree_sequential.comp", ""}));
    session_.pump();
    EXPECT_EQ(lab_.requests.size(), before + 1) << "the text is compiled once";
}

TEST_F(SessionKernelTest, RunningCompilesAtOnce) {
    session_.edit_kernel("a");
    session_.run();
    EXPECT_EQ(requested_kernel(), "a");
    reply();
    EXPECT_EQ(edit().state, KernelState::good);
    EXPECT_EQ(session_.report()->kernel_name(), "tree_sequential.comp");
    EXPECT_EQ(session_.runs().all().back().report.kernel_name(), "tree_sequential.comp");
    EXPECT_FALSE(session_.is_stale());
    EXPECT_TRUE(std::isinf(session_.seconds_until_compile()));
}

TEST_F(SessionKernelTest, FailedCompileKeepsTheLastResult) {
    const std::size_t runs = session_.runs().all().size();
    const std::uint64_t shown_request = session_.report()->request;
    type_broken_kernel();
    EXPECT_EQ(session_.report()->request, shown_request);
    EXPECT_EQ(session_.report()->status, Status::ok);
    EXPECT_FALSE(session_.is_stale());
    EXPECT_EQ(session_.runs().all().size(), runs);
    EXPECT_FALSE(session_.has_active_jobs());
    EXPECT_EQ(edit().errors(), 1U);
    EXPECT_THAT(kernel_status(session_).text, HasSubstr("Line 12"));
}

TEST_F(SessionKernelTest, TheLastGoodKernelKeepsRunning) {
    type_broken_kernel();
    const std::string lesson_status = kernel_status(session_).text;
    type_valid_kernel("good");
    type_broken_kernel();
    EXPECT_NE(kernel_status(session_).text, lesson_status) << "the status names the kernel of the results";
    set_size(64);
    EXPECT_EQ(requested_kernel(), "good");
    EXPECT_EQ(size_of(last()), 64U);
    reply();
    EXPECT_EQ(edit().state, KernelState::bad) << "the run of the good kernel does not check this text";
    EXPECT_EQ(edit().source.text, "broken");
}

TEST_F(SessionKernelTest, FailedCompileOfARunMeasuresTheLastGoodKernel) {
    type_valid_kernel("good");
    session_.edit_kernel("broken");
    session_.run();
    EXPECT_EQ(requested_kernel(), "broken");
    answer_with_error();
    EXPECT_EQ(requested_kernel(), "good");
    reply();
    EXPECT_FALSE(session_.has_active_jobs());
}

TEST_F(SessionKernelTest, SamplingResumesAfterAFailedCompile) {
    type_valid_kernel("good");
    set_size(64);
    answer(Status::ok, {}, false);
    type("broken");
    EXPECT_EQ(requested_kernel(), "broken");
    answer_with_error();
    EXPECT_EQ(requested_kernel(), "good");
}

TEST_F(SessionKernelTest, SliderMoveDuringACompileKeepsTheText) {
    type("new");
    set_size(64);
    EXPECT_EQ(requested_kernel(), "new");
    EXPECT_EQ(size_of(last()), 64U);
    answer_with_error();
    EXPECT_EQ(requested_kernel(), "the lesson's own");
    EXPECT_EQ(size_of(last()), 64U);
}

TEST_F(SessionKernelTest, WarningsAreNotErrors) {
    type("odd");
    answer(Status::ok, {{DiagnosticLevel::warning, "tree_sequential.comp", 3, "unused"}});
    EXPECT_TRUE(has_state(KernelState::good, 0));
    EXPECT_THAT(kernel_status(session_).text, HasSubstr("1 warning"));
}

TEST_F(SessionKernelTest, FailureWithoutDiagnosticsIsShown) {
    type("odd");
    reply(Status::failed);
    EXPECT_EQ(edit().state, KernelState::bad);
    EXPECT_THAT(kernel_status(session_).text, HasSubstr("✗"));
}

TEST_F(SessionKernelTest, RevertRestoresTheLessonsKernel) {
    type_valid_kernel("good");
    session_.revert_kernel();
    EXPECT_EQ(session_.kernel_edit(), nullptr);
    EXPECT_TRUE(session_.is_stale()) << "until the lesson's kernel has run";
    EXPECT_EQ(requested_kernel(), "the lesson's own");
    reply();
    EXPECT_FALSE(session_.is_stale());
}

TEST_F(SessionKernelTest, EditsAreKeptPerVariant) {
    type_valid_kernel("mine");
    session_.set_variant("tree_interleaved");
    EXPECT_EQ(session_.kernel_edit(), nullptr);
    EXPECT_EQ(requested_kernel(), "the lesson's own");
    reply();
    session_.set_variant("tree_sequential");
    EXPECT_EQ(requested_kernel(), "mine");
    EXPECT_EQ(edit().source.text, "mine");
}

TEST_F(SessionKernelTest, EditBeforeASwitchIsCompiledAfterSwitchingBack) {
    session_.edit_kernel("quick");
    session_.set_variant("tree_interleaved");
    wait_for_quiet_time();
    EXPECT_EQ(requested_kernel(), "the lesson's own");
    reply();
    session_.set_variant("tree_sequential");
    session_.pump();
    EXPECT_EQ(requested_kernel(), "quick");
}

TEST_F(SessionKernelTest, LostOrTimedOutRunKeepsTheText) {
    for (const Status status : {Status::lost, Status::timed_out}) {
        type("loops " + std::string(name(status)));
        reply(status);
        EXPECT_EQ(edit().state, KernelState::good) << "the kernel compiled; its run has this status";
        EXPECT_EQ(session_.report()->status, status);
        EXPECT_THAT(edit().source.text, HasSubstr("loops"));
    }
}

TEST_F(SessionKernelTest, RunStoppedDuringItsCompileLeavesTheTextUncompiled) {
    type("slow");
    session_.stop();
    reply(Status::stopped);
    EXPECT_EQ(edit().state, KernelState::uncompiled);
    EXPECT_THAT(kernel_status(session_).text, HasSubstr("F5"));
    session_.run();
    EXPECT_EQ(requested_kernel(), "slow");
}

TEST_F(SessionKernelTest, StoppedRunClearsTheMessagesOfAnOlderText) {
    type_broken_kernel();
    session_.edit_kernel("slow");
    EXPECT_EQ(edit().errors(), 1U) << "the old messages stay until it is compiled";
    wait_for_quiet_time();
    session_.stop();
    reply(Status::stopped);
    EXPECT_TRUE(edit().diagnostics.empty());

    // Another run replaces the stopped one before its answer arrives.
    type_broken_kernel();
    type("slow");
    session_.stop();
    set_size(32);
    reply();
    EXPECT_TRUE(edit().diagnostics.empty());
}

TEST_F(SessionKernelTest, LostRunClearsTheMessagesOfAnOlderText) {
    type_broken_kernel();
    type("hangs");
    reply(Status::lost);
    EXPECT_TRUE(edit().diagnostics.empty());
}

TEST_F(SessionKernelTest, QuestionsRunTheLessonsKernelDespiteEdits) {
    type_valid_kernel("mine");
    session_.go_to_step(0);
    session_.set_variant("tree_sequential");
    ASSERT_TRUE(session_.kernel_edit());
    for (std::size_t i = 0; i < session_.story().steps[0].blocks.size(); ++i) {
        if (!std::holds_alternative<PredictBlock>(session_.story().steps[0].blocks[i])) continue;
        session_.decide_prediction(i);
        EXPECT_EQ(requested_kernel(), "the lesson's own");
        session_.edit_kernel("typed meanwhile");
        wait_for_quiet_time();
        EXPECT_EQ(requested_kernel(), "typed meanwhile");
        reply();
        EXPECT_EQ(requested_kernel(), "the lesson's own");
    }
}

TEST_F(SessionKernelTest, RunningAllVariantsUsesOnlyTheBenchsEdit) {
    type_valid_kernel("mine");
    session_.run_all_variants();
    std::size_t run_count = 0;
    while (session_.has_active_jobs()) {
        EXPECT_EQ(requested_kernel(),
                  last().experiment.variant == "tree_sequential" ? "mine" : "the lesson's own");
        ++run_count;
        reply();
    }
    EXPECT_EQ(run_count, session_.lesson().variants.size());
}

TEST_F(SessionKernelTest, InvalidValuesPostponeCompiling) {
    set_size(4096);
    ASSERT_FALSE(session_.bench().is_valid());
    const std::size_t before = lab_.requests.size();
    type("a");
    EXPECT_EQ(lab_.requests.size(), before);
    EXPECT_TRUE(std::isinf(session_.seconds_until_compile())) << "the window sleeps";
    set_size(64);
    session_.pump();
    EXPECT_EQ(requested_kernel(), "a");
}

TEST_F(SessionKernelTest, OpensAndSavesFiles) {
    const ScratchFolder folder;
    const std::string path = (folder / "mine.comp").string();
    EXPECT_THROW(read_kernel(path), FileError);
    std::ofstream(path) << "\xEF\xBB\xBFvoid main() {\r\n}\r";  // line ends of old Macs and of Windows
    session_.use_kernel(read_kernel(path), path);
    session_.pump();
    EXPECT_EQ(last().experiment.kernel,
              (KernelSource{"void main() {\n}\n", "mine.comp", folder.path().string()}));
    const std::string other = (folder / "other.comp").string();
    session_.mark_kernel_saved(other, "saved");
    EXPECT_EQ(edit().file.path, other);
    EXPECT_EQ(edit().file.saved.text, "saved");
    EXPECT_EQ(edit().source.name, "other.comp");
    std::filesystem::resize_file(path, (std::uintmax_t{4} << 20) + 1);
    EXPECT_THROW(read_kernel(path), FileError) << "over 4 MiB";
}

TEST_F(SessionKernelTest, DimsResultsOfAnotherText) {
    EXPECT_FALSE(session_.is_dimmed());
    session_.edit_kernel("typed");
    EXPECT_TRUE(session_.is_dimmed()) << "this text has no result yet";
    wait_for_quiet_time();
    reply();
    EXPECT_FALSE(session_.is_dimmed());
    type_broken_kernel();
    EXPECT_TRUE(session_.is_dimmed()) << "the results are those of the last good kernel";
    EXPECT_FALSE(session_.is_stale());
    session_.edit_kernel("typed");
    EXPECT_FALSE(session_.is_dimmed()) << "the results belong to this text";
}

TEST_F(SessionKernelTest, StatusReportsAWrongResult) {
    type("wrong");
    Report report = answer_to(last(), Status::mismatch);
    report.compare.wrong_runs = report.compare.judged_runs = 3;
    reply(report);
    EXPECT_THAT(kernel_status(session_).text, HasSubstrs("✗", "3 of 3"));
    set_size(64);
    EXPECT_THAT(kernel_status(session_).text, HasSubstr("✓")) << "there is no verdict at this size";
}

TEST_F(SessionKernelTest, RestoredTextKeepsItsFile) {
    session_.edit_kernel("typed");
    const KernelFile typed_file = edit().file;
    session_.use_kernel({.text = "opened", .name = "other.comp", .folder = "/there"}, "/there/other.comp");
    session_.edit_kernel("opened, then typed");
    EXPECT_EQ(edit().file.path, "/there/other.comp");
    session_.edit_kernel("typed", &typed_file);
    EXPECT_EQ(edit().source, (KernelSource{"typed", "tree_sequential.comp", ""}));
    EXPECT_EQ(edit().file.path, "");
    EXPECT_EQ(edit().file.saved.text, "");
}

}  // namespace gridstride::ui::session_kernel_test
