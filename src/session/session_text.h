// The session's run in words: the verdict above the result, and the progress while it runs.
#pragma once

#include <string>
#include <vector>

#include "jobs/job_queue.h"
#include "lesson/plot.h"

namespace gridstride {

class Session;

struct VerdictText {
    std::string text;
    ColorRole color_role = ColorRole::quiet;
    std::string answer = {};      ///< for example "total 524 800"
    std::string errors = {};      ///< of an inexact result
    std::string input_text = {};  ///< what was read of the user's file; empty for the lesson's input

    /// Answer, errors and input text, without those that are empty.
    std::vector<std::string> details() const;
    std::string whole() const;  ///< the text and its details
};

VerdictText session_verdict(const Session& session);

/// Returns the progress, for example "12 of 45 · about 8 s left" or "7 s elapsed", the longest form first.
std::vector<std::string> describe_progress(const JobState& job);
/// Returns the longest form of the progress, or that the job is queued.
std::string describe_state(const JobState& job);

/// Returns why the trace for a picture is missing or out of date; empty if nothing delays it.
std::string trace_delay_reason(const Session& session);

}  // namespace gridstride
