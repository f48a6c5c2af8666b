// A window of any size that shows a story of the test, with a lab that gives the test's answers.
#pragma once

#include "jobs/fake_lab.h"
#include "session/comes.h"
#include "session/session.h"
#include "story/story.h"
#include "test_includes.h"
#include "ui/desktop/draw_desktop.h"
#include "ui/learn/learn.h"
#include "ui/learn/question.h"
#include "ui/ui_frame.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

class LearnFrames : public testing::Test {
 protected:
    LearnFrames()
        : session_(lab_, "en", [this] { return now_.value_or(KernelClock::now()); }), workspace_(session_) {
        record_drawn_texts(true);
        open(*find_course_entry("reduction"));
    }
    ~LearnFrames() override { record_drawn_texts(false); }

    void open(const CourseEntry& entry) {
        session_.open(entry, 0);
        session_.pump();
    }
    /// The lab answers with this report.
    void reply(Report report) {
        lab_.answers.push_back(std::move(report));
        session_.pump();
    }
    /// Replaces the lesson's story by these steps, so that tests do not depend on the shipped text.
    void set_story(const std::string& steps) {
        const_cast<Story&>(session_.story()) = parse_story("# Told\n\n" + steps, "told.md");
        session_.go_to_step(0);
    }
    void resize_window(glm::vec2 size, float scale = 1, Mode mode = Mode::dark) {
        ui_.reset();
        ui_.emplace(mode, scale);
        size_ = size;
        frames();
    }

    void frame(const std::function<void()>& feed = {}) {
        ImGuiIO& io = ImGui::GetIO();
        io.DisplaySize = size_;
        io.DeltaTime = 1.0F / 60;
        feed_mouse_position(mouse_);
        feed_mouse_button(0, mouse_down_);
        if (feed) feed();
        ImGui::NewFrame();
        begin_widgets();
        draw_desktop(workspace_, size_);
        ImGui::Render();
        session_.pump();
    }
    void frames(int count = 4) {
        for (int i = 0; i < count; ++i)
            frame();
    }
    static const WidgetRect* find(const std::string& id) { return UiFrames::find(id); }
    static std::string widget_value(const std::string& id) { return UiFrames::widget_value(id); }
    static Rect widget_rect(const std::string& id) { return UiFrames::widget_rect(id); }
    /// Succeeds if the widget exists, no panel's edge cuts it off and it lies inside the window.
    testing::AssertionResult is_whole(const std::string& id) const {
        const WidgetRect* widget = find(id);
        if (!widget) return testing::AssertionFailure() << id << " is not there";
        if (!widget->is_whole || !Rect{{0, 0}, size_}.contains(Rect{widget->min, widget->max}))
            return testing::AssertionFailure() << id << " is cut off";
        return testing::AssertionSuccess();
    }
    void move_to(glm::vec2 position) {
        mouse_ = position;
        frame();
        frame();
    }
    void click_at(glm::vec2 position) {
        move_to(position);
        mouse_down_ = true;
        frame();
        mouse_down_ = false;
        frame();
        frame();
    }
    void click(const std::string& id) {
        reveal_widget(id);
        frames();
        click_at(widget_rect(id).centre());
    }
    void drag(glm::vec2 from, glm::vec2 to) {
        move_to(from);
        mouse_down_ = true;
        frame();
        for (int i = 1; i <= 20; ++i) {
            mouse_ = from + (to - from) * (static_cast<float>(i) / 20);
            frame();
        }
        mouse_down_ = false;
        frame();
        frame();
    }
    void press(Key key, Modifiers modifiers = {}) {
        frame([&] {
            feed_modifiers(modifiers);
            feed_key(key, true);
        });
        frame([&] {
            feed_key(key, false);
            feed_modifiers({});
        });
        frame();
    }
    void set(const std::string& id, const std::string& value) {
        request_value(id, value);
        frames(2);
        EXPECT_FALSE(has_requested_value(id)) << id;
    }
    /// All text in the window, in the order of drawing.
    static std::string window_text() {
        std::string all;
        for (const DrawnText& text : drawn_texts())
            all += text.text + " ";
        return all;
    }

    /// The lab answers the newest request with these numbers of the result and these kernel times.
    void answer(const std::vector<std::pair<std::string, double>>& results,
                std::vector<double> kernel_ns = {1000}) {
        Report report = answer_to(lab_.requests.back(), Status::ok);
        for (const auto& [id, value] : results)
            report.result.push_back({id, id, value});
        report.timings.kernel.samples = std::move(kernel_ns);
        reply(std::move(report));
        frames();
    }

    /// The lab answers the request for a trace that a plot needs. Another thread analyzes the trace.
    void answer_trace(std::optional<trace::Trace> trace, Status status = Status::ok) {
        Report report = answer_to(lab_.requests.back(), status);
        if (trace) trace->launch_number = lab_.requests.back().trace_options->launch;
        if (!trace) report.message = "The device is lost.";
        report.trace = std::move(trace);
        reply(std::move(report));
        wait_for_trace();
        workspace_.refresh_plots();
        frames();
    }
    void wait_for_trace() {
        ASSERT_TRUE(test::comes([this] {
            session_.pump();
            return !session_.is_tracing();
        }));
    }

    const Answer& get_answer(std::size_t block = 0) { return session_.prediction(block).answer; }

    FakeLab lab_;
    std::optional<KernelClock::time_point> now_;  ///< nullopt: the real time
    Session session_;
    Workspace workspace_;
    std::optional<UiFrames> ui_;
    glm::vec2 size_{1366, 768}, mouse_{-1000, -1000};
    bool mouse_down_ = false;
};

}  // namespace gridstride::ui
