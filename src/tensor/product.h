// How the kernels of shaders/matmul go over a product of matrices: see shaders/matmul/tile.glsl.
#pragma once

#include <cstdint>

#include "launch/limits.h"
#include "launch/plan.h"

namespace gridstride::tensor {

/// A matrix in memory: the number at (row, column) stands at row * row_step + column * column_step, and one
/// of the steps is 1.
struct Matrix {
    std::uint64_t rows, columns, row_step, column_step;

    /// From one line of memory to the next.
    std::uint64_t pitch() const { return column_step == 1 ? row_step : column_step; }
    bool is_transposed() const { return column_step != 1; }
    /// Each line of memory begins a quad of numbers and ends one, so that none holds what belongs elsewhere.
    bool is_in_quads() const { return pitch() % 4 == 0 && (is_transposed() ? rows : columns) % 4 == 0; }
    std::uint64_t at(std::uint64_t row, std::uint64_t column) const {
        return row * row_step + column * column_step;
    }
};

/// What one of the kernels does.
struct ProductKernel {
    bool has_tiles = false;
    bool several_results = false;
    bool in_quads = false;
    bool by_subgroups = false;  ///< the lanes of a subgroup lie in a rectangle
    std::uint64_t parts = 1;    ///< of workgroup memory, a tile of each factor in each
};
/// shaders/matmul/prefetch.comp, the fastest of them.
inline constexpr ProductKernel prefetch{
    .has_tiles = true, .several_results = true, .in_quads = true, .by_subgroups = true, .parts = 2};

/// What a workgroup takes in one pass: results of each invocation, how much of k at a time, and how the lanes
/// of a subgroup lie in it.
struct Tiling {
    Extent results{1, 1};
    std::uint64_t depth = 1;
    Extent lanes{1, 1};
};
/// What is natural for a product of m x n numbers on this device. results.x, depth: 0 for that, else as
/// asked.
Tiling tiling_of(const Limits& limits, const Extent& workgroup, std::uint64_t m, std::uint64_t n,
                 const ProductKernel& kernel, const Extent& results = {0}, std::uint64_t depth = 0);

/// Gives the launch its constants and push constants, and says what it takes. Its domain is n x m, its tile
/// the workgroup's invocations times their results.
void set_up_product(Dispatch& launch, const Limits& limits, const Matrix& a, const Matrix& b,
                    const ProductKernel& kernel, const Tiling& tiling);

}  // namespace gridstride::tensor
