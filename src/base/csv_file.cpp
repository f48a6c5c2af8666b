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
    : path_(path), file_(path, ".csv"), pending_(header) {
    if (const int error = flush_records(); error != 0) throw_cannot_write(path, write_error_text(error));
    header_size_ = records_size_;
}

CsvFile::~CsvFile() {
    if (records_size_ > header_size_) file_.keep();
}

int CsvFile::flush_records() {
    const std::size_t written_bytes = write_all(file_.descriptor(), pending_);
    if (written_bytes == pending_.size()) {
        records_size_ += static_cast<off_t>(written_bytes);
        pending_.clear();
        return 0;
    }
    const int error = errno;
    if (file_.is_in_place() || ::ftruncate(file_.descriptor(), records_size_) != 0)
        pending_.erase(0, written_bytes);
    return error;
}

void CsvFile::append(std::string_view records) {
    pending_ += records;
    if (const int error = flush_records(); error != 0)
        throw_cannot_write(path_,
                           write_error_text(error) + " The missing rows will be written with the next ones.");
}

void CsvFile::finish() {
    int error = flush_records();
    const bool is_empty = records_size_ == header_size_;
    if (is_empty && error == 0) return;
    if (is_empty) throw_cannot_write(path_, write_error_text(error) + " No row was saved.");
    if (!file_.close() && error == 0) error = errno;
    std::string cause;
    if (error != 0) {
        std::size_t missing = 0;
        for_each_csv_record(pending_, ',', [&](std::size_t, const auto&) { ++missing; });
        cause =
            fmt::format(" {} {}.", write_error_text(error),
                        missing == 1 ? "The last row is missing"
                                     : fmt::format("The last {} rows are missing", format_count(missing)));
    }
    std::filesystem::path saved_path = path_;
    if (!file_.rename_to_target()) {
        cause += fmt::format(" {}.", std::generic_category().message(errno));
        saved_path = std::filesystem::absolute(file_.temporary());
    }
    if (!cause.empty())
        throw FileError(fmt::format("Cannot write all of {}:{} The rows written are in {}.",
                                    quote_path(path_), cause, quote_path(saved_path)));
}

}  // namespace gridstride
