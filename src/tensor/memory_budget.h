// Manages device memory while a plan is built step by step: which tensors are on the device, the host or
// both. If a budget is exceeded, the least recently used tensors are evicted to the host.
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

class MemoryBudget {
 public:
    /// `groups` are the plan's steps in order. `budget_bytes` limits the device memory in use at any time; 0:
    /// unlimited. The arguments must outlive this object.
    MemoryBudget(const Graph& graph, const std::vector<Group>& groups, const Options& options,
                 std::uint64_t budget_bytes, Plan& plan);

    /// Begins the next step. After the last group, pass an empty group before the outputs are downloaded.
    void begin(const Group& group);

    /// Returns the node's buffer on the device, and uploads it first if needed.
    PlanBuffer read(std::size_t node);
    /// Returns a buffer for a result of this step. It reuses the memory of `in_place_of`, a node that the
    /// step reads elementwise and for the last time; nullopt: it gets memory of its own.
    PlanBuffer allocate(std::size_t node, std::optional<std::size_t> in_place_of = {});
    /// Returns a buffer whose memory is free again after this step.
    PlanBuffer scratch(std::string name, ElementType type, std::uint64_t elements);
    /// Returns a node of `read` that is as large as `node` and not read later; nullopt if there is none.
    std::optional<std::size_t> find_reusable(std::size_t node, const std::vector<std::size_t>& read) const;

    /// Adds a download to the plan, unless the host has the node already.
    void download_to_host(std::size_t node);
    void mark_on_host(std::size_t node) { locations_[node].is_on_host = true; }

    /// The step that exceeds the budget most; 0 bytes if none does.
    struct Peak {
        std::uint64_t bytes = 0;
        std::string step;
    };
    const Peak& peak_over_budget() const { return peak_; }

    /// Sets each buffer's offset in the arena. Call it after all steps.
    void assign_offsets();

 private:
    struct TensorLocation {
        std::optional<PlanBuffer> buffer = {};
        bool is_on_host = false;
        bool is_read_by_device = false;
        std::uint64_t last_read = 0;  ///< the step; for an output, after all groups
        std::uint64_t last_used = 0;  ///< the step
        bool was_evicted = false;
    };
    static constexpr std::size_t no_entry = SIZE_MAX;

    PlanBuffer add(std::string name, ElementType type, std::uint64_t elements, bool output);
    PlanBuffer add_in_arena(std::string name, ElementType type, std::uint64_t elements, bool output);
    void upload(std::size_t node, PlanBuffer buffer);
    /// Returns the index in arena_ of a node on the device; `no_entry` if it has separate memory.
    std::size_t arena_entry(std::size_t node) const { return arena_entry_[*locations_[node].buffer]; }
    std::set<std::size_t> used_entries() const;
    std::uint64_t used_bytes() const;
    /// Ends the lifetimes of entries that were in use before and are not now.
    void end_lifetimes(const std::set<std::size_t>& before);
    void evict_for(std::uint64_t bytes);
    void evict(std::size_t node);

    const Graph& graph_;
    const std::vector<Node>& nodes_;
    const Options& options_;
    std::uint64_t budget_bytes_;
    Plan& plan_;
    std::vector<TensorLocation> locations_;  ///< by node
    std::vector<Lifetime> arena_;
    std::vector<std::size_t> arena_entry_;  ///< by buffer of the plan: index in arena_
    std::vector<std::size_t> residents_;    ///< nodes in the arena that are still needed
    std::vector<std::size_t> scratch_;      ///< this step's scratch entries in arena_
    std::uint64_t step_ = 0;                ///< 0: the uploads, then the groups, then the downloads
    std::uint64_t time_ = 0;                ///< time of lifetimes; increases at each step and eviction
    std::string step_label_;                ///< the current step's label, for messages
    Peak peak_;
};

}  // namespace gridstride::tensor
