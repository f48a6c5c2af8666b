// Where the nodes of a graph stand and the ways of its arrows: columns from the left to the right, each node
// behind its sources, wrapped into bands where they are wider than the room. After K. Sugiyama, S. Tagawa,
// M. Toda, "Methods for Visual Understanding of Hierarchical System Structures", IEEE Transactions on
// Systems, Man and Cybernetics 11(2), 1981.
#pragma once

#include <cstddef>
#include <glm/vec2.hpp>
#include <vector>

#include "lesson/plot.h"

namespace gridstride {

/// A node, or an arrow on its way through a column in which it ends at no node.
struct GraphItem {
    std::size_t node = 0;  ///< or where the arrow comes from
    bool passes = false;
    double lane = 0;                  ///< its middle, downwards; a node is one lane high
    std::vector<std::size_t> before;  ///< items of the column before that lead here
    std::vector<std::size_t> after;   ///< and of the one behind
};
/// What of a layout does not depend on how large anything is.
struct GraphOrder {
    std::vector<GraphItem> items;                   ///< the nodes first, as the graph numbers them
    std::vector<std::vector<std::size_t>> columns;  ///< their items, from the top
};
/// Few of its arrows cross, and a chain runs straight on. Throws std::logic_error where a node stands before
/// one of its sources.
GraphOrder order_of(const Graph& graph);
/// How many pairs of arrows cross.
std::size_t crossings(const GraphOrder& order);

/// In pixels.
struct GraphSizes {
    std::vector<float> node_widths;
    std::vector<float> words;  ///< how long each group's sentence is in one line; empty: none is written
    float node_height = 28;    ///< and of a lane, with lane_gap
    float lane_gap = 12;
    float column_gap = 28;  ///< at least
    float widest_column_gap = 64;
    float band_gap = 28;
    float line = 16;  ///< of a sentence, which gets three where it needs them
};
struct GraphBox {
    glm::vec2 min, max;
};
/// A straight line, or where the ends differ in height between two columns, a curve that leaves and arrives
/// level.
struct GraphStroke {
    std::size_t from = 0, to = 0;  ///< nodes; `to` of a stroke that several arrows share is one of them
    glm::vec2 start, end;
    bool curved = false;
};
/// Under the nodes of a group that stand in one band.
struct GraphBracket {
    std::size_t group = 0;
    glm::vec2 left, right;
    float words_at = 0, room = 0;  ///< of the sentence: where it begins, and how wide its lines may be
    int lines = 0;  ///< of the sentence under it; of a group that has several, the widest alone has it
};
/// From 0, 0; y runs down.
struct GraphLayout {
    std::vector<GraphBox> nodes;
    std::vector<GraphStroke> strokes;
    std::vector<GraphBracket> brackets;
    glm::vec2 size;
};
/// No wider than the width, unless a single column is.
GraphLayout lay_out(const Graph& graph, const GraphOrder& order, const GraphSizes& sizes, float width);

}  // namespace gridstride
