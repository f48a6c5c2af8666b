// The job that measures or traces the settings on the bench.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/language.h"
#include "base/statistics.h"
#include "jobs/job.h"

namespace gridstride {

/// Why a bench run was started, and what happens if its kernel does not compile.
struct BenchRunOptions {
    bool is_first_compile = false;  ///< first compilation of this kernel source
    bool run_last_good = false;     ///< if the source does not compile, measure the last good kernel instead
    bool for_picture = false;       ///< started by the app, to draw a picture
};

/// A job of one request, or of several that belong together and run one after the other.
class BenchRun final : public Job {
 public:
    explicit BenchRun(std::vector<lab::Request> requests, BenchRunOptions options = {})
        : requests_(std::move(requests)), options_(options) {}

    std::string title() const override {
        const char* const what = options_.for_picture      ? tr("Picture")
                                 : request().trace_options ? tr("Trace")
                                                           : tr("Bench run");
        return std::string(what) + ": " + request().experiment.variant;
    }
    std::optional<lab::Request> next() override {
        return next_ < requests_.size() ? std::optional(requests_[next_++]) : std::nullopt;
    }
    void on_report(const Report& report, double) override {
        if (!report.is_final) return;
        ++done_;
        if (report.is_measured()) kernel_times_.push_back(report.timings.kernel.summary());
    }
    JobProgress progress() const override { return {done_, requests_.size()}; }

    /// Returns the current request, or the first one if none has started.
    const lab::Request& request() const { return requests_[std::max<std::size_t>(next_, 1) - 1]; }
    bool is_single() const { return requests_.size() == 1; }
    const BenchRunOptions& options() const { return options_; }
    /// Returns one summary of kernel times per measured run that has ended.
    const std::vector<Summary>& kernel_times() const { return kernel_times_; }

 private:
    std::vector<lab::Request> requests_;
    BenchRunOptions options_;
    std::size_t next_ = 0, done_ = 0;
    std::vector<Summary> kernel_times_;
};

}  // namespace gridstride
