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
#include "present/report_csv.h"
#include "standard_output.h"

namespace gridstride::app {

namespace {

/// Returns "12 rows", or "rows" for a file that is too large to count.
std::string rows_of(const std::filesystem::path& file) {
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

void name_left_behind(const std::filesystem::path& file) {
    static std::set<std::filesystem::path> named;
    for (const std::filesystem::path& left : left_behind_in(write_target(file).parent_path())) {
        if (!named.insert(left).second) continue;
        if (left.native().ends_with(".csv.tmp"))
            say("{} has {} of a command that was killed. Rename it to keep them, or delete it.",
                quoted_path(left), rows_of(left));
        else
            say("{} is a partial file of a command that was killed. Delete it.", quoted_path(left));
    }
}

CsvRows::CsvRows(const std::string& csv) : to_stdout_(csv == "-") {
    if (to_stdout_) print("{}", csv_header());
    if (csv.empty() || to_stdout_) return;
    name_left_behind(csv);
    file_.emplace(csv, csv_header());
}

CsvRows::~CsvRows() {
    finish();
}

void CsvRows::write(const Report& report) {
    any_ = true;
    const std::string records = csv_rows(report);
    if (to_stdout_) {
        print("{}", records);
        flush_stdout();
    }
    if (!file_) return;
    try {
        file_->append(records);
    } catch (const FileError& error) {
        if (!std::exchange(complained_, true)) say("{}", error.what());
    }
}

bool CsvRows::finish() {
    if (!file_) return true;
    const bool is_whole = saved([&] { file_->finish(); });
    file_.reset();
    return is_whole;
}

}  // namespace gridstride::app
