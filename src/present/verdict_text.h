// Texts about a run for the window and the command line: device, parameters, verdict, times, next steps.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "lesson/plot.h"
#include "lesson/report.h"

namespace gridstride {

ColorRole report_color(const Report& report);
/// Adds a mark for readers who cannot distinguish colours: "✓ equal", "✗ wrong", "! on purpose".
std::string with_mark(ColorRole color_role, std::string_view text);

/// Returns the verdict with its mark for a table: "✓ equal", "✗ wrong", "not judged".
std::string verdict_word(const Report& report);
/// Returns the verdict as a phrase with its mark, shown above the result.
std::string describe_verdict(const Report& report);
std::string verdict_without_mark(const Report& report);
/// Returns "largest error 1.2e-7, allowed there 3e-7"; empty if results are compared exactly or not finite.
std::string describe_errors(const Report& report);
/// Returns the first number of the lesson's answer, "total 524 800"; empty if the run is not right.
std::string describe_answer(const Report& report);

/// Returns "NVIDIA H200" or "llvmpipe (software device)".
std::string describe_device(const std::string& name, bool is_cpu);

/// Returns the settings of a run that have no column in the table of runs: "bins 256, seed 7". These are the
/// parameters of the CSV's column `parameters` that differ from their defaults, in the lesson's order, then
/// the seed, then the user's input file: "input pulse.wav". Empty if all are defaults.
std::string describe_parameters(const Report& report);

/// Returns "21.4 µs ± 0.2 µs": the median and, if there are several samples, half its 95 % interval.
std::string describe_time(const Summary& times);

/// Returns the median in microseconds, for a column of a table; "–" if there is none.
std::string microseconds(const Timing& timing);

/// Returns the report's message and, if the message does not say it, what to do next. Empty if there is none.
std::string describe_message(const Report& report);

std::vector<std::pair<std::string, Quantity>> ceiling_rows(const Ceilings& ceilings);

/// Explains why there are no times. The report is null if nothing has run yet.
std::string no_times_reason(const Report* report);

}  // namespace gridstride
