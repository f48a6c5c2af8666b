// The plots of a graph, its plan and a run. A tensor has the same name in all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lesson/lesson.h"
#include "tensor/plan.h"

namespace gridstride::tensor_lesson {

struct PlottedGraph {
    const tensor::Graph& graph;
    tensor::Execution execution = tensor::Execution::fused;
    /// If not 0, memory traffic is shown per number, divided by this count; else in total.
    std::uint64_t numbers = 0;
};

/// Returns "graph" (computed): operations and fused groups; "memory" (computed): the place of each tensor
/// from its first write to its last read; and "commands" (measured): the commands of the last run.
std::vector<Plot> graph_plots(const PlottedGraph& graph, const PictureInput& input);

/// Returns a plot (computed) of the place of each buffer of a plan, from its first access to its last.
/// `find_group` returns the group of a buffer, by its name, whose color its box has; without it, those that
/// kernels write have one color.
Plot make_memory_plot(const Plan& plan, std::string id, std::string title,
                      const std::function<std::optional<std::size_t>(const std::string&)>& find_group = {});

}  // namespace gridstride::tensor_lesson
