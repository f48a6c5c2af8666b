// The job bar: when it appears, its text, what its buttons stop, and that no other widget moves.
#include "sweep/sweep_form.h"
#include "ui/learn_frames.h"
#include "ui/panels/panels.h"

namespace gridstride::ui::job_bar_test {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

class JobBar : public LearnFrames {
 protected:
    JobBar() {
        now_ = KernelClock::time_point{};
        set_story("## Only\n\n```set\nvariant = tree_sequential\n```\n");
        resize_window({1366, 768});
        // The timings tab shows no plot that would need a trace.
        open_tab(workspace_, "timings");
        while (!session_.jobs().empty())
            end_run();
        lab_.cancelled = 0;
    }

    /// Starts a sweep of four cells.
    void start_sweep() {
        SweepForm form;
        form.parameters[0] = "workgroup_size";
        form.texts["workgroup_size"] = "32,64,128,256";
        form.samples = "6";
        session_.start_sweep(examine_form(form, *session_.bench().prepared()).spec.value());
        frames();
    }
    void advance_clock(std::chrono::milliseconds time) {
        *now_ += time;
        frames();
    }
    void end_run() {
        reply(answer_to(lab_.requests.back(), Status::ok));
        frames();
    }
    static Rect find_rect(const std::string& id) {
        const WidgetRect* const widget = find(id);
        return widget ? Rect{widget->min, widget->max} : Rect{{0, 0}, {0, 0}};
    }
    /// The positions of all widgets that do not belong to the bar.
    static std::map<std::string, std::pair<glm::vec2, glm::vec2>> other_positions() {
        std::map<std::string, std::pair<glm::vec2, glm::vec2>> positions;
        for (const WidgetRect& widget : widget_map())
            if (!widget.id.starts_with("jobs.") && !widget.id.starts_with("bench.stop") &&
                !widget.id.starts_with("bench.run"))
                positions[widget.id] = {widget.min, widget.max};
        return positions;
    }
};

TEST_F(JobBar, AppearsAfterAJobHasTakenASecond) {
    session_.run();
    advance_clock(900ms);
    EXPECT_EQ(find("jobs.first"), nullptr);
    EXPECT_EQ(find("jobs.stop"), nullptr);
    advance_clock(200ms);
    EXPECT_THAT(widget_value("jobs.first"), StartsWith("Bench run: tree_sequential"));
    EXPECT_EQ(find("jobs.waiting"), nullptr);
    end_run();
    EXPECT_EQ(find("jobs.first"), nullptr);
}

TEST_F(JobBar, StaysHiddenForRunsThatReplaceEachOther) {
    for (int i = 0; i < 5; ++i) {
        session_.run();
        advance_clock(700ms);
        EXPECT_EQ(find("jobs.first"), nullptr);
    }
}

TEST_F(JobBar, ShowsProgressAndRemainingTime) {
    start_sweep();
    advance_clock(2s);
    EXPECT_THAT(widget_value("jobs.first"), HasSubstr("0 of 4"));
    end_run();
    EXPECT_THAT(widget_value("jobs.first"), HasSubstr("1 of 4 · about 6 s left"));
    advance_clock(1s);
    EXPECT_THAT(widget_value("jobs.first"), HasSubstr("1 of 4 · about 5 s left"));
}

TEST_F(JobBar, StopStopsTheFirstJob) {
    start_sweep();
    advance_clock(2s);
    click("jobs.stop");
    EXPECT_EQ(session_.sweeps().state(), SweepState::stopped);
    EXPECT_THAT(widget_value("jobs.first"), HasSubstr("stopping"));
    EXPECT_EQ(lab_.cancelled, 1);
    reply(answer_to(lab_.requests.back(), Status::stopped));
    frames();
    EXPECT_EQ(find("jobs.first"), nullptr);
}

TEST_F(JobBar, ListsEachJobWithItsOwnStop) {
    start_sweep();
    session_.run();
    advance_clock(2s);
    EXPECT_THAT(widget_value("jobs.first"), StartsWith("Bench run"));
    EXPECT_EQ(widget_value("jobs.waiting"), "1 waiting");
    EXPECT_EQ(find("jobs.1"), nullptr);
    click("jobs.waiting");
    EXPECT_THAT(widget_value("jobs.1"), HasSubstr("elapsed"));
    EXPECT_EQ(widget_value("jobs.2"), "Sweep · waits");
    click("jobs.2.stop");
    EXPECT_EQ(session_.sweeps().state(), SweepState::stopped);
    EXPECT_TRUE(session_.is_measuring());
    EXPECT_EQ(lab_.cancelled, 0);
    EXPECT_EQ(find("jobs.2"), nullptr);
    click("jobs.1.stop");
    EXPECT_EQ(lab_.cancelled, 1);
    reply(answer_to(lab_.requests.back(), Status::stopped));
    frames();
    EXPECT_EQ(find("jobs.1"), nullptr);
    EXPECT_TRUE(session_.jobs().empty());
}

TEST_F(JobBar, ShortRunDoesNotReplaceALongJob) {
    start_sweep();
    advance_clock(2s);
    session_.run();
    frames();
    EXPECT_EQ(session_.jobs().running_priority(), JobPriority::bench);
    EXPECT_THAT(widget_value("jobs.first"), StartsWith("Sweep"));
    EXPECT_EQ(find("jobs.waiting"), nullptr);
}

TEST_F(JobBar, OtherWidgetsDoNotMove) {
    struct Row {
        glm::vec2 size;
        float scale;
    };
    for (const auto& [size, scale] :
         {Row{{1366, 768}, 1}, Row{{1600, 1000}, 1}, Row{{1920, 1080}, 1.25F}, Row{{1280, 720}, 1}}) {
        SCOPED_TRACE(testing::Message() << size.x << " at " << scale);
        resize_window(size, scale);
        start_sweep();
        session_.run();
        frames();
        const auto before = other_positions();
        advance_clock(2s);
        EXPECT_TRUE(is_whole("jobs.first"));
        EXPECT_TRUE(is_whole("jobs.waiting"));
        EXPECT_TRUE(is_whole("jobs.stop"));
        EXPECT_EQ(other_positions(), before);
        session_.stop();
        session_.stop_sweep();
        reply(answer_to(lab_.requests.back(), Status::stopped));
        frames();
    }
}

TEST_F(JobBar, ReplacesFindAndTheDeviceInANarrowWindow) {
    for (const float scale : {1.0F, 2.0F}) {
        resize_window(glm::vec2(960, 540) * scale, scale);
        session_.run();
        frames();
        const Rect step = find_rect("story.step.1"), mode = find_rect("mode.bench");
        EXPECT_NE(find("top.device"), nullptr);
        advance_clock(2s);
        EXPECT_EQ(find("top.device"), nullptr);
        EXPECT_TRUE(is_whole("jobs.first"));
        EXPECT_TRUE(is_whole("jobs.stop"));
        EXPECT_EQ(find_rect("story.step.1").min, step.min);
        EXPECT_EQ(find_rect("mode.bench").min, mode.min);
        EXPECT_GE(find_rect("jobs.first").min.x, find_rect("story.step.1").max.x);
        end_run();
        EXPECT_NE(find("top.device"), nullptr);
    }
}

}  // namespace gridstride::ui::job_bar_test
