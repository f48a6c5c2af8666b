#include "tensor/schedule.h"

#include <algorithm>
#include <map>
#include <set>

namespace gridstride::tensor {

bool is_elementwise_access(const Graph& graph, const Source& source, const Node& reader) {
    const std::uint64_t elements = reader.elements();
    return reader.op != Op::pad && graph.nodes()[source.node].elements() == elements &&
           element_count(source.view.shape) == elements && source.view.is_whole();
}

namespace {

/// Elementwise operations can follow in the same kernel. Other non-elementwise operations have fixed kernels.
bool allows_tail(Op op) {
    return op == Op::sum || op == Op::largest || op == Op::smallest || op == Op::argmax ||
           is_matrix_product(op);
}

std::size_t first_in_launch(const Graph& graph, std::size_t node) {
    while (graph.nodes()[node].shares_previous_launch)
        --node;
    return node;
}
}  // namespace

std::vector<std::size_t> count_uses(const Graph& graph) {
    std::vector<std::size_t> uses(graph.nodes().size());
    for (const std::size_t output : graph.outputs())
        ++uses[output];
    const std::vector<Node>& nodes = graph.nodes();
    for (std::size_t i = uses.size(); i-- > 0;) {
        const std::size_t first = first_in_launch(graph, i);
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

struct GrowingGroup {
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
        const std::vector<std::size_t> uses = count_uses(graph);
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (uses[i] > 0)
                for (const Source& source : nodes_[i].sources)
                    readers_[source.node].insert(i);
        for (std::size_t i = nodes_.size(); i-- > 0;) {
            if (uses[i] == 0 || !nodes_[i].is_computed()) continue;
            if (nodes_[i].shares_previous_launch)
                i = add_launch_to_group(i);
            else
                add_to_group(i);
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
    void add_to_group(std::size_t node) {
        GrowingGroup* const group = fuse_ ? find_reading_group(node) : nullptr;
        if (group && can_join(node, *group)) return join(node, *group);
        GrowingGroup alone;
        alone.nodes = {node};
        alone.buffers = buffers_with(node, {});
        alone.has_lead = !is_computed_by_element(nodes_[node].op);
        groups_[node] = alone;
        group_of_[node] = node;
    }

    /// Puts all nodes of the launch that ends with `last` into one group. Returns the first of them.
    std::size_t add_launch_to_group(std::size_t last) {
        GrowingGroup all;
        all.has_lead = true;
        const std::size_t first = first_in_launch(graph_, last);
        for (std::size_t i = first; i <= last; ++i) {
            all.nodes.insert(i);
            group_of_[i] = last;
        }
        groups_[last] = std::move(all);
        return first;
    }

    GrowingGroup* find_reading_group(std::size_t node) {
        std::set<std::size_t> groups;
        for (const std::size_t reader : readers_[node])
            groups.insert(group_of_.at(reader));
        return groups.size() == 1 ? &groups_.at(*groups.begin()) : nullptr;
    }

    bool can_join(std::size_t node, const GrowingGroup& group) const {
        const Node& own = nodes_[node];
        if (group.has_lead || !(is_computed_by_element(own.op) || allows_tail(own.op))) return false;
        // A product's kernel writes only one matrix.
        const bool has_other_outputs = std::ranges::any_of(
            group.nodes, [&](std::size_t n) { return n != *group.nodes.rbegin() && is_output(n); });
        if (is_matrix_product(own.op) && (has_other_outputs || is_output(node))) return false;
        // Kernels store f16 by fours only, because two of them share a word.
        const bool stores_f16 = std::ranges::any_of(group.nodes, [&](std::size_t n) {
            return nodes_[n].type == ElementType::f16 && (n == *group.nodes.rbegin() || is_output(n));
        });
        if (allows_tail(own.op) && stores_f16) return false;
        if (own.place == Processor::host || nodes_[*group.nodes.begin()].place == Processor::host)
            return false;
        if (group.nodes.size() >= max_group_nodes) return false;
        for (const std::size_t reader : readers_[node])
            for (const Source& source : nodes_[reader].sources)
                if (source.node == node && !is_elementwise_access(graph_, source, nodes_[reader]))
                    return false;
        // A lead's kernel binds its operands (factors, or partial sums) in addition to those of the tail.
        const std::size_t lead_operands = allows_tail(own.op) ? own.sources.size() : 0;
        return buffers_with(node, group.buffers).size() + lead_operands <= max_bindings_;
    }

    void join(std::size_t node, GrowingGroup& group) {
        group.buffers = buffers_with(node, group.buffers);
        group.nodes.insert(node);
        group.has_lead = !is_computed_by_element(nodes_[node].op);
        group_of_[node] = *group.nodes.rbegin();
    }

    bool is_output(std::size_t node) const {
        return std::ranges::find(graph_.outputs(), node) != graph_.outputs().end();
    }

    /// Adds the node's operands, and drops its own buffer unless it is an output: only the group reads it.
    std::set<std::size_t> buffers_with(std::size_t node, std::set<std::size_t> buffers) const {
        if (buffers.contains(node) && !is_output(node)) buffers.erase(node);
        if (buffers.empty() || is_output(node)) buffers.insert(node);
        if (is_computed_by_element(nodes_[node].op))
            for (const Source& source : nodes_[node].sources)
                if (nodes_[source.node].is_in_memory()) buffers.insert(source.node);
        return buffers;
    }

    const Graph& graph_;
    const std::vector<Node>& nodes_;
    bool fuse_;
    std::size_t max_bindings_;
    std::vector<std::set<std::size_t>> readers_;
    std::map<std::size_t, GrowingGroup> groups_;   ///< by their last node
    std::map<std::size_t, std::size_t> group_of_;  ///< by node
};

}  // namespace

std::vector<Group> schedule(const Graph& graph, bool fuse, std::size_t max_bindings) {
    return Scheduler(graph, fuse, max_bindings).groups();
}

}  // namespace gridstride::tensor
