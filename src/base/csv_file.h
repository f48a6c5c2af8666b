// A CSV that grows while long work goes on: rows go to a temporary file beside the target.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace gridstride {

/// What is written stands in a temporary file until finish() gives it its name, so that a target that was
/// there before stays whole, and no row waits in memory. A device or a pipe is written in place.
class CsvFile {
 public:
    /// Throws FileError if the file could not be written.
    explicit CsvFile(std::filesystem::path path);
    /// Without finish() nothing is left.
    ~CsvFile();
    CsvFile(const CsvFile&) = delete;
    CsvFile& operator=(const CsvFile&) = delete;

    /// Whole records. They have reached the system when it returns. Throws FileError.
    void append(std::string_view records);

    /// Gives the file its name. Throws FileError.
    void finish();

 private:
    struct Output;
    std::unique_ptr<Output> output_;
};

}  // namespace gridstride
