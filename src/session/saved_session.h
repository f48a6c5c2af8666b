// The state that a session saves to its files and restores from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "lesson/report.h"
#include "present/report_csv.h"
#include "session/kernel_edit.h"

namespace gridstride {

struct SavedSession {
    Experiment bench;        ///< without the user's input; without a lesson if there is no bench
    std::string step;        ///< its id; empty: the first step
    std::string input_path;  ///< the file of the user's input; empty: the lesson's input
    std::map<KernelKey, KernelEdit> kernels;
    std::deque<Report> runs;
    std::string pinned;  ///< the run's id; empty if none is pinned
    Reports sweep_cells;
    std::uint64_t order = 0;  ///< of its last change, from next_order()
    std::string unread_runs;  ///< how many runs were not read and why, without a full stop; empty if all were
    std::vector<std::string> notes;  ///< sentences: what was left out, and why

    bool empty() const {
        return kernels.empty() && runs.empty() && sweep_cells.empty() && unread_runs.empty();
    }
};

}  // namespace gridstride
