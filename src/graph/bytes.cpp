#include "graph/bytes.h"

#include <algorithm>

#include "launch/plan_builder.h"

namespace gridstride::tensor {

// One subgroup works on a row that is not too long, which needs no barrier. On a software device, which runs
// the lanes of a workgroup in turn, barriers cost most, so there it works on rows of any length.
RowTeam byte_row_team(const Limits& limits, const Extent& workgroup, std::uint64_t columns) {
    constexpr std::uint64_t numbers_per_invocation = 256;
    const std::uint64_t lanes = limits.subgroup_size;
    return row_team(workgroup, lanes, limits.is_cpu || columns <= numbers_per_invocation * lanes);
}

std::uint64_t vector_group_count(std::uint64_t vectors) {
    constexpr std::uint64_t max_vectors_per_group = 8;
    return divide_up(vectors, max_vectors_per_group);
}

void set_up_byte_launch(Dispatch& launch, const RowTeam& team, Scheme scheme, std::uint64_t columns,
                        std::uint64_t vectors, std::uint64_t part_bytes) {
    const std::uint64_t groups = vector_group_count(vectors), vectors_per_group = divide_up(vectors, groups);
    launch.constants = {word(team.rows_at_once), word(static_cast<std::uint64_t>(scheme)),
                        word(vectors_per_group), word(vectors)};
    // At most a number of the row per iteration, then merges of partial results, and the ends of loops.
    launch.iterations_per_pass =
        divide_up(groups, launch.grid.x) *
        (divide_up(columns, team.invocations) + vectors_per_group * (team.merges + 2) + 3);
    launch.shared_bytes = part_bytes * (team.rows_at_once > 1 ? 1 : launch.workgroup_size());
}

std::optional<ByteTiling> choose_byte_tiling(const Limits& limits, std::uint64_t rows,
                                             std::uint64_t vectors) {
    // Measured for 4096 x 4096 bytes on an NVIDIA H200: with 32 vectors, tiles take as long as the
    // kernel for few vectors, with 64 three quarters of it, with 512 a third.
    constexpr std::uint64_t min_vectors = 48;
    if (vectors < min_vectors) return std::nullopt;
    ByteTiling tiling{"matrix_units", {8 * limits.subgroup_size, 1}, 128};
    if (!limits.byte_matrices) {
        tiling = {limits.integer_dot ? "instruction" : "shifts", {256, 1}, limits.is_cpu ? 32U : 128U};
        // A tile for each multiprocessor, if smaller ones give as many.
        if (divide_up(vectors, 128) * divide_up(rows, 128) < limits.multiprocessors)
            tiling.extent = std::min<std::uint64_t>(tiling.extent, 64);
    }
    // Two tiles of rows of eight quads and an unused one, and a fragment of each subgroup.
    constexpr std::uint64_t row_bytes = 2 * (8 + 1) * 16, fragments = 8 * 16 * 16 * sizeof(std::int32_t);
    tiling.shared_bytes =
        tiling.extent * (row_bytes + sizeof(std::int32_t)) + (limits.byte_matrices ? fragments : 0);
    const bool fits =
        tiling.workgroup.x <= limits.max_workgroup_size && tiling.shared_bytes <= limits.max_shared_bytes;
    return fits ? std::optional(tiling) : std::nullopt;
}

void set_up_byte_tile_launch(Dispatch& launch, const ByteTiling& tiling, Scheme scheme, std::uint64_t columns,
                             std::uint64_t vectors) {
    launch.constants = {word(tiling.extent), word(static_cast<std::uint64_t>(scheme)), word(tiling.extent),
                        word(vectors)};
    // Once: a subgroup of eight lanes stores eight fragments of 256 results.
    constexpr std::uint64_t tile_columns = 128, per_tile = 10, once = 8 * (256 / 8 + 1) + 4;
    launch.iterations_per_pass = divide_up(divide_up(vectors, tiling.extent), launch.grid.x) *
                                 (divide_up(columns, tile_columns) * per_tile + once);
    launch.shared_bytes = tiling.shared_bytes;
}

void set_up_scale_launch(Dispatch& launch, Scheme scheme) {
    launch.constants = {1, word(static_cast<std::uint64_t>(scheme))};
    launch.iterations_once = launch.workgroup_size() + 2;
    launch.shared_bytes = range_part_bytes * launch.workgroup_size();
}

}  // namespace gridstride::tensor
