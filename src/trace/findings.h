// Analyzes a trace: races, out-of-bounds accesses, divergent barriers, coverage of buffers, and how
// efficiently memory requests use the hardware. The analysis is linear in the number of records.
#pragma once

#include <span>
#include <vector>

#include "trace/finding.h"
#include "trace/races.h"

namespace gridstride::trace {

/// Returns the findings, ordered from problems to warnings, unknowns and results that are ok. Returns none if
/// the trace has a reason why the launch could not be traced.
std::vector<Finding> compute_findings(const Trace& trace, std::span<const Record> records);

}  // namespace gridstride::trace
