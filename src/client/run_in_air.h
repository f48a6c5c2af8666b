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

class RunInAir {
 public:
    using Clock = std::chrono::steady_clock;

    /// The deadline starts now and covers all retries. default_deadline, in seconds, is for a request without
    /// one.
    RunInAir(Request request, double default_deadline);

    const Request& request() const { return request_; }
    bool sent() const { return sent_; }
    bool superseded() const { return superseded_; }
    bool cancelled() const { return cancelled_; }

    /// Returns the request to send, with the time that is left.
    Request next_try();
    /// A newer request is waiting.
    void supersede();
    void cancel();
    /// The lab was lost. Returns whether to retry the request.
    bool lose();
    /// Stores a report that is not final.
    void keep(const Report& report) { so_far_ = report; }
    bool has_report() const { return so_far_.has_value(); }

    /// Returns when to abort the run.
    Clock::time_point give_up_at() const { return give_up_at_; }

    /// Describes the run: "reduction tree_sequential, elements 1024".
    std::string in_words() const;
    /// Returns the timeout message, which is the same whether the lab stopped by itself or was killed.
    std::string why_timed_out() const;
    /// Returns a final report in place of the lab's, with the samples measured so far.
    Report ended(Status status, const std::string& message, const Limits& device);

 private:
    Request request_;
    Clock::time_point deadline_;
    Clock::time_point give_up_at_;
    int losses_ = 0;
    bool sent_ = false;
    bool superseded_ = false;
    bool cancelled_ = false;
    std::optional<Report> so_far_;
};

}  // namespace gridstride::lab
