// Launch configuration for the kernels of shaders/quantise_int8, which process a matrix of int8: see
// shaders/quantise_int8/bytes.glsl and product.glsl.
#pragma once

#include <cstdint>
#include <optional>

#include "graph/quantization.h"
#include "graph/shape.h"
#include "launch/limits.h"
#include "launch/plan.h"
#include "launch/row_team.h"

namespace gridstride::tensor {

/// The maximum columns of a product of bytes, whose sums must fit into 32 bits: 65 536 * 255 * 127 < 2^31.
inline constexpr std::uint64_t max_byte_columns = 1 << 16;
/// One workgroup computes the scales of that many ranges in a single dispatch on any device.
inline constexpr std::uint64_t max_byte_rows = 1 << 20;

/// Returns which invocations compute a row of bytes together: all of the workgroup, or a subgroup each for
/// short rows and on CPUs.
RowTeam byte_row_team(const Limits& limits, const Extent& workgroup, std::uint64_t columns);

/// Returns into how many groups of nearly equal size the vectors are split, so that the sums of one group fit
/// into registers. Workgroups along x share the groups.
std::uint64_t vector_group_count(std::uint64_t vectors);

/// Sets the launch's constants, loop iterations and workgroup memory. Its domain is columns x rows, its tile
/// columns x RowTeam::rows_at_once, its grid that of the plan. The matrix is multiplied with `vectors`
/// vectors. A subgroup's partial result takes `part_bytes` in workgroup memory.
void set_up_byte_launch(Dispatch& launch, const RowTeam& team, Scheme scheme, std::uint64_t columns,
                        std::uint64_t vectors, std::uint64_t part_bytes);

/// How shaders/quantise_int8/int8_tiles.comp multiplies bytes with many vectors.
struct ByteTiling {
    const char* build = "";    ///< of the kernel: matrix_units, instruction or shifts
    Extent workgroup;          ///< invocations
    std::uint64_t extent = 0;  ///< rows, and vectors, of a tile
    std::uint64_t shared_bytes = 0;
};
/// Returns nullopt for few vectors, and if the device's workgroups or their memory are too small.
std::optional<ByteTiling> choose_byte_tiling(const Limits& limits, std::uint64_t rows, std::uint64_t vectors);
/// The same as set_up_byte_launch() for that kernel. The launch's tile has ByteTiling::extent rows.
void set_up_byte_tile_launch(Dispatch& launch, const ByteTiling& tiling, Scheme scheme, std::uint64_t columns,
                             std::uint64_t vectors);

/// Sizes of partial results in workgroup memory, of ranges.comp and of all products. Other kernels have none.
inline constexpr std::uint64_t range_part_bytes = 8, product_part_bytes = 4;

/// Sets up a launch of steps.comp: one workgroup over all rows.
void set_up_scale_launch(Dispatch& launch, Scheme scheme);

}  // namespace gridstride::tensor
