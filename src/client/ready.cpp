#include "client/ready.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "base/elapsed.h"
#include "base/units.h"

namespace gridstride::lab {

const Limits& limits_in_time(Client& client, double deadline_seconds,
                             const std::function<bool()>& interrupted) {
    constexpr std::chrono::milliseconds between_looks{5};
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
        if (const Limits* const limits = client.limits_if_ready()) return *limits;
        if (interrupted()) throw NotReady("Stopped before the lab, which does the computing, had a device.");
        if (deadline_seconds > 0 && seconds_since(start) > deadline_seconds)
            throw NotReady(
                fmt::format("The lab, which does the computing, had no device within the deadline of {} s. "
                            "Allow more time "
                            "(--deadline), or see what is in the way: \"gridstride doctor\".",
                            format_significant(deadline_seconds)));
        std::this_thread::sleep_for(between_looks);
    }
}

}  // namespace gridstride::lab
