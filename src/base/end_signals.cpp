#include "base/end_signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <utility>

namespace gridstride {

namespace {

/// The time that the program gets to end by itself.
constexpr std::chrono::seconds time_to_end{1};

sigset_t ending_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    struct sigaction hang_up {};
    const bool ignored = ::sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler == SIG_IGN;
    if (!ignored) sigaddset(&set, SIGHUP);
    return set;
}

}  // namespace

EndSignals::EndSignals() {
    const sigset_t set = ending_signals();
    signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    over_ = ::eventfd(0, EFD_CLOEXEC);
    // Without descriptors, the signals keep their default action.
    if (signals_ < 0 || over_ < 0) return;
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    thread_ = std::jthread([this] { listen(); });
}

EndSignals::~EndSignals() {
    const std::uint64_t one = 1;
    if (thread_.joinable() && ::write(over_, &one, sizeof one) == sizeof one) thread_.join();
    if (signals_ >= 0) ::close(signals_);
    if (over_ >= 0) ::close(over_);
}

void EndSignals::listen() {
    std::optional<std::chrono::steady_clock::time_point> first;
    pollfd waits_for[] = {{signals_, POLLIN, 0}, {over_, POLLIN, 0}};
    while (true) {
        if (::poll(waits_for, 2, -1) < 0) continue;
        if (waits_for[1].revents != 0) return;
        signalfd_siginfo signal{};
        if (::read(signals_, &signal, sizeof signal) != sizeof signal) continue;
        const auto now = std::chrono::steady_clock::now();
        if (!first) {
            first = now;
            const std::lock_guard lock(mutex_);
            came_ = true;
            if (act_) act_();
        } else if (now - *first >= time_to_end) {
            // The user insists: restore the default action and raise the signal again.
            const int number = static_cast<int>(signal.ssi_signo);
            sigset_t set;
            sigemptyset(&set);
            sigaddset(&set, number);
            std::signal(number, SIG_DFL);
            ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
            ::kill(::getpid(), number);
        }
    }
}

void EndSignals::when_one_comes(std::function<void()> act) {
    const std::lock_guard lock(mutex_);
    act_ = std::move(act);
    if (came_ && act_) act_();
}

}  // namespace gridstride
