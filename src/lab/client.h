// The lab as the window and the command line see it: requests go in, reports come out, nothing but values
// crosses. Today the lab is a thread of this process.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lab/request.h"
#include "lesson/limits.h"
#include "lesson/report.h"

namespace gridstride::lab {

class Client {
 public:
    virtual ~Client() = default;

    /// Replaces a request that has not started, and ends the sampling of one that has its first results: the
    /// latest wins. Returns at once.
    virtual void submit(Request request) = 0;

    /// The next report, oldest first; nullopt when there is none. Never waits. Throws NoDevice if the lab
    /// found no device.
    virtual std::optional<Report> poll() = 0;

    /// Waits for the next report; nullopt when the time is over first.
    virtual std::optional<Report> wait(std::chrono::milliseconds patience) = 0;

    /// Gives up the request in the air as soon as its current submission ends; its report says timed_out or
    /// holds the samples so far.
    virtual void cancel() = 0;

    virtual bool busy() const = 0;

    /// The device's limits; waits until the lab has opened it. Throws NoDevice.
    virtual const Limits& limits() = 0;
    /// The same without waiting: null while the lab is opening it.
    virtual const Limits* limits_if_ready() = 0;
};

/// A lab on a thread of its own, at a lower priority. device as in gpu::choose_device(). on_report is called
/// on the lab's thread whenever poll() has something new: it wakes a sleeping window.
std::unique_ptr<Client> start_lab(std::string device, std::function<void()> on_report);

/// Submits and waits for the final report. Asks interrupted() every few milliseconds, and cancels when it
/// says so.
Report run_to_end(Client& client, Request request, const std::function<bool()>& interrupted);

}  // namespace gridstride::lab
