// The client's thread. It alone reads from the lab process, kills it and restarts it. While it waits for the
// lab, it also responds to its callers and to deadlines.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>

#include "client/active_run.h"
#include "client/client.h"
#include "client/client_state.h"
#include "client/lab_process.h"

namespace gridstride::lab {

class ClientThread {
 public:
    /// Both arguments must outlive the thread.
    ClientThread(const LabOptions& options, ClientState& state) : options_(options), state_(state) {}

    /// Runs until state.is_stopped(), then ends the lab.
    void serve();

 private:
    using Clock = std::chrono::steady_clock;

    // Starting the lab.
    bool is_lab_needed() const;
    void start();

    // Commands of the callers.
    bool handle_commands();
    bool send_or_report_delay(bool has_newer_pending);
    void send_request();
    void cancel_run();

    // Waiting.
    void poll_once();
    std::chrono::milliseconds poll_timeout() const;
    void handle_timeout();

    // Messages and failures of the lab.
    void handle_message(const Message& message);
    void handle_report(Report report);
    void on_lab_lost(const std::string& known_cause);
    void end_run(Status status, const std::string& message);
    void abort_run();
    void abandon_device(const std::string& reason);
    void notify() const;

    const LabOptions& options_;
    ClientState& state_;
    std::optional<LabProcess> lab_;
    bool is_ready_ = false;                 ///< the lab has sent its device's limits
    std::set<const Lesson*> sent_lessons_;  ///< lessons of text whose files the lab has
    bool is_leaving_ = false;               ///< the lab ends after the next final report
    Clock::time_point started_at_;
    int failed_starts_ = 0;         ///< consecutive ends before the lab had a device
    int deferred_starts_ = 0;       ///< consecutive starts that failed for lack of resources
    std::string deferral_reason_;   ///< message of the last such failure
    Clock::time_point next_start_;  ///< earliest time of the next start
    int idle_losses_ = 0;           ///< consecutive losses while nothing ran
    std::optional<ActiveRun> active_run_;
};

}  // namespace gridstride::lab
