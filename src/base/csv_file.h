// A CSV that grows while long work goes on: rows go to a temporary file beside the target.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"

namespace gridstride {

/// What is written stands in a temporary file until finish() gives it its name, so that a target that was
/// there before stays whole, and no row waits in memory for longer than the disk is full. A device or a pipe
/// is written in place. No row that reached the disk is ever removed.
class CsvFile {
 public:
    /// Throws FileError if the file, or this header, could not be written.
    CsvFile(const std::filesystem::path& path, std::string_view header);
    /// Without finish() the temporary file stays, unless it holds no row.
    ~CsvFile();

    /// Whole records. They have reached the system when it returns. Those that find no room are tried again
    /// with the next ones and by finish(). Throws FileError.
    void append(std::string_view records);

    /// Gives the file its name; without any row what had that name stays. Throws FileError, which says which
    /// rows lie where: a file that holds some of the rows is given its name all the same.
    void finish();

 private:
    /// 0, or errno of what stopped it. The file holds whole records then.
    int write_rest();

    std::filesystem::path path_;  ///< as asked for
    OutputFile file_;
    std::string rest_;      ///< whole records that found no room, or what a pipe did not take
    off_t whole_size_ = 0;  ///< of the records in the file
    off_t header_size_ = 0;
};

}  // namespace gridstride
