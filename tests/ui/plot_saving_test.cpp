// A plot's menu, and what it writes: values and pictures, in an ImGui context with a simulated mouse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/file.h"
#include "session/fake_lab.h"
#include "ui/panels/panels.h"
#include "ui/ui_frame.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Rect screen{{0, 0}, {800, 600}};

Plot three_bars() {
    Plot plot;
    plot.id = "bars";
    plot.title = "Three bars";
    Figure figure;
    figure.series.push_back({.label = "n",
                             .mark = Mark::bars,
                             .ink = Ink::kernel,
                             .x = {},
                             .y = {1, 2, 3},
                             .y_low = {},
                             .y_high = {}});
    plot.content = figure;
    return plot;
}

class PlotSavingTest : public testing::Test {
 protected:
    PlotSavingTest() : session_(lab_, "en"), workspace_(session_) {
        folder_ = std::filesystem::temp_directory_path() / ("plot_saving" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
        session_.open(*find_lesson("reduction"), 0);
        workspace_.plot_saving.folder = folder_.string();
        ImGui::GetIO().DisplaySize = screen.max;
    }
    ~PlotSavingTest() override { std::filesystem::remove_all(folder_); }

    /// The window: a plot, and what saving draws over it.
    void body() {
        ImGui::SetCursorScreenPos({50, 50});
        draw_plot("test.plot", plot_, workspace_.plot_views["test.plot"], {300, 200});
    }
    void frame() {
        frames_.frame([this] { body(); });
    }
    void saving_frame() {
        frames_.frame([this] {
            body();
            draw_plot_saving(workspace_, screen);
        });
    }
    void choose_in_menu(const std::string& item) {
        frames_.mouse = {200, 150};
        frame();
        frame();
        frames_.press(Key::f10, [this] { body(); }, {.shift = true});
        frame();
        const WidgetRect* found = UiFrames::find("test.plot.menu." + item);
        ASSERT_NE(found, nullptr);
        frames_.click("test.plot.menu." + item, [this] { body(); });
    }
    PlotSaving& saving() { return workspace_.plot_saving; }
    void wish(PlotFile file) {
        workspace_.plot_views["test.plot"].wish =
            PlotWish{file, std::make_shared<const Plot>(plot_), {300, 200}, false};
    }

    UiFrames frames_;
    FakeLab lab_;
    Session session_;
    Workspace workspace_;
    Plot plot_ = three_bars();
    std::filesystem::path folder_;
};

TEST_F(PlotSavingTest, TheMenuAsksForAFile) {
    choose_in_menu("csv");
    const PlotView& view = workspace_.plot_views["test.plot"];
    ASSERT_TRUE(view.wish);
    EXPECT_EQ(view.wish->file, PlotFile::csv);
    EXPECT_EQ(view.wish->plot->id, "bars");
    EXPECT_EQ(view.wish->size.x, 300);
    EXPECT_EQ(view.wish->size.y, 200);
    frame();
    EXPECT_EQ(UiFrames::find("test.plot.menu.csv"), nullptr) << "the menu has closed";
}

TEST_F(PlotSavingTest, TheMenuAsksForAPicture) {
    choose_in_menu("png");
    ASSERT_TRUE(workspace_.plot_views["test.plot"].wish);
    EXPECT_EQ(workspace_.plot_views["test.plot"].wish->file, PlotFile::png);
}

TEST_F(PlotSavingTest, EscapeClosesTheMenuAndNothingIsAskedFor) {
    frames_.mouse = {200, 150};
    frame();
    frame();
    frames_.press(Key::f10, [this] { body(); }, {.shift = true});
    ASSERT_NE(UiFrames::find("test.plot.menu.csv"), nullptr);
    frames_.press(Key::escape, [this] { body(); });
    frame();
    EXPECT_EQ(UiFrames::find("test.plot.menu.csv"), nullptr);
    EXPECT_FALSE(workspace_.plot_views["test.plot"].wish);
}

TEST_F(PlotSavingTest, ValuesAreWrittenWhereTheDialogSays) {
    wish(PlotFile::csv);
    saving_frame();
    ASSERT_TRUE(saving().open());
    EXPECT_FALSE(workspace_.plot_views["test.plot"].wish) << "taken";
    EXPECT_EQ(saving().name.path, (folder_ / "reduction_bars.csv").string());
    write_plot(workspace_);
    EXPECT_FALSE(saving().open());
    EXPECT_EQ(read_file(folder_ / "reduction_bars.csv"), plot_csv(plot_));
    EXPECT_THAT(workspace_.notice, StartsWith("Wrote 3 rows to "));
    EXPECT_FALSE(workspace_.notice_is_bad);
}

TEST_F(PlotSavingTest, AFileIsReplacedOnlyWhenAskedTwice) {
    write_file(folder_ / "reduction_bars.csv", "mine");
    wish(PlotFile::csv);
    saving_frame();
    write_plot(workspace_);
    EXPECT_TRUE(saving().open());
    EXPECT_THAT(saving().name.problem, HasSubstr("Press Replace"));
    EXPECT_EQ(read_file(folder_ / "reduction_bars.csv"), "mine");
    saving_frame();
    const WidgetRect* accept = UiFrames::find("plot.accept");
    ASSERT_NE(accept, nullptr);
    EXPECT_EQ(accept->value, "Replace");

    // Another name that is taken as well is asked about anew.
    write_file(folder_ / "other.csv", "mine too");
    request_value("plot.path", (folder_ / "other.csv").string());
    saving_frame();
    EXPECT_FALSE(saving().name.overwrites);
    write_plot(workspace_);
    EXPECT_EQ(read_file(folder_ / "other.csv"), "mine too");
    write_plot(workspace_);
    EXPECT_EQ(read_file(folder_ / "other.csv"), plot_csv(plot_));
}

TEST_F(PlotSavingTest, WhatCannotBeWrittenIsSaidInTheDialog) {
    for (const PlotFile file : {PlotFile::csv, PlotFile::png}) {
        workspace_.notice.clear();
        wish(file);
        for (int i = 0; i < 3; ++i)
            saving_frame();
        if (saving().wants_pixels())
            take_pixels(
                saving(),
                {.width = 800, .height = 600, .rgba = std::vector<std::uint8_t>(std::size_t{4} * 800 * 600)});
        saving().name.path = (folder_ / "no" / "such").string();
        write_plot(workspace_);
        EXPECT_TRUE(saving().open());
        EXPECT_THAT(saving().name.problem, HasSubstr("does not exist"));
        EXPECT_TRUE(workspace_.notice.empty());
        saving().stage = PlotSaving::Stage::none;
    }
}

TEST_F(PlotSavingTest, EscapeClosesTheDialogAndWritesNothing) {
    wish(PlotFile::csv);
    saving_frame();
    saving_frame();
    frames_.press(Key::escape, [this] { draw_plot_saving(workspace_, screen); });
    EXPECT_FALSE(saving().open());
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(PlotSavingTest, NothingInThePanelsHasTheKeyboardWhileThePictureIsRead) {
    frame();
    focus_widget("test.plot");
    frame();
    workspace_.plot_views["test.plot"].wish =
        PlotWish{PlotFile::png, std::make_shared<const Plot>(plot_), {300, 200}, false};
    bool focused = false;
    const auto frame_of = [&] {
        frames_.frame([&] {
            body();
            const Rect rect{{50, 50}, {350, 250}};
            focused = interact(id_of("test.plot"), rect, rect).focused;
            draw_plot_saving(workspace_, screen);
        });
    };
    frame_of();
    ASSERT_TRUE(focused);
    frame_of();
    ASSERT_TRUE(saving().wants_pixels());
    EXPECT_FALSE(focused) << "what it reads out would lie over the picture";
}

TEST_F(PlotSavingTest, APictureIsAsHighAsItsPlotWants) {
    Cells lanes;
    lanes.kinds = {{"idle", Ink::quiet}, {"adds", Ink::kernel}};
    for (int i = 0; i < 5; ++i)
        lanes.rows.push_back({"level", {0, 1, 1}, "two add"});
    plot_.content = lanes;
    workspace_.plot_views["test.plot"].wish =
        PlotWish{PlotFile::png, std::make_shared<const Plot>(plot_), {300, 0}, false};
    for (int i = 0; i < 2; ++i)
        saving_frame();
    ASSERT_TRUE(saving().wants_pixels());
    const WidgetRect* drawn = UiFrames::find("picture.plot");
    ASSERT_NE(drawn, nullptr);
    EXPECT_NEAR(saving().max.y - drawn->max.y, 16, 1) << "the padding";
    EXPECT_NEAR(drawn->min.x - saving().min.x, 16, 1);
    EXPECT_FALSE(saving().cut_off);
}

TEST_F(PlotSavingTest, APictureHigherThanTheWindowIsSaidToBeCutOff) {
    Cells lanes;
    lanes.kinds = {{"adds", Ink::kernel}};
    lanes.rows.resize(40, {"level", {0}, ""});
    plot_.content = lanes;
    workspace_.plot_views["test.plot"].wish =
        PlotWish{PlotFile::png, std::make_shared<const Plot>(plot_), {300, 0}, false};
    for (int i = 0; i < 2; ++i)
        saving_frame();
    ASSERT_TRUE(saving().wants_pixels());
    EXPECT_EQ(saving().max.y, 600);
    take_pixels(saving(),
                {.width = 800, .height = 600, .rgba = std::vector<std::uint8_t>(std::size_t{4} * 800 * 600)});
    saving_frame();
    const WidgetRect* what = UiFrames::find("plot.what");
    ASSERT_NE(what, nullptr);
    EXPECT_THAT(what->value, HasSubstr("cut off"));
}

TEST(CutOut, TakesThePartAndStaysInside) {
    Image image{.width = 4, .height = 3, .rgba = {}};
    for (std::uint8_t i = 0; i < 12; ++i)
        image.rgba.insert(image.rgba.end(), {i, 0, 0, 255});
    const Image part = cut_out(image, {1, 1}, {3, 3});
    ASSERT_EQ(part.width, 2U);
    ASSERT_EQ(part.height, 2U);
    EXPECT_THAT(part.rgba, testing::ElementsAre(5, 0, 0, 255, 6, 0, 0, 255, 9, 0, 0, 255, 10, 0, 0, 255));
    const Image all = cut_out(image, {-5, -5}, {50, 50});
    EXPECT_EQ(all.rgba, image.rgba);
    EXPECT_TRUE(cut_out(image, {4, 0}, {9, 3}).rgba.empty());
    EXPECT_TRUE(cut_out({}, {0, 0}, {9, 3}).rgba.empty());
}

/// A plot's picture in pixels, drawn by the canvas; red is what lies beside and under it in the window.
class PlotPicture : public testing::Test {
 protected:
    static constexpr ImU32 red = IM_COL32(255, 0, 0, 255);

    PlotPicture() {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        canvas_ = make_offscreen(800, 600);
        theme_.emplace(Mode::light, 1);
        set_theme(&*theme_);
    }
    ~PlotPicture() override {
        set_theme(nullptr);
        canvas_.reset();
        ImGui::DestroyContext();
    }

    /// As where a panel has scrolled half of the plot away.
    Image picture_of(const Plot& plot, const std::vector<PlotRing>& rings = {},
                     const std::vector<double>& crosses = {}) {
        FakeLab lab;
        Session session(lab, "en");
        session.open(*find_lesson("reduction"), 0);
        Workspace workspace(session);
        PlotSaving& saving = workspace.plot_saving;
        PlotView& view = workspace.plot_views["test.plot"];
        view.rings = rings;
        view.crosses = crosses;
        view.wish = PlotWish{PlotFile::png, std::make_shared<const Plot>(plot), {300, 200}, false};
        int frames = 0;
        while (saving.stage != PlotSaving::Stage::asks && ++frames < 10) {
            canvas_->begin_frame(false, 0);
            begin_widgets();
            ImGui::SetNextWindowPos({0, 0});
            ImGui::SetNextWindowSize({800, 600});
            ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration);
            ImGui::GetWindowDrawList()->AddRectFilled({0, 0}, {800, 600}, red);
            ImGui::End();
            draw_plot_saving(workspace, screen);
            canvas_->end_frame();
            if (saving.wants_pixels()) take_pixels(saving, canvas_->read_pixels());
        }
        return saving.picture;
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

TEST_F(PlotPicture, IsOfThePlotAlone) {
    const Image picture = picture_of(three_bars());
    EXPECT_EQ(picture.width, 332U);
    EXPECT_GT(picture.height, 232U) << "the title above it";
    EXPECT_LT(picture.height, 300U);
    EXPECT_EQ(count(picture, red), 0U);
    EXPECT_GT(count(picture, theme_->color(Ink::kernel)), 5000U);
    EXPECT_GT(count(picture, theme_->palette().ground), picture.rgba.size() / 4 / 4);
    for (std::size_t i = 3; i < picture.rgba.size(); i += 4)
        ASSERT_EQ(picture.rgba[i], 255) << "opaque";
}

TEST_F(PlotPicture, HasTheRingsAndCrossesThatThePanelShows) {
    for (const Mark mark : {Mark::line, Mark::bars}) {
        Plot plot = three_bars();
        std::get<Figure>(plot.content).series.front().mark = mark;
        const Image none = picture_of(plot);
        const std::size_t thin = differences(picture_of(plot, {{0, 1, false}}), none);
        const std::size_t thick = differences(picture_of(plot, {{0, 1, true}}), none);
        EXPECT_GT(thin, 20U);
        EXPECT_GT(thick, thin) << "the best stands out of its ties";
        EXPECT_EQ(differences(picture_of(plot, {{0, 9, true}, {3, 0, true}}), none), 0U)
            << "of what is not there";
    }
    const Image none = picture_of(three_bars());
    EXPECT_GT(differences(picture_of(three_bars(), {}, {1}), none), 10U);
    EXPECT_EQ(differences(picture_of(three_bars(), {}, {700}), none), 0U) << "the axis does not show it";
}

}  // namespace
}  // namespace gridstride::ui
