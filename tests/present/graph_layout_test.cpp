// Where a graph's nodes stand: what a person would complain about on the screen, counted.
#include "present/graph_layout.h"

#include "test_includes.h"

namespace gridstride::graph_layout_test {

using Sources = std::vector<std::size_t>;

Graph graph_of(const std::vector<Sources>& sources) {
    Graph graph;
    for (const Sources& of_node : sources)
        graph.nodes.push_back({.label = "t" + std::to_string(graph.nodes.size()),
                               .sources = of_node,
                               .kind = of_node.empty() ? Graph::Kind::input : Graph::Kind::operation});
    return graph;
}

/// a and b, then a chain of so many; an input joins at every third.
Graph chain_of(std::size_t length) {
    std::vector<Sources> sources = {{}, {}, {}};
    for (std::size_t i = 0; i < length; ++i) {
        const std::size_t before = sources.size() - 1;
        sources.push_back(i == 0 ? Sources{0, 1} : i % 3 == 2 ? Sources{before, 2} : Sources{before});
    }
    return graph_of(sources);
}

Graph random_graph(std::mt19937& random, std::size_t count) {
    std::vector<Sources> sources(count);
    const std::size_t inputs = 1 + random() % 5, reach = 1 + random() % 12;
    for (std::size_t n = inputs; n < count; ++n)
        for (std::size_t i = 0; i < 1 + random() % 3; ++i)
            sources[n].push_back(n - 1 - random() % std::min(n, reach));
    Graph graph = graph_of(sources);
    for (std::size_t n = 0; n < count; ++n)
        if (random() % 4 != 0) graph.nodes[n].group = n / 7;
    graph.groups.assign(count / 7 + 1, "a kernel");
    return graph;
}

GraphSizes sizes_of(const Graph& graph) {
    GraphSizes sizes;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
        sizes.node_widths.push_back(30.0F + static_cast<float>(n * 37 % 60));
    sizes.words.assign(graph.groups.size(), 55);
    return sizes;
}

bool overlap(const GraphBox& a, const GraphBox& b) {
    return a.min.x < b.max.x && b.min.x < a.max.x && a.min.y < b.max.y && b.min.y < a.max.y;
}
glm::vec2 middle(const GraphBox& box) {
    return (box.min + box.max) / 2.0F;
}

/// Whether the arrow can be followed from the node to its reader.
bool leads(const Graph& graph, const GraphLayout& layout, std::size_t from, std::size_t to) {
    const auto right = [&](std::size_t n) {
        return glm::vec2(layout.nodes[n].max.x, middle(layout.nodes[n]).y);
    };
    const glm::vec2 goal(layout.nodes[to].min.x, middle(layout.nodes[to]).y);
    std::vector<glm::vec2> reached = {right(from)};
    for (std::size_t i = 0; i < reached.size(); ++i)
        for (const GraphStroke& stroke : layout.strokes)
            if (stroke.from == from && stroke.start == reached[i] &&
                std::ranges::find(reached, stroke.end) == reached.end())
                reached.push_back(stroke.end);
    return graph.nodes.size() > to && std::ranges::find(reached, goal) != reached.end();
}

/// A level stroke through a node that it neither leaves nor enters.
bool runs_through(const GraphStroke& stroke, const GraphBox& box) {
    const auto [left, right] = std::minmax(stroke.start.x, stroke.end.x);
    const auto [top, bottom] = std::minmax(stroke.start.y, stroke.end.y);
    return left < box.max.x - 0.5F && right > box.min.x + 0.5F && top < box.max.y && bottom > box.min.y;
}

TEST(GraphLayout, AChainRunsStraightOnAndItsInputsStandBesideWhoReadsThem) {
    const Graph graph = chain_of(8);
    const GraphLayout layout = layout_graph(graph, order_graph(graph), sizes_of(graph), 2000);
    for (std::size_t n = 4; n < graph.nodes.size(); ++n) {
        EXPECT_FLOAT_EQ(middle(layout.nodes[n]).y, middle(layout.nodes[3]).y) << n;
        EXPECT_GT(layout.nodes[n].min.x, layout.nodes[n - 1].max.x) << n;
    }
    EXPECT_LT(layout.nodes[0].max.x, layout.nodes[3].min.x);
    EXPECT_FLOAT_EQ(middle(layout.nodes[0]).x, middle(layout.nodes[1]).x);
    // The third input is read by the third of the chain, node 5, first: it stands in the column of node 4.
    EXPECT_FLOAT_EQ(middle(layout.nodes[2]).x, middle(layout.nodes[4]).x);
    EXPECT_GT(layout.nodes[2].min.y, layout.nodes[4].max.y);
}

TEST(GraphLayout, ADiamondIsSymmetrical) {
    const Graph graph = graph_of({{}, {0}, {1}, {1}, {2, 3}});
    const GraphOrder order = order_graph(graph);
    EXPECT_EQ(count_crossings(order), 0U);
    const GraphLayout layout = layout_graph(graph, order, sizes_of(graph), 2000);
    const float axis = middle(layout.nodes[1]).y;
    EXPECT_FLOAT_EQ(middle(layout.nodes[4]).y, axis);
    EXPECT_FLOAT_EQ(middle(layout.nodes[2]).y + middle(layout.nodes[3]).y, 2 * axis);
    EXPECT_NE(middle(layout.nodes[2]).y, axis);
}

TEST(GraphLayout, ArrowsThatNeedNotCrossDoNot) {
    // Six readers in the opposite order of what they read.
    std::vector<Sources> sources(6);
    for (std::size_t i = 0; i < 6; ++i)
        sources.push_back({5 - i});
    EXPECT_EQ(count_crossings(order_graph(graph_of(sources))), 0U);
    // A tree whose leaves are given from the outside to the inside.
    EXPECT_EQ(count_crossings(order_graph(graph_of({{}, {}, {}, {}, {0, 3}, {1, 2}, {4, 5}}))), 0U);
    // Three that are each read by three cross nine times, however they stand.
    const Graph all = graph_of({{}, {}, {}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}});
    EXPECT_EQ(count_crossings(order_graph(all)), 9U);
}

