// A run of what is on the bench, measured or traced.
#pragma once

#include <utility>

#include "jobs/job.h"

namespace gridstride {

/// Which of two experiments that are measured in turn a run is of.
enum class InTurnOf { neither, pinned, bench };

/// What becomes of the report of a bench run.
struct BenchUse {
    bool keep_bench = false;   ///< it does not replace the report that the bench shows
    bool trial = false;        ///< nothing is known yet of this kernel's text
    bool run_anyway = false;   ///< should it not compile, the last good kernel is measured in its place
    bool for_picture = false;  ///< nobody asked for it
    InTurnOf in_turn = InTurnOf::neither;
};

class BenchRun final : public Job {
 public:
    explicit BenchRun(lab::Request request, BenchUse use = {}) : request_(std::move(request)), use_(use) {}

    std::optional<lab::Request> next() override {
        return std::exchange(submitted_, true) ? std::nullopt : std::optional(request_);
    }
    void on_report(const Report& report, double) override { finished_ = report.final; }
    JobProgress progress() const override { return {finished_ ? 1U : 0U, 1}; }

    const lab::Request& request() const { return request_; }
    const BenchUse& use() const { return use_; }

 private:
    lab::Request request_;
    BenchUse use_;
    bool submitted_ = false, finished_ = false;
};

}  // namespace gridstride
