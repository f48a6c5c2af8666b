#include "tensor/memory_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tensor/labels.h"

namespace gridstride::tensor {

MemoryBudget::MemoryBudget(const Graph& graph, const std::vector<Group>& groups, const Options& options,
                           std::uint64_t budget_bytes, Plan& plan)
    : graph_(graph),
      nodes_(graph.nodes()),
      options_(options),
      budget_bytes_(budget_bytes),
      plan_(plan),
      locations_(nodes_.size()) {
    for (std::size_t i = 0; i < groups.size(); ++i)
        for (const std::size_t n : groups[i])
            for (const Source& source : nodes_[n].sources) {
                locations_[source.node].last_read = i + 1;
                locations_[source.node].is_read_by_device |= nodes_[n].place == Processor::device;
            }
    for (const std::size_t output : graph.outputs())
        locations_[output].last_read = groups.size() + 1;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].op != Op::input) continue;
        locations_[i].is_on_host = true;
        if (locations_[i].is_read_by_device && budget_bytes_ == 0)
            upload(i, add(nodes_[i].name, nodes_[i].type, nodes_[i].memory_elements(), false));
    }
}

void MemoryBudget::begin(const Group& group) {
    ++step_;
    const std::set<std::size_t> before = used_entries();
    scratch_.clear();
    std::erase_if(residents_, [&](std::size_t n) { return locations_[n].last_read < step_; });
    end_lifetimes(before);
    step_label_ = group.empty() ? "The download of the outputs" : label_of(graph_, group);
    // The step's operands must not be evicted.
    for (const std::size_t n : group)
        for (const Source& source : nodes_[n].sources)
            locations_[source.node].last_used = step_;
}

std::set<std::size_t> MemoryBudget::used_entries() const {
    std::set<std::size_t> offsets(scratch_.begin(), scratch_.end());
    for (const std::size_t n : residents_)
        offsets.insert(arena_entry(n));
    offsets.erase(no_entry);
    return offsets;
}

void MemoryBudget::end_lifetimes(const std::set<std::size_t>& before) {
    ++time_;
    const std::set<std::size_t> now = used_entries();
    for (const std::size_t place : before)
        if (!now.contains(place)) arena_[place].end = time_;
}

void MemoryBudget::upload(std::size_t node, PlanBuffer buffer) {
    const std::string& name = nodes_[node].name;
    locations_[node].buffer = buffer;
    plan_.steps.emplace_back(
        Upload{.buffer = buffer,
               .input = name,
               .label = locations_[node].was_evicted ? fmt::format("reload {}", name) : std::string()});
}

PlanBuffer MemoryBudget::add(std::string name, ElementType type, std::uint64_t elements, bool output) {
    plan_.buffers.push_back({std::move(name), type, {elements}, output});
    arena_entry_.push_back(no_entry);
    return {plan_.buffers.size() - 1};
}

PlanBuffer MemoryBudget::add_in_arena(std::string name, ElementType type, std::uint64_t elements,
                                      bool output) {
    const PlanBuffer buffer = add(std::move(name), type, elements, output);
    if (options_.execution == Execution::eager) return buffer;
    const std::uint64_t bytes = plan_.buffers[buffer].bound_bytes();
    evict_for(arena_size(bytes));
    arena_entry_[buffer] = arena_.size();
    arena_.push_back({time_, 0, bytes});
    return buffer;
}

PlanBuffer MemoryBudget::read(std::size_t node) {
    TensorLocation& at = locations_[node];
    at.last_used = step_;
    if (!at.buffer) {
        const Node& of = nodes_[node];
        upload(node, add_in_arena(of.name, of.type, of.memory_elements(), false));
        residents_.push_back(node);
    }
    return *at.buffer;
}

std::optional<std::size_t> MemoryBudget::find_reusable(std::size_t node,
                                                       const std::vector<std::size_t>& read) const {
    for (const std::size_t n : read) {
        const bool is_in_arena = locations_[n].buffer && arena_entry(n) != no_entry;
        const bool is_last_read = locations_[n].last_read <= step_;
        if (is_in_arena && is_last_read && nodes_[n].bytes() == nodes_[node].bytes()) return n;
    }
    return std::nullopt;
}

PlanBuffer MemoryBudget::allocate(std::size_t node, std::optional<std::size_t> in_place_of) {
    const Node& of = nodes_[node];
    TensorLocation& at = locations_[node];
    at.last_used = step_;
    if (in_place_of) {
        at.buffer = add(of.name, of.type, of.memory_elements(), true);
        arena_entry_[*at.buffer] = arena_entry(*in_place_of);
    } else {
        at.buffer = add_in_arena(of.name, of.type, of.memory_elements(), true);
    }
    residents_.push_back(node);
    return *at.buffer;
}

PlanBuffer MemoryBudget::scratch(std::string name, ElementType type, std::uint64_t elements) {
    const PlanBuffer buffer = add_in_arena(std::move(name), type, elements, true);
    if (arena_entry_[buffer] != no_entry) scratch_.push_back(arena_entry_[buffer]);
    return buffer;
}

void MemoryBudget::download_to_host(std::size_t node) {
    if (std::exchange(locations_[node].is_on_host, true)) return;
    plan_.steps.emplace_back(Download{read(node)});
}

std::uint64_t MemoryBudget::used_bytes() const {
    std::uint64_t bytes = 0;
    for (const std::size_t place : used_entries())
        bytes += arena_size(arena_[place].bytes);
    return bytes;
}

void MemoryBudget::evict_for(std::uint64_t bytes) {
    if (budget_bytes_ == 0) return;
    while (used_bytes() + bytes > budget_bytes_) {
        const auto oldest =
            std::ranges::min_element(residents_, {}, [&](std::size_t n) { return locations_[n].last_used; });
        if (oldest == residents_.end() || locations_[*oldest].last_used == step_) {
            const std::uint64_t needed_bytes = used_bytes() + bytes;
            if (needed_bytes > peak_.bytes) peak_ = {needed_bytes, step_label_};
            return;
        }
        evict(*oldest);
    }
}

void MemoryBudget::evict(std::size_t node) {
    TensorLocation& at = locations_[node];
    if (!std::exchange(at.is_on_host, true))
        plan_.steps.emplace_back(
            Download{.buffer = *at.buffer, .label = fmt::format("evict {}", nodes_[node].name)});
    const std::set<std::size_t> before = used_entries();
    std::erase(residents_, node);
    end_lifetimes(before);
    at.buffer.reset();
    at.was_evicted = true;
}

void MemoryBudget::assign_offsets() {
    const std::set<std::size_t> before = used_entries();
    residents_.clear();
    scratch_.clear();
    end_lifetimes(before);
    const std::vector<std::uint64_t> offsets = plan_arena(arena_);
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i)
        if (arena_entry_[i] != no_entry) plan_.buffers[i].arena_offset = offsets[arena_entry_[i]];
}

}  // namespace gridstride::tensor
