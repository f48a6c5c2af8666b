// How the groups of a graph run on the device: the launches of a plan.
#pragma once

#include <string>
#include <vector>

#include "launch/limits.h"
#include "launch/plan.h"
#include "tensor/glsl.h"
#include "tensor/options.h"
#include "tensor/residence.h"

namespace gridstride::tensor {

class Launches {
 public:
    /// All that is given outlives it.
    Launches(const Graph& graph, const Limits& limits, const Options& options, Residence& residence,
             Plan& plan)
        : graph_(graph),
          nodes_(graph.nodes()),
          limits_(limits),
          options_(options),
          residence_(residence),
          plan_(plan) {}

    /// Adds those of one group. Throws Refusal where the device cannot run it.
    void add(const Group& group);

 private:
    struct Reduction;

    void add_elements(const Group& group);
    Reduction reduction_of(const Node& lead) const;
    void add_reduction(const Group& group);
    void add_stage(const Group& group, Stage stage, const Reduction& by, PlanBuffer parts);
    void add_product(const Group& group);
    void add_rows(const Group& group);
    void add_steps(const Group& group);
    void add_over_bytes(const Group& group);
    void add_product_of_bytes(const Group& group);
    void add_own(const Group& group);

    /// What it returns is changed before the next step is added.
    Dispatch& add_launch(const Group& group, std::string kernel, std::vector<Binding> bindings,
                         const Extent& workgroup, const Extent& domain, const Extent& tile);
    /// Of a kernel that was made, in one line of workgroups: no more of them than are asked for.
    Dispatch& add_made(const Group& group, Kernel kernel, std::vector<Binding> bindings,
                       std::uint64_t elements, std::uint64_t tile);
    void end_eager_launch();
    /// Of a kernel that sees all of what the group's first reads and of what the group makes.
    std::vector<Binding> whole_bindings(const Group& group);
    /// in_place: the last that is written may take the place of what is read element by element.
    std::vector<Binding> bindings_of(const Kernel& kernel, bool in_place = false);
    std::uint64_t max_sharers(std::uint64_t numbers) const;
    /// One that goes over rows of bytes, or of numbers that become bytes. vectors: that they are multiplied
    /// with.
    void add_rows_of_bytes(const Group& group, const std::string& kernel, std::vector<Binding> bindings,
                           std::uint64_t rows, std::uint64_t columns, std::uint64_t vectors,
                           std::uint64_t part_bytes);
    void require_subgroups(const Group& group) const;

    const Graph& graph_;
    const std::vector<Node>& nodes_;
    const Limits& limits_;
    const Options& options_;
    Residence& residence_;
    Plan& plan_;
};

}  // namespace gridstride::tensor
