#include "csv_rows.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "standard_output.h"

namespace gridstride::app {

namespace {

/// Returns "12 rows", or "rows" for a file that is too large to count.
std::string count_rows(const std::filesystem::path& file) {
    constexpr std::uintmax_t max_bytes = std::uintmax_t{16} << 20;
    std::size_t records = 0;
    try {
        for_each_csv_record(read_file(file, max_bytes), ',', [&](std::size_t, const auto&) { ++records; });
    } catch (const FileError&) {
        return "rows";
    }
    return counted(records > 0 ? records - 1 : 0, "row");  // without the header line
}

}  // namespace

void report_partial_files(const std::filesystem::path& file) {
    static std::set<std::filesystem::path> named;
    for (const std::filesystem::path& abandoned : find_abandoned_files(resolve_links(file).parent_path())) {
        if (!named.insert(abandoned).second) continue;
        if (abandoned.native().ends_with(".csv.tmp"))
            print_status("{} has {} of a command that was killed. Rename it to keep them, or delete it.",
                         quote_path(abandoned), count_rows(abandoned));
        else
            print_status("{} is a partial file of a command that was killed. Delete it.",
                         quote_path(abandoned));
    }
}

CsvRowWriter::CsvRowWriter(const std::string& csv, const std::string& header) : to_stdout_(csv == "-") {
    if (to_stdout_) print("{}", header);
    if (csv.empty() || to_stdout_) return;
    report_partial_files(csv);
    file_.emplace(csv, header);
}

CsvRowWriter::~CsvRowWriter() {
    finish();
}

void CsvRowWriter::write(const std::string& records) {
    any_ = true;
    if (to_stdout_) {
        print("{}", records);
        flush_stdout();
    }
    if (!file_) return;
    try {
        file_->append(records);
    } catch (const FileError& error) {
        if (!std::exchange(is_error_reported_, true)) print_status("{}", error.what());
    }
}

bool CsvRowWriter::finish() {
    if (!file_) return true;
    const bool is_whole = try_save([&] { file_->finish(); });
    file_.reset();
    return is_whole;
}

}  // namespace gridstride::app
