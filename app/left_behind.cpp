#include "left_behind.h"

#include <cstddef>
#include <set>
#include <string>

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "base/temporary_file.h"
#include "base/units.h"
#include "standard_output.h"

namespace gridstride::app {

namespace {

/// "12 rows", as far as they can be counted in a moment.
std::string rows_of(const std::filesystem::path& file) {
    constexpr std::uintmax_t most_bytes = std::uintmax_t{16} << 20;
    std::size_t records = 0;
    try {
        for_each_csv_record(read_file(file, most_bytes), ',', [&](std::size_t, const auto&) { ++records; });
    } catch (const FileError&) {
        return "rows";
    }
    return counted(records > 0 ? records - 1 : 0, "row");  // without the header
}

}  // namespace

void name_left_behind(const std::filesystem::path& file) {
    static std::set<std::filesystem::path> named;
    for (const std::filesystem::path& left : left_behind_in(write_target(file).parent_path())) {
        if (!named.insert(left).second) continue;
        if (left.native().ends_with(".csv.tmp"))
            say("{} holds {} of a command that was killed. Rename it to keep them, or delete it.",
                quoted_path(left), rows_of(left));
        else
            say("{} is part of a file that a command was writing when it was killed. Delete it.",
                quoted_path(left));
    }
}

}  // namespace gridstride::app
