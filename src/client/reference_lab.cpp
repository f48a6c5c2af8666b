#include "client/reference_lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/units.h"
#include "client/start_lab.h"

namespace gridstride::lab {

std::string find_software_device(const std::vector<gpu::DeviceInfo>& devices) {
    const auto found = std::ranges::find_if(
        devices, [](const gpu::DeviceInfo& device) { return device.is_usable && device.limits.is_cpu; });
    if (found == devices.end())
        throw NoDevice(
            "Reference kernels run on a software driver, and this machine has none. Install "
            "mesa-vulkan-drivers; \"gridstride devices\" lists what Vulkan finds.");
    return std::to_string(found->index);
}

Report ReferenceLab::run(Request request, const Control& control) {
    if (!client_)
        client_ = start_lab({.device = find_software_device(gpu::list_devices()), .program = program_});
    request.id = ++last_id_;
    // The client's deadline does not cover the time in which the process opens the device.
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                               std::chrono::duration<double>(request.deadline_seconds));
    constexpr std::chrono::milliseconds grace{
        500};  // the client ends a run by itself, and says more about it
    const double deadline = request.deadline_seconds;
    bool has_timed_out = false;
    try {
        Report report = run_and_wait(*client_, std::move(request), [&] {
            if (control.is_cancelled || control.remaining().count() <= 0) client_->cancel();
            control.check();
            has_timed_out = std::chrono::steady_clock::now() > end + grace;
            return has_timed_out;
        });
        if (has_timed_out && report.status == Status::stopped) {
            report.status = Status::timed_out;
            report.message = fmt::format("The run did not finish within its deadline of {} s and was ended.",
                                         format_significant(deadline));
        }
        return report;
    } catch (const NoDevice&) {
        client_.reset();  // it serves no further request
        throw;
    }
}

}  // namespace gridstride::lab
