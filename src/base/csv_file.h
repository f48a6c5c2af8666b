// A CSV that grows while long work goes on: rows go to a temporary file beside the target.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace gridstride {

/// What is written stands in a temporary file until finish() gives it its name, so that a target that was
/// there before stays whole, and no row waits in memory for longer than the disk is full. A device or a pipe
/// is written in place. No row that reached the disk is ever removed.
class CsvFile {
 public:
    /// Throws FileError if the file, or this header, could not be written.
    CsvFile(std::filesystem::path path, std::string_view header);
    /// Without finish() the temporary file stays, unless it holds no row.
    ~CsvFile();
    CsvFile(const CsvFile&) = delete;
    CsvFile& operator=(const CsvFile&) = delete;

    /// Whole records. They have reached the system when it returns. Those that find no room are tried again
    /// with the next ones and by finish(). Throws FileError.
    void append(std::string_view records);

    /// Gives the file its name; without any row what had that name stays. Throws FileError, which says which
    /// rows lie where: a file that holds some of the rows is given its name all the same.
    void finish();

 private:
    struct Output;
    std::unique_ptr<Output> output_;
};

}  // namespace gridstride
