#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"

namespace gridstride {

/// Writes to a temporary file beside the target, which finish() renames, so that an existing target stays
/// intact and no row is held in memory longer than the disk is full. A device or a pipe is written in place.
/// Rows that reached the disk are never removed.
class CsvFile {
 public:
    /// Throws FileError if the file or the header cannot be written.
    CsvFile(const std::filesystem::path& path, std::string_view header);
    /// Without finish(), the temporary file is left in place unless it holds no row.
    ~CsvFile();

    /// Takes whole records and returns when the system has them. Records that could not be written are
    /// retried by the next append() and by finish(). Throws FileError.
    void append(std::string_view records);

    /// Renames the temporary file to the target; without any row, an existing target is left as it is. Throws
    /// FileError, with the path of the written rows; a file with some of the rows is renamed all the same.
    void finish();

 private:
    /// Returns 0 or an errno. In both cases the file holds whole records only.
    int flush_records();

    std::filesystem::path path_;  ///< as passed by the caller
    OutputFile file_;
    std::string pending_;     ///< records not written yet; for a pipe, its last record may be partial
    off_t records_size_ = 0;  ///< bytes of whole records in the file
    off_t header_size_ = 0;
};

}  // namespace gridstride
