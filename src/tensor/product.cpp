#include "tensor/product.h"

#include <algorithm>

#include "launch/plan_builder.h"

namespace gridstride::tensor {

namespace {

Extent tile_of(const Extent& workgroup, const Extent& results) {
    return {workgroup.x * results.x, workgroup.along(1) * results.y};
}

/// Returns the default results per invocation: 8 x 8, fewer if the tile would exceed 128 x 128 results, and
/// fewer while there are less than 0.9 tiles per multiprocessor, because some would be idle.
///
/// On an NVIDIA H200, 4096 x 4096 x 4096 with `prefetch` and workgroups of 256: 8 x 8 results at a depth of
/// 16 reached 46.2 TFLOP/s, at 8 40.1. Workgroups of 128 with 8 x 16 reached 46.0 at 8 and spilled registers
/// at 16.
Extent default_results(const Limits& limits, const Extent& workgroup, const Extent& product) {
    if (limits.is_cpu) return {4, 4};
    Extent results{8, 8};
    const auto shrink = [&] { (results.x < results.y ? results.y : results.x) /= 2; };
    while (results.product() * workgroup.product() > 128 * 128 && results.product() > 16)
        shrink();
    const auto tiles = [&] { return divide_up(product, tile_of(workgroup, results)).product(); };
    while (tiles() * 10 < std::uint64_t{limits.multiprocessors} * 9 && results.product() > 16)
        shrink();
    return results;
}

std::uint64_t default_depth(const Limits& limits, const ProductKernel& kernel) {
    if (!kernel.has_tiles) return 1;
    return kernel.uses_quads && limits.is_cpu ? 8 : 16;
}

/// Returns the most square arrangement of a subgroup's lanes if it divides the workgroup, else the workgroup.
Extent default_lanes(const Limits& limits, const Extent& workgroup) {
    const std::uint64_t width = limits.subgroup_size;
    std::uint64_t lanes_across = 1;
    while (lanes_across * lanes_across < width)
        lanes_across *= 2;
    const Extent lanes{lanes_across, std::max<std::uint64_t>(width / lanes_across, 1)};
    const bool fits = workgroup.x % lanes.x == 0 && workgroup.along(1) % lanes.y == 0;
    return fits ? lanes : workgroup;
}

std::uint64_t shared_bytes(const ProductKernel& kernel, const Tiling& tiling, const Extent& tile) {
    if (!kernel.has_tiles) return 0;
    const std::uint64_t numbers = tiling.depth * (tile.x + tile.y),
                        unused = kernel.uses_quads ? 8 * tiling.depth + tiling.depth / 8 * 16 : 0;
    return kernel.parts * (numbers + unused) * sizeof(float);
}

std::uint64_t iterations(const ProductKernel& kernel, const Tiling& tiling, const Extent& tile,
                         std::uint64_t workgroup_size, std::uint64_t k) {
    if (!kernel.has_tiles) return k + 3;
    const std::uint64_t loaded_per_step = workgroup_size * (kernel.uses_quads ? 4 : 1);
    const std::uint64_t fetch_iterations = divide_up(tile.x * tiling.depth, loaded_per_step) +
                                           divide_up(tile.y * tiling.depth, loaded_per_step) + 2;
    return (divide_up(k, tiling.depth) + 1) * (fetch_iterations + tiling.depth + 2) + 3;
}

}  // namespace

Tiling choose_tiling(const Limits& limits, const Extent& workgroup, std::uint64_t m, std::uint64_t n,
                     const ProductKernel& kernel, const Extent& results, std::uint64_t depth) {
    Tiling tiling;
    if (kernel.has_several_results)
        tiling.results = results.x > 0 ? results : default_results(limits, workgroup, {n, m});
    tiling.depth = kernel.has_tiles && depth > 0 ? depth : default_depth(limits, kernel);
    tiling.lanes = kernel.has_subgroup_tiles ? default_lanes(limits, workgroup) : workgroup;
    return tiling;
}

void set_up_product_launch(Dispatch& launch, const Limits& limits, const Matrix& a, const Matrix& b,
                           const ProductKernel& kernel, const Tiling& tiling) {
    const std::uint64_t k = a.columns, n = b.columns;
    launch.push = kernel.uses_quads ? std::vector{word(k), word(a.pitch()), word(b.pitch())}
                                    : std::vector{word(k), word(a.row_stride), word(a.column_stride),
                                                  word(b.row_stride), word(b.column_stride)};
    launch.constants = {word(tiling.depth),
                        word(tiling.results.x),
                        word(tiling.results.y),
                        word(tiling.lanes.x),
                        word(tiling.lanes.along(1)),
                        !a.is_transposed(),
                        b.is_transposed(),
                        a.has_whole(4),
                        b.has_whole(4),
                        n % 4 == 0,
                        limits.is_cpu ? 2 : word(tiling.depth)};
    const Extent tile = tile_of(launch.workgroup, tiling.results);
    launch.iterations_per_pass = iterations(kernel, tiling, tile, launch.workgroup_size(), k);
    launch.shared_bytes = shared_bytes(kernel, tiling, tile);
}

/// On an NVIDIA H200, 4096 x 4096 x 4096 with GL_NV_cooperative_matrix and GL_KHR_cooperative_matrix took 887
/// and 709 us with 64 x 64 results a subgroup in tiles that are 32 deep, 927 and 838 us with 64 x 32 in tiles
/// 64 deep.
Extent f16_workgroup(const Limits& limits) {
    return {4 * (limits.cooperative_matrix ? limits.subgroup_size : 32), 1};
}

void set_up_f16_product_launch(Dispatch& launch, const Matrix& a, const Matrix& b) {
    const std::uint64_t k = a.columns, n = b.columns;
    constexpr std::uint64_t depth = 32, octet = 16, fragments = 4 * 1024;
    launch.push = {word(k), word(a.pitch()), word(b.pitch())};
    launch.constants = {!a.is_transposed(), b.is_transposed(), a.has_whole(8), b.has_whole(8), n % 4 == 0};
    // Counts loops that are not unrolled where 32 invocations replace a subgroup.
    launch.iterations_per_pass = divide_up(k, depth) * depth * 30 + 800;
    launch.shared_bytes = (f16_tile.y * (depth / 8 + 1) + depth * (f16_tile.x / 8 + 1)) * octet + fragments;
}

}  // namespace gridstride::tensor
