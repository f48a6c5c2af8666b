// Bars beside their expected values: wrong bars are visible, however small the difference and however many
// bars there are.
#include <glm/common.hpp>

#include "test_includes.h"
#include "ui/plot_case.h"

namespace gridstride::ui::plot_differences_test {

class PlotDifferences : public PlotDrawing {
 protected:
    /// Bars of 16 million each beside outlines of the same height; `deviations` lists bars and their
    /// differences.
    static Plot make_bars(std::size_t count, const std::vector<std::pair<std::size_t, double>>& deviations,
                          double tolerance = 0) {
        Series right{
            .label = "CPU", .mark = Mark::outline_bars, .color_role = ColorRole::cpu, .tolerance = tolerance};
        right.y.assign(count, 16'777'216);
        Series gpu{.label = "GPU", .mark = Mark::bars, .color_role = ColorRole::upload, .y = right.y};
        for (const auto& [at, difference] : deviations)
            gpu.y[at] += difference;
        Figure figure{.x = {.label = "workgroup"}, .y = {.label = "sum"}, .value_labels = true};
        figure.series = {gpu, right};
        return {"p", "", Origin::measured, figure, ""};
    }

    /// The rectangles around the shapes that the last frame drew in the colour of wrong values.
    static std::vector<Rect> wrong_rectangles() {
        const ImU32 wrong = theme().color(ColorRole::wrong);
        std::vector<Rect> all;
        unsigned last = 0;  // the first vertex of the previous triangle
        const ImDrawList* list = ImGui::GetDrawData()->CmdLists[0];
        for (const ImDrawCmd& command : list->CmdBuffer)
            for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
                Rect triangle{{1e9F, 1e9F}, {-1e9F, -1e9F}};
                bool whole = true;
                for (unsigned corner = 0; corner < 3; ++corner) {
                    const unsigned index = list->IdxBuffer[static_cast<int>(command.IdxOffset + i + corner)];
                    const ImDrawVert& vertex = list->VtxBuffer[static_cast<int>(command.VtxOffset + index)];
                    whole = whole && vertex.col == wrong;
                    triangle = {glm::min(triangle.min, glm::vec2(vertex.pos)),
                                glm::max(triangle.max, glm::vec2(vertex.pos))};
                }
                if (!whole) continue;
                // Triangles that share their first vertex form a rectangle or a rounded bar.
                const unsigned first =
                    command.VtxOffset + list->IdxBuffer[static_cast<int>(command.IdxOffset + i)];
                if (!all.empty() && first == last)
                    all.back() = {glm::min(all.back().min, triangle.min),
                                  glm::max(all.back().max, triangle.max)};
                else
                    all.push_back(triangle);
                last = first;
            }
        return all;
    }
    /// True if such a rectangle of at least 2 x 2 pixels marks this bar inside the plot.
    bool has_wrong_mark_at(std::size_t bar) const {
        const PlotArea& area = view_.state->area;
        const float x = area.along_x(static_cast<double>(bar));
        return std::ranges::any_of(wrong_rectangles(), [&](const Rect& one) {
            return one.min.x <= x + 2 && one.max.x >= x - 2 && one.width() >= 2 && one.height() >= 2 &&
                   one.min.y > area.min.y;
        });
    }
};

TEST_F(PlotDifferences, MarkEveryWrongBar) {
    for (const std::size_t count : {8U, 64U, 65U, 256U, 5000U, 60000U})
        for (const double difference : {1.0, -1.0, -32768.0, 1e12, nan}) {
            view_ = {};
            frames(make_bars(count, {}), 2);
            EXPECT_TRUE(wrong_rectangles().empty()) << count;
            for (const std::size_t at : {std::size_t{0}, count / 3, count - 1}) {
                view_ = {};
                frames(make_bars(count, {{at, difference}}), 2);
                ASSERT_TRUE(view_.state->differences.has_value());
                EXPECT_EQ(view_.state->differences->wrong, std::vector<std::size_t>{at});
                // With few bars, a NaN bar has no height, and its cross is at its foot.
                if (std::isnan(difference) && count <= 64) continue;
                EXPECT_TRUE(has_wrong_mark_at(at)) << count << " bars, " << at << " off by " << difference;
            }
        }
}

