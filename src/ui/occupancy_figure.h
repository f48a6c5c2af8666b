// The picture of a multiprocessor's places for subgroups, and who takes them by the model.
#pragma once

#include <cstdint>
#include <optional>

#include "lesson/lesson.h"
#include "lesson/plot.h"
#include "ui/session.h"

namespace gridstride::ui {

/// A lane for each resource that bounds, a cell for each subgroup that a multiprocessor can hold. registers
/// of an invocation, 0 if not known. nullopt where the device does not say enough.
std::optional<Plot> occupancy_picture(const Prepared& asked, std::uint32_t registers);

/// What the model says, in sentences, at the cursor; where there is no picture, its heading too.
void draw_occupancy_words(const Session& session);

/// Registers of an invocation of what is on the bench, from the newest report if it is of the same kernel at
/// the same workgroup size; 0 if not known.
std::uint32_t known_registers(const Session& session);

}  // namespace gridstride::ui
