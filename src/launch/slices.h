// How a launch is cut where a device limit needs it: the loop cap of a software driver, the largest binding,
// and how long one dispatch may take.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/limits.h"
#include "launch/plan.h"

namespace gridstride {

/// One dispatch of a launch: what shaders/common/launch.glsl is told. A launch is cut along the last
/// dimension of its domain; in the others every slice is whole.
struct Slice {
    std::uint64_t first = 0;  ///< element, row or layer
    std::uint64_t count = 0;  ///< elements, rows or layers
    std::uint64_t first_workgroup = 0;
    std::uint64_t workgroups = 0;  ///< of this dispatch
    bool fresh = true;             ///< its workgroups have had no elements before
};

struct Slicing {
    std::vector<Slice>
        slices;           ///< consecutive, covering every element and every workgroup; empty when refused
    std::string refusal;  ///< why the launch cannot be cut to fit; empty when it can
};

/// Slices are whole passes of the grid over the domain or, where not even one fits a binding, parts of a
/// pass; each starts where every sliced binding is aligned.
Slicing slice(const Dispatch& dispatch, const std::vector<BufferSpec>& buffers, const Limits& limits);

}  // namespace gridstride
