// Tests the layout of a graph: overlaps, crossings and other visible faults.
#include "present/graph_layout.h"

#include "test_includes.h"

namespace gridstride::graph_layout_test {

using Sources = std::vector<std::size_t>;

Graph make_graph(const std::vector<Sources>& sources) {
    Graph graph;
    for (const Sources& node_sources : sources)
        graph.nodes.push_back({.label = "t" + std::to_string(graph.nodes.size()),
                               .sources = node_sources,
                               .kind = node_sources.empty() ? Graph::Kind::input : Graph::Kind::operation});
    return graph;
}

/// Returns a chain of `length` nodes that begins with two inputs; a third input joins at every third node.
Graph make_chain(std::size_t length) {
    std::vector<Sources> sources = {{}, {}, {}};
    for (std::size_t i = 0; i < length; ++i) {
        const std::size_t before = sources.size() - 1;
        sources.push_back(i == 0 ? Sources{0, 1} : i % 3 == 2 ? Sources{before, 2} : Sources{before});
    }
    return make_graph(sources);
}

Graph make_random_graph(std::mt19937& random, std::size_t count) {
    std::vector<Sources> sources(count);
    const std::size_t inputs = 1 + random() % 5, reach = 1 + random() % 12;
    for (std::size_t n = inputs; n < count; ++n)
        for (std::size_t i = 0; i < 1 + random() % 3; ++i)
            sources[n].push_back(n - 1 - random() % std::min(n, reach));
    Graph graph = make_graph(sources);
    for (std::size_t n = 0; n < count; ++n)
        if (random() % 4 != 0) graph.nodes[n].group = n / 7;
    graph.groups.assign(count / 7 + 1, "a kernel");
    return graph;
}

GraphSizes make_sizes(const Graph& graph) {
    GraphSizes sizes;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
        sizes.node_widths.push_back(30.0F + static_cast<float>(n * 37 % 60));
    sizes.words.assign(graph.groups.size(), 55);
    return sizes;
}

bool overlap(const GraphBox& a, const GraphBox& b) {
    return a.min.x < b.max.x && b.min.x < a.max.x && a.min.y < b.max.y && b.min.y < a.max.y;
}
glm::vec2 center(const GraphBox& box) {
    return (box.min + box.max) / 2.0F;
}

/// Returns true if strokes lead from the node to its reader.
bool is_connected(const Graph& graph, const GraphLayout& layout, std::size_t from, std::size_t to) {
    const auto right = [&](std::size_t n) {
        return glm::vec2(layout.nodes[n].max.x, center(layout.nodes[n]).y);
    };
    const glm::vec2 target(layout.nodes[to].min.x, center(layout.nodes[to]).y);
    std::vector<glm::vec2> reached_points = {right(from)};
    for (std::size_t i = 0; i < reached_points.size(); ++i)
        for (const GraphStroke& stroke : layout.strokes)
            if (stroke.from == from && stroke.start == reached_points[i] &&
                std::ranges::find(reached_points, stroke.end) == reached_points.end())
                reached_points.push_back(stroke.end);
    return graph.nodes.size() > to && std::ranges::find(reached_points, target) != reached_points.end();
}

/// Returns true if a horizontal stroke crosses the inside of a node's box.
bool crosses(const GraphStroke& stroke, const GraphBox& box) {
    const auto [left, right] = std::minmax(stroke.start.x, stroke.end.x);
    const auto [top, bottom] = std::minmax(stroke.start.y, stroke.end.y);
    return left < box.max.x - 0.5F && right > box.min.x + 0.5F && top < box.max.y && bottom > box.min.y;
}

TEST(GraphLayout, AChainIsStraightAndItsInputsAreNearTheirReaders) {
    const Graph graph = make_chain(8);
    const GraphLayout layout = layout_graph(graph, order_graph(graph), make_sizes(graph), 2000);
    for (std::size_t n = 4; n < graph.nodes.size(); ++n) {
        EXPECT_FLOAT_EQ(center(layout.nodes[n]).y, center(layout.nodes[3]).y) << n;
        EXPECT_GT(layout.nodes[n].min.x, layout.nodes[n - 1].max.x) << n;
    }
    EXPECT_LT(layout.nodes[0].max.x, layout.nodes[3].min.x);
    EXPECT_FLOAT_EQ(center(layout.nodes[0]).x, center(layout.nodes[1]).x);
    // Node 5 is the first that reads the third input, so that input is in the column of node 4.
    EXPECT_FLOAT_EQ(center(layout.nodes[2]).x, center(layout.nodes[4]).x);
    EXPECT_GT(layout.nodes[2].min.y, layout.nodes[4].max.y);
}

TEST(GraphLayout, ADiamondIsSymmetrical) {
    const Graph graph = make_graph({{}, {0}, {1}, {1}, {2, 3}});
    const GraphOrder order = order_graph(graph);
    EXPECT_EQ(count_crossings(order), 0U);
    const GraphLayout layout = layout_graph(graph, order, make_sizes(graph), 2000);
    const float axis = center(layout.nodes[1]).y;
    EXPECT_FLOAT_EQ(center(layout.nodes[4]).y, axis);
    EXPECT_FLOAT_EQ(center(layout.nodes[2]).y + center(layout.nodes[3]).y, 2 * axis);
    EXPECT_NE(center(layout.nodes[2]).y, axis);
}

TEST(GraphLayout, HasNoAvoidableCrossings) {
    // Six readers are in the opposite order of their sources.
    std::vector<Sources> sources(6);
    for (std::size_t i = 0; i < 6; ++i)
        sources.push_back({5 - i});
    EXPECT_EQ(count_crossings(order_graph(make_graph(sources))), 0U);
    // The leaves of this tree are listed from the outside to the inside.
    EXPECT_EQ(count_crossings(order_graph(make_graph({{}, {}, {}, {}, {0, 3}, {1, 2}, {4, 5}}))), 0U);
    // Three nodes that three others read cross nine times in every order.
    const Graph complete = make_graph({{}, {}, {}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}});
    EXPECT_EQ(count_crossings(order_graph(complete)), 9U);
}

