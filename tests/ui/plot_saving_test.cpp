// A plot's menu and the files that it saves, values and pictures, with a simulated mouse.
#include "jobs/fake_lab.h"
#include "test_includes.h"
#include "ui/panels/panels.h"
#include "ui/plot/draw_plot.h"
#include "ui/ui_frame.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui::plot_saving_test {

Plot make_three_bars() {
    Figure figure;
    figure.series.push_back(
        {.label = "n", .mark = Mark::bars, .color_role = ColorRole::kernel, .y = {1, 2, 3}});
    return {.id = "bars", .title = "Three bars", .content = figure};
}

class PlotSavingTest : public DrawnTest {
 protected:
    PlotSavingTest() : session_(lab_, "en"), workspace_(session_) {
        session_.open(*find_course_entry("reduction"), 0);
        workspace_.plot_save_dialog.folder = folder_.path().string();
        ImGui::GetIO().DisplaySize = screen.max;
        body_ = [this] { draw_window(); };
    }

    /// Draws the window: a plot, and over it the dialog that saves it.
    void draw_window() {
        set_cursor({50, 50});
        draw_plot("test.plot", plot_, view(), {300, 200});
        if (draws_dialog_) draw_plot_saving(workspace_, screen);
    }
    PlotView& view() { return workspace_.plot_views["test.plot"]; }
    void frame_with_dialog() {
        draws_dialog_ = true;
        frame();
        draws_dialog_ = false;
    }
    void open_menu() {
        ui_.mouse = {200, 150};
        frames(2);
        press(Key::f10, {.shift = true});
    }
    void choose_in_menu(const std::string& item) {
        open_menu();
        frame();
        click("test.plot.menu." + item);
    }
    void press_save() {
        frame_with_dialog();
        draws_dialog_ = true;
        click("plot.accept");
        draws_dialog_ = false;
        do {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            frame_with_dialog();
        } while (workspace_.files.is_busy());
        frame_with_dialog();
    }
    PlotSaveDialog& save_dialog() { return workspace_.plot_save_dialog; }
    void request_action(PlotFile file) {
        view().action = PlotAction{file, std::make_shared<const Plot>(plot_), {300, 200}, false};
    }
    void request_and_draw(PlotFile file) {
        request_action(file);
        frame_with_dialog();
    }

    FakeLab lab_;
    Session session_;
    Workspace workspace_;
    Plot plot_ = make_three_bars();
    const ScratchFolder folder_;
    bool draws_dialog_ = false;
};

TEST_F(PlotSavingTest, MenuRequestsACsvFile) {
    choose_in_menu("csv");
    ASSERT_TRUE(view().action);
    EXPECT_EQ(view().action->file, PlotFile::csv);
    EXPECT_EQ(view().action->plot->id, "bars");
    EXPECT_EQ(view().action->size.x, 300);
    EXPECT_EQ(view().action->size.y, 200);
    frame();
    EXPECT_EQ(find("test.plot.menu.csv"), nullptr) << "the menu has closed";
}

TEST_F(PlotSavingTest, MenuRequestsAPicture) {
    choose_in_menu("png");
    ASSERT_TRUE(view().action);
    EXPECT_EQ(view().action->file, PlotFile::png);
}

TEST_F(PlotSavingTest, EscapeClosesTheMenuWithoutAnAction) {
    open_menu();
    ASSERT_NE(find("test.plot.menu.csv"), nullptr);
    press(Key::escape);
    frame();
    EXPECT_EQ(find("test.plot.menu.csv"), nullptr);
    EXPECT_FALSE(view().action);
}

TEST_F(PlotSavingTest, WritesValuesToTheChosenFile) {
    request_and_draw(PlotFile::csv);
    ASSERT_TRUE(save_dialog().is_open);
    EXPECT_FALSE(view().action) << "the window has used the action";
    EXPECT_EQ(save_dialog().name.path, "reduction_bars.csv") << "a name in the folder that the dialog shows";
    press_save();
    EXPECT_FALSE(save_dialog().is_open);
    EXPECT_EQ(read_file(folder_ / "reduction_bars.csv"), plot_csv(plot_));
    EXPECT_THAT(workspace_.notice, HasSubstr("3 rows"));
    EXPECT_FALSE(workspace_.is_notice_error);
}

