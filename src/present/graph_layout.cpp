#include "present/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <stdexcept>

namespace gridstride {
namespace {

constexpr float max_lines = 3;                  // per sentence
constexpr float max_broken_line_ratio = 1.35F;  // wrapping at words lengthens a text by up to this factor
constexpr int sweeps = 12;
constexpr double passing_height = 0.5;  // in lanes, of an arrow that passes through a column
constexpr double lane_parts = 4;  // positions are multiples of 1/4 lane, so that no line is almost horizontal
// Inputs have little weight: an input moves to its operation, and chains of operations stay straight.
constexpr double input_weight = 0.01;

using Columns = std::vector<std::vector<std::size_t>>;

/// Assigns each operation to the leftmost possible column, and each input to the column before its first
/// reader.
std::vector<std::size_t> assign_columns(const Graph& graph) {
    std::vector<std::size_t> columns(graph.nodes.size(), 0);
    constexpr std::size_t unread = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> first_reader(graph.nodes.size(), unread);
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
        for (const std::size_t source : graph.nodes[n].sources) {
            if (source >= n)
                throw std::logic_error("A node of a graph precedes one of its sources: " +
                                       graph.nodes[n].label);
            columns[n] = std::max(columns[n], columns[source] + 1);
        }
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
        for (const std::size_t source : graph.nodes[n].sources)
            first_reader[source] = std::min(first_reader[source], columns[n]);
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
        if (graph.nodes[n].sources.empty() && first_reader[n] != unread) columns[n] = first_reader[n] - 1;
    return columns;
}

void add_link(GraphOrder& order, std::size_t from, std::size_t to) {
    order.items[from].after.push_back(to);
    order.items[to].before.push_back(from);
}

GraphOrder build_order(const Graph& graph) {
    GraphOrder order;
    const std::vector<std::size_t> columns = assign_columns(graph);
    const std::size_t count = graph.nodes.size();
    order.columns.resize(count == 0 ? 0 : std::ranges::max(columns) + 1);
    for (std::size_t n = 0; n < count; ++n)
        order.items.push_back({.node = n, .before = {}, .after = {}});
    for (const bool inputs : {false, true})
        for (std::size_t n = 0; n < count; ++n)
            if (graph.nodes[n].sources.empty() == inputs) order.columns[columns[n]].push_back(n);
    for (std::size_t n = 0; n < count; ++n) {
        std::set<std::size_t> readers;  // a node may read the same twice
        for (std::size_t reader = n + 1; reader < count; ++reader)
            if (std::ranges::count(graph.nodes[reader].sources, n) > 0) readers.insert(reader);
        std::size_t last = columns[n];
        for (const std::size_t reader : readers)
            last = std::max(last, columns[reader]);
        std::size_t last_item = n;
        for (std::size_t column = columns[n] + 1; column <= last; ++column) {
            for (const std::size_t reader : readers)
                if (columns[reader] == column) add_link(order, last_item, reader);
            if (column == last) break;
            order.items.push_back({.node = n, .passes = true, .before = {}, .after = {}});
            order.columns[column].push_back(order.items.size() - 1);
            add_link(order, last_item, order.items.size() - 1);
            last_item = order.items.size() - 1;
        }
    }
    return order;
}

std::vector<std::size_t> positions_in_columns(const GraphOrder& order) {
    std::vector<std::size_t> positions(order.items.size());
    for (const auto& column : order.columns)
        for (std::size_t i = 0; i < column.size(); ++i)
            positions[column[i]] = i;
    return positions;
}

/// Sorts each column by the barycenters of its items' links into the previously visited column.
void sort_by_barycentre(GraphOrder& order, bool forwards) {
    const std::size_t count = order.columns.size();
    for (std::size_t step = 0; step < count; ++step) {
        auto& column = order.columns[forwards ? step : count - 1 - step];
        const std::vector<std::size_t> positions = positions_in_columns(order);
        const auto middle = [&](std::size_t item) {
            const auto& beside = forwards ? order.items[item].before : order.items[item].after;
            if (beside.empty()) return static_cast<double>(positions[item]);
            double sum = 0;
            for (const std::size_t other : beside)
                sum += static_cast<double>(positions[other]);
            return sum / static_cast<double>(beside.size());
        };
        std::ranges::stable_sort(column, {}, middle);
    }
}

void reduce_crossings(GraphOrder& order) {
    Columns best = order.columns;
    std::size_t min_crossings = count_crossings(order);
    for (int i = 0; i < sweeps && min_crossings > 0; ++i) {
        sort_by_barycentre(order, i % 2 == 1);
        if (const std::size_t now = count_crossings(order); now < min_crossings) {
            min_crossings = now;
            best = order.columns;
        }
    }
    order.columns = std::move(best);
}

/// Places a column's items as near to the wanted lanes as the minimum distances allow, by weighted least
/// squares: pool adjacent violators (R. Barlow et al., "Statistical Inference under Order Restrictions",
/// 1972).
void place_column(GraphOrder& order, const std::vector<std::size_t>& column,
                  const std::vector<double>& target_lanes, const std::vector<double>& weights) {
    struct Pool {
        double place, weight;
        std::size_t count;
    };
    std::vector<Pool> pools;
    std::vector<double> offsets(column.size(), 0);  // minimum distance from the column's first item
    const auto height = [&](std::size_t item) { return order.items[item].passes ? passing_height : 1.0; };
    for (std::size_t i = 0; i < column.size(); ++i) {
        if (i > 0) offsets[i] = offsets[i - 1] + (height(column[i - 1]) + height(column[i])) / 2;
        pools.push_back({target_lanes[i] - offsets[i], weights[i], 1});
        while (pools.size() > 1 && pools[pools.size() - 2].place > pools.back().place) {
            const Pool last = pools.back();
            pools.pop_back();
            Pool& into = pools.back();
            into.place = (into.place * into.weight + last.place * last.weight) / (into.weight + last.weight);
            into.weight += last.weight;
            into.count += last.count;
        }
    }
    std::size_t i = 0;
    for (const Pool& pool : pools)
        for (std::size_t k = 0; k < pool.count; ++k, ++i)
            order.items[column[i]].lane = std::round(pool.place * lane_parts) / lane_parts + offsets[i];
}

void assign_lanes(const Graph& graph, GraphOrder& order) {
    for (const auto& column : order.columns)
        place_column(order, column, std::vector<double>(column.size(), 0),
                     std::vector<double>(column.size(), 1));
    const auto weight_of = [&](std::size_t item) {
        return graph.nodes[order.items[item].node].sources.empty() ? input_weight : 1.0;
    };
    const std::size_t count = order.columns.size();
    for (int i = 0; i < sweeps; ++i)
        for (std::size_t step = 0; step < count; ++step) {
            const bool forwards = i % 2 == 0;
            const auto& column = order.columns[forwards ? step : count - 1 - step];
            std::vector<double> target_lanes, weights;
            for (const std::size_t item : column) {
                const auto& beside = forwards ? order.items[item].before : order.items[item].after;
                double sum = 0, weight = 0;
                for (const std::size_t other : beside) {
                    sum += order.items[other].lane * weight_of(other);
                    weight += weight_of(other);
                }
                target_lanes.push_back(weight > 0 ? sum / weight : order.items[item].lane);
                weights.push_back(weight_of(item));
            }
            place_column(order, column, target_lanes, weights);
        }
}

struct Band {
    std::size_t begin = 0, end = 0;
};

std::vector<float> column_widths(const GraphOrder& order, const GraphSizes& sizes) {
    std::vector<float> widths;
    for (const auto& column : order.columns) {
        float width = 0;
        for (const std::size_t item : column)
            if (!order.items[item].passes) width = std::max(width, sizes.node_widths[item]);
        widths.push_back(width);
    }
    return widths;
}

std::vector<Band> wrap_columns(const std::vector<float>& widths, float gap, float room) {
    std::vector<Band> bands;
    float used_height = 0;
    for (std::size_t column = 0; column < widths.size(); ++column) {
        if (bands.empty() || used_height + gap + widths[column] > room) {
            bands.push_back({column, column});
            used_height = -gap;
        }
        used_height += gap + widths[column];
        bands.back().end = column + 1;
    }
    return bands;
}

/// Returns bands of about equal width, and as few of them as wrap_columns() does.
std::vector<Band> balance_bands(const std::vector<float>& widths, float gap, float room) {
    std::vector<Band> bands = wrap_columns(widths, gap, room);
    float low = 0, high = room;
    for (int i = 0; i < 10; ++i) {
        const float middle = (low + high) / 2;
        std::vector<Band> narrower = wrap_columns(widths, gap, middle);
        if (narrower.size() > bands.size()) {
            low = middle;
        } else {
            high = middle;
            bands = std::move(narrower);
        }
    }
    return bands;
}

class LayoutBuilder {
 public:
    LayoutBuilder(const Graph& graph, const GraphOrder& order, const GraphSizes& sizes, float room)
        : graph_(graph), order_(order), sizes_(sizes), room_(room), widths_(column_widths(order, sizes)) {
        layout_.nodes.resize(graph.nodes.size());
        item_boxes_.resize(order.items.size());
        // If there are several bands, the arrows between them run in margins at both sides.
        const float beside = sizes.column_gap;
        bands_ = wrap_columns(widths_, sizes.column_gap, room);
        if (bands_.size() > 1) {
            margin_ = beside;
            room -= 2 * beside;
            bands_ = balance_bands(widths_, sizes.column_gap, room);
        }
        gap_ = sizes.widest_column_gap;
        for (const Band& band : bands_)
            if (const auto lanes_between = static_cast<float>(band.end - band.begin - 1); lanes_between > 0)
                gap_ = std::min(gap_, std::max(sizes.column_gap, (room - width_of(band, 0)) / lanes_between));
    }

