// Diagnoses this machine: the driver, the device, the lab, and the system resources they need. Failures are
// returned as findings, not thrown.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "lesson/lesson.h"

namespace gridstride::lab {

enum class CheckStatus {
    ok,
    warning,  ///< something is missing; features that do not need it work
    problem,  ///< there would be no results, or wrong ones
};

struct Check {
    std::string id;     ///< stable, for scripts: "loop_cap"
    std::string title;  ///< "Loop cap"
    CheckStatus status = CheckStatus::ok;
    std::string value;   ///< the finding
    std::string advice;  ///< what to do, in sentences; may be empty
};

/// Returns a check with CheckStatus::ok if `holds`, else with the status `failure_status` and the advice.
Check make_check(std::string id, std::string title, std::string value, bool holds = true,
                 std::string advice = {}, CheckStatus failure_status = CheckStatus::warning);

struct DeviceFindings {
    std::vector<Check> checks;
    bool is_usable = false;  ///< lessons can run on the device
    /// A probe did not return: end the process with std::_Exit(), because the driver's threads block a normal
    /// exit.
    bool hangs = false;
};

/// Checks the loader, all devices, the chosen device, its limits and its driver: probes the loop cap and
/// measures the bandwidth, unless it is cached. Takes seconds. `device_name` selects the device as in
/// gpu::find_device().
DeviceFindings check_devices(const std::string& device_name);

/// Starts a lab and runs the lesson once with 1024 elements.
std::vector<Check> check_lab(const std::string& device_name, const Lesson& lesson,
                             const std::function<bool()>& interrupted);

/// Checks shared memory, folders, and the limits on open files and memory.
std::vector<Check> check_system();

/// Returns the number of iterations after which the driver ends a loop, at most `iterations`. Throws
/// std::runtime_error if the device does not finish or returns a wrong result.
std::uint64_t probe_loop_cap(gpu::Device& device, std::uint32_t iterations);

/// Compares the probed loop cap with the one that the lab assumes (Limits::loop_iterations).
Check evaluate_loop_cap(std::uint64_t found_cap, std::uint64_t tested_iterations, std::uint64_t assumed_cap);

}  // namespace gridstride::lab
