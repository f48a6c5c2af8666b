// Writes the rows of --csv while they are measured, and reports partial files of killed commands.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/csv_file.h"
#include "lesson/report.h"
#include "present/report_csv.h"

namespace gridstride::app {

/// Writes rows to a file, to stdout ("-"), or nowhere (""). A write error is reported on stderr once and does
/// not end the command, which still prints its table or JSON.
class CsvRowWriter {
 public:
    /// Throws FileError if the file cannot be written. Reports partial files of killed commands on stderr.
    explicit CsvRowWriter(const std::string& csv, const std::string& header = csv_header());
    /// Calls finish(), so that no row is lost if an exception is thrown.
    ~CsvRowWriter();
    CsvRowWriter(const CsvRowWriter&) = delete;
    CsvRowWriter& operator=(const CsvRowWriter&) = delete;

    void write(const Report& report) { write(csv_rows(report)); }
    void write(const std::string& records);
    /// Renames the temporary file to its final name. Without rows, an existing file stays. Returns false if a
    /// row could not be written.
    bool finish();
    bool any() const { return any_; }

 private:
    bool to_stdout_;
    bool any_ = false;
    bool is_error_reported_ = false;
    std::optional<CsvFile> file_;
};

/// Reports on stderr the hidden partial files in the folder of `file`, which is about to be written.
void report_partial_files(const std::filesystem::path& file);

}  // namespace gridstride::app
