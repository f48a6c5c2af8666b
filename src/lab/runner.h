// Carries out requests on a device: plan, input, run, judge, sample, report.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "lab/control.h"
#include "lab/request.h"
#include "lesson/report.h"

namespace gridstride::lab {

class Runner {
 public:
    /// device as in gpu::choose_device(); compiler: the program that compiles people's own kernels, see
    /// shader/compile_apart.h. Throws NoDevice.
    explicit Runner(const std::string& device, const std::filesystem::path& compiler = "/proc/self/exe");
    ~Runner();

    const Limits& limits() const;
    /// False once the device did not finish in time: it never will.
    bool usable() const;

    /// Carries out one request. emit gets every report, the last one marked as final; run() never
    /// throws: a failure is a report.
    void run(const Request& request, Control& control, const std::function<void(Report)>& emit);

 private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gridstride::lab