TEST_F(PlotSavingTest, ReplacingAFileNeedsASecondClick) {
    write_file(folder_ / "reduction_bars.csv", "mine");
    request_and_draw(PlotFile::csv);
    press_save();
    EXPECT_TRUE(save_dialog().is_open);
    EXPECT_THAT(save_dialog().name.problem, HasSubstr("Replace"));
    EXPECT_EQ(read_file(folder_ / "reduction_bars.csv"), "mine");
    frame_with_dialog();
    EXPECT_EQ(widget_value("plot.accept"), "Replace");

    // Another file that exists needs its own confirmation.
    write_file(folder_ / "other.csv", "mine too");
    request_value("plot.path", (folder_ / "other.csv").string());
    frame_with_dialog();
    EXPECT_FALSE(save_dialog().name.offers_replace);
    press_save();
    EXPECT_EQ(read_file(folder_ / "other.csv"), "mine too");
    press_save();
    EXPECT_EQ(read_file(folder_ / "other.csv"), plot_csv(plot_));
}

TEST_F(PlotSavingTest, DialogShowsWriteErrors) {
    request_and_draw(PlotFile::csv);
    frame_with_dialog();
    request_value("plot.path", (folder_ / "no/such").string());
    frame_with_dialog();
    press_save();
    EXPECT_TRUE(save_dialog().is_open);
    EXPECT_THAT(save_dialog().name.problem, testing::Ne(""));
    EXPECT_TRUE(workspace_.notice.empty());
}

