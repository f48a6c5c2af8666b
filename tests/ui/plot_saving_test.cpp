// A plot's menu, and what it writes: values and pictures, in an ImGui context with a simulated mouse.
#include "jobs/fake_lab.h"
#include "test_includes.h"
#include "ui/panels/panels.h"
#include "ui/plot/draw_plot.h"
#include "ui/ui_frame.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui::plot_saving_test {

Plot three_bars() {
    Figure figure;
    figure.series.push_back(
        {.label = "n", .mark = Mark::bars, .color_role = ColorRole::kernel, .y = {1, 2, 3}});
    return {.id = "bars", .title = "Three bars", .content = figure};
}

class PlotSavingTest : public DrawnTest {
 protected:
    PlotSavingTest() : session_(lab_, "en"), workspace_(session_) {
        session_.open(*find_lesson("reduction"), 0);
        workspace_.plot_save_dialog.folder = folder_.path().string();
        ImGui::GetIO().DisplaySize = screen.max;
        body_ = [this] { draw_window(); };
    }

    /// The window: a plot, and what saving draws over it.
    void draw_window() {
        ImGui::SetCursorScreenPos({50, 50});
        draw_plot("test.plot", plot_, view(), {300, 200});
        if (with_saving_) draw_plot_saving(workspace_, screen);
    }
    PlotView& view() { return workspace_.plot_views["test.plot"]; }
    void saving_frame() {
        with_saving_ = true;
        frame();
        with_saving_ = false;
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
        saving_frame();
        with_saving_ = true;
        click("plot.accept");
        with_saving_ = false;
        do {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            saving_frame();
        } while (workspace_.files.busy());
        saving_frame();
    }
    PlotSaveDialog& saving() { return workspace_.plot_save_dialog; }
    void action(PlotFile file) {
        view().action = PlotAction{file, std::make_shared<const Plot>(plot_), {300, 200}, false};
    }
    void wish_and_draw(PlotFile file) {
        action(file);
        saving_frame();
    }

    FakeLab lab_;
    Session session_;
    Workspace workspace_;
    Plot plot_ = three_bars();
    const ScratchFolder folder_;
    bool with_saving_ = false;
};

TEST_F(PlotSavingTest, TheMenuAsksForAFile) {
    choose_in_menu("csv");
    ASSERT_TRUE(view().action);
    EXPECT_EQ(view().action->file, PlotFile::csv);
    EXPECT_EQ(view().action->plot->id, "bars");
    EXPECT_EQ(view().action->size.x, 300);
    EXPECT_EQ(view().action->size.y, 200);
    frame();
    EXPECT_EQ(find("test.plot.menu.csv"), nullptr) << "the menu has closed";
}

TEST_F(PlotSavingTest, TheMenuAsksForAPicture) {
    choose_in_menu("png");
    ASSERT_TRUE(view().action);
    EXPECT_EQ(view().action->file, PlotFile::png);
}

TEST_F(PlotSavingTest, EscapeClosesTheMenuAndNothingIsAskedFor) {
    open_menu();
    ASSERT_NE(find("test.plot.menu.csv"), nullptr);
    press(Key::escape);
    frame();
    EXPECT_EQ(find("test.plot.menu.csv"), nullptr);
    EXPECT_FALSE(view().action);
}

TEST_F(PlotSavingTest, ValuesAreWrittenWhereTheDialogSays) {
    wish_and_draw(PlotFile::csv);
    ASSERT_TRUE(saving().is_open);
    EXPECT_FALSE(view().action) << "taken";
    EXPECT_EQ(saving().name.path, "reduction_bars.csv") << "in the folder that is shown";
    press_save();
    EXPECT_FALSE(saving().is_open);
    EXPECT_EQ(read_file(folder_ / "reduction_bars.csv"), plot_csv(plot_));
    EXPECT_THAT(workspace_.notice, HasSubstr("3 rows"));
    EXPECT_FALSE(workspace_.notice_is_error);
}

