// The interface of the lab for the window and the command line: requests go in, reports come out, all as
// values. The lab is a second process of the same program, so that a kernel can neither freeze nor crash this
// one.
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

    /// Submits a request; the latest wins. It replaces a request that has not started, ends the sampling of a
    /// run that has first results, and aborts a run that has none within a second. Returns at once.
    virtual void submit(Request request) = 0;

    /// Waits for the next report, oldest first. Returns nullopt on timeout. Throws NoDevice if the lab found
    /// no device, after the reports made before.
    virtual std::optional<Report> wait(std::chrono::milliseconds timeout) = 0;
    /// Like wait(), without waiting.
    std::optional<Report> poll() { return wait(std::chrono::milliseconds(0)); }

    /// Aborts the active run within a fraction of a second, even if the device hangs: a lab that does not
    /// stop by itself is killed and restarted. Later requests are unaffected. The final report has
    /// Status::stopped and the samples measured so far.
    virtual void cancel() = 0;

    virtual bool is_busy() const = 0;

    /// Returns the progress of the active run, if known. Does not block.
    virtual std::optional<RunProgress> progress() const { return std::nullopt; }

    /// Returns the device's limits, or null while the lab opens the device. Does not block. Throws NoDevice.
    virtual const Limits* limits_if_ready() = 0;
    /// Waits for the device's limits. Throws NoDevice.
    const Limits& limits();
};

/// The wait for the device ended before the lab had opened it.
struct NotReady : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Waits for the device's limits, because a driver may take arbitrarily long to open a device. Ends when
/// interrupted() returns true or after deadline_seconds (0: no limit). Throws NotReady and NoDevice.
const Limits& wait_for_limits(Client& client, double deadline_seconds,
                              const std::function<bool()>& interrupted);

struct LabOptions {
    std::string device;               ///< as in gpu::find_device()
    double deadline_seconds = 0;      ///< for requests without one; 0: default_deadline_seconds()
    std::function<void()> on_change;  ///< called on the client's thread on any news; wakes a window
    std::filesystem::path program = "/proc/self/exe";  ///< the lab's executable
};

/// Submits a request and waits for its final report. Calls interrupted() every few milliseconds; cancels the
/// run if it returns true.
Report run_and_wait(Client& client, Request request, const std::function<bool()>& interrupted);

}  // namespace gridstride::lab
