// A lab that keeps what it was asked and answers as the test says.
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
    /// Its device is one of common size, with subgroups of eight and their arithmetic.
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
    bool busy() const override { return false; }
    std::optional<lab::RunProgress> progress() const override { return now; }
    const Limits* limits_if_ready() override { return ready ? &device : nullptr; }

    Limits device;
    bool ready = true;  ///< the device is open
    std::vector<lab::Request> requests;
    std::deque<Report> answers;
    std::function<Report(const lab::Request&)> at_once;  ///< where there is one, it answers each request
    int cancelled = 0;
    std::optional<lab::RunProgress> now;  ///< what progress() says
};

/// Of the request: final, with nothing measured.
inline Report answer_to(const lab::Request& request, Status status) {
    Report report;
    report.request = request.id;
    report.final = true;
    report.experiment = request.experiment;
    report.status = status;
    return report;
}

}  // namespace gridstride::ui
