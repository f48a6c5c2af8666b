// Kernels made from groups of a graph, as GLSL that a person can read: a line for each node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/schedule.h"

namespace gridstride::tensor {

/// The same for all shapes and numbers of elements that have the same structure: those are constants.
struct Kernel {
    std::string name;  ///< no other source has it
    std::string source;
    struct Read {
        std::size_t node;
        bool each;  ///< element by element alone: a slice of the launch sees its part
    };
    std::vector<Read> reads;               ///< at the first bindings
    std::vector<std::size_t> writes;       ///< nodes, at the bindings behind them, element by element
    std::vector<std::uint32_t> constants;  ///< specialisation constants from 3 on
    std::optional<KernelSource> own = {};  ///< somebody's own text, which stands behind the source
};

/// Of a kernel of somebody's own, which is what all of the group is made by: the source declares its tensors,
/// and its text has words for their names, on the lines that it has in its file.
Kernel own_kernel(const Graph& graph, const Group& group);

/// Of operations element by element: four elements of an invocation at a time.
Kernel elementwise_kernel(const Graph& graph, const Group& group);

/// Of a group that a product leads: what follows on its numbers before they are left. a, b and c are at the
/// bindings before those of `reads`, and the constants of shaders/matmul/tile.glsl before its own.
Kernel product_kernel(const Graph& graph, const Group& group);

/// What a reduction in two launches leaves between them, at the place of what is read or written.
enum class Stage { whole, first, second };

/// Of a group that a sum or maximum leads. The first constant is left for how many share a result, and its
/// own push constants are numbers, parts and part_numbers: see shaders/tensor/reduce.glsl. Of the first stage
/// nothing is among writes, of the second the parts are not among reads: they are bound behind or before.
Kernel reduction_kernel(const Graph& graph, const Group& group, Stage stage);

}  // namespace gridstride::tensor
