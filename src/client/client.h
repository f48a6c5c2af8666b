// The lab as the window and the command line see it: requests go in, reports come out, nothing but values
// crosses. The lab is a second process of the same program, so that nothing that a kernel does can freeze or
// end this one.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
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

    /// The next report, oldest first; nullopt when there is none. Never waits. Throws NoDevice if the lab
    /// found no device, after the reports that were made before that.
    virtual std::optional<Report> poll() = 0;

    /// Waits for the next report; nullopt when the time is over first.
    virtual std::optional<Report> wait(std::chrono::milliseconds patience) = 0;

    /// Gives up the request in the air, within a fraction of a second whatever the device does: a lab that
    /// does not stop by itself is ended and started again. A request that follows is not meant. The final
    /// report says timed_out and holds the samples so far.
    virtual void cancel() = 0;

    virtual bool busy() const = 0;

    /// How far the run in the air has come; nullopt while nothing is known of it. Never waits.
    virtual std::optional<Progress> progress() const { return std::nullopt; }

    /// The device's limits; waits until the lab has opened it. Throws NoDevice.
    virtual const Limits& limits() = 0;
    /// The same without waiting: null while the lab is opening it.
    virtual const Limits* limits_if_ready() = 0;
};

struct LabOptions {
    std::string device;           ///< as in gpu::choose_device()
    double deadline_seconds = 0;  ///< of requests that name none; 0: default_deadline_seconds()
    std::function<void()>
        on_change;  ///< called on the client's thread whenever there is news: wakes a window
    std::filesystem::path program = "/proc/self/exe";  ///< what is started as the lab
};

/// A lab in a process of its own, at a lower priority. A request that runs past its deadline is reported as
/// timed_out; one that ends the lab is tried again, and reported as lost after the third time. Either way the
/// lab is started anew at once. One that ends three times in a row while nothing runs waits for a request.
std::unique_ptr<Client> start_lab(LabOptions options);

/// Submits and waits for the final report. Asks interrupted() every few milliseconds, and cancels when it
/// says so. on_progress, if given, hears how far a long pass has come.
Report run_to_end(Client& client, Request request, const std::function<bool()>& interrupted,
                  const std::function<void(const Progress&)>& on_progress = {});

}  // namespace gridstride::lab
