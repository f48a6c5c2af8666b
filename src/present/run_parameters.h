// What tells a run from others of its lesson and has no column of its own in the table of runs, in words.
#pragma once

#include <deque>
#include <string>

#include "present/history_entry.h"

namespace gridstride {

/// "bins 256, seed 7": the parameters that share the CSV's column `parameters`, those away from the lesson's
/// defaults alone, the lesson's own in its order, then the seed, then the person's own file: "input
/// pulse.wav". Empty: all are defaults.
std::string parameters_in_words(const Report& report);

/// The longest of the runs' words. Runs are only ever added: looks at each once.
class LongestParameters {
 public:
    /// Empty: every run has its lesson's defaults.
    const std::string& among(const std::deque<HistoryEntry>& runs);

 private:
    std::size_t seen_ = 0;
    std::string last_seen_;  ///< its run_id; another one there means that these are other runs
    std::string longest_;
};

}  // namespace gridstride
