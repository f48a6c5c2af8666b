// What the session shows of its run, in words: the verdict over the result, and what is said while one waits.
#pragma once

#include <string>
#include <vector>

#include "jobs/job_queue.h"
#include "lesson/plot.h"

namespace gridstride {

class Session;

struct Verdict {
    std::string text;
    Ink ink = Ink::quiet;
    std::string answer = {};  ///< "total 524 800" of a right one, then the errors of one that is not exact
    std::string taken = {};  ///< what was read of the person's own file; empty: the input is the lesson's own
    /// What stands under the verdict.
    std::string details() const {
        return answer.empty() || taken.empty() ? answer + taken : answer + " · " + taken;
    }
    /// All in one line.
    std::string whole() const { return details().empty() ? text : text + " · " + details(); }
};

/// Of the run that the session shows.
Verdict verdict_of(const Session& session);

/// "12 of 45 · about 8 s left", "7 s so far": the longest form first.
std::vector<std::string> progress_in_words(const JobState& job);
/// The same, or that it waits.
std::string state_in_words(const JobState& job);

/// Why the recording that a picture is drawn from is not there, or not of what is on the bench; empty: it
/// waits for nothing.
std::string what_recording_waits_for(const Session& session);

}  // namespace gridstride
