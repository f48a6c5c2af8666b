// A run in words: its device, its parameters, its verdict, its times, what to do next, what stands where
// times would.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "lesson/plot.h"
#include "lesson/report.h"

namespace gridstride {

Ink ink_of(const Report& report);
/// Behind the mark of its ink, for who does not see colours: "✓ equal", "✗ wrong", "! on purpose".
std::string marked(Ink ink, std::string_view text);

/// One word with its mark, for a row of a table.
std::string verdict_word(const Report& report);
/// The same over the result.
std::string verdict_in_words(const Report& report);
std::string verdict_without_mark(const Report& report);
/// "largest error 1.2e-7, allowed there 3e-7", of that run; empty where a result is exact, or has no number.
std::string errors_in_words(const Report& report);
/// The first number of the lesson's answer, "total 524 800"; empty where it is not right.
std::string answer_in_words(const Report& report);

/// "NVIDIA H200", "llvmpipe (software device)"
std::string device_in_words(const std::string& name, bool is_cpu);

/// What tells a run from others of its lesson and has no column of its own in the table of runs, "bins 256,
/// seed 7": the parameters that share the CSV's column `parameters`, those away from the lesson's defaults
/// alone, the lesson's own in its order, then the seed, then the person's own file: "input pulse.wav". Empty:
/// all are defaults.
std::string parameters_in_words(const Report& report);

/// "21.4 µs ± 0.2 µs": the median with half its 95 % interval, where there is one.
std::string time_in_words(const Summary& times);

/// The median, for a column of a table; "–" where there is none.
std::string microseconds(const Timing& timing);

/// The report's message for the window, and what to do next where it does not say so. Empty: nothing to say.
std::string message_in_words(const Report& report);

/// What the device can do at best, a row each: what it is and the number.
std::vector<std::pair<std::string, Quantity>> ceilings_in_rows(const Ceilings& ceilings);

/// Why there are no times: for the place where they would stand. Null: nothing has run yet.
std::string why_no_times(const Report* report);

}  // namespace gridstride