TEST_F(PlotDifferences, HaveTheirOwnAxisForManyBars) {
    std::vector<std::pair<std::size_t, double>> all;
    for (std::size_t i = 0; i < 256; ++i)
        all.emplace_back(i, -32768.0 * static_cast<double>(i % 2 + 1));
    const Plot plot = make_bars(256, all);
    frames(plot, 2);
    const Differences& shown_differences = *view_.state->differences;
    EXPECT_EQ(shown_differences.label, "GPU − CPU");
    EXPECT_LE(shown_differences.shown.low, -65536);
    EXPECT_GE(shown_differences.shown.high, 0) << "the axis includes zero";
    EXPECT_LT(shown_differences.shown.length(), 3 * 65536);
    EXPECT_GT(shown_differences.area.min.y, view_.state->area.max.y);
    // The differences keep their proportions.
    float low = 0, high = 0;
    for (const Rect& one : wrong_rectangles()) {
        if (one.min.y < shown_differences.area.min.y) continue;
        (one.height() > shown_differences.area.height() * 0.6F ? high : low) += 1;
    }
    EXPECT_GT(low, 50);
    EXPECT_GT(high, 50);
    // Without the outlines there are no differences to show.
    view_.hidden = {false, true};
    frame(plot);
    EXPECT_EQ(view_.state->differences->area.height(), 0);
}

TEST_F(PlotDifferences, WithinTheToleranceAreIgnored) {
    frames(make_bars(256, {{3, 1.0}, {9, 40.0}}, 1e-6), 2);
    EXPECT_EQ(view_.state->differences->wrong, std::vector<std::size_t>{9});
}

TEST_F(PlotDifferences, AreReadOnHover) {
    const Plot plot = make_bars(256, {{128, -32768.0}});
    frames(plot, 2);
    const Differences& shown_differences = *view_.state->differences;
    point_at(plot, {view_.state->area.along_x(128), shown_differences.area.centre().y});
    ASSERT_TRUE(view_.state->hit.has_value());
    EXPECT_EQ(view_.state->hit->index, 128U);
    EXPECT_GT(readout_vertex_count_, 0);
}

TEST_F(PlotDifferences, StayFiniteAtEverySize) {
    for (const ImVec2 size : {ImVec2(500, 300), ImVec2(300, 160), ImVec2(1, 1), ImVec2(400, 0)})
        for (const bool horizontal : {false, true})
            for (const std::size_t count : {8U, 300U}) {
                Plot plot = make_bars(count, {{1, nan}, {2, infinity}, {3, -5}});
                std::get<Figure>(plot.content).is_horizontal = horizontal;
                draw_at_size(plot, size);
            }
}

TEST_F(PlotDrawing, SmallPlotDrawsOnlyItsData) {
    Timeline timeline;
    timeline.rows = {{"row", {{"up", ColorRole::upload, 0, 5}, {"kernel", ColorRole::kernel, 5, 20}}, 30}};
    const std::vector<Plot> all = {make_figure({Mark::bars, Mark::line, Mark::stacked_bars}, {1, 2, 3}),
                                   make_lanes(64), Plot{.content = timeline}, Plot{.content = Figure{}},
                                   Plot{.content = Cells{}}};
    for (const Plot& plot : all) {
        PlotView view;
        const Rect rect{{40, 60}, {220, 140}};
        ui_.mouse = {100, 100};
        ui_.frame([&] { draw_small_plot(plot, view, rect); });
        for (const WidgetRect& widget : widget_map())
            ADD_FAILURE() << widget.id;
        const ImDrawList* list = ImGui::GetDrawData()->CmdLists[0];
        for (const ImDrawCmd& command : list->CmdBuffer)
            EXPECT_TRUE(command.ClipRect.x != rect.min.x || command.ClipRect.w <= rect.max.y);
        EXPECT_EQ(ImGui::GetForegroundDrawList()->VtxBuffer.Size, 0);
    }
}

}  // namespace gridstride::ui::plot_differences_test
