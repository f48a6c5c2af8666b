// The rows of --csv go out as they are measured; what commands that were killed left of such files is named.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/csv_file.h"
#include "lesson/report.h"

namespace gridstride::app {

/// To the file, to stdout ("-"), or nowhere (""). What is in the way is said on stderr, once, and the work
/// goes on: the table and the JSON are still to come.
class CsvRows {
 public:
    /// Throws FileError where there is no way to write them. Rows of earlier commands that were killed are
    /// named on stderr.
    explicit CsvRows(const std::string& csv);
    /// Finishes, so that an exception loses no row.
    ~CsvRows();
    CsvRows(const CsvRows&) = delete;
    CsvRows& operator=(const CsvRows&) = delete;

    void write(const Report& report);
    /// Gives the file its name. Without any row what had that name stays. False where a row is missing.
    bool finish();
    bool any() const { return any_; }

 private:
    bool to_stdout_;
    bool any_ = false;
    bool complained_ = false;
    std::optional<CsvFile> file_;
};

/// Names on stderr what lies in hidden files in the folder of this file that is about to be written.
void name_left_behind(const std::filesystem::path& file);

}  // namespace gridstride::app
