// The time of day, the same for readers everywhere.
#pragma once

#include <string>
#include <string_view>

namespace gridstride {

/// Now, as ISO 8601 in UTC: "2026-11-22T14:03:00.123Z". Its first ten characters are the day.
std::string utc_time();

/// Such a time as it is read, to the minute: "2026-11-22 14:03 UTC".
std::string utc_minute(std::string_view utc);

}  // namespace gridstride
