// Graphs, boxes and barriers: the drawing stays finite, and the item under the mouse is found.
#include "test_includes.h"
#include "ui/plot_case.h"

namespace gridstride::ui::plot_graph_test {

/// Two inputs and a chain of `length` operations in groups of five.
Plot make_chain(std::size_t length) {
    Graph graph;
    graph.nodes = {{.label = "a", .kind = Graph::Kind::input, .highlight_ids = {"a"}},
                   {.label = "b", .kind = Graph::Kind::input, .highlight_ids = {"b"}}};
    for (std::size_t i = 0; i < length; ++i)
        graph.nodes.push_back({.label = "t" + std::to_string(i) + " = exp",
                               .sources = i == 0 ? std::vector<std::size_t>{0, 1} : std::vector{i + 1},
                               .group = i / 5,
                               .note = "64 MiB",
                               .highlight_ids = {"t" + std::to_string(i)}});
    graph.groups.assign(length / 5 + 1, "one kernel when fused: five operations");
    return {"g", "", Origin::computed, graph, ""};
}

/// Three tensors at two places over four named steps.
Plot make_memory_figure() {
    Figure figure;
    figure.x.categories = {"add", "mul", "sub", "sum"};
    figure.y.categories = {"place 0", "place 1"};
    figure.boxes = {{0, 1, 0, 0, "t1 64 MiB", 0, "read last by mul", {"t1"}},
                    {1, 2, 1, 1, "t2 64 MiB", 1, "", {"t2"}},
                    {2, 3, 0, 0, "t3 64 MiB", 0, "", {"t3"}}};
    figure.markers = {{1.5, "planned peak 128 MiB", true}};
    return {"m", "", Origin::computed, figure, ""};
}

Plot make_submissions() {
    Timeline::Row first{
        "submit 1", {{"add", ColorRole::kernel, 0, 40}, {"mul", ColorRole::kernel, 50, 50}}, 100};
    first.bars[0].highlight_ids = {"t1", "t2"};
    first.barriers_ns = {45};
    Timeline::Row second{"submit 2", {{"sum", ColorRole::kernel, 160, 40}}, 200, /*start_ns=*/150};
    return {"c", "", Origin::measured, Timeline{{first, second}}, ""};
}

class PlotGraph : public PlotDrawing {
 protected:
    ImVec2 node_center(std::size_t n) {
        return UiFrames::widget_rect("test.plot.node." + std::to_string(n)).centre();
    }
    void draw_small(const Plot& plot) {
        ImGui::NewFrame();
        ImGui::Begin("card");
        draw_small_plot(plot, view_, {{50, 50}, {150, 100}});
        for (const ImDrawVert& vertex : ImGui::GetWindowDrawList()->VtxBuffer)
            ASSERT_TRUE(std::isfinite(vertex.pos.x) && std::isfinite(vertex.pos.y));
        ImGui::End();
        ImGui::Render();
    }
    /// Draws the plot in a new view and counts the vertices in the colour of text.
    std::size_t count_text_vertices(const Plot& plot) {
        view_ = {};
        frame(plot);
        return count_vertices(theme().palette().text);
    }
    /// The number of vertices of this colour.
    std::size_t count_vertices(ImU32 color) const {
        return static_cast<std::size_t>(std::ranges::count(drawn_vertices_, color, &ImDrawVert::col));
    }
};

TEST_F(PlotGraph, StaysFiniteAtAllSizes) {
    Plot awkward = make_chain(9);
    auto& graph = std::get<Graph>(awkward.content);
    graph.nodes[4].kind = Graph::Kind::copy;
    graph.nodes[5].kind = Graph::Kind::host;
    graph.nodes[6].label = std::string(400, 'x');
    graph.nodes[7].label.clear();
    graph.nodes[8].group = 4711;
    graph.groups = {"", std::string(2000, 'y'), "a few words"};
    for (const Plot& plot : {Plot{"g", "", Origin::computed, Graph{}, ""}, make_chain(1), make_chain(9),
                             make_chain(80), awkward})
        for (const ImVec2 size : {ImVec2(500, 300), ImVec2(500, 0), ImVec2(300, 40), ImVec2(1, 1)}) {
            draw_at_size(plot, size);
            ASSERT_NE(find("test.plot"), nullptr);
            draw_small(plot);
        }
}

TEST_F(PlotGraph, HoveringANodeShowsItAndItsIds) {
    const Plot plot = make_chain(4);
    frame(plot);
    const int vertices_without_readout = readout_vertex_count_;
    const std::size_t before = count_vertices(theme().palette().text);
    point_at(plot, node_center(3));
    EXPECT_THAT(view_.hovered, ElementsAre("t1"));
    EXPECT_GT(readout_vertex_count_, vertices_without_readout);
    EXPECT_GT(count_vertices(theme().palette().text), before) << "the frame and the arrows of the node";
    point_at(plot, ImVec2(node_center(3).x, node_center(3).y + 20));
    EXPECT_THAT(view_.hovered, IsEmpty());
    EXPECT_EQ(readout_vertex_count_, vertices_without_readout);
}

TEST_F(PlotGraph, HighlightsIdsInEachKindOfPlot) {
    for (const Plot& plot : {make_chain(4), make_memory_figure(), make_submissions()}) {
        view_ = {};
        frame(plot);
        const auto plain_count = drawn_vertices_.size();
        view_.highlighted = {"t1"};
        frame(plot);
        EXPECT_GT(drawn_vertices_.size(), plain_count) << plot.id << " draws one more frame";
        view_.highlighted = {"t99"};
        frame(plot);
        EXPECT_EQ(drawn_vertices_.size(), plain_count) << plot.id;
    }
}

TEST_F(PlotGraph, ZoomKeepsTheShapeOfNodes) {
    const Plot plot = make_chain(4);
    frame(plot);
    const auto rect = [] { return UiFrames::widget_rect("test.plot.node.3"); };
    const auto shape = [&] { return rect().width() / rect().height(); };
    const float fitted = shape(), width = rect().width();
    feed_mouse_position(node_center(3));
    frame(plot);
    wheel(plot, 2, {.ctrl = true});
    frames(plot, 60);
    EXPECT_GT(rect().width(), 1.2F * width);
    EXPECT_NEAR(shape(), fitted, 0.1F * fitted);
    ASSERT_NE(find("test.plot.fit"), nullptr);
    fit(view_);
    frames(plot, 60);
    EXPECT_NEAR(rect().width(), width, 1.5F);
}

TEST_F(PlotGraph, WholeGraphFitsAnyPlotSize) {
    const Plot plot = make_chain(64);
    for (const ImVec2 size : {ImVec2(700, 0), ImVec2(700, 300), ImVec2(400, 120)}) {
        view_ = {};
        frame(plot, size);
        for (std::size_t n = 0; n < 66; ++n) {
            const WidgetRect* rect = find("test.plot.node." + std::to_string(n));
            ASSERT_NE(rect, nullptr) << n << " of " << size.x << " x " << size.y;
            EXPECT_GE(rect->min.x, 49);
            EXPECT_LE(rect->max.x, 51 + size.x);
            // A plot with its natural height may end below the window.
            EXPECT_TRUE(size.y == 0 || rect->max.y <= 51 + size.y);
        }
    }
}

TEST_F(PlotGraph, BoxesFitNamedAxesAndAreReadOnHover) {
    const Plot plot = make_memory_figure();
    frame(plot);
    const PlotArea area = view_.state->area;
    EXPECT_DOUBLE_EQ(area.x.low, -0.5);
    EXPECT_DOUBLE_EQ(area.x.high, 3.5);
    EXPECT_LE(area.y.low, -0.5);
    EXPECT_GT(area.y.high, 1.5) << "the marker's label has room above the boxes";
    const int vertices_without_readout = readout_vertex_count_;
    // These points lie in t2, which spans the second and third step at the upper place.
    for (const double step : {0.6, 1.0, 2.0, 2.4}) {
        point_at(plot, area.at(step, 1));
        EXPECT_THAT(view_.hovered, ElementsAre("t2")) << step;
        EXPECT_GT(readout_vertex_count_, vertices_without_readout);
    }
    point_at(plot, area.at(0.4, 0.6));
    EXPECT_THAT(view_.hovered, IsEmpty());
    point_at(plot, area.at(0, 0));
    EXPECT_THAT(view_.hovered, ElementsAre("t1"));
}

TEST_F(PlotGraph, DrawsBoxesAtAwkwardPlaces) {
    Plot plot = make_memory_figure();
    auto& figure = std::get<Figure>(plot.content);
    figure.boxes.push_back({nan, 1, 0, 1, "nowhere"});
    figure.boxes.push_back({0, 1, -infinity, infinity, "everywhere"});
    figure.boxes.push_back({3, 1, 0, 1, "backwards"});
    figure.boxes.push_back({2, 2, 1, 1, std::string(300, 'w')});
    for (const bool has_categories : {true, false}) {
        if (!has_categories) figure.x.categories.clear(), figure.y = {.label = "offset", .unit = "B"};
        for (const ImVec2 size : {ImVec2(500, 300), ImVec2(300, 60), ImVec2(1, 1)}) {
            draw_at_size(plot, size);
            draw_small(plot);
        }
    }
}

TEST_F(PlotGraph, DrawsBarriersAndLateSubmissions) {
    Plot plot = make_submissions();
    const std::size_t with = count_text_vertices(plot);
    auto& timeline = std::get<Timeline>(plot.content);
    timeline.rows[0].barriers_ns.clear();
    EXPECT_EQ(count_text_vertices(plot) + 8, with) << "neither the plot nor the legend has a barrier";
    // The second submission waits before its kernel; the time before the submission has no readout.
    const ImVec2 natural(500, 0);
    frame(plot, natural);
    const float left = 50 + text_size(TextStyle::note, "submit 2").x + 12, right = 50 + 500 - 4;
    const auto has_readout = [&](float ns) {
        feed_mouse_position(ImVec2(left + (right - left) * ns / 200, 50 + 36 + 12));
        frame(plot, natural);
        frame(plot, natural);
        return readout_vertex_count_ > 0;
    };
    EXPECT_FALSE(has_readout(60));
    EXPECT_TRUE(has_readout(155)) << "the readout of the wait";
    EXPECT_TRUE(has_readout(185)) << "the readout of the kernel";
}

TEST_F(PlotGraph, HoveringABarFindsAllItsIds) {
    const Plot plot = make_submissions();
    frame(plot);
    const WidgetRect& whole = *find("test.plot");
    // This point is in the first bar: the row labels take less than a fifth of the width.
    point_at(plot, ImVec2(whole.min.x + (whole.max.x - whole.min.x) * 0.22F, whole.min.y + 12));
    EXPECT_THAT(view_.hovered, ElementsAre("t1", "t2"));
}

TEST_F(PlotGraph, LabelsFitTheirNodesInSmallGraphs) {
    // The graph has a column of seven nodes, and a sentence that is longer than its group's line.
    Graph graph;
    graph.nodes = {{.label = "model.x", .kind = Graph::Kind::input, .highlight_ids = {"x"}}};
    for (std::size_t i = 0; i < 7; ++i)
        graph.nodes.push_back({.label = "model.y" + std::to_string(i) + " = model.x + 1",
                               .sources = {0},
                               .group = i,
                               .highlight_ids = {"y"}});
    graph.groups.assign(7, "");
    graph.groups[0] = "own kernel: 1 operation of rows, 32 B";
    const Plot plot{"g", "", Origin::computed, graph, ""};
    record_drawn_texts(true);
    for (const float height : {400.0F, 300.0F, 260.0F, 220.0F}) {
        view_ = {};
        frame(plot, {600, height});
        std::size_t label_count = 0;
        for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
            const WidgetRect* const box = find("test.plot.node." + std::to_string(n));
            ASSERT_NE(box, nullptr);
            for (const DrawnText& text : drawn_texts()) {
                if (text.rect.centre().y < box->min.y || text.rect.centre().y > box->max.y ||
                    text.rect.centre().x < box->min.x || text.rect.centre().x > box->max.x)
                    continue;
                ++label_count;
                EXPECT_GE(text.rect.min.x - box->min.x, 4) << text.text << " in " << height;
                EXPECT_GE(box->max.x - text.rect.max.x, 4) << text.text << " in " << height;
            }
        }
        EXPECT_EQ(label_count, graph.nodes.size()) << height;
    }
    view_ = {};
    frame(plot, {600, 400});
    const auto has_sentence = [&](const DrawnText& text) { return text.text == graph.groups[0]; };
    EXPECT_EQ(std::ranges::count_if(drawn_texts(), has_sentence), 1)
        << "there is room beside the group's line";
    record_drawn_texts(false);
}

}  // namespace gridstride::ui::plot_graph_test
