// Cuts a launch into slices where a device limit requires it: the loop cap of a software driver, the largest
// binding, the duration of one dispatch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/limits.h"
#include "launch/plan.h"

namespace gridstride {

/// One dispatch of a launch, as passed to shaders/common/launch.glsl. A launch is cut along the last
/// dimension of its domain; in the others every slice is whole.
struct Slice {
    std::uint64_t first = 0;  ///< element, row or layer
    std::uint64_t count = 0;  ///< elements, rows or layers
    std::uint64_t first_workgroup = 0;
    std::uint64_t workgroups = 0;  ///< of this dispatch
    bool is_first = true;          ///< the first slice of its workgroups
};

struct Slicing {
    /// Consecutive; together they cover every element and every workgroup. Empty if refused.
    std::vector<Slice> slices;
    std::string refusal;  ///< why the launch cannot be cut to fit; else empty
};

/// Slices are whole passes of the grid over the domain or, if one pass exceeds the largest binding, parts of
/// a pass. Every slice starts where all sliced bindings are aligned.
Slicing slice(const Dispatch& dispatch, const std::vector<BufferSpec>& buffers, const Limits& limits);

}  // namespace gridstride
