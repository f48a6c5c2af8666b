// A recording and what it shows, as JSON for programs and as a table of its records.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lesson/report.h"
#include "present/report_json.h"
#include "trace/findings.h"

namespace gridstride {

/// The report of a recorded run without what recording has none of (times). Keys: see
/// assets/manual/command_line.md. records and findings: of the report's trace; reason: why there are none,
/// else empty.
Json trace_json(const Report& report, std::span<const trace::Record> records,
                std::span<const trace::Finding> findings, const std::string& reason);

/// Header and one row a record, in the order in which they are given.
std::string trace_csv(const trace::Trace& trace, std::span<const trace::Record> records);

/// "sums", "particles.velocity"; empty for a barrier.
std::string variable_of(const trace::Site& site);

}  // namespace gridstride
