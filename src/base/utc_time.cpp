#include "base/utc_time.h"

#include <fmt/chrono.h>

#include <chrono>

namespace gridstride {

std::string utc_now() {
    const auto now = std::chrono::system_clock::now();
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(now)),
                       milliseconds);
}

std::string format_utc_minute(std::string_view utc) {
    constexpr std::size_t day = 10, minute = 5;
    if (utc.size() < day + 1 + minute) return "at an unknown time";
    return fmt::format("{} {} UTC", utc.substr(0, day), utc.substr(day + 1, minute));
}

}  // namespace gridstride
