// The window as a whole: what stands in Learn and in Bench, what is held back while a question is open, and
// that all of it has a place at every size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "session/fake_lab.h"
#include "ui/desktop/draw_desktop.h"
#include "ui/panels/panels.h"
#include "ui/ui_frame.h"

namespace gridstride::ui {
namespace {

/// A run that took so long, with the least that a measured report has.
Report measured(const lab::Request& request, double kernel_ns) {
    Report report = answer_to(request, Status::ok);
    report.run_id = std::to_string(request.id);
    report.launch = {.workgroup = {128}, .grid = {8}, .dispatches = 1};
    report.timings.kernel.samples = {kernel_ns, kernel_ns * 1.01, kernel_ns * 0.99};
    report.timings.wall.samples = {kernel_ns * 3};
    report.timings.cpu.samples = {kernel_ns * 7};
    report.result = {{"total", "Total", std::uint64_t{524800}}};
    return report;
}

class WindowFrames : public testing::Test {
 protected:
    WindowFrames() : session_(lab_, "en"), workspace_(session_) {}

    void open(const char* lesson, std::size_t step = 0) {
        session_.open(*find_lesson(lesson), step);
        session_.pump();
    }
    void skip_questions() {
        while (const auto question = session_.open_question())
            session_.skip_question(*question);
    }
    /// A run with this kernel time ends.
    void run(double kernel_ns) {
        session_.run();
        lab_.answers.push_back(measured(lab_.asked.back(), kernel_ns));
        session_.pump();
        workspace_.refresh_plots();
    }
    void frame() {
        ImGui::GetIO().DisplaySize = ImVec2(size_.x, size_.y);
        ImGui::GetIO().DeltaTime = 1.0F / 60;
        feed_mouse_position(mouse_);
        feed_mouse_button(0, down_);
        ImGui::NewFrame();
        begin_widgets();
        draw_desktop(workspace_, size_);
        ImGui::Render();
    }
    void frames() {
        for (int i = 0; i < 4; ++i)
            frame();
    }
    void click(const std::string& id) {
        frames();
        const WidgetRect* widget = UiFrames::find(id);
        ASSERT_NE(widget, nullptr) << id;
        ASSERT_TRUE(widget->visible) << id;
        mouse_ = (widget->min + widget->max) * 0.5F;
        frame();
        down_ = true;
        frame();
        down_ = false;
        frame();
        mouse_ = {-1000, -1000};
        frames();
    }
    static bool shows(const std::string& id) {
        const WidgetRect* widget = UiFrames::find(id);
        return widget && widget->visible;
    }
    static std::string value_of(const std::string& id) {
        const WidgetRect* widget = UiFrames::find(id);
        return widget ? widget->value : "not there";
    }
    /// Within the window, and not cut off by a panel's edge.
    void expect_whole(const std::string& id) {
        const WidgetRect* widget = UiFrames::find(id);
        ASSERT_NE(widget, nullptr) << id;
        EXPECT_TRUE(widget->whole) << id;
        EXPECT_GE(widget->min.x, 0) << id;
        EXPECT_GE(widget->min.y, 0) << id;
        EXPECT_LE(widget->max.x, size_.x) << id;
        EXPECT_LE(widget->max.y, size_.y) << id;
    }

