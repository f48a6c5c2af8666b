// The picture of a multiprocessor's places for subgroups, and who takes them by the model.
#pragma once

#include <cstdint>
#include <optional>

#include "lesson/lesson.h"
#include "lesson/plot.h"

namespace gridstride {

/// A lane for each resource that bounds, a cell for each subgroup that a multiprocessor can hold. registers
/// of an invocation, 0 if not known. nullopt where the device does not say enough.
std::optional<Plot> occupancy_picture(const Prepared& asked, std::uint32_t registers);

}  // namespace gridstride
