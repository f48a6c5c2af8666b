// Plots other than figures: lanes, pictures and timelines.
#include "test_includes.h"
#include "ui/plot_case.h"

namespace gridstride::ui::plot_pictures_test {

TEST_F(PlotDrawing, DrawsLanesAtAllSizes) {
    for (const std::size_t cells : {0U, 1U, 128U, 1024U, 100000U})
        for (const ImVec2 size : {ImVec2(500, 0), ImVec2(300, 160), ImVec2(60, 20), ImVec2(1, 1)}) {
            view_ = {};
            feed_mouse_position(ImVec2(60 + size.x / 2, 58));
            frame(make_lanes(cells), size);
            EXPECT_LT(vertex_count_, 200000);
        }
}

Plot make_pictures(std::vector<Cells::Numbers> all) {
    return {"i", "", Origin::measured, Cells{.numbers = std::move(all)}, ""};
}

TEST_F(PlotDrawing, DrawsPicturesAtAllSizes) {
    const std::vector<std::uint8_t> noise = [] {
        std::vector<std::uint8_t> levels(1000 * 700);
        for (std::size_t i = 0; i < levels.size(); ++i)
            levels[i] = static_cast<std::uint8_t>(i * i * 31 >> 4);
        return levels;
    }();
    const Cells::Numbers large{"before", 1000, array_of(noise)};
    Cells::Numbers same_ends{"flat", 2, array_of<float>({1, 1, static_cast<float>(nan), 2, 3}), 1, 1};
    const std::vector<std::vector<Cells::Numbers>> cases = {
        {},
        {Cells::Numbers{}},
        {{"no width", 0, array_of(noise)}},
        {{"no values", 7, nullptr}, {"empty", 7, array_of<float>({})}},
        {{"one", 1, array_of<std::int16_t>({5})}},
        {{"line", 700000, array_of(noise)}},
        {{"column", 1, array_of(noise)}},
        {same_ends},
        {large},
        {large, large, same_ends, Cells::Numbers{}},
        {{"", 3, array_of<double>({infinity, nan, -infinity, 1e308, -1e308}), nan, infinity}}};
    for (const std::vector<Cells::Numbers>& pictures : cases)
        for (const ImVec2 size :
             {ImVec2(500, 300), ImVec2(300, 160), ImVec2(40, 20), ImVec2(1, 1), ImVec2(500, 0)}) {
            draw_at_size(make_pictures(pictures), size);
            EXPECT_LT(vertex_count_, 220 * 220 * 4 * static_cast<int>(pictures.size()) + 2000);
        }
}

TEST_F(PlotDrawing, PicturesKeepTheirProportionsWhenZoomed) {
    std::vector<std::uint8_t> levels(64 * 48);
    for (std::size_t i = 0; i < levels.size(); ++i)
        levels[i] = static_cast<std::uint8_t>(i % 64 * 4);
    const Plot plot = make_pictures({{"a", 64, array_of(levels)}, {"b", 64, array_of(levels)}});
    point_at(plot, ImVec2(120, 100));
    EXPECT_GT(readout_vertex_count_, 0);
    wheel(plot, 5, {.ctrl = true});
    frames(plot, 90);
    EXPECT_FALSE(view_.is_fitted);
    EXPECT_LT(view_.state->x.length(), 0.6);
    EXPECT_NEAR(view_.state->x.length(), view_.state->y.length(), 1e-12);
    EXPECT_GE(view_.state->x.low, 0);
    EXPECT_LE(view_.state->y.high, 1);
    // A flat selection box zooms to its part in the picture's proportions.
    feed_mouse_button(1, true);
    frame(plot);
    feed_mouse_position(ImVec2(160, 112));
    frame(plot);
    feed_mouse_button(1, false);
    frames(plot, 90);
    EXPECT_LT(view_.state->x.length(), 0.2);
    EXPECT_NEAR(view_.state->x.length(), view_.state->y.length(), 1e-12);
    wheel(plot, -40, {.ctrl = true});
    EXPECT_TRUE(view_.is_fitted) << "a picture cannot shrink below its plot";
    feed_mouse_wheel(0);
}

Plot make_map(std::size_t columns, std::size_t rows) {
    std::vector<double> numbers(columns * rows);
    Cells cells{.kinds = {{"refused", ColorRole::quiet, Cells::Fill::hatched},
                          {"failed", ColorRole::wrong, Cells::Fill::hatched},
                          {"", ColorRole::upload, Cells::Fill::outlined},
                          {"not measured yet", ColorRole::quiet, Cells::Fill::empty}},
                .shades = Cells::Shades::viridis,
                .shade = {"time", "ns", AxisScale::logarithmic},
                .x = {.label = "workgroup"},
                .y = {.label = "grid"}};
    for (std::size_t row = 0; row < rows; ++row) {
        cells.rows.push_back({std::to_string(row)});
        for (std::size_t column = 0; column < columns; ++column) {
            const std::size_t i = row * columns + column;
            cells.rows.back().kinds.push_back(static_cast<std::uint8_t>(i % 7));
            numbers[i] = i % 3 == 0 ? nan : std::ldexp(1.0, static_cast<int>(i % 40));
        }
    }
    for (std::size_t column = 0; column < columns; ++column)
        cells.x.categories.push_back(std::to_string(column));
    cells.numbers = {{"", columns, array_of(numbers), columns > 1 ? 2.0 : 0, columns > 1 ? 1e12 : 0}};
    return {"m", "", Origin::measured, cells, ""};
}

TEST_F(PlotDrawing, DrawsHatchedLanes) {
    const auto count_vertices = [&](Cells::Fill fill, ColorRole color_role) {
        const Cells cells{.kinds = {{"adds", ColorRole::kernel}, {"unused", color_role, fill}},
                          .rows = {{"one", {0, 1, 1, 1, 0, 0, 0, 1}}, {"two", {1, 1, 1, 1, 1, 1, 1, 1}}}};
        view_ = {};
        for (int i = 0; i < 2; ++i)
            frame({"l", "", Origin::measured, cells, ""}, ImVec2(400, 200));
        return ImGui::GetDrawData()->TotalVtxCount;
    };
    for (const ColorRole color_role : {ColorRole::quiet, ColorRole::wrong}) {
        const int plain = count_vertices(Cells::Fill::empty, color_role);
        EXPECT_GT(count_vertices(Cells::Fill::hatched, color_role), plain + 100) << "the hatch lines";
    }
}

TEST_F(PlotDrawing, DrawsMapsAtAllSizes) {
    const std::pair<std::size_t, std::size_t> shapes[] = {{1, 1},  {2, 1},   {1, 40},
                                                          {12, 7}, {300, 2}, {40, 60}};
    for (const auto& [columns, rows] : shapes)
        for (const ImVec2 size :
             {ImVec2(500, 300), ImVec2(300, 160), ImVec2(40, 20), ImVec2(1, 1), ImVec2(500, 0)}) {
            view_ = {};
            view_.rings = {{0, 0, true}, {rows - 1, columns - 1, false}};
            feed_mouse_position(ImVec2(50 + size.x / 2, 80));
            for (int i = 0; i < 2; ++i)
                frame(make_map(columns, rows), size);
            EXPECT_GT(view_.state->area.height(), 0);
            if (view_.state->hit) {
                EXPECT_LT(view_.state->hit->series, rows);
                EXPECT_LT(view_.state->hit->index, columns);
            }
        }
}

Plot make_timeline(std::vector<Timeline::Row> rows) {
    return {"t", "", Origin::measured, Timeline{std::move(rows)}, ""};
}

TEST_F(PlotDrawing, DrawsTimelinesAtAllSizes) {
    Timeline::Row many{"many", {}, 1e6};
    for (int i = 0; i < 50000; ++i)
        many.bars.push_back({"step", i % 2 ? ColorRole::kernel : ColorRole::upload, i * 20.0, 10});
    const Timeline::Row odd{"odd",
                            {{"nan", ColorRole::kernel, nan, 5},
                             {"negative", ColorRole::kernel, 5, -5},
                             {"endless", ColorRole::cpu, 0, infinity},
                             {"before", ColorRole::upload, -50, 20},
                             {"", ColorRole::series, 10, 0},
                             {"x", ColorRole::series, 20, 5}},
                            nan};
    const std::vector<std::vector<Timeline::Row>> cases = {
        {},
        {{}},
        {{"empty", {}, 100}},
        {{"one", {{"kernel", ColorRole::kernel, 0, 10}}, 10}},
        {{"short end", {{"kernel", ColorRole::kernel, 0, 10}}, 3}},
        {odd, many, odd},
        {{"huge", {{"k", ColorRole::kernel, 1e299, 1e299}}, std::numeric_limits<double>::max()}},
        std::vector<Timeline::Row>(300, odd)};
    for (const std::vector<Timeline::Row>& rows : cases)
        for (const ImVec2 size :
             {ImVec2(500, 300), ImVec2(300, 160), ImVec2(40, 20), ImVec2(1, 1), ImVec2(500, 0)}) {
            draw_at_size(make_timeline(rows), size);
        }
}

TEST_F(PlotDrawing, TimelineIsAsHighAsItsRowsNeed) {
    const Timeline::Row row{"one", {{"kernel", ColorRole::kernel, 10, 10}}, 40};
    frames(make_timeline({row, row}), 2);
    const WidgetRect* plot = find("test.plot");
    ASSERT_NE(plot, nullptr);
    EXPECT_LT(plot->max.y - plot->min.y, 170);
    point_at(make_timeline({row, row}), ImVec2(230, 60));  // on the bar
    EXPECT_GT(readout_vertex_count_, 0);
    point_at(make_timeline({row, row}), ImVec2(500, 60));  // on the wait
    EXPECT_GT(readout_vertex_count_, 0);
    point_at(make_timeline({row, row}), ImVec2(230, 60));
    wheel(make_timeline({row, row}), 3, {.ctrl = true});
    frames(make_timeline({row, row}), 90);
    EXPECT_LT(view_.state->x.length(), 30);
}

}  // namespace gridstride::ui::plot_pictures_test
