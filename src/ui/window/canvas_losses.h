// How often a canvas may lose its device before that is called a failure: a driver that loses it again and
// again would otherwise keep the window busy for ever.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>

namespace gridstride::ui {

class CanvasLosses {
 public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t too_many = 3;
    static constexpr std::chrono::seconds within{10};

    /// Notes a loss. Throws NoDevice, with the reason and with advice, when it is the third within ten
    /// seconds.
    void add(const std::string& reason, Clock::time_point now = Clock::now());
    /// Of all time.
    std::size_t count() const { return count_; }

 private:
    std::deque<Clock::time_point> recent_;
    std::size_t count_ = 0;
};

}  // namespace gridstride::ui
