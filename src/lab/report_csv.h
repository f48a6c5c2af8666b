// Reports as CSV, one row a sample: the same columns from the command line and the window.
#pragma once

#include <string>

#include "lesson/report.h"

namespace gridstride::lab {

/// The header line. The columns are always these: see "CSV" in the README.
std::string csv_header();

/// The rows of one report; one row without times for a report without samples.
std::string csv_rows(const Report& report);

}  // namespace gridstride::lab
