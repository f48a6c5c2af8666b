// Selects rows of a tensor before they are computed, so that a few rows of a large result cost little.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/graph.h"

namespace gridstride::tensor {

/// Evenly spaced indices.
struct RowSample {
    std::uint64_t first, step, count;
};

/// Returns the elements of `x` whose index along the axis is in the sample, in a tensor of as many rows.
/// Operations whose rows depend on the same rows of an operand are repeated for these rows alone; rows of all
/// others are selected from the whole result.
Tensor select_rows(const Tensor& x, std::size_t axis, const RowSample& rows);

}  // namespace gridstride::tensor
