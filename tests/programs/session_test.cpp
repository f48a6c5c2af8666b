// Programs on the bench: a text is tried when the typing rests, and what is shown is of the one that runs.

#include "session/session.h"
#include "jobs/fake_lab.h"
#include "lesson/kernel_file.h"
#include "programs/doubling.h"
#include "session/session_files.h"
#include "sweep/sweep_form.h"
#include "sweep/tuned_launch.h"
#include "test_includes.h"
#include "ui/panels/panels.h"

namespace gridstride::ui::session_test {

class ProgramSession : public testing::Test {
 protected:
    ProgramSession() : session_(lab_, "en", [this] { return now_; }) {
        session_.open(lessons::doubling::lesson(), 0);
        session_.pump();
        answer(Status::ok);
    }
    /// The lab answers the newest request.
    void answer(Status status, std::vector<Diagnostic> diagnostics = {}) {
        Report report = answer_to(lab_.requests.back(), status);
        report.diagnostics = std::move(diagnostics);
        lab_.answers.push_back(std::move(report));
        session_.pump();
    }
    void type(const std::string& text) {
        session_.edit_kernel(text);
        now_ += std::chrono::milliseconds(401);
        session_.pump();
    }
    void make_good(const std::string& text) {
        type(text);
        answer(Status::ok);
    }
    std::uint64_t numbers_on_bench() const { return session_.bench().prepared()->plan.main().elements(); }
    std::string running() const {
        const std::optional<KernelSource>& own = lab_.requests.back().experiment.kernel;
        return own ? own->text : "the lesson's own";
    }

    FakeLab lab_;
    KernelClock::time_point now_{};
    Session session_;
};

TEST_F(ProgramSession, TheBenchIsOfTheProgramThatRuns) {
    EXPECT_EQ(numbers_on_bench(), 4u);
    type("take 3\ndouble\n");
    EXPECT_EQ(running(), "take 3\ndouble\n") << "it is tried";
    EXPECT_EQ(numbers_on_bench(), 4u) << "nothing is known of it yet";
    answer(Status::ok);
    EXPECT_EQ(numbers_on_bench(), 3u);
    EXPECT_FALSE(session_.stale());
    EXPECT_FALSE(session_.bench().experiment().kernel);
    EXPECT_THAT(kernel_status(session_).text, HasSubstr("Runs of this variant use your program"));

    type("take 3\ntriple\n");
    answer(Status::refused, {{DiagnosticLevel::error, "twice.doubling", 2, "no such word"}});
    EXPECT_EQ(numbers_on_bench(), 3u) << "the last good text runs on";
    EXPECT_TRUE(session_.shows_other_source()) << "so its results are dimmed";
    EXPECT_THAT(kernel_status(session_).text, Mentions(2, "those"));
    EXPECT_FALSE(session_.stale());
    session_.set_value("workgroup_size", std::uint64_t{32});
    EXPECT_EQ(running(), "take 3\ndouble\n");

    session_.revert_kernel();
    EXPECT_EQ(numbers_on_bench(), 4u);
    EXPECT_EQ(running(), "the lesson's own");
    EXPECT_TRUE(session_.stale());
}

TEST_F(ProgramSession, ASavedTextHasAFolder) {
    make_good("take 3\ndouble\n");
    session_.mark_kernel_saved("/home/me/mine.doubling", "take 3\ndouble\n");
    session_.pump();
    EXPECT_EQ(lab_.requests.back().experiment.kernel->folder, "/home/me");
    answer(Status::ok);
    EXPECT_EQ(session_.bench().prepared()->program,
              (KernelSource{"take 3\ndouble\n", "mine.doubling", "/home/me"}));
}

TEST_F(ProgramSession, AnotherVariantHasItsOwnProgram) {
    make_good("take 3\ndouble\n");
    session_.set_variant("once");
    EXPECT_EQ(session_.bench().prepared()->program.name, "once.doubling");
    EXPECT_EQ(running(), "the lesson's own");
    session_.set_variant("twice");
    EXPECT_EQ(numbers_on_bench(), 3u);
}

TEST_F(ProgramSession, PicturesBeforeARunAreOfTheProgram) {
    Workspace workspace(session_);
    const auto drawn = [&]() -> std::size_t {
        workspace.refresh_plots();
        const Plot* const plot = workspace.find_plot("doubled");
        const auto* const figure = plot ? std::get_if<Figure>(&plot->content) : nullptr;
        return figure && !figure->series.empty() ? figure->series.front().y_array->count() : 0;
    };
    session_.set_value("workgroup_size", std::uint64_t{32});
    answer(Status::failed);
    make_good("take 3\ndouble\n");
    EXPECT_EQ(drawn(), 0u) << "a run that gave nothing is not made up for";
    session_.set_value("workgroup_size", std::uint64_t{64});
    session_.stop();
    EXPECT_EQ(drawn(), 3u);
    session_.revert_kernel();
    session_.stop();
    EXPECT_EQ(drawn(), 4u);
}

TEST_F(ProgramSession, ASweepMeasuresIt) {
    make_good("take 3\ndouble\n");
    SweepForm form = default_form(*session_.bench().prepared());
    form.texts = {{"workgroup_size", "32,64"}};
    form.variants = SweptVariants::all;
    const ExaminedForm examined = examine_form(form, *session_.bench().prepared());
    ASSERT_TRUE(examined.spec);
    const Sweep sweep(*examined.spec, lab_.device);
    for (const SweepCell& cell : sweep.cells())
        EXPECT_EQ(cell.experiment.kernel.has_value(), cell.experiment.variant == "twice");
}

TEST_F(ProgramSession, FilesHaveTheEndingOfThoseThatShip) {
    Workspace workspace(session_);
    open_dropped_file(workspace, {"/home/me/mine.doubling"});
    EXPECT_EQ(workspace.dialog, Dialog::open_kernel);
    workspace.dialog = Dialog::none;
    open_dropped_file(workspace, {"/home/me/mine.comp"});
    EXPECT_EQ(workspace.dialog, Dialog::none);
    EXPECT_THAT(workspace.notice, HasSubstr("Drop a program (.doubling)."));
}

TEST_F(ProgramSession, WhatIsOfferedAgainIsCalledWhatItIs) {
    const ScratchFolder folder;
    EarlierSession earlier{SessionFiles(folder.path()), {}, "today"};
    earlier.work.kernels[{"doubling", "twice"}] = {};
    EXPECT_EQ(offer_in_words(earlier), "Restore your program from today?");
    earlier.work.kernels[{"doubling", "once"}] = {};
    earlier.work.kernels[{"reduction", "tree_sequential"}] = {};
    EXPECT_THAT(offer_in_words(earlier), Mentions(2, "programs"));
}

}  // namespace gridstride::ui::session_test
