#include <ctime>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>

#include "commands.h"

namespace gridstride::app {

namespace {

/// Ctrl-C, kill, and a terminal that is closed.
constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP};

/// Nanoseconds of the steady clock at the first of them; 0: none yet.
std::atomic<std::int64_t> first_pressed = 0;
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler uses it");

/// In this time the program keeps what was measured and ends by itself.
constexpr std::int64_t time_to_stop_ns = 1'000'000'000;

/// Calls only what a signal handler may: POSIX.1-2017, 2.4.3.
void on_interrupt(int signal) {
    std::timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const std::int64_t now_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
    std::int64_t none = 0;
    if (first_pressed.compare_exchange_strong(none, now_ns) || now_ns - none < time_to_stop_ns) return;
    // A person who presses again after that means it.
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

bool interrupted() {
    static const bool installed = [] {
        for (const int signal : signals)
            // What nohup ignores stays ignored.
            if (signal != SIGHUP || std::signal(signal, SIG_IGN) != SIG_IGN)
                std::signal(signal, on_interrupt);
        return true;
    }();
    return installed && first_pressed != 0;
}

}  // namespace gridstride::app
