// The report that a correct run would give, computed without a device, for pictures before the first run.
#pragma once

#include <cstdint>
#include <optional>

#include "lesson/lesson.h"

namespace gridstride {

/// With more elements the reference takes too long to compute for a picture.
constexpr std::uint64_t max_computed_elements = std::uint64_t{1} << 20;

/// Returns a report with the input, and with the references, converted to the outputs' types, as outputs.
/// Report::computed is true and there are no timings. `prepared` must be valid.
Report compute_report(const PreparedExperiment& prepared);
/// Returns the same for pictures; nullopt if it would take long. Without outputs if the variant is wrong on
/// purpose: the right results would not show its mistake.
std::optional<Report> compute_report_for_pictures(const PreparedExperiment& prepared);

}  // namespace gridstride
