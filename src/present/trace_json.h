// Writes a kernel's trace: with its findings as JSON, and as a CSV table of its records.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lesson/report.h"
#include "present/report_json.h"
#include "trace/findings.h"

namespace gridstride {

/// Returns the report of a traced run, which has no times. assets/manual/command_line.md documents the keys.
/// `records` and `findings` belong to the report's trace; `reason` says why there is no trace, else is empty.
Json trace_json(const Report& report, std::span<const trace::Record> records,
                std::span<const trace::Finding> findings, const std::string& reason);

/// Returns a CSV with a heading and a row for each record; assets/manual/command_line.md documents the
/// columns.
std::string trace_csv(const trace::Trace& trace, std::span<const trace::Record> records);

/// Returns the accessed variable: "sums", "particles.velocity"; empty for a barrier.
std::string variable_name(const trace::Site& site);

}  // namespace gridstride