    GraphLayout layout() {
        float top = 0;
        for (std::size_t b = 0; b < bands_.size(); ++b) {
            top += b > 0 ? sizes_.band_gap : 0;
            tops_.push_back(top);
            place_columns(bands_[b], top);
            place_brackets(bands_[b]);
            top = layout_.size.y;
        }
        layout_.size.x += margin_;
        choose_sentence_brackets();
        add_strokes();
        layout_.size.x = std::max(layout_.size.x, sentence_end_);
        return std::move(layout_);
    }

 private:
    float width_of(const Band& band, float gap) const {
        float width = static_cast<float>(band.end - band.begin - 1) * gap;
        for (std::size_t column = band.begin; column < band.end; ++column)
            width += widths_[column];
        return width;
    }

    void place_columns(const Band& band, float top) {
        double min_lane = std::numeric_limits<double>::infinity();
        for (std::size_t column = band.begin; column < band.end; ++column)
            for (const std::size_t item : order_.columns[column])
                min_lane = std::min(min_lane, order_.items[item].lane);
        float x = margin_;
        for (std::size_t column = band.begin; column < band.end; ++column) {
            for (const std::size_t item : order_.columns[column]) {
                const float y = top + sizes_.node_height / 2 +
                                static_cast<float>(order_.items[item].lane - min_lane) *
                                    (sizes_.node_height + sizes_.lane_gap);
                layout_.size.y = std::max(layout_.size.y, y + sizes_.node_height / 2);
                item_boxes_[item] = {{x, y}, {x + widths_[column], y}};
                if (order_.items[item].passes) continue;
                const glm::vec2 half = glm::vec2(sizes_.node_widths[item], sizes_.node_height) / 2.0F;
                const glm::vec2 middle(x + widths_[column] / 2, y);
                layout_.nodes[item] = {middle - half, middle + half};
            }
            x += widths_[column] + gap_;
        }
        layout_.size.x = std::max(layout_.size.x, x - gap_);
    }

