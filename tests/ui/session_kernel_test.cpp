// What the window does with kernels of a person's own, against a lab that answers as the test says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "lesson/kernel_file.h"
#include "session/fake_lab.h"
#include "session/session.h"
#include "ui/panels/panels.h"

namespace gridstride::ui {
namespace {

using testing::HasSubstr;

class SessionKernelTest : public testing::Test {
 protected:
    SessionKernelTest() : session_(lab_, "en", [this] { return now_; }) {
        session_.open(*find_lesson("reduction"), 1);
        skip_questions(session_);
        session_.set_variant("tree_sequential");
        session_.pump();
        session_.run();
        answer(Status::ok);
    }

    /// The lab answers the newest request.
    void answer(Status status, std::vector<Diagnostic> diagnostics = {}, bool final = true) {
        Report report = answer_to(lab_.asked.back(), status);
        report.final = final;
        report.diagnostics = std::move(diagnostics);
        lab_.answers.push_back(std::move(report));
        session_.pump();
    }
    void answer_with_error(std::uint32_t line = 12) {
        answer(Status::failed,
               {{DiagnosticLevel::error, lab_.asked.back().experiment.kernel->name, line, "no such name"}});
    }
    void rest() {
        now_ += std::chrono::milliseconds(401);
        session_.pump();
    }
    /// Types it, rests, and the lab says that it compiles.
    void make_good(const std::string& text) {
        session_.edit_kernel(text);
        rest();
        answer(Status::ok);
    }
    const lab::Request& last() const { return lab_.asked.back(); }
    std::string running() const {
        return last().experiment.kernel ? last().experiment.kernel->text : "the lesson's own";
    }
    static std::uint64_t size_of(const lab::Request& request) {
        return request.experiment.values[key::workgroup_size];
    }

