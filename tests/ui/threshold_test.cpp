// What a plot shows of a parameter is dragged there, in a lesson's own picture.
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

TEST_F(ThresholdTest, IsDraggedInTheRecordingAndRunsAtOnce) {
    max_elements_ = max_computed_elements;
    open(*find_lesson("zero_suppression"));
    const auto& steps = session_.story().steps;
    const auto with_recording = std::ranges::find_if(steps, [](const StoryStep& step) {
        const auto pictures = step_pictures(step);
        const auto controls = step_controls(step);
        return !pictures.empty() && pictures.front().plot == "recording" &&
               std::ranges::find(controls, "threshold") != controls.end();
    });
    ASSERT_NE(with_recording, steps.end());
    session_.go_to_step(static_cast<std::size_t>(with_recording - steps.begin()));
    skip_questions(session_);
    session_.run();
    lab_.answers.push_back(answer_of_lab(0));
    session_.pump();
    workspace_.picture = {&session_.lesson(), session_.step(), "recording"};
    look_like({1366, 768});
    settle();
    const std::string id = "result.recording.marker.threshold";
    const std::uint64_t before = threshold();
    const Rect line = rect_of(id);
    drag(line.centre(), line.centre() - glm::vec2(0, 100));
    EXPECT_GT(threshold(), before + 20);
    EXPECT_EQ(std::get<std::uint64_t>(lab_.requests.back().experiment.values.at("threshold")), threshold());
    lab_.answers.push_back(answer_of_lab(0));
    session_.pump();
    settle();
    EXPECT_NEAR(rect_of(id).centre().y, line.centre().y - 100, 6) << "the line stays where it was let go";
    ASSERT_NE(find(id), nullptr);
    EXPECT_EQ(find(id)->value, std::to_string(threshold()));
}

}  // namespace gridstride::ui::threshold_test
