// Reports as CSV, one row a sample: the same columns from the command line and the window.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_progress.h"
#include "lesson/lesson.h"
#include "lesson/report.h"

namespace gridstride {

/// The header line. The columns are always these: see assets/manual/command_line.md.
std::string csv_header();

/// The rows of one report, as many as its longest series has samples, with empty fields where a series has
/// none left; one row without times for a report without samples.
std::string csv_rows(const Report& report);
std::size_t csv_row_count(const Report& report);

/// What somebody else may hold as well, and nobody changes.
using Reports = std::vector<std::shared_ptr<const Report>>;
/// How many rows csv_of() makes of them.
std::size_t csv_row_count(const Reports& reports);
struct CsvText {
    std::string text;
    std::size_t rows = 0;  ///< below the header
};
/// Header and rows, on any thread. Throws Cancelled.
CsvText csv_of(const Reports& reports, FileProgress* progress = nullptr);

/// In the column `parameters`, the name of the person's own input; what tells inputs apart is the checksum of
/// their numbers, beside it.
inline constexpr std::string_view input_name_parameter = "input";

/// Those that share the column `parameters`: the lesson's own, and the seed, which has no column of its own.
std::vector<const Parameter*> parameters_without_column(const Lesson& lesson);

}  // namespace gridstride
