// What works on this machine and what does not, as values: the driver, the device, the lab, and what they
// need of the system. Nothing here throws for what it finds: a failure is a finding.
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
    warning,  ///< something is missing; all that does not need it works
    problem,  ///< results would be wrong, or there would be none
};

struct Check {
    std::string id;     ///< stable, for scripts: "loop_cap"
    std::string title;  ///< "Loop cap"
    CheckStatus status = CheckStatus::ok;
    std::string value;   ///< what was found
    std::string advice;  ///< what to do, in sentences; empty when there is nothing to do
};

/// All is well where it holds; elsewhere it has this status and advice.
Check checked(std::string id, std::string title, std::string value, bool holds = true,
              std::string advice = {}, CheckStatus otherwise = CheckStatus::warning);

struct DeviceFindings {
    std::vector<Check> checks;
    bool usable = false;  ///< there is a device that lessons can run on
    /// A probe did not come back: the process must be ended by std::_Exit(), the driver's threads would hold
    /// up anything gentler.
    bool hangs = false;
};

/// The loader, every device, the one that is taken, what it allows, and what its driver does in truth: the
/// loop cap is probed on it, the bandwidth measured unless it is in the cache. Takes seconds. wanted as in
/// gpu::choose_device().
DeviceFindings check_devices(const std::string& wanted);

/// Starts a lab and runs the lesson once with a thousand elements.
std::vector<Check> check_lab(const std::string& wanted, const Lesson& lesson,
                             const std::function<bool()>& interrupted);

/// Shared memory, folders, limits on open files and memory.
std::vector<Check> check_system();

/// What the driver's loops do: iterations after which it ended the loops of an invocation, out of those asked
/// for. Throws std::runtime_error when the device does not finish or computes something else.
std::uint64_t probe_loop_cap(gpu::Device& device, std::uint32_t iterations);

/// The verdict on a probe: what it found against what the lab assumes (Limits::loop_iterations).
Check judge_loop_cap(std::uint64_t found, std::uint64_t tested, std::uint64_t assumed);

}  // namespace gridstride::lab
