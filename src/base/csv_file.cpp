#include "base/csv_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/csv.h"
#include "base/error.h"
#include "base/text.h"
#include "base/units.h"

namespace gridstride {

CsvFile::CsvFile(const std::filesystem::path& path, std::string_view header)
    : path_(path), file_(path, ".csv"), rest_(header) {
    if (const int error = write_rest(); error != 0) cannot_write(path, why_not_written(error));
    header_size_ = whole_size_;
}

CsvFile::~CsvFile() {
    if (whole_size_ > header_size_) file_.keep();
}

int CsvFile::write_rest() {
    const std::size_t written = write_all(file_.descriptor(), rest_);
    if (written == rest_.size()) {
        whole_size_ += static_cast<off_t>(written);
        rest_.clear();
        return 0;
    }
    const int error = errno;
    if (file_.in_place() || ::ftruncate(file_.descriptor(), whole_size_) != 0) rest_.erase(0, written);
    return error;
}

void CsvFile::append(std::string_view records) {
    rest_ += records;
    if (const int error = write_rest(); error != 0)
        cannot_write(path_, why_not_written(error) + " The missing rows will be written with the next ones.");
}

void CsvFile::finish() {
    int error = write_rest();
    const bool is_empty = whole_size_ == header_size_;
    if (is_empty && error == 0) return;
    if (is_empty) cannot_write(path_, why_not_written(error) + " No row was saved.");
    if (!file_.close() && error == 0) error = errno;
    std::string why;
    if (error != 0) {
        std::size_t missing = 0;
        for_each_csv_record(rest_, ',', [&](std::size_t, const auto&) { ++missing; });
        why = fmt::format(" {} {}.", why_not_written(error),
                          missing == 1 ? "The last row is missing"
                                       : fmt::format("The last {} rows are missing", format_count(missing)));
    }
    std::filesystem::path lies_in = path_;
    if (!file_.rename_to_target()) {
        why += fmt::format(" {}.", std::generic_category().message(errno));
        lies_in = std::filesystem::absolute(file_.temporary());
    }
    if (!why.empty())
        throw FileError(fmt::format("Cannot write all of {}:{} The rows written are in {}.",
                                    quoted_path(path_), why, quoted_path(lies_in)));
}

}  // namespace gridstride