TEST(GraphLayout, NothingOverlapsInRandomGraphs) {
    std::mt19937 random(2026);
    for (int round = 0; round < 300; ++round) {
        const Graph graph = make_random_graph(random, 6 + random() % 75);
        const GraphOrder order = order_graph(graph);
        const GraphSizes sizes = make_sizes(graph);
        const float room = 200.0F + static_cast<float>(random() % 1400);
        const GraphLayout layout = layout_graph(graph, order, sizes, room);
        SCOPED_TRACE(testing::Message()
                     << "round " << round << ", " << graph.nodes.size() << " nodes in " << room);
        EXPECT_LE(layout.size.x, room + 1);
        ASSERT_EQ(layout.nodes.size(), graph.nodes.size());
        for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
            const GraphBox& box = layout.nodes[n];
            EXPECT_NEAR(box.max.x - box.min.x, sizes.node_widths[n], 0.01);
            EXPECT_GE(box.min.x, 0);
            EXPECT_GE(box.min.y, 0);
            EXPECT_LE(box.max.x, layout.size.x + 0.01F);
            EXPECT_LE(box.max.y, layout.size.y + 0.01F);
            for (std::size_t other = 0; other < n; ++other)
                EXPECT_FALSE(overlap(box, layout.nodes[other])) << n << " and " << other;
            for (const std::size_t source : graph.nodes[n].sources)
                EXPECT_TRUE(is_connected(graph, layout, source, n)) << source << " to " << n;
        }
        for (const GraphStroke& stroke : layout.strokes)
            for (std::size_t n = 0; n < graph.nodes.size(); ++n)
                EXPECT_FALSE(crosses(stroke, layout.nodes[n]))
                    << "from " << stroke.from << " to " << stroke.to << " through " << n;
        for (std::size_t a = 0; a < layout.brackets.size(); ++a) {
            const GraphBracket& bracket = layout.brackets[a];
            EXPECT_LT(bracket.left.x, bracket.right.x);
            EXPECT_LE(bracket.left.y, layout.size.y);
            for (std::size_t b = 0; b < a; ++b) {
                const GraphBracket& other = layout.brackets[b];
                EXPECT_FALSE(bracket.left.y == other.left.y && bracket.left.x < other.right.x &&
                             other.left.x < bracket.right.x)
                    << "groups " << bracket.group << " and " << other.group;
            }
            for (const GraphBox& box : layout.nodes)
                EXPECT_FALSE(bracket.left.y > box.min.y && bracket.left.y < box.max.y &&
                             bracket.left.x < box.max.x && bracket.right.x > box.min.x)
                    << "group " << bracket.group << " under a node";
        }
    }
}

