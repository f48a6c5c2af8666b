// The pictures of single samples as cells.
#pragma once

#include <optional>

#include "lesson/limits.h"
#include "lesson/plan.h"
#include "lesson/plot.h"
#include "lesson/report.h"
#include "zero_suppression/ways.h"

namespace gridstride::lessons::zero_suppression {

/// Which of the first samples the first invocations take: "who".
Plot who_takes_which(Way way, const Dispatch& main, const Limits& limits);

/// The survivors among some samples around the first one, before and after: "compaction". nullopt when
/// nothing was kept.
std::optional<Plot> compaction(const Report& report);

}  // namespace gridstride::lessons::zero_suppression
