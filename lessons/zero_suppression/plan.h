#pragma once

#include <string_view>

#include "lesson/plan.h"
#include "zero_suppression/parameters.h"

namespace gridstride::lessons::zero_suppression {

/// per_sample, grid_stride, packed: buffers "samples" and "silenced", one launch. Where a zero in the output
/// does not tell whether it survived (rule signed, threshold 0), the CPU counts the survivors into
/// "kept_count", u64.
///
/// compact: buffers "samples", "tile_counts" (a tile: what a workgroup takes in one pass), "kept_count"
/// (u32), "positions" and "values" (as long as the samples, of which the first kept_count are used), three
/// launches, and the host array "kept", i32: the positions that are used, then as many values.
Plan plan(const Values& values, std::string_view variant, const Limits& limits);

}  // namespace gridstride::lessons::zero_suppression
