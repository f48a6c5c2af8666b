#pragma once

#include <string_view>
#include <vector>

#include "hidden_layer/parameters.h"
#include "lesson/lesson.h"

namespace gridstride::lessons::hidden_layer {

std::vector<Variant> variants();

/// Buffers "greyscales", "weights" and "activations". The three-step variants keep their intermediate values
/// where the activations will be, so every variant needs 12 bytes of device memory an element: 100 million
/// fit in 1.2 GB.
Plan plan(const Values& values, std::string_view variant, const Limits& limits);

/// The grid that "auto" stands for.
std::uint64_t natural_workgroup_count(std::uint64_t elements, std::uint64_t workgroup_size,
                                      const Limits& limits);

/// Bytes that a plan moves, read off its steps: each binding is read or written once an element.
struct Traffic {
    std::uint64_t uploaded = 0;    ///< host to device
    std::uint64_t by_kernels = 0;  ///< read and written in device memory
    std::uint64_t downloaded = 0;  ///< device to host
};
Traffic traffic(const Plan& plan);

}  // namespace gridstride::lessons::hidden_layer
