// Sweeps of the reduction for tests, in a lab whose times the test sets.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/sweep.h"
#include "sweep/sweep_values.h"

namespace gridstride::lab {

inline const Lesson& reduction() {
    return *find_lesson("reduction");
}
inline const Parameter& parameter(std::string_view id) {
    return *find(reduction().parameters, id);
}

/// Returns a sweep of the reduction with ten samples per cell.
inline SweepSpec make_spec(const std::vector<ParameterText>& texts,
                           std::vector<std::string> variants = {"tree_sequential"}) {
    SweepSpec spec = make_sweep_spec(reduction(), std::move(variants), texts, Limits());
    spec.sampling.samples = 10;
    return spec;
}
inline ParameterText sizes(const char* text) {
    return {&parameter("workgroup_size"), text};
}
inline ParameterText elements(const char* text) {
    return {&parameter("elements"), text};
}

/// A lab in which a run takes seconds(request) and its kernel samples spread around kernel_ns(request).
class TimedLab {
 public:
    std::function<double(const Request&)> seconds = [](const Request&) { return 1.0; };
    std::function<double(const Request&)> kernel_ns = [](const Request&) { return 1000.0; };
    std::function<std::uint64_t(const Request&)> bytes_moved = [](const Request&) { return 4096; };
    std::function<Status(const Request&)> status = [](const Request&) { return Status::ok; };
    double spread_ns = 1;
    bool noisy = false;
    std::vector<Request> requests;
    Limits device;

    Report answer(const Request& request) const {
        Report report;
        report.request = request.id;
        report.experiment = request.experiment;
        report.device = device;
        report.status = status(request);
        report.bytes_moved = bytes_moved(request);
        if (report.status == Status::failed) report.message = "The device refused.";
        const Values& values = request.experiment.values;
        report.launch.workgroup = requested_workgroup(values);
        report.launch.grid = {values[key::elements] / values[key::workgroup_size] + 1};
        report.timings.kernel.is_noisy = noisy;
        const std::uint32_t samples = request.sampling.samples;
        for (std::uint32_t i = 0; i < samples && report.status != Status::failed; ++i)
            report.timings.kernel.samples.push_back(
                kernel_ns(request) +
                spread_ns * (static_cast<double>(i) / (samples > 1 ? samples - 1 : 1) - 0.5));
        return report;
    }

    Sweep start(SweepSpec spec) { return Sweep(std::move(spec), device); }
    /// Executes at most this many runs of the sweep.
    void execute(Sweep& sweep, std::size_t runs = max_sweep_cells) {
        for (; runs > 0; --runs) {
            std::optional<Request> request = sweep.next();
            if (!request) return;
            sweep.on_report(answer(*request), seconds(*request));
            requests.push_back(std::move(*request));
        }
    }
};

}  // namespace gridstride::lab
