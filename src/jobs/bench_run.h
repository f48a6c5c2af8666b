// Runs of what is on the bench, measured or traced.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics.h"
#include "jobs/job.h"

namespace gridstride {

/// Why a bench run was started.
struct BenchUse {
    bool trial = false;        ///< nothing is known yet of this kernel's text
    bool run_anyway = false;   ///< should it not compile, the last good kernel is measured in its place
    bool for_picture = false;  ///< nobody asked for it
};

/// One run, or several that belong together, one after the other.
class BenchRun final : public Job {
 public:
    explicit BenchRun(std::vector<lab::Request> requests, BenchUse use = {})
        : requests_(std::move(requests)), use_(use) {}

    std::string title() const override {
        const char* const what = use_.for_picture     ? "Picture"
                                 : request().recorded ? "Recording"
                                                      : "Bench run";
        return std::string(what) + ": " + request().experiment.variant;
    }
    std::optional<lab::Request> next() override {
        return next_ < requests_.size() ? std::optional(requests_[next_++]) : std::nullopt;
    }
    void on_report(const Report& report, double) override {
        if (!report.final) return;
        ++done_;
        if (report.measured()) kernel_times_.push_back(report.timings.kernel.summary());
    }
    JobProgress progress() const override { return {done_, requests_.size()}; }

    /// The one under way; before the first, that.
    const lab::Request& request() const { return requests_[std::max<std::size_t>(next_, 1) - 1]; }
    bool is_single() const { return requests_.size() == 1; }
    const BenchUse& use() const { return use_; }
    /// Of the measured runs so far.
    const std::vector<Summary>& kernel_times() const { return kernel_times_; }

 private:
    std::vector<lab::Request> requests_;
    BenchUse use_;
    std::size_t next_ = 0, done_ = 0;
    std::vector<Summary> kernel_times_;
};

}  // namespace gridstride
