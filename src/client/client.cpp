#include "client/client.h"

#include <fmt/format.h>

#include <thread>

#include "base/elapsed.h"
#include "base/units.h"

namespace gridstride::lab {

using std::chrono::milliseconds;

const Limits& Client::limits() {
    return wait_for_limits(*this, 0, [] { return false; });
}

const Limits& wait_for_limits(Client& client, double deadline_seconds,
                              const std::function<bool()>& interrupted) {
    constexpr milliseconds poll_interval{5};
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
        if (const Limits* const limits = client.limits_if_ready()) return *limits;
        if (interrupted())
            throw NotReady("Stopped before the lab, the process that computes, had opened a device.");
        if (deadline_seconds > 0 && seconds_since(start) > deadline_seconds)
            throw NotReady(
                fmt::format("The lab, the process that computes, did not open a device within the deadline "
                            "of {} s. Set a longer deadline, or run \"gridstride doctor\" to find the cause.",
                            format_significant(deadline_seconds)));
        std::this_thread::sleep_for(poll_interval);
    }
}

Report run_and_wait(Client& client, Request request, const std::function<bool()>& interrupted) {
    const std::uint64_t id = request.id;
    client.submit(std::move(request));
    bool cancelled = false;
    for (;;) {
        if (std::optional<Report> report = client.wait(milliseconds(50)))
            if (report->request == id && report->is_final) return std::move(*report);
        if (!cancelled && interrupted()) {
            client.cancel();
            cancelled = true;
        }
    }
}

}  // namespace gridstride::lab
