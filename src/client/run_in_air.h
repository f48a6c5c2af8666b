// The request that the lab carries out, or is to carry out once it is there again: its tries, how long it
// may go on, and its report when the lab cannot make one.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "lab/request.h"
#include "launch/limits.h"
#include "lesson/report.h"

namespace gridstride::lab {

/// After so many losses in a row a request, or the start of a lab, is not tried again.
inline constexpr int max_losses = 3;

class RunInAir {
 public:
    using Clock = std::chrono::steady_clock;

    /// Its deadline counts from now on, for all tries together. default_deadline: seconds, for a request that
    /// names none.
    RunInAir(Request request, double default_deadline);

    const Request& request() const { return request_; }
    bool sent() const { return sent_; }
    bool superseded() const { return superseded_; }
    bool cancelled() const { return cancelled_; }

    /// What is sent to the lab now: the request with the time that is left.
    Request next_try();
    /// A newer request waits.
    void supersede();
    void cancel();
    /// Its lab is gone. Whether it is to be tried again.
    bool lose();
    /// A report that was not final.
    void keep(const Report& report) { so_far_ = report; }
    bool has_report() const { return so_far_.has_value(); }

    /// From then on nobody waits for it any longer.
    Clock::time_point give_up_at() const { return give_up_at_; }

    /// "reduction tree_sequential, elements 1024".
    std::string in_words() const;
    /// Why it timed out: the same whether the lab gave it up by itself or had to be ended.
    std::string why_timed_out() const;
    /// The final report in the lab's place, with what was measured so far.
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
