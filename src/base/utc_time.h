// The time of day, the same for readers everywhere.
#pragma once

#include <string>

namespace gridstride {

/// Now, as ISO 8601 in UTC: "2026-11-22T14:03:00.123Z". Its first ten characters are the day.
std::string utc_time();

}  // namespace gridstride