    FakeLab lab_;
    KernelClock::time_point now_{};
    Session session_;
};

TEST_F(SessionKernelTest, TheLessonsOwnRunsUntilSomethingIsTyped) {
    EXPECT_EQ(session_.kernel_edit(), nullptr);
    EXPECT_FALSE(last().experiment.kernel);
    EXPECT_EQ(session_.lesson_kernel_name(), "tree_sequential.comp");
}

TEST_F(SessionKernelTest, TypingIsCompiledOnceItRests) {
    const std::size_t before = lab_.asked.size();
    EXPECT_TRUE(std::isinf(session_.seconds_until_compile()));
    session_.edit_kernel("a");
    now_ += std::chrono::milliseconds(300);
    session_.pump();
    session_.edit_kernel("ab");
    now_ += std::chrono::milliseconds(300);
    session_.pump();
    EXPECT_EQ(lab_.asked.size(), before) << "every key begins the quiet time anew";
    EXPECT_NEAR(session_.seconds_until_compile(), 0.1, 1e-6);
    now_ += std::chrono::milliseconds(101);
    session_.pump();
    ASSERT_EQ(lab_.asked.size(), before + 1);
    EXPECT_EQ(last().experiment.kernel, (KernelSource{"ab", "tree_sequential.comp", ""}));
    session_.pump();
    EXPECT_EQ(lab_.asked.size(), before + 1) << "once";
}

TEST_F(SessionKernelTest, RunningCompilesAtOnce) {
    session_.edit_kernel("a");
    session_.run();
    EXPECT_EQ(running(), "a");
    answer(Status::ok);
    EXPECT_EQ(session_.kernel_edit()->state, KernelState::good);
    EXPECT_EQ(session_.report()->kernel_name(), "tree_sequential.comp");
    EXPECT_EQ(session_.history().back().report.kernel_name(), "tree_sequential.comp");
    EXPECT_FALSE(session_.stale());
    EXPECT_TRUE(std::isinf(session_.seconds_until_compile()));
}

TEST_F(SessionKernelTest, ATextThatDoesNotCompileReplacesNothing) {
    const std::size_t runs = session_.history().size();
    const std::uint64_t shown = session_.report()->request;
    session_.edit_kernel("broken");
    rest();
    answer_with_error();
    EXPECT_EQ(session_.report()->request, shown);
    EXPECT_EQ(session_.report()->status, Status::ok);
    EXPECT_FALSE(session_.stale());
    EXPECT_EQ(session_.history().size(), runs);
    EXPECT_FALSE(session_.in_flight());
    EXPECT_EQ(session_.kernel_edit()->errors(), 1U);
    EXPECT_EQ(kernel_status(session_),
              "✗ Line 12 does not compile; the results are those of the lesson's own kernel.");
}

TEST_F(SessionKernelTest, TheLastGoodKernelKeepsRunning) {
    make_good("good");
    session_.edit_kernel("broken");
    rest();
    answer_with_error();
    EXPECT_EQ(kernel_status(session_),
              "✗ Line 12 does not compile; the results are those of your last kernel that did.");
    session_.set_value("workgroup_size", std::uint64_t{64});
    EXPECT_EQ(running(), "good");
    EXPECT_EQ(size_of(last()), 64U);
    answer(Status::ok);
    EXPECT_EQ(session_.kernel_edit()->state, KernelState::bad)
        << "the good one's run says nothing about this text";
    EXPECT_EQ(session_.kernel_edit()->source.text, "broken");
}

TEST_F(SessionKernelTest, ARunThatWasAskedForMeasuresTheLastGoodOne) {
    make_good("good");
    session_.edit_kernel("broken");
    session_.run();
    EXPECT_EQ(running(), "broken");
    answer_with_error();
    EXPECT_EQ(running(), "good");
    answer(Status::ok);
    EXPECT_FALSE(session_.in_flight());
}

TEST_F(SessionKernelTest, SamplingThatTheAttemptEndedGoesOn) {
    make_good("good");
    session_.set_value("workgroup_size", std::uint64_t{64});
    answer(Status::ok, {}, false);
    session_.edit_kernel("broken");
    rest();
    EXPECT_EQ(running(), "broken");
    answer_with_error();
    EXPECT_EQ(running(), "good");
}

TEST_F(SessionKernelTest, ASliderMovedWhileItCompilesTakesTheTextAlong) {
    session_.edit_kernel("new");
    rest();
    session_.set_value("workgroup_size", std::uint64_t{64});
    EXPECT_EQ(running(), "new");
    EXPECT_EQ(size_of(last()), 64U);
    answer_with_error();
    EXPECT_EQ(running(), "the lesson's own");
    EXPECT_EQ(size_of(last()), 64U);
}

TEST_F(SessionKernelTest, WarningsAreNoErrors) {
    session_.edit_kernel("odd");
    rest();
    answer(Status::ok, {{DiagnosticLevel::warning, "tree_sequential.comp", 3, "unused"}});
    EXPECT_EQ(session_.kernel_edit()->state, KernelState::good);
    EXPECT_EQ(session_.kernel_edit()->errors(), 0U);
    EXPECT_EQ(kernel_status(session_), "✓ It compiles, with 1 warning.");
}

TEST_F(SessionKernelTest, AFailureWithoutDiagnosticsIsAReason) {
    session_.edit_kernel("odd");
    rest();
    answer(Status::failed);
    EXPECT_EQ(session_.kernel_edit()->state, KernelState::bad);
    EXPECT_THAT(kernel_status(session_), HasSubstr("It cannot be run"));
}

TEST_F(SessionKernelTest, RevertGoesBackToTheLessonsOwn) {
    make_good("good");
    session_.revert_kernel();
    EXPECT_EQ(session_.kernel_edit(), nullptr);
    EXPECT_TRUE(session_.stale()) << "until the lesson's own has run";
    EXPECT_EQ(running(), "the lesson's own");
    answer(Status::ok);
    EXPECT_FALSE(session_.stale());
}

TEST_F(SessionKernelTest, EditsAreKeptPerVariant) {
    make_good("mine");
    session_.set_variant("tree_interleaved");
    EXPECT_EQ(session_.kernel_edit(), nullptr);
    EXPECT_EQ(running(), "the lesson's own");
    answer(Status::ok);
    session_.set_variant("tree_sequential");
    EXPECT_EQ(running(), "mine");
    EXPECT_EQ(session_.kernel_edit()->source.text, "mine");
}

TEST_F(SessionKernelTest, WhatWasTypedJustBeforeASwitchIsCompiledAfterIt) {
    session_.edit_kernel("quick");
    session_.set_variant("tree_interleaved");
    rest();
    EXPECT_EQ(running(), "the lesson's own");
    answer(Status::ok);
    session_.set_variant("tree_sequential");
    session_.pump();
    EXPECT_EQ(running(), "quick");
}

TEST_F(SessionKernelTest, ALostOrTimedOutRunLosesNoText) {
    for (const Status status : {Status::lost, Status::timed_out}) {
        session_.edit_kernel("loops " + std::string(name(status)));
        rest();
        answer(status);
        EXPECT_EQ(session_.kernel_edit()->state, KernelState::good)
            << "it compiled; what it did is the result";
        EXPECT_EQ(session_.report()->status, status);
        EXPECT_THAT(session_.kernel_edit()->source.text, HasSubstr("loops"));
    }
}

TEST_F(SessionKernelTest, ARunStoppedWhileItCompilesSaysNothing) {
    session_.edit_kernel("slow");
    rest();
    session_.stop();
    answer(Status::stopped);
    EXPECT_EQ(session_.kernel_edit()->state, KernelState::untried);
    EXPECT_THAT(kernel_status(session_), HasSubstr("F5 runs it again"));
    session_.run();
    EXPECT_EQ(running(), "slow");
}

TEST_F(SessionKernelTest, AStoppedRunLeavesNoMessagesOfAnOlderText) {
    session_.edit_kernel("broken");
    rest();
    answer_with_error();
    session_.edit_kernel("slow");
    EXPECT_EQ(session_.kernel_edit()->errors(), 1U) << "until it is compiled, those of the text before it";
    rest();
    session_.stop();
    answer(Status::stopped);
    EXPECT_TRUE(session_.kernel_edit()->diagnostics.empty());

    // Another run takes the place of the stopped one before its answer comes.
    session_.edit_kernel("broken");
    rest();
    answer_with_error();
    session_.edit_kernel("slow");
    rest();
    session_.stop();
    session_.set_value("workgroup_size", std::uint64_t{32});
    answer(Status::ok);
    EXPECT_TRUE(session_.kernel_edit()->diagnostics.empty());
}

TEST_F(SessionKernelTest, ALostRunLeavesNoMessagesOfAnOlderText) {
    session_.edit_kernel("broken");
    rest();
    answer_with_error();
    session_.edit_kernel("hangs");
    rest();
    answer(Status::lost);
    EXPECT_TRUE(session_.kernel_edit()->diagnostics.empty());
}

TEST_F(SessionKernelTest, PredictionsRunTheLessonsOwn) {
    make_good("mine");
    session_.go_to_step(0);
    session_.set_variant("tree_sequential");
    ASSERT_TRUE(session_.kernel_edit());
    for (std::size_t i = 0; i < session_.story().steps[0].blocks.size(); ++i) {
        if (!std::holds_alternative<PredictBlock>(session_.story().steps[0].blocks[i])) continue;
        session_.decide_prediction(i);
        EXPECT_EQ(running(), "the lesson's own");
        session_.edit_kernel("typed meanwhile");
        const std::size_t before = lab_.asked.size();
        rest();
        EXPECT_EQ(lab_.asked.size(), before) << "what decides is not broken off";
    }
}

TEST_F(SessionKernelTest, AllVariantsAreTheLessonsOwnButTheOneOnTheBench) {
    make_good("mine");
    session_.run_all_variants();
    std::size_t own = 0;
    while (session_.in_flight()) {
        if (last().experiment.variant == "tree_sequential")
            EXPECT_EQ(running(), "mine");
        else
            EXPECT_EQ(running(), "the lesson's own");
        ++own;
        answer(Status::ok);
    }
    EXPECT_EQ(own, session_.lesson().variants.size());
}

TEST_F(SessionKernelTest, NothingIsCompiledForValuesThatCannotRun) {
    session_.set_value("workgroup_size", std::uint64_t{4096});
    ASSERT_FALSE(session_.valid());
    const std::size_t before = lab_.asked.size();
    session_.edit_kernel("a");
    rest();
    EXPECT_EQ(lab_.asked.size(), before);
    EXPECT_TRUE(std::isinf(session_.seconds_until_compile())) << "the window sleeps";
    session_.set_value("workgroup_size", std::uint64_t{64});
    session_.pump();
    EXPECT_EQ(running(), "a");
}

TEST_F(SessionKernelTest, FilesAreOpenedAndSaved) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("gridstride_kernel_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "mine.comp").string();
    EXPECT_THROW(read_kernel(path), FileError);
    std::ofstream(path) << "\xEF\xBB\xBFvoid main() {\r\n}\r";  // of an old Mac, and of Windows
    session_.use_kernel(read_kernel(path), path);
    session_.pump();
    EXPECT_EQ(last().experiment.kernel, (KernelSource{"void main() {\n}\n", "mine.comp", folder.string()}));
    const std::string other = (folder / "other.comp").string();
    session_.kernel_saved(other, "saved");
    EXPECT_EQ(session_.kernel_edit()->path, other);
    EXPECT_EQ(session_.kernel_edit()->saved_text, "saved");
    EXPECT_EQ(session_.kernel_edit()->source.name, "other.comp");
    std::filesystem::resize_file(path, (std::uintmax_t{4} << 20) + 1);
    EXPECT_THROW(read_kernel(path), FileError) << "over 4 MiB";
    std::filesystem::remove_all(folder);
}

TEST_F(SessionKernelTest, ResultsOfAnotherTextThanTheEditorsAreDimmed) {
    EXPECT_FALSE(session_.is_dimmed());
    session_.edit_kernel("typed");
    EXPECT_TRUE(session_.is_dimmed()) << "nothing is known of it";
    rest();
    answer(Status::ok);
    EXPECT_FALSE(session_.is_dimmed());
    session_.edit_kernel("broken");
    rest();
    answer_with_error();
    EXPECT_TRUE(session_.is_dimmed()) << "the last good one's stand there";
    EXPECT_FALSE(session_.stale());
    session_.edit_kernel("typed");
    EXPECT_FALSE(session_.is_dimmed()) << "they are its own";
}

TEST_F(SessionKernelTest, ATextWhoseRunWasWrongIsNotSaidToBeRight) {
    session_.edit_kernel("wrong");
    rest();
    Report report = answer_to(lab_.asked.back(), Status::mismatch);
    report.compare.wrong_runs = report.compare.judged_runs = 3;
    lab_.answers.push_back(report);
    session_.pump();
    EXPECT_EQ(kernel_status(session_), "✗ It compiles. Its verdict: wrong in 3 of 3 runs.");
    session_.set_value("workgroup_size", std::uint64_t{64});
    EXPECT_EQ(kernel_status(session_), "✓ It compiles. Runs of this variant use your kernel.")
        << "there is no verdict at this size";
}

TEST_F(SessionKernelTest, ATextThatIsBroughtBackIsItsOwnFiles) {
    session_.edit_kernel("typed");
    const KernelOrigin typed = session_.kernel_edit()->origin();
    session_.use_kernel({.text = "opened", .name = "other.comp", .folder = "/there"}, "/there/other.comp");
    session_.edit_kernel("opened, then typed");
    EXPECT_EQ(session_.kernel_edit()->path, "/there/other.comp");
    session_.edit_kernel("typed", &typed);
    EXPECT_EQ(session_.kernel_edit()->source, (KernelSource{"typed", "tree_sequential.comp", ""}));
    EXPECT_EQ(session_.kernel_edit()->path, "");
    EXPECT_EQ(session_.kernel_edit()->saved_text, "");
}

TEST_F(SessionKernelTest, ProgressIsThatOfTheRunInTheAir) {
    lab_.now = lab::Progress{.request = 999, .slices_done = 1, .slices = 4};
    session_.run();
    EXPECT_FALSE(session_.progress());
    lab_.now->request = last().id;
    ASSERT_TRUE(session_.progress());
    EXPECT_EQ(session_.progress()->slices, 4U);
}

}  // namespace
}  // namespace gridstride::ui
