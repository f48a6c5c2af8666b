// The axes of a figure before and while its data arrive, and wrapped text beside it.
#include "test_includes.h"
#include "ui/plot/draw_plot.h"
#include "ui/plot/plot_state.h"
#include "ui/ui_frame.h"

namespace gridstride::ui::figure_fit_test {

/// A sweep of kernel times over workgroup sizes with its first `points` results.
Plot make_partial_sweep(std::size_t points) {
    Figure figure;
    figure.x = {"workgroup size", "", AxisScale::logarithmic};
    figure.y = {"kernel", "ns", AxisScale::logarithmic};
    Series series;
    for (std::size_t i = 0; i < points; ++i) {
        series.x.push_back(std::pow(2.0, 3.0 + static_cast<double>(i)));
        series.y.push_back(100.0 + static_cast<double>(i));
    }
    figure.series = {series};
    return {"sweep", "", Origin::measured, figure, ""};
}

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
    std::vector<std::string> all;
    for (const Tick& tick : ticks)
        all.push_back(tick.label);
    return all;
}

TEST(FigureFit, AxisWithGivenValuesStaysFixed) {
    UiFrames ui;
    PlotView view;
    view.x_values = {8, 16, 32, 64, 128};
    const auto draw = [&](std::size_t points) {
        ui.frame([&] { draw_plot("plot", make_partial_sweep(points), view, {360, 240}); });
        return std::pair(view.state->x, labels(view.state->x_ticks));
    };
    const auto empty = draw(0);
    EXPECT_THAT(empty.second, ElementsAre("8", "16", "32", "64", "128"));
    EXPECT_LT(empty.first.low, std::log10(8.0));
    EXPECT_GT(empty.first.high, std::log10(128.0));
    for (const std::size_t points : {1U, 2U, 5U}) {
        const auto now = draw(points);
        EXPECT_DOUBLE_EQ(now.first.low, empty.first.low) << points;
        EXPECT_DOUBLE_EQ(now.first.high, empty.first.high) << points;
        EXPECT_EQ(now.second, empty.second) << points;
    }
}

TEST(FigureFit, PointsAtTheEndsOfALogAxisAreNotClipped) {
    UiFrames ui;
    PlotView view;
    Plot plot = make_partial_sweep(3);
    Series& series = std::get<Figure>(plot.content).series.front();
    series.mark = Mark::scatter;
    series.y = {1, 1000, 1e6};
    ui.frame([&] { draw_plot("plot", plot, view, {360, 120}); });
    const PlotArea& area = view.state->area;
    EXPECT_GE(area.max.y - area.along_y(0), 8.0F);
    EXPECT_GE(area.along_y(6) - area.min.y, 8.0F);
}

TEST(FigureFit, LegendUsesTheShapesOfThePoints) {
    Figure figure;
    for (const Mark mark : {Mark::line, Mark::bars, Mark::scatter, Mark::scatter}) {
        figure.series.emplace_back();
        figure.series.back().mark = mark;
    }
    EXPECT_EQ(point_shape(figure, 0), 0U);
    EXPECT_EQ(point_shape(figure, 2), 1U) << "bars have no points";
    EXPECT_EQ(point_shape(figure, 3), 2U);
}

TEST(WrappedText, DoesNotBreakNumbersAtTheDecimalPoint) {
    UiFrames ui;
    // At this width ImGui alone would break after "51.".
    const std::string words = "The kernel takes 69.1 and 51.1";
    float height = 0, line = 0;
    ui.frame([&] {
        const float width = text_size(TextStyle::note, "The kernel takes 69.1 and 51.").x + 1;
        const float y = ImGui::GetCursorScreenPos().y;
        text_wrapped(TextStyle::note, 0xFFFFFFFF, words, width);
        height = ImGui::GetItemRectMax().y - y;
        EXPECT_LE(ImGui::GetItemRectSize().x, text_size(TextStyle::note, "The kernel takes 69.1 and ").x + 1);
        line = theme().line_height(TextStyle::note);
    });
    EXPECT_FLOAT_EQ(height, 2 * line);
}

}  // namespace gridstride::ui::figure_fit_test
