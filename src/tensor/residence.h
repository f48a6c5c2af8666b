// Where the tensors of a graph lie while its plan is written step by step: on the device, on the host, or on
// both. Under a budget what was used longest ago makes room.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launch/plan_builder.h"
#include "tensor/arena.h"
#include "tensor/options.h"
#include "tensor/schedule.h"

namespace gridstride::tensor {

class Residence {
 public:
    /// groups: the plan's steps, in order. budget_bytes: of what is on the device at one time; 0: none. All
    /// that is given outlives it.
    Residence(const Graph& graph, const std::vector<Group>& groups, const Options& options,
              std::uint64_t budget_bytes, Plan& plan);

    /// The group is the next step; none: what is left is the outputs'.
    void begin(const Group& group);

    /// On the device, copied there where it is not.
    PlanBuffer read(std::size_t node);
    /// Memory for what the step makes. in_place_of: a node that the step reads element by element, for the
    /// last time; nullopt: memory beside all that it reads.
    PlanBuffer make(std::size_t node, std::optional<std::size_t> in_place_of = {});
    /// Memory for this step alone.
    PlanBuffer scratch(std::string name, ElementType type, std::uint64_t elements);
    /// nullopt: none of these dies here and is as large.
    std::optional<std::size_t> place_for(std::size_t node, const std::vector<std::size_t>& read) const;

    void bring_to_host(std::size_t node);
    void made_on_host(std::size_t node) { at_[node].on_host = true; }

    /// The step that needs the most of those that need more than the budget at one time; 0 bytes: none does.
    struct Peak {
        std::uint64_t bytes = 0;
        std::string step;
    };
    const Peak& peak_over_budget() const { return peak_; }

    /// Once all steps are written: where each buffer begins in the arena.
    void lay_out();

 private:
    struct Whereabouts {
        std::optional<PlanBuffer> buffer = {};
        bool on_host = false;
        bool is_read_by_device = false;
        std::uint64_t last_read = 0;  ///< the step; of an output behind all
        std::uint64_t last_used = 0;
        bool has_moved = false;  ///< it was on the device and made room
    };
    static constexpr std::size_t nowhere = SIZE_MAX;

    PlanBuffer add(std::string name, ElementType type, std::uint64_t elements, bool output);
    PlanBuffer add_in_arena(std::string name, ElementType type, std::uint64_t elements, bool output);
    void upload(std::size_t node, PlanBuffer buffer);
    /// In the arena, of a node that is there; `nowhere`: it has memory of its own.
    std::size_t place_of(std::size_t node) const { return place_of_[*at_[node].buffer]; }
    /// Places that are taken now.
    std::set<std::size_t> taken() const;
    std::uint64_t held_bytes() const;
    /// Those that were taken before and are not now are wanted no longer.
    void leave(const std::set<std::size_t>& before);
    void make_room(std::uint64_t bytes);
    void move_out(std::size_t node);

    const Graph& graph_;
    const std::vector<Node>& nodes_;
    const Options& options_;
    std::uint64_t budget_bytes_;
    Plan& plan_;
    std::vector<Whereabouts> at_;  ///< by node
    std::vector<Lifetime> arena_;
    std::vector<std::size_t> place_of_;   ///< in the arena, by buffer of the plan
    std::vector<std::size_t> residents_;  ///< nodes in the arena that are still wanted
    std::vector<std::size_t> scratch_;    ///< places of this step's
    std::uint64_t step_ = 0;              ///< 0: the uploads; then the groups; behind them the downloads
    std::uint64_t moment_ = 0;            ///< of lifetimes: a step, or a part of one between two moves
    std::string what_;                    ///< the step does, for messages
    Peak peak_;
};

}  // namespace gridstride::tensor
