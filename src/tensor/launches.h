// Adds the launches of a graph's groups to a plan.
#pragma once

#include <string>
#include <vector>

#include "launch/limits.h"
#include "launch/plan.h"
#include "tensor/glsl.h"
#include "tensor/memory_budget.h"
#include "tensor/options.h"

namespace gridstride::tensor {

/// Adds launches, and the transfers that they need, to the plan in the order of the calls.
class LaunchBuilder {
 public:
    /// The arguments must outlive this object.
    LaunchBuilder(const Graph& graph, const Limits& limits, const Options& options, MemoryBudget& memory,
                  Plan& plan)
        : graph_(graph),
          nodes_(graph.nodes()),
          limits_(limits),
          options_(options),
          memory_(memory),
          plan_(plan) {}

    /// Adds the launches of one group. Throws Refusal if the device cannot run it.
    void add(const Group& group);

 private:
    struct Reduction;

    void add_elements(const Group& group);
    Reduction reduction_of(const Node& lead) const;
    void add_reduction(const Group& group);
    void add_stage(const Group& group, Stage stage, const Reduction& by, PlanBuffer parts);
    void add_product(const Group& group);
    void add_softmax(const Group& group);
    void add_scales(const Group& group);
    void add_quantization(const Group& group);
    void add_product_of_bytes(const Group& group);
    void add_user_kernel(const Group& group);

    /// The returned reference is valid until the next step is added.
    Dispatch& add_launch(const Group& group, std::string kernel, std::vector<Binding> bindings,
                         const Extent& workgroup, const Extent& domain, const Extent& tile);
    /// Adds a one-dimensional launch of a generated kernel, with at most options_.workgroup_count workgroups.
    Dispatch& add_generated(const Group& group, Kernel kernel, std::vector<Binding> bindings,
                            std::uint64_t elements, std::uint64_t tile);
    void end_eager_launch();
    /// Binds whole tensors: the sources of the group's first node, then the nodes of the group.
    std::vector<Binding> whole_bindings(const Group& group);
    /// If is_in_place is set, the last node may reuse the memory of an operand that is read elementwise.
    std::vector<Binding> bindings_of(const Kernel& kernel, bool is_in_place = false);
    std::uint64_t max_invocations_per_result(std::uint64_t numbers) const;
    /// Adds a launch over rows of bytes, or of numbers that are quantised; see set_up_byte_launch().
    void add_byte_rows(const Group& group, const std::string& kernel, std::vector<Binding> bindings,
                       std::uint64_t rows, std::uint64_t columns, std::uint64_t vectors,
                       std::uint64_t part_bytes);
    void require_subgroups(const Group& group) const;

    const Graph& graph_;
    const std::vector<Node>& nodes_;
    const Limits& limits_;
    const Options& options_;
    MemoryBudget& memory_;
    Plan& plan_;
};

}  // namespace gridstride::tensor
