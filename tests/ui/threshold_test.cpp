// The mouse drags the marker of a parameter in a lesson's plot.
#include "ui/step_frames.h"

#include "session/skip_questions.h"
#include "test_includes.h"

namespace gridstride::ui::threshold_test {

class ThresholdTest : public Steps {
 protected:
    std::uint64_t threshold() const {
        return std::get<std::uint64_t>(session_.bench().values().at("threshold"));
    }
};

TEST_F(ThresholdTest, DraggingItsMarkerRunsTheNewValue) {
    max_elements_ = max_computed_elements;
    open(*find_course_entry("zero_suppression"));
    const auto& steps = session_.story().steps;
    const auto recording_step = std::ranges::find_if(steps, [](const StoryStep& step) {
        const auto pictures = step_pictures(step);
        const auto controls = step_controls(step);
        return !pictures.empty() && pictures.front().plot == "recording" &&
               std::ranges::find(controls, "threshold") != controls.end();
    });
    ASSERT_NE(recording_step, steps.end());
    session_.go_to_step(static_cast<std::size_t>(recording_step - steps.begin()));
    skip_questions(session_);
    session_.run();
    lab_.answers.push_back(make_lab_report(0));
    session_.pump();
    workspace_.picture = {&session_.entry(), session_.step(), "recording"};
    resize_window({1366, 768});
    refresh_pictures();
    const std::string id = "result.recording.marker.threshold";
    const std::uint64_t before = threshold();
    const Rect line = widget_rect(id);
    drag(line.centre(), line.centre() - glm::vec2(0, 100));
    EXPECT_GT(threshold(), before + 20);
    EXPECT_EQ(std::get<std::uint64_t>(lab_.requests.back().experiment.values.at("threshold")), threshold());
    lab_.answers.push_back(make_lab_report(0));
    session_.pump();
    refresh_pictures();
    EXPECT_NEAR(widget_rect(id).centre().y, line.centre().y - 100, 6)
        << "the line stays where the mouse released it";
    ASSERT_NE(find(id), nullptr);
    EXPECT_EQ(find(id)->value, std::to_string(threshold()));
}

}  // namespace gridstride::ui::threshold_test
