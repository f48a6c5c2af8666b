#include "ui/window/canvas.h"

#include <png.h>

#include "gpu/device.h"
#include "test_includes.h"
#include "ui/drive/frame_log.h"
#include "ui/widgets/theme.h"

namespace gridstride::ui::canvas_test {

class CanvasTest : public testing::Test {
 protected:
    CanvasTest() {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
    }
    ~CanvasTest() override { ImGui::DestroyContext(); }
};

std::array<int, 4> pixel(const Image& image, std::uint32_t x, std::uint32_t y) {
    const std::uint8_t* p = &image.rgba[4 * (std::size_t{y} * image.width + x)];
    return {p[0], p[1], p[2], p[3]};
}

Image draw_square(Canvas& canvas, ImU32 color) {
    canvas.begin_frame(false, 0);
    ImGui::GetForegroundDrawList()->AddRectFilled({10, 20}, {30, 40}, color);
    canvas.end_frame();
    return canvas.read_pixels();
}

TEST_F(CanvasTest, ReadsBackTheDrawnPixels) {
    gpu::take_validation_messages();
    {
        const auto canvas = make_offscreen(64, 48);
        const Theme theme(Mode::dark, 1);
        EXPECT_TRUE(canvas->read_pixels().rgba.empty()) << "nothing was drawn yet";
        const Image first = draw_square(*canvas, IM_COL32(200, 100, 50, 255));
        ASSERT_EQ(first.width, 64U);
        ASSERT_EQ(first.height, 48U);
        EXPECT_EQ(pixel(first, 20, 30), (std::array{200, 100, 50, 255}));
        EXPECT_EQ(pixel(first, 40, 30), (std::array{0x11, 0x14, 0x17, 255}));
        EXPECT_EQ(pixel(first, 20, 10), (std::array{0x11, 0x14, 0x17, 255}));

        const Theme light(Mode::light, 1.5F);
        canvas->rebuild_fonts();
        const Image second = draw_square(*canvas, IM_COL32(0, 0, 255, 255));
        EXPECT_EQ(pixel(second, 20, 30), (std::array{0, 0, 255, 255}));
        EXPECT_EQ(pixel(second, 40, 30), (std::array{0xF7, 0xF8, 0xFA, 255}));
    }
    for (const std::string& message : gpu::take_validation_messages())
        ADD_FAILURE() << message;
}

TEST_F(CanvasTest, ReadingPixelsDoesNotRedrawTheFrame) {
    const auto canvas = make_offscreen(64, 48);
    const Theme theme(Mode::dark, 1);
    const Image shown = draw_square(*canvas, IM_COL32(200, 100, 50, 255));
    ImDrawData* const data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; ++i)
        for (ImDrawVert& vertex : data->CmdLists[i]->VtxBuffer)
            vertex.col = IM_COL32(0, 0, 255, 255);
    EXPECT_EQ(canvas->read_pixels().rgba, shown.rgba);
}

TEST_F(CanvasTest, DrawsAFrameOnlyIfItLooksDifferent) {
    const auto canvas = make_offscreen(64, 48);
    const Theme theme(Mode::dark, 1);
    const auto is_drawn = [&](float left) {
        canvas->begin_frame(false, 0);
        ImGui::GetForegroundDrawList()->AddRectFilled({left, 20}, {30, 40}, IM_COL32(0, 0, 255, 255));
        return canvas->end_frame().present_ms > 0;
    };
    EXPECT_TRUE(is_drawn(10));
    EXPECT_FALSE(is_drawn(10));
    EXPECT_TRUE(is_drawn(11));
    canvas->rebuild_fonts();
    EXPECT_TRUE(is_drawn(11));
    canvas->simulate_loss(Loss::device);
    EXPECT_TRUE(is_drawn(11));
    EXPECT_EQ(canvas->losses(), 1U);
    EXPECT_FALSE(is_drawn(11));
}

TEST_F(CanvasTest, CallsTheHookBeforeTheFrame) {
    const auto canvas = make_offscreen(32, 32);
    const Theme theme(Mode::dark, 1);
    canvas->before_new_frame = [] { ImGui::GetIO().MousePos = ImVec2(7, 9); };
    canvas->begin_frame(false, 0);
    EXPECT_EQ(ImGui::GetMousePos().x, 7);
    EXPECT_EQ(ImGui::GetMousePos().y, 9);
    canvas->end_frame();
}

TEST_F(CanvasTest, SleepsUntilWoken) {
    const auto canvas = make_offscreen(32, 32);
    const Theme theme(Mode::dark, 1);
    const auto start = std::chrono::steady_clock::now();
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        canvas->wake();
    });
    canvas->begin_frame(true, 600);
    other.join();
    canvas->end_frame();
    const auto slept = std::chrono::steady_clock::now() - start;
    EXPECT_GE(slept, std::chrono::milliseconds(45));
    EXPECT_LT(slept, std::chrono::seconds(500));
}

TEST(Png, RoundTripIsLossless) {
    Image image{3, 2, {}};
    for (int i = 0; i < 24; ++i)
        image.rgba.push_back(static_cast<std::uint8_t>(i % 4 == 3 ? 255 : i * 10));
    const ScratchFolder scratch;
    const auto path = scratch / "round.png";
    save_png(image, path.string());
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    ASSERT_TRUE(png_image_begin_read_from_file(&header, path.c_str()));
    header.format = PNG_FORMAT_RGBA;
    std::vector<std::uint8_t> read(PNG_IMAGE_SIZE(header));
    ASSERT_TRUE(png_image_finish_read(&header, nullptr, read.data(), 0, nullptr));
    EXPECT_EQ(header.width, 3U);
    EXPECT_EQ(header.height, 2U);
    EXPECT_EQ(read, image.rgba);
}

TEST(Png, RejectsBadPathsAndEmptyImages) {
    EXPECT_THROW(save_png({1, 1, {1, 2, 3, 255}}, "/nowhere/at/all.png"), FileError);
    EXPECT_THROW(save_png({}, (ScratchFolder() / "empty.png").string()), FileError);
}

TEST(FrameLog, WritesOneRowPerFrame) {
    const ScratchFolder scratch;
    const auto path = scratch / "frames.csv";
    FrameLog log(path);
    log.add({1.5, 1.25}, {.record = {0.25, 0.125}, .present_ms = 2}, 4);
    log.add({1, 0.5}, {}, 3);
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    EXPECT_EQ(text.str(),
              "frame,wall_ms,build_ms,record_ms,present_ms,processor_ms\r\n"
              "0,4.000,1.500,0.250,2.000,1.375\r\n1,3.000,1.000,0.000,0.000,0.500\r\n");
    EXPECT_THROW(FrameLog("/nowhere/at/all.csv"), FileError);
}

}  // namespace gridstride::ui::canvas_test
