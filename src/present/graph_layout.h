// Lays out a graph in columns from left to right, wrapped into bands, by the method of K. Sugiyama, S.
// Tagawa, M. Toda, "Methods for Visual Understanding of Hierarchical System Structures", IEEE Transactions on
// Systems, Man and Cybernetics 11(2), 1981.
#pragma once

#include <cstddef>
#include <glm/vec2.hpp>
#include <vector>

#include "lesson/plot.h"

namespace gridstride {

/// A node, or an arrow that passes through a column without ending there (a dummy node).
struct GraphItem {
    std::size_t node = 0;             ///< the node, or the source of the arrow
    bool passes = false;              ///< an arrow
    double lane = 0;                  ///< y of its middle in lanes, downwards; a node is one lane high
    std::vector<std::size_t> before;  ///< linked items in the previous column
    std::vector<std::size_t> after;   ///< linked items in the next column
};
struct GraphOrder {
    std::vector<GraphItem> items;                   ///< the nodes first, as the graph numbers them
    std::vector<std::vector<std::size_t>> columns;  ///< the items of each column, from the top
};
/// Orders the nodes so that few arrows cross and chains are straight. Throws std::logic_error if a node
/// precedes one of its sources.
GraphOrder order_graph(const Graph& graph);
std::size_t count_crossings(const GraphOrder& order);

/// Sizes in pixels.
struct GraphSizes {
    std::vector<float> node_widths;
    std::vector<float> words;  ///< width of each group's sentence in one line; empty if there are none
    float node_height = 28;    ///< a lane is node_height + lane_gap high
    float lane_gap = 12;
    float column_gap = 28;  ///< minimum
    float widest_column_gap = 64;
    float band_gap = 28;
    float line = 16;  ///< line height of a sentence, which has up to three lines
};
struct GraphBox {
    glm::vec2 min, max;
};
/// A part of an arrow: a straight line, or between two columns a curve with horizontal ends.
struct GraphStroke {
    std::size_t from = 0, to = 0;  ///< nodes; if several arrows share the stroke, `to` is one of their ends
    glm::vec2 start, end;
    bool is_curved = false;
};
/// A bracket under those nodes of a group that lie in one band.
struct GraphBracket {
    std::size_t group = 0;
    glm::vec2 left, right;
    float sentence_x = 0, room = 0;  ///< x at which the sentence begins, and the maximum width of its lines
    int lines = 0;  ///< lines of the sentence; only the widest bracket of a group has the sentence, others 0
};
/// A layout in pixels, with the origin at the top left.
struct GraphLayout {
    std::vector<GraphBox> nodes;
    std::vector<GraphStroke> strokes;
    std::vector<GraphBracket> brackets;
    glm::vec2 size;
};
/// The layout is at most `width` wide, unless a single column is wider.
GraphLayout layout_graph(const Graph& graph, const GraphOrder& order, const GraphSizes& sizes, float width);

}  // namespace gridstride
