// Graphs, boxes of figures and barriers: what is drawn stays finite, the subject under the mouse is known.
#include "test_includes.h"
#include "ui/plot_case.h"

namespace gridstride::ui::plot_graph_test {

/// Two inputs and a chain of so many, in groups of five.
Plot chain_of(std::size_t length) {
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

/// Three tensors at two places, over four named steps.
Plot memory() {
    Figure figure;
    figure.x.categories = {"add", "mul", "sub", "sum"};
    figure.y.categories = {"place 0", "place 1"};
    figure.boxes = {{0, 1, 0, 0, "t1 64 MiB", 0, "read last by mul", {"t1"}},
                    {1, 2, 1, 1, "t2 64 MiB", 1, "", {"t2"}},
                    {2, 3, 0, 0, "t3 64 MiB", 0, "", {"t3"}}};
    figure.markers = {{1.5, "planned peak 128 MiB", true}};
    return {"m", "", Origin::computed, figure, ""};
}

Plot submissions() {
    Timeline::Row first{
        "submit 1", {{"add", ColorRole::kernel, 0, 40}, {"mul", ColorRole::kernel, 50, 50}}, 100};
    first.bars[0].highlight_ids = {"t1", "t2"};
    first.barriers_ns = {45};
    Timeline::Row second{"submit 2", {{"sum", ColorRole::kernel, 160, 40}}, 200, /*start_ns=*/150};
    return {"c", "", Origin::measured, Timeline{{first, second}}, ""};
}

class PlotGraph : public PlotDrawing {
 protected:
    ImVec2 node(std::size_t n) { return UiFrames::rect_of("test.plot.node." + std::to_string(n)).centre(); }
    void draw_small(const Plot& plot) {
        ImGui::NewFrame();
        ImGui::Begin("card");
        draw_small_plot(plot, view_, {{50, 50}, {150, 100}});
        for (const ImDrawVert& vertex : ImGui::GetWindowDrawList()->VtxBuffer)
            ASSERT_TRUE(std::isfinite(vertex.pos.x) && std::isfinite(vertex.pos.y));
        ImGui::End();
        ImGui::Render();
    }
    /// Vertices of what is drawn in the colour of text.
    std::size_t text_of(const Plot& plot) {
        view_ = {};
        frame(plot);
        return count_of(theme().palette().text);
    }
    /// Vertices of this colour.
    std::size_t count_of(ImU32 color) const {
        return static_cast<std::size_t>(std::ranges::count(drawn_, color, &ImDrawVert::col));
    }
};

TEST_F(PlotGraph, OfAllSizesStaysFinite) {
    Plot awkward = chain_of(9);
    auto& graph = std::get<Graph>(awkward.content);
    graph.nodes[4].kind = Graph::Kind::copy;
    graph.nodes[5].kind = Graph::Kind::host;
    graph.nodes[6].label = std::string(400, 'x');
    graph.nodes[7].label.clear();
    graph.nodes[8].group = 4711;
    graph.groups = {"", std::string(2000, 'y'), "a few words"};
    for (const Plot& plot :
         {Plot{"g", "", Origin::computed, Graph{}, ""}, chain_of(1), chain_of(9), chain_of(80), awkward})
        for (const ImVec2 size : {ImVec2(500, 300), ImVec2(500, 0), ImVec2(300, 40), ImVec2(1, 1)}) {
            draw_at_size(plot, size);
            ASSERT_NE(find("test.plot"), nullptr);
            draw_small(plot);
        }
}

TEST_F(PlotGraph, ANodeIsReadAndItsSubjectsArePointedAt) {
    const Plot plot = chain_of(4);
    frame(plot);
    const int silent = readout_;
    const std::size_t before = count_of(theme().palette().text);
    point_at(plot, node(3));
    EXPECT_THAT(view_.hovered, ElementsAre("t1"));
    EXPECT_GT(readout_, silent);
    EXPECT_GT(count_of(theme().palette().text), before) << "its frame, and its arrows";
    point_at(plot, ImVec2(node(3).x, node(3).y + 20));
    EXPECT_THAT(view_.hovered, IsEmpty());
    EXPECT_EQ(readout_, silent);
}

TEST_F(PlotGraph, WhatIsPointedAtElsewhereIsLitInEachKind) {
    for (const Plot& plot : {chain_of(4), memory(), submissions()}) {
        view_ = {};
        frame(plot);
        const auto dark = drawn_.size();
        view_.highlighted = {"t1"};
        frame(plot);
        EXPECT_GT(drawn_.size(), dark) << plot.id << " has a frame more";
        view_.highlighted = {"t99"};
        frame(plot);
        EXPECT_EQ(drawn_.size(), dark) << plot.id;
    }
}

TEST_F(PlotGraph, ANodeKeepsItsShapeWhereItIsZoomed) {
    const Plot plot = chain_of(4);
    frame(plot);
    const auto rect = [] { return UiFrames::rect_of("test.plot.node.3"); };
    const auto shape = [&] { return rect().width() / rect().height(); };
    const float fitted = shape(), width = rect().width();
    feed_mouse_position(node(3));
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

TEST_F(PlotGraph, AllOfItIsSeenHoweverLittleRoomThereIs) {
    const Plot plot = chain_of(64);
    for (const ImVec2 size : {ImVec2(700, 0), ImVec2(700, 300), ImVec2(400, 120)}) {
        view_ = {};
        frame(plot, size);
        for (std::size_t n = 0; n < 66; ++n) {
            const WidgetRect* rect = find("test.plot.node." + std::to_string(n));
            ASSERT_NE(rect, nullptr) << n << " of " << size.x << " x " << size.y;
            EXPECT_GE(rect->min.x, 49);
            EXPECT_LE(rect->max.x, 51 + size.x);
            // What is asked for all the height that it wants ends below the window.
            EXPECT_TRUE(size.y == 0 || rect->max.y <= 51 + size.y);
        }
    }
}

TEST_F(PlotGraph, BoxesAreWholeOnNamedAxesAndAreReadUnderTheMouse) {
    const Plot plot = memory();
    frame(plot);
    const PlotArea area = view_.state->area;
    EXPECT_DOUBLE_EQ(area.x.low, -0.5);
    EXPECT_DOUBLE_EQ(area.x.high, 3.5);
    EXPECT_LE(area.y.low, -0.5);
    EXPECT_GT(area.y.high, 1.5) << "the marker's words stand over the boxes";
    const int silent = readout_;
    // In t2, which takes the second and the third step at the upper place.
    for (const double step : {0.6, 1.0, 2.0, 2.4}) {
        point_at(plot, area.at(step, 1));
        EXPECT_THAT(view_.hovered, ElementsAre("t2")) << step;
        EXPECT_GT(readout_, silent);
    }
    point_at(plot, area.at(0.4, 0.6));
    EXPECT_THAT(view_.hovered, IsEmpty());
    point_at(plot, area.at(0, 0));
    EXPECT_THAT(view_.hovered, ElementsAre("t1"));
}

TEST_F(PlotGraph, BoxesOfAwkwardPlaces) {
    Plot plot = memory();
    auto& figure = std::get<Figure>(plot.content);
    figure.boxes.push_back({nan, 1, 0, 1, "nowhere"});
    figure.boxes.push_back({0, 1, -infinity, infinity, "everywhere"});
    figure.boxes.push_back({3, 1, 0, 1, "backwards"});
    figure.boxes.push_back({2, 2, 1, 1, std::string(300, 'w')});
    for (const bool named : {true, false}) {
        if (!named) figure.x.categories.clear(), figure.y = {.label = "offset", .unit = "B"};
        for (const ImVec2 size : {ImVec2(500, 300), ImVec2(300, 60), ImVec2(1, 1)}) {
            draw_at_size(plot, size);
            draw_small(plot);
        }
    }
}

TEST_F(PlotGraph, ABarrierIsALineBetweenBarsAndASubmissionBeginsWhereItDoes) {
    Plot plot = submissions();
    const std::size_t with = text_of(plot);
    auto& timeline = std::get<Timeline>(plot.content);
    timeline.rows[0].barriers_ns.clear();
    EXPECT_EQ(text_of(plot) + 8, with) << "no line, and none in the legend";
    // The second submission waits before its kernel, and nothing is said of the time before it.
    const ImVec2 natural(500, 0);
    frame(plot, natural);
    const float left = 50 + text_size(TextStyle::note, "submit 2").x + 12, right = 50 + 500 - 4;
    const auto says = [&](float ns) {
        feed_mouse_position(ImVec2(left + (right - left) * ns / 200, 50 + 36 + 12));
        frame(plot, natural);
        frame(plot, natural);
        return readout_ > 0;
    };
    EXPECT_FALSE(says(60));
    EXPECT_TRUE(says(155)) << "it waits";
    EXPECT_TRUE(says(185)) << "its kernel";
}

TEST_F(PlotGraph, ABarThatMakesSeveralPointsAtAllOfThem) {
    const Plot plot = submissions();
    frame(plot);
    const WidgetRect& whole = *find("test.plot");
    // Within the first bar: the words of the rows take less than a fifth.
    point_at(plot, ImVec2(whole.min.x + (whole.max.x - whole.min.x) * 0.22F, whole.min.y + 12));
    EXPECT_THAT(view_.hovered, ElementsAre("t1", "t2"));
}

TEST_F(PlotGraph, WordsHaveRoomHoweverSmallTheGraphIs) {
    // A column of seven in little height, and a sentence that is longer than its group's line.
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
        std::size_t named = 0;
        for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
            const WidgetRect* const box = find("test.plot.node." + std::to_string(n));
            ASSERT_NE(box, nullptr);
            for (const DrawnText& text : drawn_texts()) {
                if (text.rect.centre().y < box->min.y || text.rect.centre().y > box->max.y ||
                    text.rect.centre().x < box->min.x || text.rect.centre().x > box->max.x)
                    continue;
                ++named;
                EXPECT_GE(text.rect.min.x - box->min.x, 4) << text.text << " in " << height;
                EXPECT_GE(box->max.x - text.rect.max.x, 4) << text.text << " in " << height;
            }
        }
        EXPECT_EQ(named, graph.nodes.size()) << height;
    }
    view_ = {};
    frame(plot, {600, 400});
    const auto has_sentence = [&](const DrawnText& text) { return text.text == graph.groups[0]; };
    EXPECT_EQ(std::ranges::count_if(drawn_texts(), has_sentence), 1) << "beside its line there is room";
    record_drawn_texts(false);
}

}  // namespace gridstride::ui::plot_graph_test
