#include "graph/select_rows.h"

#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace gridstride::tensor {

namespace {

/// The axes of a node that the axes of a view are slices of.
struct SlicedAxes {
    static constexpr std::size_t repeated =
        SIZE_MAX;                        ///< for an axis of the view that has one element, repeated
    std::vector<std::size_t> node_axes;  ///< by axis of the view
    std::vector<std::uint64_t> first;    ///< by axis of the node: index of the view's first element
};

/// Returns nullopt if the view reshapes the node.
std::optional<SlicedAxes> find_sliced_axes(const View& view, const Shape& shape) {
    const View whole = View::whole(shape);
    SlicedAxes axes;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        axes.first.push_back(view.offset / whole.strides[axis] % shape[axis]);
    std::vector<bool> is_used(shape.size());
    for (std::size_t i = 0; i < view.shape.size(); ++i) {
        if (view.strides[i] == 0 || view.shape[i] == 1) {
            axes.node_axes.push_back(SlicedAxes::repeated);
            continue;
        }
        std::size_t axis = 0;
        while (axis < shape.size() &&
               (is_used[axis] || shape[axis] == 1 || whole.strides[axis] != view.strides[i]))
            ++axis;
        if (axis == shape.size() || axes.first[axis] + view.shape[i] > shape[axis]) return std::nullopt;
        is_used[axis] = true;
        axes.node_axes.push_back(axis);
    }
    return axes;
}

class RowSelection {
 public:
    explicit RowSelection(Graph& graph) : graph_(graph) {}

    Source select(const Source& source, std::size_t axis, const RowSample& rows, std::size_t depth = 0) {
        View view = source.view;
        if (const auto selection = select_in_node(source, axis, rows, depth)) return *selection;
        view.offset += rows.first * view.strides[axis];
        view.strides[axis] *= rows.step;
        view.shape[axis] = rows.count;
        return {source.node, std::move(view)};
    }

 private:
    std::optional<Source> select_in_node(const Source& source, std::size_t axis, const RowSample& rows,
                                         std::size_t depth) {
        constexpr std::size_t max_depth = 500;  // of the recursion
        const Shape shape = graph_.nodes()[source.node].shape;
        const std::optional<SlicedAxes> axes = find_sliced_axes(source.view, shape);
        if (!axes || axes->node_axes[axis] == SlicedAxes::repeated || depth > max_depth) return std::nullopt;
        const std::size_t node_axis = axes->node_axes[axis];
        const RowSample node_rows{axes->first[node_axis] + rows.first, rows.step, rows.count};
        const auto key = std::tuple(source.node, node_axis, node_rows.first, node_rows.step, node_rows.count);
        auto known = selected_.find(key);
        if (known == selected_.end())
            known = selected_.emplace(key, repeat(source.node, node_axis, node_rows, depth)).first;
        if (!known->second) return std::nullopt;
        const View whole = View::whole(graph_.nodes()[*known->second].shape);
        View view = source.view;
        view.shape[axis] = rows.count;
        view.offset = 0;
        for (std::size_t i = 0; i < shape.size(); ++i)
            if (i != node_axis) view.offset += axes->first[i] * whole.strides[i];
        for (std::size_t i = 0; i < view.shape.size(); ++i)
            if (axes->node_axes[i] != SlicedAxes::repeated)
                view.strides[i] = whole.strides[axes->node_axes[i]];
        return Source{*known->second, std::move(view)};
    }

    /// Adds a node that computes only these rows. Returns nullopt if they depend on other rows of the
    /// operands.
    std::optional<std::size_t> repeat(std::size_t n, std::size_t axis, const RowSample& rows,
                                      std::size_t depth) {
        Node node = graph_.nodes()[n];
        node.name.clear();
        std::optional<RowSample> source_rows = rows;
        const auto select_source = [&](std::size_t i, std::size_t source_axis) {
            node.sources[i] = select(node.sources[i], source_axis, *source_rows, depth + 1);
        };
        const std::size_t rank = node.shape.size();
        if (elementwise(node.op)) {
            for (std::size_t i = 0; i < node.sources.size(); ++i) {
                if (node.sources[i].view.shape != node.shape) return std::nullopt;
                select_source(i, axis);
            }
        } else if (node.op == Op::pad) {
            if (axis == node.padding.axis) source_rows = select_padded(node, rows);
            if (!source_rows) return std::nullopt;
            select_source(0, axis);
        } else if (node.op == Op::softmax && axis + 1 < rank) {
            select_source(0, axis);
        } else if (node.op == Op::sum || node.op == Op::largest || node.op == Op::smallest ||
                   node.op == Op::argmax) {
            if (node.sources[0].view.shape.size() != rank + 1) return std::nullopt;
            select_source(0, axis);
        } else if (is_matrix_product(node.op) && node.sources[0].view.shape.size() == rank) {
            const bool is_batch = axis + 2 < rank;
            if (is_batch || axis + 2 == rank) select_source(0, axis);
            if (is_batch || axis + 1 == rank) select_source(1, axis);
        } else {
            return std::nullopt;
        }
        node.shape[axis] = rows.count;
        return graph_.add(std::move(node)).source().node;
    }

    /// Returns which rows of its source a padded node has in the sample, and pads them to all of the
    /// sample's. Returns nullopt if that is not possible.
    static std::optional<RowSample> select_padded(Node& node, const RowSample& rows) {
        if (node.padding.repeats_edge) return std::nullopt;
        const auto index_in_source = [&](std::uint64_t i) {
            return static_cast<std::int64_t>(rows.first + i * rows.step) - node.padding.before;
        };
        const auto extent = static_cast<std::int64_t>(node.sources[0].view.shape[node.padding.axis]);
        std::uint64_t begin = 0;
        while (begin < rows.count && index_in_source(begin) < 0)
            ++begin;
        std::uint64_t end = begin;
        while (end < rows.count && index_in_source(end) < extent)
            ++end;
        if (begin == end) return std::nullopt;
        const RowSample inside{static_cast<std::uint64_t>(index_in_source(begin)), rows.step, end - begin};
        node.padding.before = static_cast<std::int64_t>(begin);
        return inside;
    }

    Graph& graph_;
    std::map<std::tuple<std::size_t, std::size_t, std::uint64_t, std::uint64_t, std::uint64_t>,
             std::optional<std::size_t>>
        selected_;
};

}  // namespace

Tensor select_rows(const Tensor& x, std::size_t axis, const RowSample& rows) {
    Graph& graph = x.graph();
    Source selected = RowSelection(graph).select(x.source(), axis, rows);
    Shape shape = selected.view.shape;
    return graph.add(
        {.op = Op::copy, .sources = {std::move(selected)}, .shape = std::move(shape), .type = x.type()});
}

}  // namespace gridstride::tensor
