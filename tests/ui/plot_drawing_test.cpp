// Figures of awkward data, sizes and markers: what is drawn stays finite, bounded and inside.
#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "ui/plot_case.h"

namespace gridstride::ui {
namespace {

using test::array_of;

const std::vector<Mark> all_marks = {Mark::line,         Mark::scatter,      Mark::bars,        Mark::bars,
                                     Mark::outline_bars, Mark::stacked_bars, Mark::stacked_bars};

TEST_F(PlotDrawing, AwkwardDataOfEveryKindAndSize) {
    const double most = std::numeric_limits<double>::max();
    const std::vector<std::vector<double>> data = {{},
                                                   {5},
                                                   {0},
                                                   {-3},
                                                   {7, 7, 7},
                                                   {nan, nan},
                                                   {infinity, -infinity, 1},
                                                   {0, 0, 0},
                                                   {-1, -2, -3},
                                                   {1, nan, 3, infinity, 2},
                                                   {most, -most, 0},
                                                   {1e-310, 2e-310},
                                                   std::vector<double>(3000, 2.5),
                                                   std::vector<double>(100000, nan)};
    for (const std::vector<double>& y : data)
        for (const AxisScale scale : {AxisScale::linear, AxisScale::logarithmic})
            for (const bool horizontal : {false, true})
                for (const ImVec2 size : {ImVec2(500, 300), ImVec2(300, 160), ImVec2(1, 1), ImVec2(400, 0)}) {
                    if (y.size() > 5000 && size.x < 400) continue;
                    Plot plot = figure_of(all_marks, y, scale);
                    std::get<Figure>(plot.content).horizontal = horizontal;
                    view_ = {};
                    feed_mouse_position(ImVec2(60 + size.x / 2, 50 + size.y / 3));
                    frame(plot, size);
                    frame(plot, size, true);
                }
    Plot no_series{"p", "", Origin::computed, Figure{}, ""};
    frame(no_series);
    Plot no_lanes{"p", "", Origin::computed, Cells{}, ""};
    frame(no_lanes);
    frame(no_lanes, ImVec2(300, 0));
}

TEST_F(PlotDrawing, UnequalLengthsAreSafe) {
    Plot plot = figure_of(all_marks, {1, 2, 3, 4});
    auto& figure = std::get<Figure>(plot.content);
    figure.series[0].x = {1, 2};
    figure.series[1].y_low = {1};
    figure.series[5].y = {1};
    figure.series[6].y = {1, 2, 3, 4, 5, 6};
    figure.x.categories = {"one"};
    frames(plot, 2);
    EXPECT_NE(find("test.plot"), nullptr);
}

TEST_F(PlotDrawing, ArraysOfEveryTypeAndSize) {
    const float f = std::numeric_limits<float>::quiet_NaN();
    const double most = std::numeric_limits<double>::max();
    const std::vector<ArrayRef> arrays = {array_of<std::uint8_t>({}),
                                          array_of<std::uint8_t>({7}),
                                          array_of<std::int16_t>({-5, 5, 0}),
                                          array_of<std::int32_t>({-1, 1}),
                                          array_of<std::uint32_t>({1, 2}),
                                          array_of<std::uint64_t>({~0ull, 0}),
                                          array_of<float>({f, 1, f}),
                                          array_of<float>({f, f}),
                                          array_of<double>({most, -most, 1e-310}),
                                          array_of<double>({infinity, -infinity}),
                                          array_of(std::vector<float>(50000, f))};
    for (const ArrayRef& array : arrays)
        for (const Mark mark :
             {Mark::line, Mark::scatter, Mark::bars, Mark::outline_bars, Mark::stacked_bars})
            for (const AxisScale scale : {AxisScale::linear, AxisScale::logarithmic})
                for (const ImVec2 size : {ImVec2(500, 300), ImVec2(300, 160), ImVec2(1, 1), ImVec2(400, 0)}) {
                    Plot plot = waveform_of(array, mark);
                    std::get<Figure>(plot.content).y.scale = scale;
                    view_ = {};
                    feed_mouse_position(ImVec2(60 + size.x / 2, 50 + size.y / 3));
                    frame(plot, size);
                    frame(plot, size, true);
                }
}

TEST_F(PlotDrawing, StaleFadesEveryVertex) {
    const Plot plot = figure_of({Mark::bars}, {1, 2, 3});
    frame(plot);
    frame(plot, ImVec2(500, 300), true);
    int opaque = 0;
    for (const ImDrawVert& vertex : ImGui::GetDrawData()->CmdLists[0]->VtxBuffer)
        if (vertex.pos.x > 50 && (vertex.col >> IM_COL32_A_SHIFT) > 103 && vertex.pos.y > 50 &&
            vertex.pos.x < 540)
            ++opaque;
    EXPECT_EQ(opaque, 0);
}

TEST_F(PlotDrawing, MarkersStandInsideTheDataWhateverTheirPlace) {
    const auto vertices_with = [this](std::vector<Figure::Marker> markers, ImVec2 size, bool horizontal) {
        Plot plot = figure_of({Mark::line}, {1, 4, 2, 8});
        auto& figure = std::get<Figure>(plot.content);
        figure.markers = std::move(markers);
        figure.horizontal = horizontal;
        view_ = {};
        frames(plot, 2);
        frame(plot, size);
        return vertices_;
    };
    for (const bool horizontal : {false, true})
        for (const ImVec2 size : {ImVec2(500, 300), ImVec2(300, 160), ImVec2(40, 40), ImVec2(1, 1)}) {
            const int without = vertices_with({}, size, horizontal);
            EXPECT_GE(vertices_with({{1.5, "crossing"}}, size, horizontal), without + 4);
            EXPECT_EQ(vertices_with({{nan, "nowhere"}, {1e9, "far"}, {-infinity, ""}}, size, horizontal),
                      without);
            vertices_with(
                {{0, "at the very left"}, {3, "at the very right, with many words that do not fit"}}, size,
                horizontal);
            vertices_with(std::vector<Figure::Marker>(60, {1.0, "one of many"}), size, horizontal);
        }
}

TEST_F(PlotDrawing, MarkerLabelsGetRoomOverTheData) {
    Plot plot = figure_of({Mark::line}, {1, 4, 2, 8});
    frame(plot);
    const double before = view_.state->y.high;
    std::get<Figure>(plot.content).markers = {{1.5, "crossing"}};
    frame(plot);
    EXPECT_GT(view_.state->y.high, before * 1.03);
}

}  // namespace
}  // namespace gridstride::ui
