// What the window does with kernels of a person's own, against a lab that answers as the test says.
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
        report.final = final;
        report.diagnostics = std::move(diagnostics);
        reply(std::move(report));
    }
    void answer_with_error(std::uint32_t line = 12) {
        answer(Status::failed,
               {{DiagnosticLevel::error, last().experiment.kernel->name, line, "no such name"}});
    }
    void rest() { pass(std::chrono::milliseconds(401)); }
    void type(const std::string& text) {
        session_.edit_kernel(text);
        rest();
    }
    /// Types it, rests, and the lab says that it compiles.
    void make_good(const std::string& text) {
        type(text);
        reply();
    }
    void make_bad(const std::string& text = "broken") {
        type(text);
        answer_with_error();
    }
    std::string running() const {
        return last().experiment.kernel ? last().experiment.kernel->text : "the lesson's own";
    }
    const KernelEdit& edit() const { return *session_.kernel_edit(); }
    bool says(KernelState state, std::size_t errors) const {
        return edit().state == state && edit().errors() == errors;
    }
};

TEST_F(SessionKernelTest, TheLessonsOwnRunsUntilSomethingIsTyped) {
    EXPECT_EQ(session_.kernel_edit(), nullptr);
    EXPECT_FALSE(last().experiment.kernel);
    EXPECT_EQ(session_.lesson_kernel_name(), "tree_sequential.comp");
}

TEST_F(SessionKernelTest, TypingIsCompiledOnceItRests) {
    const std::size_t before = lab_.requests.size();
    EXPECT_TRUE(std::isinf(session_.seconds_until_compile()));
    session_.edit_kernel("a");
    pass(std::chrono::milliseconds(300));
    session_.edit_kernel("ab");
    pass(std::chrono::milliseconds(300));
    EXPECT_EQ(lab_.requests.size(), before) << "every key begins the quiet time anew";
    EXPECT_NEAR(session_.seconds_until_compile(), 0.1, 1e-6);
    pass(std::chrono::milliseconds(101));
    ASSERT_EQ(lab_.requests.size(), before + 1);
    EXPECT_EQ(last().experiment.kernel, (KernelSource{"ab", "tree_sequential.comp", ""}));
    session_.pump();
    EXPECT_EQ(lab_.requests.size(), before + 1) << "once";
}

TEST_F(SessionKernelTest, RunningCompilesAtOnce) {
    session_.edit_kernel("a");
    session_.run();
    EXPECT_EQ(running(), "a");
    reply();
    EXPECT_EQ(edit().state, KernelState::good);
    EXPECT_EQ(session_.report()->kernel_name(), "tree_sequential.comp");
    EXPECT_EQ(session_.runs().all().back().report.kernel_name(), "tree_sequential.comp");
    EXPECT_FALSE(session_.stale());
    EXPECT_TRUE(std::isinf(session_.seconds_until_compile()));
}

TEST_F(SessionKernelTest, ATextThatDoesNotCompileReplacesNothing) {
    const std::size_t runs = session_.runs().all().size();
    const std::uint64_t shown = session_.report()->request;
    make_bad();
    EXPECT_EQ(session_.report()->request, shown);
    EXPECT_EQ(session_.report()->status, Status::ok);
    EXPECT_FALSE(session_.stale());
    EXPECT_EQ(session_.runs().all().size(), runs);
    EXPECT_FALSE(session_.in_flight());
    EXPECT_EQ(edit().errors(), 1U);
    EXPECT_THAT(kernel_status(session_).text, HasSubstr("Line 12"));
}

TEST_F(SessionKernelTest, TheLastGoodKernelKeepsRunning) {
    make_bad();
    const std::string of_the_lesson = kernel_status(session_).text;
    make_good("good");
    make_bad();
    EXPECT_NE(kernel_status(session_).text, of_the_lesson) << "whose results are shown";
    set_size(64);
    EXPECT_EQ(running(), "good");
    EXPECT_EQ(size_of(last()), 64U);
    reply();
    EXPECT_EQ(edit().state, KernelState::bad) << "the good one's run says nothing about this text";
    EXPECT_EQ(edit().source.text, "broken");
}

