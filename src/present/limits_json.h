// Writes what limits a run as JSON.
#pragma once

#include "explain/run_limits.h"
#include "lesson/report.h"
#include "present/report_json.h"

namespace gridstride {

/// assets/manual/command_line.md documents the keys.
Json limits_json(const Report& report, const RunLimits& limits);

}  // namespace gridstride
