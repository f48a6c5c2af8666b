#include "base/termination_signals.h"

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
constexpr std::chrono::seconds grace_period{1};

sigset_t termination_signals() {
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

TerminationSignals::TerminationSignals() {
    const sigset_t set = termination_signals();
    signal_fd_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    stop_event_ = ::eventfd(0, EFD_CLOEXEC);
    // Without descriptors, the signals keep their default action.
    if (signal_fd_ < 0 || stop_event_ < 0) return;
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    thread_ = std::jthread([this] { listen(); });
}

TerminationSignals::~TerminationSignals() {
    const std::uint64_t one = 1;
    if (thread_.joinable() && ::write(stop_event_, &one, sizeof one) == sizeof one) thread_.join();
    if (signal_fd_ >= 0) ::close(signal_fd_);
    if (stop_event_ >= 0) ::close(stop_event_);
}

void TerminationSignals::listen() {
    std::optional<std::chrono::steady_clock::time_point> first;
    pollfd sources[] = {{signal_fd_, POLLIN, 0}, {stop_event_, POLLIN, 0}};
    while (true) {
        if (::poll(sources, 2, -1) < 0) continue;
        if (sources[1].revents != 0) return;
        signalfd_siginfo signal{};
        if (::read(signal_fd_, &signal, sizeof signal) != sizeof signal) continue;
        const auto now = std::chrono::steady_clock::now();
        if (!first) {
            first = now;
            const std::lock_guard lock(mutex_);
            is_received_ = true;
            if (handler_) handler_();
        } else if (now - *first >= grace_period) {
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

void TerminationSignals::on_signal(std::function<void()> handler) {
    const std::lock_guard lock(mutex_);
    handler_ = std::move(handler);
    if (is_received_ && handler_) handler_();
}

}  // namespace gridstride