    void place_brackets(const Band& band) {
        std::vector<GraphBracket> all;
        for (std::size_t group = 0; group < graph_.groups.size(); ++group) {
            if (graph_.groups[group].empty()) continue;
            GraphBracket bracket{.group = group, .left = {std::numeric_limits<float>::max(), 0}, .right = {}};
            for (std::size_t column = band.begin; column < band.end; ++column)
                for (const std::size_t item : order_.columns[column])
                    if (!order_.items[item].passes && graph_.nodes[item].group == group) {
                        bracket.left.x = std::min(bracket.left.x, layout_.nodes[item].min.x);
                        bracket.right.x = std::max(bracket.right.x, layout_.nodes[item].max.x);
                    }
            if (bracket.left.x < bracket.right.x) all.push_back(bracket);
        }
        std::ranges::stable_sort(all, {}, [](const GraphBracket& bracket) { return bracket.left.x; });
        const float min_gap = sizes_.line;  // between neighbours
        while (!all.empty()) {
            std::vector<GraphBracket> row, later;
            for (const GraphBracket& bracket : all)
                (row.empty() || row.back().right.x + min_gap <= bracket.left.x ? row : later)
                    .push_back(bracket);
            const float y = layout_.size.y + sizes_.line * 0.75F;
            float lines = 0;
            for (std::size_t i = 0; i < row.size(); ++i) {
                const float end = i + 1 < row.size() ? row[i + 1].left.x - min_gap : room_;
                row[i].left.y = row[i].right.y = y;
                row[i].sentence_x = row[i].left.x;
                row[i].room = std::max(end, row[i].right.x) - row[i].left.x;
                // A sentence that does not fit into two lines starts left of its bracket if there is room.
                const float target_room = sentence_width(row[i]) / 2 * max_broken_line_ratio;
                const float free = i > 0 ? row[i - 1].sentence_x +
                                               std::min(sentence_width(row[i - 1]), row[i - 1].room) + min_gap
                                         : margin_;
                if (const float more = std::min(target_room - row[i].room, row[i].sentence_x - free);
                    more > 0) {
                    row[i].sentence_x -= more;
                    row[i].room += more;
                }
                sentence_end_ = std::max(sentence_end_,
                                         row[i].sentence_x + std::min(sentence_width(row[i]), row[i].room));
                lines = std::max(lines, line_count(row[i]));
                layout_.brackets.push_back(row[i]);
            }
            layout_.size.y = y + sizes_.line * (lines + 0.5F);
            all = std::move(later);
        }
    }
    float sentence_width(const GraphBracket& bracket) const {
        return sizes_.words.empty() ? 0 : sizes_.words[bracket.group];
    }
    float line_count(const GraphBracket& bracket) const {
        const float words = sentence_width(bracket);
        return words <= bracket.room
                   ? (words > 0 ? 1.0F : 0.0F)
                   : std::min(max_lines, std::ceil(words * max_broken_line_ratio / bracket.room));
    }
    void choose_sentence_brackets() {
        for (std::size_t group = 0; group < graph_.groups.size(); ++group) {
            auto group_brackets = layout_.brackets |
                                  std::views::filter([&](const GraphBracket& b) { return b.group == group; });
            const auto widest = std::ranges::max_element(group_brackets, {}, &GraphBracket::room);
            if (widest != group_brackets.end()) widest->lines = static_cast<int>(line_count(*widest));
        }
    }

