// The active request: its retries, its deadline, and its report if the lab cannot make one.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "lab/request.h"
#include "launch/limits.h"
#include "lesson/report.h"

namespace gridstride::lab {

/// After this many consecutive losses, a request or a start of the lab is not retried.
inline constexpr int max_losses = 3;

class ActiveRun {
 public:
    using Clock = std::chrono::steady_clock;

    /// The deadline starts now and covers all retries. default_deadline, in seconds, is for a request without
    /// one.
    ActiveRun(Request request, double default_deadline);

    const Request& request() const { return request_; }
    bool was_sent() const { return is_sent_; }
    bool is_superseded() const { return is_superseded_; }
    bool is_cancelled() const { return is_cancelled_; }

    /// Returns the request to send, with the time that is left.
    Request next_attempt();
    /// Call this when a newer request waits: the run ends with its first result, or is aborted after one
    /// second without one.
    void supersede();
    void cancel();
    /// The lab was lost. Returns whether to retry the request.
    bool on_lab_lost();
    /// Stores a report that is not final.
    void set_partial_report(const Report& report) { partial_report_ = report; }
    bool has_report() const { return partial_report_.has_value(); }

    /// Returns when to abort the run.
    Clock::time_point abort_time() const { return abort_time_; }

    /// Describes the run: "reduction tree_sequential, elements 1024".
    std::string describe() const;
    /// Returns the timeout message, which is the same whether the lab stopped by itself or was killed.
    std::string timeout_message() const;
    /// Returns a final report in place of the lab's, with the samples measured so far.
    Report make_final_report(Status status, const std::string& message, const Limits& device);

 private:
    Request request_;
    Clock::time_point deadline_;
    Clock::time_point abort_time_;
    int losses_ = 0;
    bool is_sent_ = false;
    bool is_superseded_ = false;
    bool is_cancelled_ = false;
    std::optional<Report> partial_report_;
};

}  // namespace gridstride::lab
