#pragma once

#include <cstdint>

#include "lesson/report.h"

namespace gridstride {

/// A run that ended, as the table of runs shows it.
struct HistoryEntry {
    std::uint64_t number = 0;  ///< from 1, in this session
    Report report;             ///< without its arrays
};

}  // namespace gridstride
