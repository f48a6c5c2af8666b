// The roofline picture: what each variant reached, under what the device can do at its task's intensity (S.
// Williams, A. Waterman, D. Patterson, "Roofline", Communications of the ACM 52(4), 2009).
#pragma once

#include <optional>
#include <span>

#include "lesson/lesson.h"
#include "lesson/plot.h"

namespace gridstride {

/// The latest measured run of each variant of the lesson among these, oldest first. nullopt without one that
/// declares its operations, or before the ceilings are known.
std::optional<Plot> roofline(const Lesson& lesson, std::span<const Report* const> history);

}  // namespace gridstride
