// How the kernels of shaders/quantise_int8 go over a matrix of bytes: see shaders/quantise_int8/bytes.glsl
// and product.glsl.
#pragma once

#include <cstdint>

#include "launch/limits.h"
#include "launch/plan.h"
#include "launch/row_team.h"
#include "tensor/rounding.h"
#include "tensor/shape.h"

namespace gridstride::tensor {

/// With more a sum of products of bytes could leave 32 bits: 65 536 * 255 * 127 is less than 2^31.
inline constexpr std::uint64_t max_byte_columns = 1 << 16;
/// One workgroup makes steps of the ranges of so many, in a single dispatch on any device.
inline constexpr std::uint64_t max_byte_rows = 1 << 20;

/// Who does a row.
RowTeam team_over_bytes(const Limits& limits, const Extent& workgroup, std::uint64_t columns);

/// Sums of a few vectors are kept in registers; of more, groups of nearly equal size are. Workgroups side by
/// side share them.
std::uint64_t groups_of_vectors(std::uint64_t vectors);

/// Gives the launch its constants, and says what it takes. Its domain is columns x rows, its tile
/// columns x RowTeam::rows_at_once, its grid that of the plan. vectors: that the matrix is multiplied with,
/// any number of them. part_bytes: what a subgroup leaves in workgroup memory.
void set_up_bytes(Dispatch& launch, const RowTeam& team, Scheme scheme, std::uint64_t columns,
                  std::uint64_t vectors, std::uint64_t part_bytes);

/// What ranges.comp makes of a row, and what all products do; the others leave nothing there.
inline constexpr std::uint64_t part_bytes_of_range = 8, part_bytes_of_product = 4;

/// Of steps.comp: a launch of one workgroup over the rows.
void set_up_steps(Dispatch& launch, Scheme scheme);

}  // namespace gridstride::tensor
