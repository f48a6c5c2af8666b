// Launch configuration for the matrix product kernels of shaders/matmul: see tile.glsl and halves.glsl there.
#pragma once

#include <cstdint>

#include "launch/limits.h"
#include "launch/plan.h"

namespace gridstride::tensor {

/// The number of specialization constants, from 3 on, of the kernels for f32 and for f16.
inline constexpr std::size_t product_constants = 11, f16_product_constants = 5;

/// The element (row, column) is at index row * row_stride + column * column_stride. One of the strides is 1.
struct Matrix {
    std::uint64_t rows, columns, row_stride, column_stride;

    /// The stride that is not 1.
    std::uint64_t pitch() const { return column_stride == 1 ? row_stride : column_stride; }
    bool is_transposed() const { return column_stride != 1; }
    /// Returns whether each row of memory consists of whole groups of `group` elements.
    bool has_whole(std::uint64_t group) const {
        return pitch() % group == 0 && (is_transposed() ? rows : columns) % group == 0;
    }
    std::uint64_t at(std::uint64_t row, std::uint64_t column) const {
        return row * row_stride + column * column_stride;
    }
};

struct ProductKernel {
    bool has_tiles = false;
    bool has_several_results = false;
    bool uses_quads = false;
    bool has_subgroup_tiles = false;  ///< the lanes of a subgroup compute a rectangle of results
    std::uint64_t parts = 1;          ///< buffers in workgroup memory, each with a tile of each factor
};
/// shaders/matmul/prefetch.comp, the fastest kernel.
inline constexpr ProductKernel prefetch{.has_tiles = true,
                                        .has_several_results = true,
                                        .uses_quads = true,
                                        .has_subgroup_tiles = true,
                                        .parts = 2};

/// The results of a workgroup of shaders/matmul/halves.glsl, which computes products of f16, and its
/// invocations: four subgroups, or as many invocations that take their place.
inline constexpr Extent f16_tile{128, 128};
Extent f16_workgroup(const Limits& limits);
/// The same as set_up_product_launch() for that kernel.
void set_up_f16_product_launch(Dispatch& launch, const Matrix& a, const Matrix& b);

/// How a workgroup computes its tile.
struct Tiling {
    Extent results{1, 1};     ///< results per invocation
    std::uint64_t depth = 1;  ///< extent along k that is loaded at a time
    Extent lanes{1, 1};       ///< arrangement of a subgroup's lanes
};
/// Returns the tiling for a product of m x n numbers. 0 for results.x or depth chooses a default.
Tiling choose_tiling(const Limits& limits, const Extent& workgroup, std::uint64_t m, std::uint64_t n,
                     const ProductKernel& kernel, const Extent& results = {0}, std::uint64_t depth = 0);

/// Sets the launch's constants, push constants, loop iterations and workgroup memory. Its domain is n x m,
/// its tile the workgroup's extents times the results per invocation.
void set_up_product_launch(Dispatch& launch, const Limits& limits, const Matrix& a, const Matrix& b,
                           const ProductKernel& kernel, const Tiling& tiling);

}  // namespace gridstride::tensor
