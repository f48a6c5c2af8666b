// The lab as the window and the command line see it: requests go in, reports come out, nothing but values
// crosses. The lab is a second process of the same program, so that nothing that a kernel does can freeze or
// end this one.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "lab/request.h"
#include "launch/limits.h"
#include "lesson/report.h"

namespace gridstride::lab {

class Client {
 public:
    virtual ~Client() = default;

    /// Replaces a request that has not started, ends the sampling of one that has its first results, and
    /// gives one up that has none within a second: the latest wins. Returns at once.
    virtual void submit(Request request) = 0;

    /// Waits for the next report, oldest first; nullopt when the time is over first. Throws NoDevice if the
    /// lab found no device, after the reports that were made before that.
    virtual std::optional<Report> wait(std::chrono::milliseconds patience) = 0;
    /// The same without waiting.
    std::optional<Report> poll() { return wait(std::chrono::milliseconds(0)); }

    /// Gives up the request in the air, within a fraction of a second whatever the device does: a lab that
    /// does not stop by itself is ended and started again. A request that follows is not meant. The final
    /// report says timed_out and holds the samples so far.
    virtual void cancel() = 0;

    virtual bool busy() const = 0;

    /// How far the run in the air has come; nullopt while nothing is known of it. Never waits.
    virtual std::optional<Progress> progress() const { return std::nullopt; }

    /// The device's limits; null while the lab is opening it. Never waits. Throws NoDevice.
    virtual const Limits* limits_if_ready() = 0;
    /// The same, however long it takes.
    const Limits& limits();
};

/// The lab has no device yet, and nobody waits any longer.
struct NotReady : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The device's limits, for whose opening a driver may take for ever. Waits for them until interrupted() says
/// so, or for so many seconds (0: as long as the client does). Throws NotReady and NoDevice.
const Limits& limits_in_time(Client& client, double deadline_seconds,
                             const std::function<bool()>& interrupted);

struct LabOptions {
    std::string device;           ///< as in gpu::choose_device()
    double deadline_seconds = 0;  ///< of requests that name none; 0: default_deadline_seconds()
    std::function<void()>
        on_change;  ///< called on the client's thread whenever there is news: wakes a window
    std::filesystem::path program = "/proc/self/exe";  ///< what is started as the lab
};

/// Submits and waits for the final report. Asks interrupted() every few milliseconds, and cancels when it
/// says so.
Report run_to_end(Client& client, Request request, const std::function<bool()>& interrupted);

}  // namespace gridstride::lab