TEST_F(SessionKernelTest, ARunThatWasAskedForMeasuresTheLastGoodOne) {
    make_good("good");
    session_.edit_kernel("broken");
    session_.run();
    EXPECT_EQ(running(), "broken");
    answer_with_error();
    EXPECT_EQ(running(), "good");
    reply();
    EXPECT_FALSE(session_.in_flight());
}

TEST_F(SessionKernelTest, SamplingThatTheAttemptEndedGoesOn) {
    make_good("good");
    set_size(64);
    answer(Status::ok, {}, false);
    type("broken");
    EXPECT_EQ(running(), "broken");
    answer_with_error();
    EXPECT_EQ(running(), "good");
}

TEST_F(SessionKernelTest, ASliderMovedWhileItCompilesTakesTheTextAlong) {
    type("new");
    set_size(64);
    EXPECT_EQ(running(), "new");
    EXPECT_EQ(size_of(last()), 64U);
    answer_with_error();
    EXPECT_EQ(running(), "the lesson's own");
    EXPECT_EQ(size_of(last()), 64U);
}

TEST_F(SessionKernelTest, WarningsAreNoErrors) {
    type("odd");
    answer(Status::ok, {{DiagnosticLevel::warning, "tree_sequential.comp", 3, "unused"}});
    EXPECT_TRUE(says(KernelState::good, 0));
    EXPECT_THAT(kernel_status(session_).text, HasSubstr("1 warning"));
}

TEST_F(SessionKernelTest, AFailureWithoutDiagnosticsIsAReason) {
    type("odd");
    reply(Status::failed);
    EXPECT_EQ(edit().state, KernelState::bad);
    EXPECT_THAT(kernel_status(session_).text, HasSubstr("✗"));
}

TEST_F(SessionKernelTest, RevertGoesBackToTheLessonsOwn) {
    make_good("good");
    session_.revert_kernel();
    EXPECT_EQ(session_.kernel_edit(), nullptr);
    EXPECT_TRUE(session_.stale()) << "until the lesson's own has run";
    EXPECT_EQ(running(), "the lesson's own");
    reply();
    EXPECT_FALSE(session_.stale());
}

TEST_F(SessionKernelTest, EditsAreKeptPerVariant) {
    make_good("mine");
    session_.set_variant("tree_interleaved");
    EXPECT_EQ(session_.kernel_edit(), nullptr);
    EXPECT_EQ(running(), "the lesson's own");
    reply();
    session_.set_variant("tree_sequential");
    EXPECT_EQ(running(), "mine");
    EXPECT_EQ(edit().source.text, "mine");
}

TEST_F(SessionKernelTest, WhatWasTypedJustBeforeASwitchIsCompiledAfterIt) {
    session_.edit_kernel("quick");
    session_.set_variant("tree_interleaved");
    rest();
    EXPECT_EQ(running(), "the lesson's own");
    reply();
    session_.set_variant("tree_sequential");
    session_.pump();
    EXPECT_EQ(running(), "quick");
}

TEST_F(SessionKernelTest, ALostOrTimedOutRunLosesNoText) {
    for (const Status status : {Status::lost, Status::timed_out}) {
        type("loops " + std::string(name(status)));
        reply(status);
        EXPECT_EQ(edit().state, KernelState::good) << "it compiled; what it did is the result";
        EXPECT_EQ(session_.report()->status, status);
        EXPECT_THAT(edit().source.text, HasSubstr("loops"));
    }
}

TEST_F(SessionKernelTest, ARunStoppedWhileItCompilesSaysNothing) {
    type("slow");
    session_.stop();
    reply(Status::stopped);
    EXPECT_EQ(edit().state, KernelState::uncompiled);
    EXPECT_THAT(kernel_status(session_).text, HasSubstr("F5"));
    session_.run();
    EXPECT_EQ(running(), "slow");
}

TEST_F(SessionKernelTest, AStoppedRunLeavesNoMessagesOfAnOlderText) {
    make_bad();
    session_.edit_kernel("slow");
    EXPECT_EQ(edit().errors(), 1U) << "until it is compiled, those of the text before it";
    rest();
    session_.stop();
    reply(Status::stopped);
    EXPECT_TRUE(edit().diagnostics.empty());

    // Another run takes the place of the stopped one before its answer comes.
    make_bad();
    type("slow");
    session_.stop();
    set_size(32);
    reply();
    EXPECT_TRUE(edit().diagnostics.empty());
}

