// Parses a whole CSV text into records.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"

namespace gridstride {

inline std::vector<std::vector<std::string>> parse_csv(std::string_view text, char separator = ',') {
    std::vector<std::vector<std::string>> records;
    for_each_csv_record(text, separator, [&](std::size_t, const std::vector<std::string>& fields) {
        records.push_back(fields);
    });
    return records;
}

}  // namespace gridstride
