#include "tensor/schedule.h"

#include <algorithm>
#include <map>
#include <set>

namespace gridstride::tensor {

bool is_each(const Graph& graph, const Source& source, const Shape& as) {
    const std::uint64_t elements = elements_of(as);
    return graph.nodes()[source.node].elements() == elements && elements_of(source.view.shape) == elements &&
           source.view.is_whole();
}

namespace {

/// Elementwise operations can follow in the same kernel. Other non-elementwise operations have fixed kernels.
bool takes_tail(Op op) {
    return op == Op::sum || op == Op::largest || op == Op::matmul;
}

std::size_t first_made_with(const Graph& graph, std::size_t node) {
    while (graph.nodes()[node].is_with_previous)
        --node;
    return node;
}
}  // namespace

std::vector<std::size_t> uses_of(const Graph& graph) {
    std::vector<std::size_t> uses(graph.nodes().size());
    for (const std::size_t output : graph.outputs())
        ++uses[output];
    const std::vector<Node>& nodes = graph.nodes();
    for (std::size_t i = uses.size(); i-- > 0;) {
        const std::size_t first = first_made_with(graph, i);
        if (std::any_of(&uses[first], &uses[i] + 1, [](std::size_t n) { return n > 0; })) {
            for (std::size_t n = first; n <= i; ++n) {
                uses[n] = std::max<std::size_t>(uses[n], 1);
                for (const Source& source : nodes[n].sources)
                    ++uses[source.node];
            }
        }
        i = first;
    }
    return uses;
}

namespace {

struct Growing {
    std::set<std::size_t> nodes;
    std::set<std::size_t> buffers;  ///< nodes that its kernel binds, except operands of the lead
    bool has_lead = false;          ///< it begins with an operation that is not elementwise
};

class Scheduler {
 public:
    Scheduler(const Graph& graph, bool fuse, std::size_t max_bindings)
        : graph_(graph),
          nodes_(graph.nodes()),
          fuse_(fuse),
          max_bindings_(max_bindings),
          readers_(nodes_.size()) {
        const std::vector<std::size_t> uses = uses_of(graph);
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (uses[i] > 0)
                for (const Source& source : nodes_[i].sources)
                    readers_[source.node].insert(i);
        for (std::size_t i = nodes_.size(); i-- > 0;) {
            if (uses[i] == 0 || !nodes_[i].is_made()) continue;
            if (nodes_[i].is_with_previous)
                i = place_together(i);
            else
                place(i);
        }
    }

    std::vector<Group> groups() const {
        std::vector<Group> all;
        for (const auto& [last, group] : groups_)
            all.emplace_back(group.nodes.begin(), group.nodes.end());
        return all;
    }

 private:
    /// Puts the node into a group. All its readers must have one.
    void place(std::size_t node) {
        Growing* const group = fuse_ ? group_that_reads(node) : nullptr;
        if (group && can_join(node, *group)) return join(node, *group);
        Growing alone;
        alone.nodes = {node};
        alone.buffers = buffers_with(node, {});
        alone.has_lead = !elementwise(nodes_[node].op);
        groups_[node] = alone;
        group_of_[node] = node;
    }

    /// Puts all nodes of the launch that ends with `last` into one group. Returns the first of them.
    std::size_t place_together(std::size_t last) {
        Growing all;
        all.has_lead = true;
        const std::size_t first = first_made_with(graph_, last);
        for (std::size_t i = first; i <= last; ++i) {
            all.nodes.insert(i);
            group_of_[i] = last;
        }
        groups_[last] = std::move(all);
        return first;
    }

    Growing* group_that_reads(std::size_t node) {
        std::set<std::size_t> groups;
        for (const std::size_t reader : readers_[node])
            groups.insert(group_of_.at(reader));
        return groups.size() == 1 ? &groups_.at(*groups.begin()) : nullptr;
    }

    bool can_join(std::size_t node, const Growing& group) const {
        const Node& own = nodes_[node];
        if (group.has_lead || !(elementwise(own.op) || takes_tail(own.op))) return false;
        // A product's kernel writes only one matrix.
        const bool leaves_more = std::ranges::any_of(
            group.nodes, [&](std::size_t n) { return n != *group.nodes.rbegin() && is_output(n); });
        if (own.op == Op::matmul && (leaves_more || is_output(node))) return false;
        if (own.place == Place::host || nodes_[*group.nodes.begin()].place == Place::host) return false;
        if (group.nodes.size() >= max_group_nodes) return false;
        for (const std::size_t reader : readers_[node])
            for (const Source& source : nodes_[reader].sources)
                if (source.node == node && !is_each(graph_, source, nodes_[reader].shape)) return false;
        // A lead's kernel binds its operands (factors, or partial sums) in addition to those of the tail.
        const std::size_t of_lead = takes_tail(own.op) ? own.sources.size() : 0;
        return buffers_with(node, group.buffers).size() + of_lead <= max_bindings_;
    }

    void join(std::size_t node, Growing& group) {
        group.buffers = buffers_with(node, group.buffers);
        group.nodes.insert(node);
        group.has_lead = !elementwise(nodes_[node].op);
        group_of_[node] = *group.nodes.rbegin();
    }

    bool is_output(std::size_t node) const {
        return std::ranges::find(graph_.outputs(), node) != graph_.outputs().end();
    }

    /// Adds the node's operands, and drops its own buffer unless it is an output: only the group reads it.
    std::set<std::size_t> buffers_with(std::size_t node, std::set<std::size_t> buffers) const {
        if (buffers.contains(node) && !is_output(node)) buffers.erase(node);
        if (buffers.empty() || is_output(node)) buffers.insert(node);
        if (elementwise(nodes_[node].op))
            for (const Source& source : nodes_[node].sources)
                if (nodes_[source.node].is_in_memory()) buffers.insert(source.node);
        return buffers;
    }

    const Graph& graph_;
    const std::vector<Node>& nodes_;
    bool fuse_;
    std::size_t max_bindings_;
    std::vector<std::set<std::size_t>> readers_;
    std::map<std::size_t, Growing> groups_;        ///< by their last node
    std::map<std::size_t, std::size_t> group_of_;  ///< by node
};

}  // namespace

std::vector<Group> schedule(const Graph& graph, bool fuse, std::size_t max_bindings) {
    return Scheduler(graph, fuse, max_bindings).groups();
}

}  // namespace gridstride::tensor
