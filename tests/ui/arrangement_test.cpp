// The window as a whole: what Learn and Bench show, what an open question hides, and that the controls fit at
// every window size.
#include "session/skip_questions.h"
#include "ui/learn_frames.h"
#include "ui/panels/panels.h"

namespace gridstride::ui::arrangement_test {

/// A report of a run with this kernel time and only the fields that every measured report has.
Report make_measured_report(const lab::Request& request, double kernel_ns) {
    Report report = answer_to(request, Status::ok);
    report.run_id = std::to_string(request.id);
    report.launch = {.workgroup = {128}, .grid = {8}, .dispatches = 1};
    report.timings.kernel.samples = {kernel_ns, kernel_ns * 1.01, kernel_ns * 0.99};
    report.timings.wall.samples = {kernel_ns * 3};
    report.timings.cpu.samples = {kernel_ns * 7};
    report.result = {{"total", "Total", std::uint64_t{524800}}};
    return report;
}

class WindowFrames : public LearnFrames {
 protected:
    WindowFrames() { resize_window({1366, 768}); }

    void open(const char* lesson, std::size_t step = 0) {
        session_.open(*find_course_entry(lesson), step);
        session_.pump();
    }
    void open_without_questions(const char* lesson, std::size_t step) {
        open(lesson, step);
        skip_questions(session_);
    }
    void open_question(std::size_t step) {
        open("reduction", step);
        while (!session_.has_open_question())
            open("reduction", ++step);
    }
    /// Runs the bench; the lab answers with this kernel time.
    void run(double kernel_ns) {
        session_.run();
        reply(make_measured_report(lab_.requests.back(), kernel_ns));
        workspace_.refresh_plots();
        frames();
    }
    void click(const std::string& id) {
        frames();
        ASSERT_TRUE(shows(id)) << id;
        click_at(widget_rect(id).centre());
        mouse_ = {-1000, -1000};
        frames();
    }
    static bool shows(const std::string& id) {
        const WidgetRect* widget = find(id);
        return widget && widget->is_visible;
    }
};

TEST_F(WindowFrames, LearnShowsTheStepsControlsAndOpensTheBenchInADrawer) {
    open("reduction", 2);
    frames();
    const std::vector<std::string> controls = step_controls(session_.story().steps[2]);
    ASSERT_FALSE(controls.empty());
    for (const Parameter& parameter : session_.lesson().parameters)
        EXPECT_EQ(shows("bench." + parameter.id), std::ranges::count(controls, parameter.id) == 1)
            << parameter.id;
    EXPECT_FALSE(shows("bench.run"));
    EXPECT_TRUE(shows("strip"));
    click("stage.all");
    EXPECT_TRUE(shows("bench.run"));
    EXPECT_TRUE(shows("bench.seed") || find("bench.seed")) << "the seed may have to be scrolled to";
    click("bench.close");
    EXPECT_FALSE(shows("bench.run"));
}

TEST_F(WindowFrames, DeviceMenuMeasuresTheCeilingsAgain) {
    open("reduction", 0);
    click("top.device");
    const std::size_t before = lab_.requests.size();
    click("device.measure");
    EXPECT_EQ(lab_.requests.size(), before) << "a run would answer the open question";
    skip_questions(session_);
    click("device.measure");
    ASSERT_EQ(lab_.requests.size(), before + 1);
    EXPECT_TRUE(lab_.requests.back().measure_ceilings);
    EXPECT_FALSE(shows("device.measure"));
    session_.run();
    EXPECT_FALSE(lab_.requests.back().measure_ceilings) << "only the first run measures them";
}

TEST_F(WindowFrames, AChosenTabHoldsForItsStepOnly) {
    open_without_questions("reduction", 1);
    frames();
    click("stage.timings");
    EXPECT_EQ(workspace_.tab, 2U);
    frames();
    EXPECT_EQ(workspace_.tab, 2U) << "it stays in the step";
    click("story.next");
    EXPECT_EQ(session_.step(), 2U);
    EXPECT_EQ(workspace_.tab, 0U) << "the step opens its picture";
    click("stage.kernel");
    click("story.back");
    EXPECT_EQ(workspace_.tab, 0U);
}

TEST_F(WindowFrames, BenchFoldsTheStoryToARailThatOpensIt) {
    open("reduction", 2);
    click("mode.bench");
    EXPECT_EQ(workspace_.layout.arrangement, Arrangement::bench);
    EXPECT_TRUE(shows("bench.run"));
    EXPECT_FALSE(shows("story.back"));
    EXPECT_FALSE(shows("strip"));
    click("story.rail");
    EXPECT_TRUE(shows("story.back"));
    click("story.rail");
    EXPECT_FALSE(shows("story.back"));
    click("mode.learn");
    EXPECT_TRUE(shows("story.back"));
}

TEST_F(WindowFrames, EachArrangementRemembersWhetherItsRunsAreOpen) {
    open_without_questions("reduction", 1);
    run(5000);
    EXPECT_FALSE(shows("runs.row.1")) << "in Learn the runs are a strip";
    click("runs.strip");
    EXPECT_TRUE(shows("runs.row.1"));
    click("mode.bench");
    EXPECT_TRUE(shows("runs.row.1")) << "in Bench the runs are open at first";
    click("runs.open");
    EXPECT_FALSE(shows("runs.row.1"));
    click("mode.learn");
    EXPECT_TRUE(shows("runs.row.1"));
}

TEST_F(WindowFrames, DraggingItsEdgeOpensTheRunsPanel) {
    open_without_questions("reduction", 1);
    run(5000);
    const glm::vec2 edge = widget_rect("splitter.runs").centre();
    drag(edge, edge - glm::vec2(0, 200));
    frames();
    EXPECT_TRUE(shows("runs.row.1"));
    EXPECT_NEAR(workspace_.layout.runs_height, 236, 8);
}

TEST_F(WindowFrames, OpenQuestionHidesTheResultsOfEarlierRuns) {
    open_question(1);
    // A run of the question exists already, as when a student answers it a second time.
    const std::size_t question = *session_.open_question();
    session_.skip_question(question);
    run(123456);
    EXPECT_THAT(widget_value("result.verdict"), testing::HasSubstr("total"));
    session_.reset_question(question);
    for (const char* mode : {"mode.learn", "mode.bench"}) {
        click(mode);
        workspace_.layout.runs_open() = true;
        for (workspace_.tab = 0; workspace_.tab < 7; ++workspace_.tab) {
            frames();
            EXPECT_EQ(widget_value("result.verdict"), "not there") << mode << workspace_.tab;
            EXPECT_EQ(widget_value("strip.kernel"), "not there");
            EXPECT_FALSE(shows("runs.bars"));
            EXPECT_EQ(widget_value("runs.row.1"), "");
            const bool reveals_answer = workspace_.tab >= 1 && workspace_.tab <= 5;
            EXPECT_EQ(shows("stage.held"), reveals_answer) << mode << workspace_.tab;
            EXPECT_TRUE(shows("strip.held"));
        }
        workspace_.tab = 0;
    }
}

TEST_F(WindowFrames, RunningWithoutAnAnswerNeedsConfirmation) {
    open_question(0);
    const std::size_t request_count = lab_.requests.size();
    run_or_ask(workspace_);
    EXPECT_EQ(workspace_.dialog, Dialog::run_unanswered);
    click("run_unanswered.no");
    EXPECT_EQ(workspace_.dialog, Dialog::none);
    EXPECT_TRUE(session_.has_open_question());
    EXPECT_EQ(lab_.requests.size(), request_count);
    run_or_ask(workspace_);
    click("run_unanswered.yes");
    EXPECT_EQ(workspace_.dialog, Dialog::none);
    EXPECT_FALSE(session_.has_open_question());
    EXPECT_EQ(session_.progress().step_progress(session_.lesson(), session_.shown_step()).skipped,
              question_blocks(session_.shown_step()).size());
    EXPECT_EQ(lab_.requests.size(), request_count + 1);
}

TEST_F(WindowFrames, RunsAreComparedWithThePinnedRunOnlyForEqualWork) {
    open_without_questions("reduction", 1);
    run(5000);
    session_.runs().pin(1);
    session_.set_value("workgroup_size", std::uint64_t{64});
    run(4000);
    workspace_.layout.arrangement = Arrangement::bench;
    frames();
    EXPECT_THAT(widget_value("runs.row.2.against"), testing::HasSubstr("%"));
    EXPECT_EQ(widget_value("bench.not_compared"), "not there");
    session_.set_value("elements", std::uint64_t{4096});
    run(3000);
    EXPECT_THAT(widget_value("runs.row.3.against"), testing::HasSubstr("other elements"));
    EXPECT_THAT(widget_value("bench.not_compared"), testing::HasSubstr("Elements"));
}

TEST_F(WindowFrames, PinnedRunAndBenchAreMeasuredInAlternation) {
    open_without_questions("gaussian", 0);
    const std::uint64_t pinned_size = session_.bench().values()[key::workgroup_size];
    ASSERT_NE(pinned_size, 64U);
    run(5000);
    session_.runs().pin(1);
    session_.set_value("workgroup_size", std::uint64_t{64});
    run(4000);
    workspace_.layout.arrangement = Arrangement::bench;
    frames();
    EXPECT_THAT(widget_value("bench.against"), testing::HasSubstr("−20 %"));
    size_ = {1600, 1400};
    EXPECT_FALSE(session_.alternating_times()) << "two single runs";
    click("bench.in_turn");
    const std::size_t before = lab_.requests.size() - 1;
    // The machine was faster during the bench's single run; in alternation the bench takes longer.
    for (std::size_t i = 0; i < 6; ++i) {
        ASSERT_EQ(lab_.requests.size(), before + i + 1);
        const bool pinned = i % 2 == 0;
        EXPECT_EQ(lab_.requests.back().experiment.values[key::workgroup_size], pinned ? pinned_size : 64U);
        EXPECT_FALSE(session_.alternating_times());
        reply(make_measured_report(lab_.requests.back(), pinned ? 5000 : 6000));
    }
    ASSERT_TRUE(session_.alternating_times());
    EXPECT_EQ(lab_.requests.size(), before + 6);
    EXPECT_EQ(session_.bench().values()[key::workgroup_size], 64U) << "the bench keeps its values";
    frames();
    EXPECT_THAT(widget_value("bench.against"), testing::HasSubstr("+20 %"));
    EXPECT_FALSE(shows("bench.in_turn"));
    session_.set_value("workgroup_size", std::uint64_t{32});
    EXPECT_FALSE(session_.alternating_times()) << "the bench has other values now";
}

TEST_F(WindowFrames, EssentialControlsFitEveryWindowSize) {
    struct Window {
        float width, height, scale;
    };
    for (const Window& window :
         {Window{960, 540, 1}, Window{1280, 720, 1}, Window{1366, 768, 1}, Window{1600, 1000, 1},
          Window{1920, 1080, 1.5F}, Window{1920, 1080, 2}, Window{3840, 2160, 1}, Window{3840, 2160, 2}}) {
        resize_window({window.width, window.height}, window.scale);
        for (const Lesson* lesson : all_lessons()) {
            open(lesson->id.c_str());
            for (std::size_t step = 0; step < session_.story().steps.size(); ++step) {
                session_.go_to_step(step);
                workspace_.layout = {};
                frames();
                SCOPED_TRACE(fmt::format("{} step {} at {}", lesson->id, step + 1, window.width));
                for (const char* id :
                     {"stage.all", "stage.picture", "stage.inside", "stage.timings", "stage.launch",
                      "stage.sweep", "stage.kernel", "strip", "runs.strip", "runs.export", "runs.open",
                      "top.course", "top.view", "mode.learn", "mode.bench"})
                    EXPECT_TRUE(is_whole(id));
                for (const std::string& id : step_controls(session_.story().steps[step]))
                    EXPECT_TRUE(is_whole("bench." + id));
                // In a kernel exercise the editor takes the place of the plot.
                const MakeBlock* const exercise_block = session_.exercise_block();
                const bool has_editor = exercise_block && !exercise_block->exercise.empty();
                EXPECT_GE(widget_rect(has_editor ? "kernel.text" : "stage.picture.body").height(),
                          (has_editor ? 90 : 150) * window.scale);
            }
        }
    }
}

TEST_F(WindowFrames, HoveringAVariantShowsItsWholeSummary) {
    open("reduction", 2);
    const Variant* variant = find_variant(session_.lesson(), session_.bench().variant());
    ASSERT_FALSE(variant->summary.empty());
    frames();
    mouse_ = widget_rect("bench.variant").centre();
    frames(60);
    std::string text = window_text(),
                expected = variant->summary;  // without spaces, because the text is wrapped
    std::erase(text, ' ');
    std::erase(expected, ' ');
    EXPECT_THAT(text, testing::HasSubstr(expected));
}

TEST_F(WindowFrames, TabStartsAtTheQuestion) {
    open("reduction", 1);
    frames();
    press(Key::tab);
    frames();
    press(Key::enter);
    frames();
    const Prediction& prediction = session_.prediction(*session_.open_question());
    EXPECT_TRUE(prediction.answer.choice == 0U || !prediction.answer.order.empty() ||
                ImGui::GetIO().WantTextInput)
        << "the first stop is the question's first answer";
}

TEST_F(WindowFrames, WindowBelowTheMinimumSizeScrolls) {
    open("reduction");
    size_ = {640, 400};
    frames();
    EXPECT_FALSE(shows("runs.strip")) << "below the fold";
    reveal_widget("runs.export");
    frames();
    EXPECT_TRUE(is_whole("runs.export"));
}

}  // namespace gridstride::ui::arrangement_test