TEST(GraphLayout, OfRandomGraphsNothingLiesOverAnything) {
    std::mt19937 random(2026);
    for (int round = 0; round < 300; ++round) {
        const Graph graph = random_graph(random, 6 + random() % 75);
        const GraphOrder order = order_graph(graph);
        const GraphSizes sizes = sizes_of(graph);
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
                EXPECT_TRUE(leads(graph, layout, source, n)) << source << " to " << n;
        }
        for (const GraphStroke& stroke : layout.strokes)
            for (std::size_t n = 0; n < graph.nodes.size(); ++n)
                EXPECT_FALSE(runs_through(stroke, layout.nodes[n]))
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

TEST(GraphLayout, WhereItIsTooWideItGoesOnBelow) {
    const Graph graph = chain_of(64);
    const GraphOrder order = order_graph(graph);
    const GraphSizes sizes = sizes_of(graph);
    const GraphLayout layout = layout_graph(graph, order, sizes, 800);
    EXPECT_LE(layout.size.x, 800);
    std::set<float> lines;
    for (std::size_t n = 4; n < graph.nodes.size(); ++n) {
        const GraphBox &box = layout.nodes[n], &before = layout.nodes[n - 1];
        EXPECT_TRUE(box.min.x > before.max.x || box.min.y > before.max.y) << n << " is read before " << n - 1;
        lines.insert(middle(box).y);
    }
    // 64 of 30 to 90 pixels, 28 apart: at least 64 * 88 / 800 lines, and no line for a few alone.
    EXPECT_GE(lines.size(), 7U);
    EXPECT_LE(lines.size(), 9U);
    EXPECT_GT(layout.size.x, 600);
}

TEST(GraphLayout, ASentenceStandsOnceUnderTheWidestPartOfItsGroup) {
    Graph graph = chain_of(20);
    for (std::size_t n = 3; n < 20; ++n)
        graph.nodes[n].group = 0;
    for (std::size_t n = 20; n < graph.nodes.size(); ++n)
        graph.nodes[n].group = 1;
    graph.groups = {"one kernel", ""};
    GraphSizes sizes = sizes_of(graph);
    sizes.words = {300, 0};
    const GraphLayout layout = layout_graph(graph, order_graph(graph), sizes, 800);
    ASSERT_GE(layout.brackets.size(), 2U) << "a part in each line";
    const auto says = [](const GraphBracket& bracket) { return bracket.lines > 0; };
    EXPECT_EQ(std::ranges::count_if(layout.brackets, says), 1);
    for (const GraphBracket& bracket : layout.brackets) {
        EXPECT_EQ(bracket.group, 0U) << "a group without a sentence has no bracket";
        EXPECT_LE(bracket.lines, 1) << "300 pixels fit beside each other";
    }
    sizes.words = {1500, 0};
    const GraphLayout longer = layout_graph(graph, order_graph(graph), sizes, 800);
    EXPECT_GT(std::ranges::max(longer.brackets, {}, &GraphBracket::lines).lines, 1);
    EXPECT_GT(longer.size.y, layout.size.y);
}

TEST(GraphLayout, ASentenceBeginsAtItsBracketWhereThereIsRoomBesideTheGraph) {
    Graph graph = graph_of({{}, {0}});
    graph.nodes[1].group = 0;
    graph.groups = {"own kernel: 1 operation, 32 B"};
    GraphSizes sizes = sizes_of(graph);
    sizes.words = {250};
    const GraphLayout layout = layout_graph(graph, order_graph(graph), sizes, 800);
    ASSERT_EQ(layout.brackets.size(), 1U);
    EXPECT_EQ(layout.brackets[0].sentence_x, layout.brackets[0].left.x);
    EXPECT_EQ(layout.brackets[0].lines, 1);
    EXPECT_GE(layout.size.x, layout.brackets[0].sentence_x + 250) << "and it is a part of what is shown";
}

TEST(GraphLayout, ANodeBeforeItsSourceIsAMistakeOfTheLesson) {
    EXPECT_THROW(order_graph(graph_of({{1}, {}})), std::logic_error);
    EXPECT_THROW(order_graph(graph_of({{0}})), std::logic_error);
    EXPECT_TRUE(layout_graph({}, order_graph({}), {}, 100).nodes.empty());
}

}  // namespace gridstride::graph_layout_test