    std::size_t band_of(std::size_t column) const {
        std::size_t band = 0;
        while (column >= bands_[band].end)
            ++band;
        return band;
    }

    void add_strokes() {
        for (std::size_t column = 0; column < order_.columns.size(); ++column) {
            const std::size_t band = band_of(column);
            std::size_t track = 0;
            for (const std::size_t item : order_.columns[column]) {
                const GraphItem& one = order_.items[item];
                if (one.passes) {
                    add_stroke(one.node, reader_of(one), item_boxes_[item].min, item_boxes_[item].max);
                } else {
                    const GraphBox& node = layout_.nodes[item];
                    for (const std::size_t before : one.before)
                        add_stroke(order_.items[before].node, item, item_boxes_[item].min,
                                   {node.min.x, item_boxes_[item].min.y});
                    if (!one.after.empty())
                        add_stroke(item, reader_of(one), {node.max.x, item_boxes_[item].max.y},
                                   item_boxes_[item].max);
                }
                bool leaves = false;
                for (const std::size_t next : one.after) {
                    const std::size_t to = order_.items[next].node;
                    if (column + 1 < bands_[band].end)
                        add_stroke(one.node, to, item_boxes_[item].max, item_boxes_[next].min, true);
                    else
                        route_to_next_band(one.node, to, item_boxes_[item].max, item_boxes_[next].min, band,
                                           track);
                    leaves = leaves || column + 1 == bands_[band].end;
                }
                track += leaves ? 1 : 0;
            }
        }
    }
    std::size_t reader_of(const GraphItem& item) const { return order_.items[item.after.front()].node; }
    void add_stroke(std::size_t from, std::size_t to, glm::vec2 start, glm::vec2 end,
                    bool is_curved = false) {
        if (start != end) layout_.strokes.push_back({from, to, start, end, is_curved && start.y != end.y});
    }
    /// Draws an arrow to the next band: out at the right, back between the bands, and in from the left.
    void route_to_next_band(std::size_t from, std::size_t to, glm::vec2 start, glm::vec2 end,
                            std::size_t band, std::size_t track) {
        constexpr std::size_t tracks = 5;
        const float apart = static_cast<float>(track % tracks + 1) / static_cast<float>(tracks + 1);
        const float right = layout_.size.x - margin_ + apart * margin_, left = apart * margin_ * 0.8F;
        const float y = tops_[band + 1] - (1 - apart) * sizes_.band_gap;
        const glm::vec2 corners[] = {start, {right, start.y}, {right, y}, {left, y}, {left, end.y}, end};
        for (std::size_t i = 1; i < std::size(corners); ++i)
            add_stroke(from, to, corners[i - 1], corners[i]);
    }

