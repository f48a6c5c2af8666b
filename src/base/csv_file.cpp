#include "base/csv_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "base/temporary_file.h"
#include "base/units.h"

namespace gridstride {

namespace fs = std::filesystem;

struct CsvFile::Output {
    fs::path path;  ///< as asked for
    std::optional<TemporaryFile> temporary;
    int in_place = -1;     ///< a device or a pipe
    std::string rest;      ///< whole records that found no room, or what a pipe did not take
    off_t whole_size = 0;  ///< of the records in the file
    off_t header_size = 0;

    Output() = default;
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output() {
        if (in_place >= 0) ::close(in_place);
        if (temporary && whole_size > header_size) temporary->keep();
    }

    /// 0, or errno of what stopped it. The file holds whole records then.
    int write_rest() {
        const std::size_t written = write_all(temporary ? temporary->descriptor() : in_place, rest);
        if (written == rest.size()) {
            whole_size += static_cast<off_t>(written);
            rest.clear();
            return 0;
        }
        const int error = errno;
        if (!temporary || ::ftruncate(temporary->descriptor(), whole_size) != 0) rest.erase(0, written);
        return error;
    }
    /// 0, or errno.
    int close() {
        if (temporary) return temporary->close() ? 0 : errno;
        return ::close(std::exchange(in_place, -1)) == 0 ? 0 : errno;
    }
    std::string rows_missing() const {
        std::size_t count = 0;
        for_each_csv_record(rest, ',', [&](std::size_t, const auto&) { ++count; });
        return count == 1 ? "The last row is missing"
                          : fmt::format("The last {} rows are missing", format_count(count));
    }
};

CsvFile::CsvFile(fs::path path, std::string_view header) : output_(std::make_unique<Output>()) {
    require_writable(path);
    output_->path = path;
    const fs::path target = write_target(path);
    struct stat status {};
    if (::stat(target.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
        output_->in_place = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
        if (output_->in_place < 0)
            throw FileError(fmt::format("Cannot write {}: {}. Choose another file.", quoted_path(path),
                                        std::generic_category().message(errno)));
    } else {
        output_->temporary.emplace(target, ".csv");
    }
    output_->rest = header;
    if (const int error = output_->write_rest(); error != 0)
        throw FileError(fmt::format("Cannot write {}: {}", quoted_path(path), why_not_written(error)));
    output_->header_size = output_->whole_size;
}

CsvFile::~CsvFile() = default;

void CsvFile::append(std::string_view records) {
    output_->rest += records;
    if (const int error = output_->write_rest(); error != 0)
        throw FileError(
            fmt::format("Cannot write {}: {} The rows that are missing are tried again with the "
                        "next ones.",
                        quoted_path(output_->path), why_not_written(error)));
}

void CsvFile::finish() {
    Output& my = *output_;
    int error = my.write_rest();
    const bool is_empty = my.whole_size == my.header_size;
    if (is_empty && error == 0) return;
    if (is_empty)
        throw FileError(fmt::format("Cannot write {}: {} None of its rows is kept.", quoted_path(my.path),
                                    why_not_written(error)));
    if (const int at_close = my.close(); error == 0) error = at_close;
    std::string why;
    if (error != 0) why = fmt::format(" {} {}.", why_not_written(error), my.rows_missing());
    fs::path lies_in = my.path;
    if (my.temporary && !my.temporary->rename_to_target()) {
        why += fmt::format(" {}.", std::generic_category().message(errno));
        lies_in = fs::absolute(my.temporary->path());
    }
    if (!why.empty())
        throw FileError(fmt::format("Cannot write all of {}:{} What was written is kept in {}.",
                                    quoted_path(my.path), why, quoted_path(lies_in)));
}

}  // namespace gridstride
