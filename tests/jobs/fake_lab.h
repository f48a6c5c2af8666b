// A lab client for tests: it stores its requests and returns the answers that the test prepares.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "client/client.h"

namespace gridstride::ui {

class FakeLab final : public lab::Client {
 public:
    /// Its device has common limits and subgroups of eight lanes with arithmetic.
    FakeLab() {
        device.max_workgroup_size = 1024;
        device.max_grid.x = 65535;
        device.max_shared_bytes = 32768;
        device.max_binding_bytes = 1 << 27;
        device.memory_bytes = 1 << 30;
        device.subgroup_size = 8;
        device.subgroup_arithmetic = device.subgroup_ballot = true;
    }

    void submit(lab::Request request) override {
        if (at_once) answers.push_back(at_once(request));
        requests.push_back(std::move(request));
    }
    std::optional<Report> wait(std::chrono::milliseconds) override {
        if (answers.empty()) return std::nullopt;
        Report report = std::move(answers.front());
        answers.pop_front();
        return report;
    }
    void cancel() override { ++cancelled; }
    bool is_busy() const override { return false; }
    std::optional<lab::RunProgress> progress() const override { return now; }
    const Limits* limits_if_ready() override { return ready ? &device : nullptr; }

    Limits device;
    bool ready = true;  ///< whether the device is open
    std::vector<lab::Request> requests;
    std::deque<Report> answers;
    std::function<Report(const lab::Request&)> at_once;  ///< if set, it answers every request immediately
    int cancelled = 0;
    std::optional<lab::RunProgress> now;  ///< the result of progress()
};

/// Returns a final report of a GPU on the request, without measurements.
inline Report answer_to(const lab::Request& request, Status status) {
    Report report;
    report.request = request.id;
    report.is_final = true;
    report.experiment = request.experiment;
    report.status = status;
    report.device.is_cpu = false;
    return report;
}

}  // namespace gridstride::ui
