#pragma once

#include <cstdint>

#include "session/session.h"

namespace gridstride::ui {

/// What the model says, in sentences, at the cursor; where there is no picture, its heading too.
void draw_occupancy_words(const Session& session);

/// Registers of an invocation of what is on the bench, from the newest report if it is of the same kernel at
/// the same workgroup size; 0 if not known.
std::uint32_t known_registers(const Session& session);

}  // namespace gridstride::ui
