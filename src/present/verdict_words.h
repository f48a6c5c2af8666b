// What became of a run, in words: its verdict, what to do next, what stands where times would.
#pragma once

#include <string>

#include "lesson/plot.h"
#include "lesson/report.h"

namespace gridstride {

Ink ink_of(Status status);

/// One word with its mark, for a row of a table.
std::string verdict_word(const Report& report);

/// The report's message, and what to do next where it does not say so. Empty: nothing to say.
std::string message_in_words(const Report& report);

/// Why there are no times: for the place where they would stand. Null: nothing has run yet.
std::string why_no_times(const Report* report);

}  // namespace gridstride
