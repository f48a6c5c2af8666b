// Tests programs on the bench: a pause in typing tries the text, and the bench shows the program that runs.

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
        session_.open(*find_course_entry("doubling"), 0);
        session_.pump();
        answer(Status::ok);
    }
    /// Answers the newest request.
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
    void run_program(const std::string& text) {
        type(text);
        answer(Status::ok);
    }
    std::uint64_t count_bench_elements() const { return session_.bench().prepared()->plan.main().elements(); }
    std::string requested_text() const {
        const std::optional<KernelSource>& kernel = lab_.requests.back().experiment.kernel;
        return kernel ? kernel->text : "the lesson's own";
    }

    FakeLab lab_;
    KernelClock::time_point now_{};
    Session session_;
};

TEST_F(ProgramSession, TheBenchShowsTheProgramThatRuns) {
    EXPECT_EQ(count_bench_elements(), 4u);
    type("take 3\ndouble\n");
    EXPECT_EQ(requested_text(), "take 3\ndouble\n") << "the new text is tried";
    EXPECT_EQ(count_bench_elements(), 4u) << "the lab has not answered yet";
    answer(Status::ok);
    EXPECT_EQ(count_bench_elements(), 3u);
    EXPECT_FALSE(session_.is_stale());
    EXPECT_FALSE(session_.bench().experiment().kernel);
    EXPECT_THAT(kernel_status(session_).text, HasSubstr("Runs of this variant use your program"));

    type("take 3\ntriple\n");
    answer(Status::refused, {{DiagnosticLevel::error, "twice.doubling", 2, "no such word"}});
    EXPECT_EQ(count_bench_elements(), 3u) << "the last valid text stays in use";
    EXPECT_TRUE(session_.shows_other_source()) << "the window dims its results";
    EXPECT_THAT(kernel_status(session_).text, Mentions(2, "those"));
    EXPECT_FALSE(session_.is_stale());
    session_.set_value("workgroup_size", std::uint64_t{32});
    EXPECT_EQ(requested_text(), "take 3\ndouble\n");

    session_.revert_kernel();
    EXPECT_EQ(count_bench_elements(), 4u);
    EXPECT_EQ(requested_text(), "the lesson's own");
    EXPECT_TRUE(session_.is_stale());
}

TEST_F(ProgramSession, SavedTextUsesTheFolderOfItsFile) {
    run_program("take 3\ndouble\n");
    session_.mark_kernel_saved("/home/me/mine.doubling", "take 3\ndouble\n");
    session_.pump();
    EXPECT_EQ(lab_.requests.back().experiment.kernel->folder, "/home/me");
    answer(Status::ok);
    EXPECT_EQ(session_.bench().prepared()->program,
              (KernelSource{"take 3\ndouble\n", "mine.doubling", "/home/me"}));
}

TEST_F(ProgramSession, EachVariantHasItsOwnProgram) {
    run_program("take 3\ndouble\n");
    session_.set_variant("once");
    EXPECT_EQ(session_.bench().prepared()->program.name, "once.doubling");
    EXPECT_EQ(requested_text(), "the lesson's own");
    session_.set_variant("twice");
    EXPECT_EQ(count_bench_elements(), 3u);
}

TEST_F(ProgramSession, PicturesBeforeARunUseTheProgram) {
    Workspace workspace(session_);
    const auto count_drawn = [&]() -> std::size_t {
        workspace.refresh_plots();
        const Plot* const plot = workspace.find_plot("doubled");
        const auto* const figure = plot ? std::get_if<Figure>(&plot->content) : nullptr;
        return figure && !figure->series.empty() ? figure->series.front().y_array->count() : 0;
    };
    session_.set_value("workgroup_size", std::uint64_t{32});
    answer(Status::failed);
    run_program("take 3\ndouble\n");
    EXPECT_EQ(count_drawn(), 0u) << "a failed run has no picture";
    session_.set_value("workgroup_size", std::uint64_t{64});
    session_.stop();
    EXPECT_EQ(count_drawn(), 3u);
    session_.revert_kernel();
    session_.stop();
    EXPECT_EQ(count_drawn(), 4u);
}

TEST_F(ProgramSession, ASweepUsesTheProgram) {
    run_program("take 3\ndouble\n");
    SweepForm form = default_form(*session_.bench().prepared());
    form.texts = {{"workgroup_size", "32,64"}};
    form.variants = SweptVariants::all;
    const ExaminedForm examined = examine_form(form, *session_.bench().prepared());
    ASSERT_TRUE(examined.spec);
    const Sweep sweep(*examined.spec, lab_.device);
    for (const SweepCell& cell : sweep.cells())
        EXPECT_EQ(cell.experiment.kernel.has_value(), cell.experiment.variant == "twice");
}

TEST_F(ProgramSession, AcceptsFilesWithTheExtensionOfPrograms) {
    Workspace workspace(session_);
    open_dropped_file(workspace, {"/home/me/mine.doubling"});
    EXPECT_EQ(workspace.dialog, Dialog::open_kernel);
    workspace.dialog = Dialog::none;
    open_dropped_file(workspace, {"/home/me/mine.comp"});
    EXPECT_EQ(workspace.dialog, Dialog::load_lessons) << "it may be a folder";
    refuse_dropped_file(workspace, "/home/me/mine.comp");
    EXPECT_THAT(workspace.notice, HasSubstr("Drop a program (.doubling)"));
}

TEST_F(ProgramSession, OfferToRestoreUsesSingularOrPlural) {
    const ScratchFolder folder;
    EarlierSession earlier{SessionFiles(folder.path()), {}, "today"};
    earlier.session.kernels[{"doubling", "twice"}] = {};
    EXPECT_EQ(describe_offer(earlier), "Restore your program from today?");
    earlier.session.kernels[{"doubling", "once"}] = {};
    earlier.session.kernels[{"reduction", "tree_sequential"}] = {};
    EXPECT_THAT(describe_offer(earlier), Mentions(2, "programs"));
}

}  // namespace gridstride::ui::session_test
