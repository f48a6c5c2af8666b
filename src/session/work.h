// What a person did in a window, as it is kept in files and gone on with.
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

struct Work {
    Experiment bench;        ///< without an input of the person's own; without a lesson: none
    std::string step;        ///< its id; empty: the first
    std::string input_path;  ///< of that input; empty: the lesson's
    std::map<KernelKey, KernelEdit> kernels;
    std::deque<Report> runs;
    std::string pinned;  ///< the run's id; empty: none
    Reports sweep_cells;
    std::uint64_t order = 0;  ///< of its last change, as of next_order()
    std::string unread_runs;  ///< how many of the runs were not read and why, no full stop; empty: none
    std::vector<std::string> notes;  ///< sentences: what was left out, and why

    bool empty() const {
        return kernels.empty() && runs.empty() && sweep_cells.empty() && unread_runs.empty();
    }
};

}  // namespace gridstride
