// Writes reports as CSV, one row per sample. Command line and window write the same columns.
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

/// Returns the header line. The columns are fixed; assets/manual/command_line.md documents them.
std::string csv_header();

/// Returns the rows of one report, as many as its longest series has samples; shorter series have empty
/// fields. A report without samples has one row without times.
std::string csv_rows(const Report& report);
std::size_t csv_row_count(const Report& report);

using Reports = std::vector<std::shared_ptr<const Report>>;
std::size_t csv_row_count(const Reports& reports);
struct CsvText {
    std::string text;
    std::size_t rows = 0;  ///< below the header
};
/// Returns header and rows. May be called on any thread. Throws Cancelled.
CsvText make_csv(const Reports& reports, FileProgress* progress = nullptr);

/// The key, in the column `parameters`, of the name of the user's input. The key `input_crc32` holds the
/// checksum of its numbers, which identifies the input.
inline constexpr std::string_view input_name_parameter = "input";

/// Returns the parameters that share the column `parameters`: those of the lesson, and the seed.
std::vector<const Parameter*> parameters_without_column(const Lesson& lesson);

}  // namespace gridstride