TEST(GraphLayout, WrapsAGraphThatIsTooWide) {
    const Graph graph = make_chain(64);
    const GraphOrder order = order_graph(graph);
    const GraphSizes sizes = make_sizes(graph);
    const GraphLayout layout = layout_graph(graph, order, sizes, 800);
    EXPECT_LE(layout.size.x, 800);
    std::set<float> lines;
    for (std::size_t n = 4; n < graph.nodes.size(); ++n) {
        const GraphBox &box = layout.nodes[n], &before = layout.nodes[n - 1];
        EXPECT_TRUE(box.min.x > before.max.x || box.min.y > before.max.y) << n << " is read before " << n - 1;
        lines.insert(center(box).y);
    }
    // 64 nodes of 30 to 90 pixels, 28 apart, need at least 64 * 88 / 800 lines, and no line is nearly empty.
    EXPECT_GE(lines.size(), 7U);
    EXPECT_LE(lines.size(), 9U);
    EXPECT_GT(layout.size.x, 600);
}

TEST(GraphLayout, ASentenceIsShownOnceUnderItsGroup) {
    Graph graph = make_chain(20);
    for (std::size_t n = 3; n < 20; ++n)
        graph.nodes[n].group = 0;
    for (std::size_t n = 20; n < graph.nodes.size(); ++n)
        graph.nodes[n].group = 1;
    graph.groups = {"one kernel", ""};
    GraphSizes sizes = make_sizes(graph);
    sizes.words = {300, 0};
    const GraphLayout layout = layout_graph(graph, order_graph(graph), sizes, 800);
    ASSERT_GE(layout.brackets.size(), 2U) << "each line has a part of the group";
    const auto has_text = [](const GraphBracket& bracket) { return bracket.lines > 0; };
    EXPECT_EQ(std::ranges::count_if(layout.brackets, has_text), 1);
    for (const GraphBracket& bracket : layout.brackets) {
        EXPECT_EQ(bracket.group, 0U) << "a group without a sentence has no bracket";
        EXPECT_LE(bracket.lines, 1) << "300 pixels fit on one line";
    }
    sizes.words = {1500, 0};
    const GraphLayout longer = layout_graph(graph, order_graph(graph), sizes, 800);
    EXPECT_GT(std::ranges::max(longer.brackets, {}, &GraphBracket::lines).lines, 1);
    EXPECT_GT(longer.size.y, layout.size.y);
}

TEST(GraphLayout, ASentenceBeginsAtItsBracketIfThereIsSpace) {
    Graph graph = make_graph({{}, {0}});
    graph.nodes[1].group = 0;
    graph.groups = {"own kernel: 1 operation, 32 B"};
    GraphSizes sizes = make_sizes(graph);
    sizes.words = {250};
    const GraphLayout layout = layout_graph(graph, order_graph(graph), sizes, 800);
    ASSERT_EQ(layout.brackets.size(), 1U);
    EXPECT_EQ(layout.brackets[0].sentence_x, layout.brackets[0].left.x);
    EXPECT_EQ(layout.brackets[0].lines, 1);
    EXPECT_GE(layout.size.x, layout.brackets[0].sentence_x + 250)
        << "the layout's width includes the sentence";
}

TEST(GraphLayout, RefusesANodeBeforeItsSource) {
    EXPECT_THROW(order_graph(make_graph({{1}, {}})), std::logic_error);
    EXPECT_THROW(order_graph(make_graph({{0}})), std::logic_error);
    EXPECT_TRUE(layout_graph({}, order_graph({}), {}, 100).nodes.empty());
}

}  // namespace gridstride::graph_layout_test
