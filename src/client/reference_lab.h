// The process that runs reference kernels: a second lab, on a software device, of which a lab is the client.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/client.h"
#include "gpu/device.h"
#include "lab/control.h"
#include "lab/request.h"

namespace gridstride::lab {

/// Returns the index of the first usable software device, for LabOptions::device. Throws NoDevice, which says
/// what to install.
std::string find_software_device(const std::vector<gpu::DeviceInfo>& devices);

class ReferenceLab {
 public:
    /// program: the executable of the process.
    explicit ReferenceLab(std::filesystem::path program = "/proc/self/exe") : program_(std::move(program)) {}

    /// Runs the request and returns its final report: see RunReference. The process starts at the first call
    /// and waits for further ones. One that crashes or passes the request's deadline is replaced.
    Report run(Request request, const Control& control);
    /// Ends the process; the next call of run() starts it again.
    void stop() { client_.reset(); }

 private:
    std::filesystem::path program_;
    std::unique_ptr<Client> client_;
    std::uint64_t last_id_ = 0;
};

}  // namespace gridstride::lab