    const Graph& graph_;
    const GraphOrder& order_;
    const GraphSizes& sizes_;
    float room_;
    std::vector<float> widths_;
    std::vector<Band> bands_;
    std::vector<float> tops_;
    std::vector<GraphBox>
        item_boxes_;  ///< by item: the left and right edges of its column, at its lane's middle
    float margin_ = 0, gap_ = 0, sentence_end_ = 0;
    GraphLayout layout_;
};

}  // namespace

std::size_t count_crossings(const GraphOrder& order) {
    const std::vector<std::size_t> positions = positions_in_columns(order);
    std::size_t count = 0;
    for (const auto& column : order.columns)
        for (std::size_t upper = 0; upper < column.size(); ++upper)
            for (std::size_t lower = upper + 1; lower < column.size(); ++lower)
                for (const std::size_t a : order.items[column[upper]].after)
                    for (const std::size_t b : order.items[column[lower]].after)
                        count += positions[a] > positions[b] ? 1 : 0;
    return count;
}

GraphOrder order_graph(const Graph& graph) {
    GraphOrder order = build_order(graph);
    reduce_crossings(order);
    assign_lanes(graph, order);
    return order;
}

GraphLayout layout_graph(const Graph& graph, const GraphOrder& order, const GraphSizes& sizes, float width) {
    return LayoutBuilder(graph, order, sizes, width).layout();
}

}  // namespace gridstride
