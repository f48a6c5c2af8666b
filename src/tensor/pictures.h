// What is drawn of a graph, its plan and a run. A tensor has one name in all three pictures.
#pragma once

#include <cstdint>
#include <vector>

#include "lesson/lesson.h"
#include "tensor/plan.h"

namespace gridstride::tensor {

/// As the plan was made of it.
struct DrawnGraph {
    const Graph& graph;
    Execution execution = Execution::fused;
    /// What kernels read and write is told for each of so many numbers; 0: as it is.
    std::uint64_t numbers = 0;
};

/// "graph", computed: what is made from what, and what runs together; "memory", computed: where each tensor
/// lies, from its first write to its last read; "commands", measured: what the last run asked of the device.
std::vector<Plot> pictures_of(const DrawnGraph& graph, const PictureInput& input);

}  // namespace gridstride::tensor