TEST_F(PlotSavingTest, AFileIsReplacedOnlyWhenAskedTwice) {
    write_file(folder_ / "reduction_bars.csv", "mine");
    wish_and_draw(PlotFile::csv);
    press_save();
    EXPECT_TRUE(saving().is_open);
    EXPECT_THAT(saving().name.problem, HasSubstr("Replace"));
    EXPECT_EQ(read_file(folder_ / "reduction_bars.csv"), "mine");
    saving_frame();
    EXPECT_EQ(value_of("plot.accept"), "Replace");

    // Another name that is taken as well is asked about anew.
    write_file(folder_ / "other.csv", "mine too");
    request_value("plot.path", (folder_ / "other.csv").string());
    saving_frame();
    EXPECT_FALSE(saving().name.offers_replace);
    press_save();
    EXPECT_EQ(read_file(folder_ / "other.csv"), "mine too");
    press_save();
    EXPECT_EQ(read_file(folder_ / "other.csv"), plot_csv(plot_));
}

TEST_F(PlotSavingTest, WhatCannotBeWrittenIsSaidInTheDialog) {
    wish_and_draw(PlotFile::csv);
    saving_frame();
    request_value("plot.path", (folder_ / "no/such").string());
    saving_frame();
    press_save();
    EXPECT_TRUE(saving().is_open);
    EXPECT_THAT(saving().name.problem, testing::Ne(""));
    EXPECT_TRUE(workspace_.notice.empty());
}