    glm::vec2 size_{1366, 768}, mouse_{-1000, -1000};
    bool down_ = false;
    FakeLab lab_;
    Session session_;
    Workspace workspace_;
};

TEST_F(WindowFrames, LearnHasTheStepsControlsAndTheWholeBenchInADrawer) {
    const UiFrames ui;
    open("reduction", 2);
    frames();
    const std::vector<std::string> named = controls_of(session_.story().steps[2]);
    ASSERT_FALSE(named.empty());
    for (const Parameter& parameter : session_.lesson().parameters)
        EXPECT_EQ(shows("bench." + parameter.id), std::ranges::count(named, parameter.id) == 1)
            << parameter.id;
    EXPECT_FALSE(shows("bench.run"));
    EXPECT_TRUE(shows("strip"));
    click("stage.all");
    EXPECT_TRUE(shows("bench.run"));
    EXPECT_TRUE(shows("bench.seed") || UiFrames::find("bench.seed")) << "it may have to be scrolled to";
    click("bench.close");
    EXPECT_FALSE(shows("bench.run"));
}

TEST_F(WindowFrames, TheDevicesMenuMeasuresAgainWhatItCanDo) {
    const UiFrames ui;
    open("reduction", 0);
    click("top.device");
    const std::size_t before = lab_.asked.size();
    click("device.measure");
    EXPECT_EQ(lab_.asked.size(), before) << "a run would answer the question";
    skip_questions();
    click("device.measure");
    ASSERT_EQ(lab_.asked.size(), before + 1);
    EXPECT_TRUE(lab_.asked.back().measure_ceilings);
    EXPECT_FALSE(shows("device.measure"));
    session_.run();
    EXPECT_FALSE(lab_.asked.back().measure_ceilings) << "once";
}

TEST_F(WindowFrames, BenchFoldsTheStoryToARailThatOpensIt) {
    const UiFrames ui;
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
    const UiFrames ui;
    open("reduction", 1);
    skip_questions();
    run(5000);
    frames();
    EXPECT_FALSE(shows("runs.row.1")) << "in Learn a strip";
    click("runs.strip");
    EXPECT_TRUE(shows("runs.row.1"));
    click("mode.bench");
    EXPECT_TRUE(shows("runs.row.1")) << "in Bench open from the start";
    click("runs.open");
    EXPECT_FALSE(shows("runs.row.1"));
    click("mode.learn");
    EXPECT_TRUE(shows("runs.row.1"));
}

TEST_F(WindowFrames, TheRunsAreDrawnUpByTheirEdge) {
    const UiFrames ui;
    open("reduction", 1);
    skip_questions();
    run(5000);
    frames();
    const WidgetRect* edge = UiFrames::find("splitter.runs");
    ASSERT_NE(edge, nullptr);
    mouse_ = (edge->min + edge->max) * 0.5F;
    frame();
    down_ = true;
    frame();
    mouse_.y -= 200;
    frame();
    down_ = false;
    frames();
    EXPECT_TRUE(shows("runs.row.1"));
    EXPECT_NEAR(workspace_.layout.runs_height, 236, 8);
}

TEST_F(WindowFrames, WhileAQuestionIsOpenNothingShowsWhatAnEarlierRunFound) {
    const UiFrames ui;
    std::size_t step = 1;
    open("reduction", step);
    while (!session_.asks_first())
        open("reduction", ++step);
    // A run of it is known, as when the question is asked again.
    const std::size_t question = *session_.open_question();
    session_.skip_question(question);
    run(123456);
    frames();
    EXPECT_THAT(value_of("result.verdict"), testing::HasSubstr("total"));
    session_.ask_again(question);
    for (const char* mode : {"mode.learn", "mode.bench"}) {
        click(mode);
        workspace_.layout.runs_open() = true;
        for (workspace_.tab = 0; workspace_.tab < 6; ++workspace_.tab) {
            frames();
            EXPECT_EQ(value_of("result.verdict"), "not there") << mode << workspace_.tab;
            EXPECT_EQ(value_of("strip.kernel"), "not there");
            EXPECT_FALSE(shows("runs.bars"));
            EXPECT_EQ(value_of("runs.row.1"), "");
            const bool answers = workspace_.tab >= 1 && workspace_.tab <= 4;
            EXPECT_EQ(shows("stage.held"), answers) << mode << workspace_.tab;
            EXPECT_TRUE(shows("strip.held"));
        }
        workspace_.tab = 0;
    }
}

TEST_F(WindowFrames, RunningWithoutAnAnswerAsksFirst) {
    const UiFrames ui;
    std::size_t step = 0;
    open("reduction", step);
    while (!session_.asks_first())
        open("reduction", ++step);
    const std::size_t asked = lab_.asked.size();
    run_or_ask(workspace_);
    EXPECT_EQ(workspace_.dialog, Dialog::run_unanswered);
    click("run_unanswered.no");
    EXPECT_EQ(workspace_.dialog, Dialog::none);
    EXPECT_TRUE(session_.asks_first());
    EXPECT_EQ(lab_.asked.size(), asked);
    run_or_ask(workspace_);
    click("run_unanswered.yes");
    EXPECT_EQ(workspace_.dialog, Dialog::none);
    EXPECT_FALSE(session_.asks_first());
    EXPECT_EQ(session_.progress_of(session_.step()).skipped,
              questions_of(session_.story().steps[step]).size());
    EXPECT_EQ(lab_.asked.size(), asked + 1);
}

TEST_F(WindowFrames, ARunIsComparedWithThePinnedOneOnlyWhereTheWorkIsTheSame) {
    const UiFrames ui;
    open("reduction", 1);
    skip_questions();
    run(5000);
    session_.pin(1);
    session_.set_value("workgroup_size", std::uint64_t{64});
    run(4000);
    workspace_.layout.arrangement = Arrangement::bench;
    frames();
    EXPECT_THAT(value_of("runs.row.2.against"), testing::HasSubstr("%"));
    EXPECT_EQ(value_of("bench.not_compared"), "not there");
    session_.set_value("elements", std::uint64_t{4096});
    run(3000);
    frames();
    EXPECT_THAT(value_of("runs.row.3.against"), testing::HasSubstr("other elements"));
    EXPECT_THAT(value_of("bench.not_compared"), testing::HasSubstr("Not compared: Elements"));
}

TEST_F(WindowFrames, APinnedRunAndTheBenchAreMeasuredAgainInTurn) {
    const UiFrames ui;
    open("gaussian", 0);
    skip_questions();
    const std::uint64_t of_pinned = session_.values()[key::workgroup_size];
    ASSERT_NE(of_pinned, 64U);
    run(5000);
    session_.pin(1);
    session_.set_value("workgroup_size", std::uint64_t{64});
    run(4000);
    workspace_.layout.arrangement = Arrangement::bench;
    frames();
    EXPECT_THAT(value_of("bench.against"), testing::HasSubstr("−20 %"));
    size_ = {1600, 1400};
    EXPECT_EQ(session_.in_turn(), nullptr) << "two single runs";
    click("bench.in_turn");
    // A picture was being recorded, which ends first.
    ASSERT_TRUE(lab_.asked.back().recorded);
    const std::size_t before = lab_.asked.size();
    lab_.answers.push_back(answer_to(lab_.asked.back(), Status::failed));
    session_.pump();
    // The machine was faster when the bench ran: measured in turn, it takes longer than the pinned run.
    for (std::size_t i = 0; i < 6; ++i) {
        ASSERT_EQ(lab_.asked.size(), before + i + 1);
        const bool pinned = i % 2 == 0;
        EXPECT_EQ(lab_.asked.back().experiment.values[key::workgroup_size], pinned ? of_pinned : 64U);
        EXPECT_EQ(session_.in_turn(), nullptr);
        lab_.answers.push_back(measured(lab_.asked.back(), pinned ? 5000 : 6000));
        session_.pump();
    }
    ASSERT_NE(session_.in_turn(), nullptr);
    EXPECT_EQ(lab_.asked.size(), before + 6);
    EXPECT_EQ(session_.values()[key::workgroup_size], 64U) << "the bench stays";
    frames();
    EXPECT_THAT(value_of("bench.against"), testing::HasSubstr("+20 %"));
    EXPECT_FALSE(shows("bench.in_turn"));
    session_.set_value("workgroup_size", std::uint64_t{32});
    EXPECT_EQ(session_.in_turn(), nullptr) << "of other values";
}

TEST_F(WindowFrames, WhatSomebodyMustReachLiesInTheWindowAtEverySize) {
    struct Window {
        float width, height, scale;
    };
    for (const Window& window :
         {Window{960, 540, 1}, Window{1280, 720, 1}, Window{1366, 768, 1}, Window{1600, 1000, 1},
          Window{1920, 1080, 1.5F}, Window{1920, 1080, 2}, Window{3840, 2160, 1}, Window{3840, 2160, 2}}) {
        const UiFrames ui(Mode::dark, window.scale);
        size_ = {window.width, window.height};
        for (const Lesson* lesson : all_lessons()) {
            open(lesson->id.c_str());
            for (std::size_t step = 0; step < session_.story().steps.size(); ++step) {
                session_.go_to_step(step);
                workspace_.layout = {};
                frames();
                for (const char* id :
                     {"stage.all", "stage.picture", "stage.inside", "stage.timings", "stage.launch",
                      "stage.sweep", "stage.kernel", "strip", "runs.strip", "runs.export", "runs.open",
                      "top.course", "top.view", "mode.learn", "mode.bench"}) {
                    SCOPED_TRACE(lesson->id + " step " + std::to_string(step + 1) + " at " +
                                 std::to_string(static_cast<int>(window.width)));
                    expect_whole(id);
                }
                for (const std::string& id : controls_of(session_.story().steps[step])) {
                    SCOPED_TRACE(lesson->id + " step " + std::to_string(step + 1));
                    expect_whole("bench." + id);
                }
                // Where a kernel is to be written it stands in the picture's place.
                const MakeBlock* const make = session_.to_make();
                const bool writes = make && !make->exercise.empty();
                const WidgetRect* body = UiFrames::find(writes ? "kernel.text" : "stage.picture.body");
                ASSERT_NE(body, nullptr);
                EXPECT_GE(body->max.y - body->min.y, (writes ? 90 : 150) * window.scale)
                    << lesson->id << " step " << step + 1 << " at " << window.width;
            }
        }
    }
}

TEST_F(WindowFrames, AVariantIsDescribedInFullWhereTheMouseRests) {
    const UiFrames ui;
    open("reduction", 2);
    const Variant* variant = find_variant(session_.lesson(), session_.variant());
    ASSERT_FALSE(variant->summary.empty());
    frames();
    const WidgetRect* choice = UiFrames::find("bench.variant");
    ASSERT_NE(choice, nullptr);
    mouse_ = (choice->min + choice->max) * 0.5F;
    keep_drawn_texts(true);
    for (int i = 0; i < 60; ++i)
        frame();
    // Wrapped: line by line.
    std::string words;
    for (const DrawnText& text : drawn_texts())
        words += text.text + " ";
    keep_drawn_texts(false);
    std::string wanted = variant->summary;
    std::erase(words, ' ');
    std::erase(wanted, ' ');
    EXPECT_THAT(words, testing::HasSubstr(wanted));
}

TEST_F(WindowFrames, TabBeginsAtTheQuestion) {
    const UiFrames ui;
    open("reduction", 1);
    frames();
    ImGui::GetIO().DisplaySize = ImVec2(size_.x, size_.y);
    feed_key(Key::tab, true);
    frame();
    feed_key(Key::tab, false);
    frames();
    feed_key(Key::enter, true);
    frame();
    feed_key(Key::enter, false);
    frames();
    const Prediction& prediction = session_.prediction(*session_.open_question());
    EXPECT_TRUE(prediction.answer.choice == 0U || !prediction.answer.order.empty() ||
                ImGui::GetIO().WantTextInput)
        << "the first stop is the question's first answer";
}

TEST_F(WindowFrames, ASmallerWindowScrolls) {
    const UiFrames ui;
    open("reduction");
    size_ = {640, 400};
    frames();
    EXPECT_FALSE(shows("runs.strip")) << "below the fold";
    reveal_widget("runs.export");
    frames();
    expect_whole("runs.export");
}

}  // namespace
}  // namespace gridstride::ui
