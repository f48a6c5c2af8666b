// Sweeps of the reduction in a lab whose clock and times the test makes.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/client.h"
#include "sweep/sweep.h"
#include "sweep/sweep_values.h"

namespace gridstride::lab {

inline const Lesson& reduction() {
    return *find_lesson("reduction");
}
inline const Parameter& parameter(std::string_view id) {
    return *find(reduction().parameters, id);
}

/// Of the reduction, ten samples a cell.
inline SweepSpec spec_of(const std::vector<WrittenValues>& written,
                         std::vector<std::string> variants = {"tree_sequential"}) {
    SweepSpec spec = sweep_of(reduction(), std::move(variants), written, Limits());
    spec.sampling.samples = 10;
    return spec;
}
inline WrittenValues sizes(const char* text) {
    return {&parameter("workgroup_size"), text};
}
inline WrittenValues elements(const char* text) {
    return {&parameter("elements"), text};
}

/// A lab in which a run takes as many seconds of a made clock as seconds() says, and whose kernel takes
/// kernel_ns(request), give or take a nanosecond.
class ClockedLab final : public Client {
 public:
    std::function<double(const Request&)> seconds = [](const Request&) { return 1.0; };
    std::function<double(const Request&)> kernel_ns = [](const Request&) { return 1000.0; };
    std::function<Status(const Request&)> status = [](const Request&) { return Status::ok; };
    double clock = 100;
    double spread = 1;
    bool noisy = false;
    std::vector<Request> asked;
    Limits device;

    Report answer(const Request& request) const {
        Report report;
        report.request = request.id;
        report.experiment = request.experiment;
        report.device = device;
        report.status = status(request);
        if (report.status == Status::failed) report.message = "The device refused.";
        const Values& values = request.experiment.values;
        report.launch.workgroup = workgroup_of(values);
        report.launch.grid = {values[key::elements] / values[key::workgroup_size] + 1};
        report.timings.kernel.noisy = noisy;
        const std::uint32_t samples = request.sampling.samples;
        for (std::uint32_t i = 0; i < samples && report.status != Status::failed; ++i)
            report.timings.kernel.samples.push_back(
                kernel_ns(request) +
                spread * (static_cast<double>(i) / (samples > 1 ? samples - 1 : 1) - 0.5));
        return report;
    }

    void submit(Request request) override {
        clock += seconds(request);
        reports_.push_back(answer(request));
        asked.push_back(std::move(request));
    }
    std::optional<Report> wait(std::chrono::milliseconds) override {
        if (reports_.empty()) return std::nullopt;
        Report report = std::move(reports_.front());
        reports_.pop_front();
        return report;
    }
    void cancel() override { reports_.clear(); }
    bool busy() const override { return !reports_.empty(); }
    const Limits* limits_if_ready() override { return &device; }

    Sweep start(SweepSpec spec) {
        return Sweep(std::move(spec), device, [this] { return clock; });
    }
    /// Carries out so many runs, or all.
    void drive(Sweep& sweep, std::size_t runs = most_sweep_cells) {
        for (; runs > 0; --runs) {
            std::optional<Request> request = sweep.next_request(++id_);
            if (!request) return;
            submit(std::move(*request));
            EXPECT_TRUE(sweep.take(*poll()));
        }
    }

 private:
    std::deque<Report> reports_;
    std::uint64_t id_ = 0;
};

}  // namespace gridstride::lab
