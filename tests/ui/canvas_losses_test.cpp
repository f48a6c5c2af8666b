#include "ui/window/canvas.h"

#include "gpu/device.h"
#include "test_includes.h"
#include "ui/drive/script.h"
#include "ui/widgets/theme.h"

namespace gridstride::ui::canvas_losses_test {

using namespace std::chrono_literals;

TEST(CanvasLosses, ThrowsOnTheThirdLossWithinTenSeconds) {
    CanvasLosses losses;
    const CanvasLosses::Clock::time_point start{};
    losses.add("first", start);
    losses.add("second", start + 9s);
    try {
        losses.add("the driver's own words", start + 10s);
        FAIL() << "the third loss is accepted";
    } catch (const NoDevice& error) {
        EXPECT_THAT(error.what(), HasSubstr("the driver's own words"));
        EXPECT_THAT(error.what(), HasSubstr("3 times within 10 s"));
    }
    EXPECT_EQ(losses.count(), 3U);
}

TEST(CanvasLosses, SurvivesLossesFarApart) {
    CanvasLosses losses;
    CanvasLosses::Clock::time_point now{};
    for (int i = 0; i < 50; ++i, now += 5100ms)
        losses.add("again", now);
    EXPECT_EQ(losses.count(), 50U);
}

TEST(CanvasLosses, CanBeStepsOfAScript) {
    const auto script = parse_script(R"([{"lose":"device"},{"lose":"surface"}])", "s.json");
    ASSERT_EQ(script.size(), 2U);
    EXPECT_EQ(script[0].loss, Loss::device);
    EXPECT_EQ(script[1].loss, Loss::surface);
    EXPECT_THROW(parse_script(R"([{"lose":"patience"}])", "s.json"), FileError);
}

class LostCanvas : public testing::Test {
 protected:
    LostCanvas() {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        gpu::take_validation_messages();
    }
    ~LostCanvas() override {
        ImGui::DestroyContext();
        for (const std::string& message : gpu::take_validation_messages())
            ADD_FAILURE() << message;
    }
    static void draw(Canvas& canvas) {
        canvas.begin_frame(false, 0);
        ImDrawList* const list = ImGui::GetForegroundDrawList();
        list->AddRectFilled({10, 20}, {90, 40}, IM_COL32(200, 100, 50, 255));
        list->AddText({12, 22}, IM_COL32_WHITE, "letters need the font texture");
        canvas.end_frame();
    }
};

TEST_F(LostCanvas, DrawsTheSameFrameOnANewDevice) {
    const auto canvas = make_offscreen(256, 64);
    const Theme theme(Mode::dark, 1);
    draw(*canvas);
    const Image before = canvas->read_pixels();

    canvas->simulate_loss(Loss::device);
    EXPECT_EQ(canvas->losses(), 0U);
    EXPECT_EQ(canvas->read_pixels().rgba, before.rgba) << "lost while reading";
    EXPECT_EQ(canvas->losses(), 1U);

    canvas->simulate_loss(Loss::device);
    draw(*canvas);
    EXPECT_EQ(canvas->losses(), 2U);
    EXPECT_EQ(canvas->read_pixels().rgba, before.rgba) << "lost while drawing";

    canvas->simulate_loss(Loss::device);
    EXPECT_THROW(draw(*canvas), NoDevice) << "the third loss within ten seconds";
}

TEST_F(LostCanvas, RecoversFromALossDuringFontUpload) {
    const auto canvas = make_offscreen(256, 64);
    const Theme theme(Mode::dark, 1);
    canvas->simulate_loss(Loss::device);
    draw(*canvas);
    EXPECT_EQ(canvas->losses(), 1U);
    EXPECT_FALSE(canvas->read_pixels().rgba.empty());
}

}  // namespace gridstride::ui::canvas_losses_test
