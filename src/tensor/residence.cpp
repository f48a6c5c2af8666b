#include "tensor/residence.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tensor/words.h"

namespace gridstride::tensor {

Residence::Residence(const Graph& graph, const std::vector<Group>& groups, const Options& options,
                     std::uint64_t budget_bytes, Plan& plan)
    : graph_(graph),
      nodes_(graph.nodes()),
      options_(options),
      budget_bytes_(budget_bytes),
      plan_(plan),
      at_(nodes_.size()) {
    for (std::size_t i = 0; i < groups.size(); ++i)
        for (const std::size_t n : groups[i])
            for (const Source& source : nodes_[n].sources) {
                at_[source.node].last_read = i + 1;
                at_[source.node].is_read_by_device |= nodes_[n].place == Place::device;
            }
    for (const std::size_t output : graph.outputs())
        at_[output].last_read = groups.size() + 1;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].op != Op::input) continue;
        at_[i].on_host = true;
        if (at_[i].is_read_by_device && budget_bytes_ == 0)
            upload(i, add(nodes_[i].name, nodes_[i].type, nodes_[i].places(), false));
    }
}

void Residence::begin(const Group& group) {
    ++step_;
    const std::set<std::size_t> before = taken();
    scratch_.clear();
    std::erase_if(residents_, [&](std::size_t n) { return at_[n].last_read < step_; });
    leave(before);
    what_ = group.empty() ? "The download of the outputs" : label_of(graph_, group);
    // The step's operands must not be evicted.
    for (const std::size_t n : group)
        for (const Source& source : nodes_[n].sources)
            at_[source.node].last_used = step_;
}

std::set<std::size_t> Residence::taken() const {
    std::set<std::size_t> places(scratch_.begin(), scratch_.end());
    for (const std::size_t n : residents_)
        places.insert(place_of(n));
    places.erase(nowhere);
    return places;
}

void Residence::leave(const std::set<std::size_t>& before) {
    ++moment_;
    const std::set<std::size_t> now = taken();
    for (const std::size_t place : before)
        if (!now.contains(place)) arena_[place].end = moment_;
}

void Residence::upload(std::size_t node, PlanBuffer buffer) {
    const std::string& name = nodes_[node].name;
    at_[node].buffer = buffer;
    plan_.steps.emplace_back(
        Upload{.buffer = buffer,
               .input = name,
               .label = at_[node].has_moved ? fmt::format("reload {}", name) : std::string()});
}

PlanBuffer Residence::add(std::string name, ElementType type, std::uint64_t elements, bool output) {
    plan_.buffers.push_back({std::move(name), type, {elements}, output});
    place_of_.push_back(nowhere);
    return {plan_.buffers.size() - 1};
}

PlanBuffer Residence::add_in_arena(std::string name, ElementType type, std::uint64_t elements, bool output) {
    const PlanBuffer buffer = add(std::move(name), type, elements, output);
    if (options_.execution == Execution::eager) return buffer;
    const std::uint64_t bytes = plan_.buffers[buffer].bound_bytes();
    make_room(in_arena(bytes));
    place_of_[buffer] = arena_.size();
    arena_.push_back({moment_, 0, bytes});
    return buffer;
}

PlanBuffer Residence::read(std::size_t node) {
    Whereabouts& at = at_[node];
    at.last_used = step_;
    if (!at.buffer) {
        const Node& of = nodes_[node];
        upload(node, add_in_arena(of.name, of.type, of.places(), false));
        residents_.push_back(node);
    }
    return *at.buffer;
}

std::optional<std::size_t> Residence::place_for(std::size_t node,
                                                const std::vector<std::size_t>& read) const {
    for (const std::size_t n : read) {
        const bool is_placed = at_[n].buffer && place_of(n) != nowhere;
        const bool dies = at_[n].last_read <= step_;
        if (is_placed && dies && nodes_[n].bytes() == nodes_[node].bytes()) return n;
    }
    return std::nullopt;
}

PlanBuffer Residence::make(std::size_t node, std::optional<std::size_t> in_place_of) {
    const Node& of = nodes_[node];
    Whereabouts& at = at_[node];
    at.last_used = step_;
    if (in_place_of) {
        at.buffer = add(of.name, of.type, of.places(), true);
        place_of_[*at.buffer] = place_of(*in_place_of);
    } else {
        at.buffer = add_in_arena(of.name, of.type, of.places(), true);
    }
    residents_.push_back(node);
    return *at.buffer;
}

PlanBuffer Residence::scratch(std::string name, ElementType type, std::uint64_t elements) {
    const PlanBuffer buffer = add_in_arena(std::move(name), type, elements, true);
    if (place_of_[buffer] != nowhere) scratch_.push_back(place_of_[buffer]);
    return buffer;
}

void Residence::bring_to_host(std::size_t node) {
    if (std::exchange(at_[node].on_host, true)) return;
    plan_.steps.emplace_back(Download{read(node)});
}

std::uint64_t Residence::held_bytes() const {
    std::uint64_t bytes = 0;
    for (const std::size_t place : taken())
        bytes += in_arena(arena_[place].bytes);
    return bytes;
}

void Residence::make_room(std::uint64_t bytes) {
    if (budget_bytes_ == 0) return;
    while (held_bytes() + bytes > budget_bytes_) {
        const auto oldest =
            std::ranges::min_element(residents_, {}, [&](std::size_t n) { return at_[n].last_used; });
        if (oldest == residents_.end() || at_[*oldest].last_used == step_) {
            const std::uint64_t needed = held_bytes() + bytes;
            if (needed > peak_.bytes) peak_ = {needed, what_};
            return;
        }
        move_out(*oldest);
    }
}

void Residence::move_out(std::size_t node) {
    Whereabouts& at = at_[node];
    if (!std::exchange(at.on_host, true))
        plan_.steps.emplace_back(
            Download{.buffer = *at.buffer, .label = fmt::format("evict {}", nodes_[node].name)});
    const std::set<std::size_t> before = taken();
    std::erase(residents_, node);
    leave(before);
    at.buffer.reset();
    at.has_moved = true;
}

void Residence::lay_out() {
    const std::set<std::size_t> before = taken();
    residents_.clear();
    scratch_.clear();
    leave(before);
    const std::vector<std::uint64_t> places = places_of(arena_);
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i)
        if (place_of_[i] != nowhere) plan_.buffers[i].place = places[place_of_[i]];
}

}  // namespace gridstride::tensor