TEST_F(SessionKernelTest, ALostRunLeavesNoMessagesOfAnOlderText) {
    make_bad();
    type("hangs");
    reply(Status::lost);
    EXPECT_TRUE(edit().diagnostics.empty());
}

TEST_F(SessionKernelTest, QuestionsRunTheLessonsOwnAndGoOnAfterWhatIsTyped) {
    make_good("mine");
    session_.go_to_step(0);
    session_.set_variant("tree_sequential");
    ASSERT_TRUE(session_.kernel_edit());
    for (std::size_t i = 0; i < session_.story().steps[0].blocks.size(); ++i) {
        if (!std::holds_alternative<PredictBlock>(session_.story().steps[0].blocks[i])) continue;
        session_.decide_prediction(i);
        EXPECT_EQ(running(), "the lesson's own");
        session_.edit_kernel("typed meanwhile");
        rest();
        EXPECT_EQ(running(), "typed meanwhile");
        reply();
        EXPECT_EQ(running(), "the lesson's own");
    }
}

TEST_F(SessionKernelTest, AllVariantsAreTheLessonsOwnButTheOneOnTheBench) {
    make_good("mine");
    session_.run_all_variants();
    std::size_t own = 0;
    while (session_.in_flight()) {
        EXPECT_EQ(running(), last().experiment.variant == "tree_sequential" ? "mine" : "the lesson's own");
        ++own;
        reply();
    }
    EXPECT_EQ(own, session_.lesson().variants.size());
}

TEST_F(SessionKernelTest, NothingIsCompiledForValuesThatCannotRun) {
    set_size(4096);
    ASSERT_FALSE(session_.bench().valid());
    const std::size_t before = lab_.requests.size();
    type("a");
    EXPECT_EQ(lab_.requests.size(), before);
    EXPECT_TRUE(std::isinf(session_.seconds_until_compile())) << "the window sleeps";
    set_size(64);
    session_.pump();
    EXPECT_EQ(running(), "a");
}

TEST_F(SessionKernelTest, FilesAreOpenedAndSaved) {
    const ScratchFolder folder;
    const std::string path = (folder / "mine.comp").string();
    EXPECT_THROW(read_kernel(path), FileError);
    std::ofstream(path) << "\xEF\xBB\xBFvoid main() {\r\n}\r";  // of an old Mac, and of Windows
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

TEST_F(SessionKernelTest, ResultsOfAnotherTextThanTheEditorsAreDimmed) {
    EXPECT_FALSE(session_.is_dimmed());
    session_.edit_kernel("typed");
    EXPECT_TRUE(session_.is_dimmed()) << "nothing is known of it";
    rest();
    reply();
    EXPECT_FALSE(session_.is_dimmed());
    make_bad();
    EXPECT_TRUE(session_.is_dimmed()) << "the last good one's stand there";
    EXPECT_FALSE(session_.stale());
    session_.edit_kernel("typed");
    EXPECT_FALSE(session_.is_dimmed()) << "they are its own";
}

TEST_F(SessionKernelTest, ATextWhoseRunWasWrongIsNotSaidToBeRight) {
    type("wrong");
    Report report = answer_to(last(), Status::mismatch);
    report.compare.wrong_runs = report.compare.judged_runs = 3;
    reply(report);
    EXPECT_THAT(kernel_status(session_).text, HasSubstrs("✗", "3 of 3"));
    set_size(64);
    EXPECT_THAT(kernel_status(session_).text, HasSubstr("✓")) << "there is no verdict at this size";
}

TEST_F(SessionKernelTest, ATextThatIsBroughtBackIsItsOwnFiles) {
    session_.edit_kernel("typed");
    const KernelFile typed = edit().file;
    session_.use_kernel({.text = "opened", .name = "other.comp", .folder = "/there"}, "/there/other.comp");
    session_.edit_kernel("opened, then typed");
    EXPECT_EQ(edit().file.path, "/there/other.comp");
    session_.edit_kernel("typed", &typed);
    EXPECT_EQ(edit().source, (KernelSource{"typed", "tree_sequential.comp", ""}));
    EXPECT_EQ(edit().file.path, "");
    EXPECT_EQ(edit().file.saved.text, "");
}

}  // namespace gridstride::ui::session_kernel_test
