#pragma once

#include <string>
#include <string_view>

namespace gridstride {

/// Returns the current time as ISO 8601, "2026-11-22T14:03:00.123Z". The first ten characters are the date.
std::string utc_now();

/// Formats such a time to the minute: "2026-11-22 14:03 UTC".
std::string format_utc_minute(std::string_view utc);

}  // namespace gridstride