TEST_F(PlotSavingTest, EscapeClosesTheDialogAndWritesNothing) {
    request_and_draw(PlotFile::csv);
    frame_with_dialog();
    ui_.press(Key::escape, [this] { draw_plot_saving(workspace_, screen); });
    EXPECT_FALSE(save_dialog().is_open);
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(PlotSavingTest, OffersThePictureAtItsShownSize) {
    request_and_draw(PlotFile::png);
    ASSERT_TRUE(save_dialog().is_open);
    EXPECT_EQ(save_dialog().size.width, "332") << "the plot and 16 pixels at each side";
    EXPECT_EQ(save_dialog().size.percent, "100");
    const int height = std::stoi(save_dialog().size.height);
    EXPECT_GT(height, 232) << "the title is above the plot";
    EXPECT_LT(height, 300);

    Cells lanes;
    lanes.kinds = {{"adds", ColorRole::kernel}};
    lanes.rows.resize(40, {"level", {0}, ""});
    plot_.content = lanes;
    save_dialog().is_open = false;
    workspace_.files.close();
    view().action = PlotAction{PlotFile::png, std::make_shared<const Plot>(plot_), {300, 0}, false};
    frame_with_dialog();
    EXPECT_GT(std::stoi(save_dialog().size.height), 600) << "the whole plot, which is higher than the window";
}

TEST_F(PlotSavingTest, RejectsInvalidSizesWithTheLimits) {
    request_and_draw(PlotFile::png);
    const auto save_with_size = [&](const PictureSize& size) {
        save_dialog().size = size;
        press_save();
        EXPECT_TRUE(save_dialog().is_open);
        return save_dialog().name.problem;
    };
    for (const auto& [size, limits] : {std::pair{PictureSize{"5000", "300", "100"}, "200 to 4096"},
                                       {{"300", "149", "100"}, "150 to 4096"},
                                       {{"300", "300", "401"}, "50 to 400"}})
        EXPECT_THAT(save_with_size(size), HasSubstr(limits));
    for (const char* width : {"", "3e2", "-300", "300.5", " 300", "99999999999"})
        EXPECT_THAT(save_with_size({width, "300", "100"}), HasSubstr(fmt::format("\"{}\"", width)));
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(PlotSavingTest, PictureDoesNotAffectTheWindow) {
    request_action(PlotFile::png);
    view().action.reset();
    frame();
    focus_widget("test.plot");
    frame();
    const std::size_t widgets = widget_map().size();
    ASSERT_GT(widgets, 0U);
    ui_.frame([&] {
        draw_window();
        const Rect rect{{50, 50}, {350, 250}};
        EXPECT_TRUE(interact(make_widget_id("test.plot"), rect, rect).is_focused);
        const double redraw = widgets_redraw_delay();
        const ImGuiContext* const window = ImGui::GetCurrentContext();
        const PlotAction plot_action{PlotFile::png, std::make_shared<const Plot>(plot_), {300, 200}, false};
        for (const int percent : {100, 150})
            const PlotPicture picture(plot_action, view(), percent, {640, 480});
        EXPECT_EQ(ImGui::GetCurrentContext(), window);
        EXPECT_EQ(&theme(), &ui_.theme());
        EXPECT_EQ(widget_map().size(), widgets);
        EXPECT_EQ(find("picture.plot"), nullptr);
        EXPECT_EQ(widgets_redraw_delay(), redraw);
        EXPECT_TRUE(interact(make_widget_id("test.plot"), rect, rect).is_focused)
            << "the focus does not move";
    });
}

/// The pixels of a plot's picture, which the canvas draws. The window itself is red.
class PlotPictureTest : public testing::Test {
 protected:
    static constexpr ImU32 red = IM_COL32(255, 0, 0, 255);

    PlotPictureTest() {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        canvas_ = make_offscreen(800, 600);
        theme_.emplace(Mode::light, 1);
        set_theme(&*theme_);
    }
    ~PlotPictureTest() override {
        set_theme(nullptr);
        canvas_.reset();
        ImGui::DestroyContext();
    }

    void window_frame() {
        canvas_->begin_frame(false, 0);
        begin_widgets();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({800, 600});
        ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration);
        ImGui::GetWindowDrawList()->AddRectFilled({0, 0}, {800, 600}, red);
        ImGui::End();
        canvas_->end_frame();
    }
    Image draw_picture(const Plot& plot, const PlotView& view = {}, glm::uvec2 size = {332, 280},
                       int percent = 100) {
        window_frame();
        const PlotAction action{PlotFile::png, std::make_shared<const Plot>(plot), {300, 200}, false};
        PlotPicture picture(action, view, percent, size);
        while (!picture.draw_next_rows(*canvas_))
            window_frame();
        return picture.take();
    }
    static PlotView make_marked_view(std::vector<PlotHighlight> rings, std::vector<double> crosses = {}) {
        PlotView view;
        view.rings = std::move(rings);
        view.crosses = std::move(crosses);
        return view;
    }
    static std::size_t count_pixels(const Image& picture, ImU32 color) {
        std::size_t found = 0;
        for (std::size_t i = 0; i + 3 < picture.rgba.size(); i += 4)
            found += IM_COL32(picture.rgba[i], picture.rgba[i + 1], picture.rgba[i + 2],
                              picture.rgba[i + 3]) == color;
        return found;
    }

    static std::size_t count_differences(const Image& a, const Image& b) {
        EXPECT_EQ(a.rgba.size(), b.rgba.size());
        std::size_t found = 0;
        for (std::size_t i = 0; i + 3 < std::min(a.rgba.size(), b.rgba.size()); i += 4)
            found += !std::equal(&a.rgba[i], &a.rgba[i] + 4, &b.rgba[i]);
        return found;
    }

    std::unique_ptr<Canvas> canvas_;
    std::optional<Theme> theme_;
};

TEST_F(PlotPictureTest, ShowsOnlyThePlot) {
    const Image picture = draw_picture(make_three_bars());
    EXPECT_EQ(picture.width, 332U);
    EXPECT_EQ(picture.height, 280U);
    ASSERT_EQ(picture.rgba.size(), std::size_t{4} * 332 * 280);
    EXPECT_EQ(count_pixels(picture, red), 0U);
    EXPECT_GT(count_pixels(picture, theme_->color(ColorRole::kernel)), 5000U);
    EXPECT_GT(count_pixels(picture, theme_->palette().ground), picture.rgba.size() / 4 / 4);
    for (std::size_t i = 3; i < picture.rgba.size(); i += 4)
        ASSERT_EQ(picture.rgba[i], 255) << "opaque";
}

TEST_F(PlotPictureTest, HasTheRingsAndCrossesOfThePanel) {
    for (const Mark mark : {Mark::line, Mark::bars}) {
        Plot plot = make_three_bars();
        std::get<Figure>(plot.content).series.front().mark = mark;
        const Image none = draw_picture(plot);
        const std::size_t thin =
            count_differences(draw_picture(plot, make_marked_view({{0, 1, false}})), none);
        const std::size_t thick =
            count_differences(draw_picture(plot, make_marked_view({{0, 1, true}})), none);
        EXPECT_GT(thin, 20U);
        EXPECT_GT(thick, thin) << "the best cell has a thicker ring than its ties";
        EXPECT_EQ(count_differences(draw_picture(plot, make_marked_view({{0, 9, true}, {3, 0, true}})), none),
                  0U)
            << "these cells do not exist";
    }
    const Image none = draw_picture(make_three_bars());
    EXPECT_GT(count_differences(draw_picture(make_three_bars(), make_marked_view({}, {1})), none), 10U);
    EXPECT_EQ(count_differences(draw_picture(make_three_bars(), make_marked_view({}, {700})), none), 0U)
        << "the axis does not reach 700";
}

TEST_F(PlotPictureTest, HasTheZoomAndLacksTheHiddenSeries) {
    Plot plot = make_three_bars();
    auto& series = std::get<Figure>(plot.content).series;
    series.push_back(series.front());
    series.back().color_role = ColorRole::upload;
    const ImU32 second = theme_->color(ColorRole::upload);
    PlotView view;
    EXPECT_GT(count_pixels(draw_picture(plot, view), second), 1000U);
    view.hidden = {false, true};
    EXPECT_LT(count_pixels(draw_picture(plot, view), second), 500U) << "only the legend's mark is left";
    view = {};
    view.is_fitted = false;
    view.x_min = 0.6;
    view.x_max = 1.4;
    view.y_max = 3;
    EXPECT_GT(count_differences(draw_picture(plot, view), draw_picture(plot)), 5000U);
}

TEST_F(PlotPictureTest, IsDrawnCompletelyAtEverySize) {
    for (const glm::uvec2& size : {glm::uvec2(200, 150), glm::uvec2(1600, 1000), glm::uvec2(4096, 4096)}) {
        const Image picture = draw_picture(make_three_bars(), {}, size);
        ASSERT_EQ(picture.rgba.size(), std::size_t{4} * size.x * size.y);
        const ImU32 bars = theme_->color(ColorRole::kernel);
        // The parts of the picture join without a gap: the middle of the last bar is one piece.
        std::size_t first = 0, last = 0, column_pixels = 0;
        for (std::size_t y = 0; y < size.y; ++y) {
            const std::uint8_t* p = &picture.rgba[4 * (y * size.x + size.x * 5 / 6)];
            if (IM_COL32(p[0], p[1], p[2], 255) != bars) continue;
            if (column_pixels++ == 0) first = y;
            last = y;
        }
        EXPECT_GT(column_pixels, size.y / 8) << size.y;
        EXPECT_EQ(last - first + 1, column_pixels) << size.y;
    }
}

TEST_F(PlotPictureTest, ScaleEnlargesTextAndKeepsTheWindow) {
    window_frame();
    const Image before = canvas_->read_pixels();
    const ImU32 text = theme_->palette().text;
    const std::size_t small = count_pixels(draw_picture(make_three_bars(), {}, {640, 480}), text);
    const std::size_t large = count_pixels(draw_picture(make_three_bars(), {}, {640, 480}, 200), text);
    EXPECT_GT(large, small * 2);
    window_frame();
    EXPECT_EQ(canvas_->read_pixels().rgba, before.rgba) << "the window keeps its fonts and its device";
}

TEST_F(PlotPictureTest, SurvivesADeviceLossBetweenItsParts) {
    constexpr glm::uvec2 three_part_size(1024, 1300);
    const Image whole = draw_picture(make_three_bars(), {}, three_part_size);
    window_frame();
    const PlotAction action{
        PlotFile::png, std::make_shared<const Plot>(make_three_bars()), {300, 200}, false};
    PlotPicture picture(action, {}, 100, three_part_size);
    ASSERT_FALSE(picture.draw_next_rows(*canvas_));
    canvas_->simulate_loss(Loss::device);
    ASSERT_FALSE(picture.draw_next_rows(*canvas_)) << "the picture detects the loss";
    canvas_->simulate_loss(Loss::device);
    window_frame();  // the window detects the loss
    ASSERT_TRUE(picture.draw_next_rows(*canvas_));
    EXPECT_EQ(canvas_->losses(), 2U);
    EXPECT_EQ(count_differences(picture.take(), whole), 0U);
    window_frame();
    EXPECT_GT(count_pixels(canvas_->read_pixels(), red), 400'000U) << "the window is drawn again";
}

}  // namespace gridstride::ui::plot_saving_test
