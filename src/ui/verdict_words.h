// What became of a run, in words: the verdict over the result, what to do next, what stands where times
// would.
#pragma once

#include <optional>
#include <string>

#include "lab/request.h"
#include "lesson/plot.h"
#include "lesson/report.h"

namespace gridstride::ui {

class Session;

struct Verdict {
    std::string text;
    Ink ink = Ink::quiet;
};

/// Of the run that the session shows. The first number of the lesson's answer stands with a right one.
Verdict verdict_of(const Session& session);

Ink ink_of(Status status);

/// One word with its mark, for a row of a table.
std::string verdict_word(const Report& report);

/// The report's message, and what to do next where it does not say so. Empty: nothing to say.
std::string message_in_words(const Report& report);

/// Why there are no times: for the place where they would stand. Null: nothing has run yet.
std::string why_no_times(const Report* report);

/// "slice 96 of 400, about 8 s left": empty for a launch of one piece, or while nothing is known.
std::string slices_in_words(const std::optional<lab::Progress>& progress, bool with_time_left);

/// How long a run has been without a result, and how to end it; empty for the first second.
std::string waiting_in_words(std::optional<double> seconds, bool compiling);
std::string waiting_in_few_words(std::optional<double> seconds);

}  // namespace gridstride::ui