TEST_F(PlotSavingTest, EscapeClosesTheDialogAndWritesNothing) {
    wish_and_draw(PlotFile::csv);
    saving_frame();
    ui_.press(Key::escape, [this] { draw_plot_saving(workspace_, screen); });
    EXPECT_FALSE(saving().is_open);
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(PlotSavingTest, ThePictureIsOfferedAsLargeAsItIsShown) {
    wish_and_draw(PlotFile::png);
    ASSERT_TRUE(saving().is_open);
    EXPECT_EQ(saving().size.width, "332") << "the plot and 16 pixels at each side";
    EXPECT_EQ(saving().size.percent, "100");
    const int height = std::stoi(saving().size.height);
    EXPECT_GT(height, 232) << "the title above it";
    EXPECT_LT(height, 300);

    Cells lanes;
    lanes.kinds = {{"adds", ColorRole::kernel}};
    lanes.rows.resize(40, {"level", {0}, ""});
    plot_.content = lanes;
    saving().is_open = false;
    workspace_.files.close();
    view().action = PlotAction{PlotFile::png, std::make_shared<const Plot>(plot_), {300, 0}, false};
    saving_frame();
    EXPECT_GT(std::stoi(saving().size.height), 600) << "higher than the window, and all of it";
}

TEST_F(PlotSavingTest, ASizeThatCannotBeDrawnIsRefusedInASentence) {
    wish_and_draw(PlotFile::png);
    const auto problem_of = [&](const PictureSize& size) {
        saving().size = size;
        press_save();
        EXPECT_TRUE(saving().is_open);
        return saving().name.problem;
    };
    for (const auto& [size, limits] : {std::pair{PictureSize{"5000", "300", "100"}, "200 to 4096"},
                                       {{"300", "149", "100"}, "150 to 4096"},
                                       {{"300", "300", "401"}, "50 to 400"}})
        EXPECT_THAT(problem_of(size), HasSubstr(limits));
    for (const char* typed : {"", "3e2", "-300", "300.5", " 300", "99999999999"})
        EXPECT_THAT(problem_of({typed, "300", "100"}), HasSubstr(fmt::format("\"{}\"", typed)));
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(PlotSavingTest, WhatIsDrawnApartIsNotOfTheWindow) {
    action(PlotFile::png);
    view().action.reset();
    frame();
    focus_widget("test.plot");
    frame();
    const std::size_t widgets = widget_map().size();
    ASSERT_GT(widgets, 0U);
    ui_.frame([&] {
        draw_window();
        const Rect rect{{50, 50}, {350, 250}};
        EXPECT_TRUE(interact(make_widget_id("test.plot"), rect, rect).focused);
        const double redraw = widgets_redraw_delay();
        const ImGuiContext* const window = ImGui::GetCurrentContext();
        const PlotAction prepared{PlotFile::png, std::make_shared<const Plot>(plot_), {300, 200}, false};
        for (const int percent : {100, 150})
            const PlotPicture picture(prepared, view(), percent, {640, 480});
        EXPECT_EQ(ImGui::GetCurrentContext(), window);
        EXPECT_EQ(&theme(), &ui_.theme());
        EXPECT_EQ(widget_map().size(), widgets);
        EXPECT_EQ(find("picture.plot"), nullptr);
        EXPECT_EQ(widgets_redraw_delay(), redraw);
        EXPECT_TRUE(interact(make_widget_id("test.plot"), rect, rect).focused)
            << "the keyboard stays where it was";
    });
}

/// A plot's picture in pixels, drawn by the canvas; red is what the window shows meanwhile.
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
    Image picture_of(const Plot& plot, const PlotView& view = {}, glm::uvec2 size = {332, 280},
                     int percent = 100) {
        window_frame();
        const PlotAction action{PlotFile::png, std::make_shared<const Plot>(plot), {300, 200}, false};
        PlotPicture picture(action, view, percent, size);
        while (!picture.draw_next_rows(*canvas_))
            window_frame();
        return picture.take();
    }
    static PlotView marked(std::vector<PlotHighlight> rings, std::vector<double> crosses = {}) {
        PlotView view;
        view.rings = std::move(rings);
        view.crosses = std::move(crosses);
        return view;
    }
    static std::size_t count(const Image& picture, ImU32 color) {
        std::size_t found = 0;
        for (std::size_t i = 0; i + 3 < picture.rgba.size(); i += 4)
            found += IM_COL32(picture.rgba[i], picture.rgba[i + 1], picture.rgba[i + 2],
                              picture.rgba[i + 3]) == color;
        return found;
    }

    static std::size_t differences(const Image& a, const Image& b) {
        EXPECT_EQ(a.rgba.size(), b.rgba.size());
        std::size_t found = 0;
        for (std::size_t i = 0; i + 3 < std::min(a.rgba.size(), b.rgba.size()); i += 4)
            found += !std::equal(&a.rgba[i], &a.rgba[i] + 4, &b.rgba[i]);
        return found;
    }

    std::unique_ptr<Canvas> canvas_;
    std::optional<Theme> theme_;
};

TEST_F(PlotPictureTest, IsOfThePlotAlone) {
    const Image picture = picture_of(three_bars());
    EXPECT_EQ(picture.width, 332U);
    EXPECT_EQ(picture.height, 280U);
    ASSERT_EQ(picture.rgba.size(), std::size_t{4} * 332 * 280);
    EXPECT_EQ(count(picture, red), 0U);
    EXPECT_GT(count(picture, theme_->color(ColorRole::kernel)), 5000U);
    EXPECT_GT(count(picture, theme_->palette().ground), picture.rgba.size() / 4 / 4);
    for (std::size_t i = 3; i < picture.rgba.size(); i += 4)
        ASSERT_EQ(picture.rgba[i], 255) << "opaque";
}

TEST_F(PlotPictureTest, HasTheRingsAndCrossesThatThePanelShows) {
    for (const Mark mark : {Mark::line, Mark::bars}) {
        Plot plot = three_bars();
        std::get<Figure>(plot.content).series.front().mark = mark;
        const Image none = picture_of(plot);
        const std::size_t thin = differences(picture_of(plot, marked({{0, 1, false}})), none);
        const std::size_t thick = differences(picture_of(plot, marked({{0, 1, true}})), none);
        EXPECT_GT(thin, 20U);
        EXPECT_GT(thick, thin) << "the best stands out of its ties";
        EXPECT_EQ(differences(picture_of(plot, marked({{0, 9, true}, {3, 0, true}})), none), 0U)
            << "of what is not there";
    }
    const Image none = picture_of(three_bars());
    EXPECT_GT(differences(picture_of(three_bars(), marked({}, {1})), none), 10U);
    EXPECT_EQ(differences(picture_of(three_bars(), marked({}, {700})), none), 0U)
        << "the axis does not show it";
}

TEST_F(PlotPictureTest, HasTheZoomAndLacksTheHiddenSeries) {
    Plot plot = three_bars();
    auto& series = std::get<Figure>(plot.content).series;
    series.push_back(series.front());
    series.back().color_role = ColorRole::upload;
    const ImU32 second = theme_->color(ColorRole::upload);
    PlotView view;
    EXPECT_GT(count(picture_of(plot, view), second), 1000U);
    view.hidden = {false, true};
    EXPECT_LT(count(picture_of(plot, view), second), 500U) << "the legend's mark alone";
    view = {};
    view.fitted = false;
    view.x_min = 0.6;
    view.x_max = 1.4;
    view.y_max = 3;
    EXPECT_GT(differences(picture_of(plot, view), picture_of(plot)), 5000U);
}

TEST_F(PlotPictureTest, IsDrawnAtEverySizeAndWhollySo) {
    for (const glm::uvec2& size : {glm::uvec2(200, 150), glm::uvec2(1600, 1000), glm::uvec2(4096, 4096)}) {
        const Image picture = picture_of(three_bars(), {}, size);
        ASSERT_EQ(picture.rgba.size(), std::size_t{4} * size.x * size.y);
        const ImU32 bars = theme_->color(ColorRole::kernel);
        // The parts in which it is drawn fit: the middle of the last bar is one piece.
        std::size_t first = 0, last = 0, in_column = 0;
        for (std::size_t y = 0; y < size.y; ++y) {
            const std::uint8_t* p = &picture.rgba[4 * (y * size.x + size.x * 5 / 6)];
            if (IM_COL32(p[0], p[1], p[2], 255) != bars) continue;
            if (in_column++ == 0) first = y;
            last = y;
        }
        EXPECT_GT(in_column, size.y / 8) << size.y;
        EXPECT_EQ(last - first + 1, in_column) << size.y;
    }
}

TEST_F(PlotPictureTest, LettersGrowWithTheScaleAndTheWindowStays) {
    window_frame();
    const Image before = canvas_->read_pixels();
    const ImU32 text = theme_->palette().text;
    const std::size_t small = count(picture_of(three_bars(), {}, {640, 480}), text);
    const std::size_t large = count(picture_of(three_bars(), {}, {640, 480}, 200), text);
    EXPECT_GT(large, small * 2);
    window_frame();
    EXPECT_EQ(canvas_->read_pixels().rgba, before.rgba) << "its fonts and its device are as they were";
}

TEST_F(PlotPictureTest, SurvivesTheLossOfTheDeviceBetweenItsParts) {
    constexpr glm::uvec2 in_three_parts(1024, 1300);
    const Image whole = picture_of(three_bars(), {}, in_three_parts);
    window_frame();
    const PlotAction action{PlotFile::png, std::make_shared<const Plot>(three_bars()), {300, 200}, false};
    PlotPicture picture(action, {}, 100, in_three_parts);
    ASSERT_FALSE(picture.draw_next_rows(*canvas_));
    canvas_->simulate_loss(Loss::device);
    ASSERT_FALSE(picture.draw_next_rows(*canvas_)) << "the picture notices";
    canvas_->simulate_loss(Loss::device);
    window_frame();  // the window notices
    ASSERT_TRUE(picture.draw_next_rows(*canvas_));
    EXPECT_EQ(canvas_->losses(), 2U);
    EXPECT_EQ(differences(picture.take(), whole), 0U);
    window_frame();
    EXPECT_GT(count(canvas_->read_pixels(), red), 400'000U) << "the window goes on";
}

}  // namespace gridstride::ui::plot_saving_test
