// The client's thread. It alone reads from the lab process, kills it and restarts it. While it waits for the
// lab, it also responds to its callers and to deadlines.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "client/client.h"
#include "client/client_state.h"
#include "client/lab_process.h"
#include "client/run_in_air.h"

namespace gridstride::lab {

class ClientThread {
 public:
    /// Both arguments must outlive the thread.
    ClientThread(const LabOptions& options, ClientState& state) : options_(options), state_(state) {}

    /// Runs until state.is_over(), then ends the lab.
    void serve();

 private:
    using Clock = std::chrono::steady_clock;

    // Starting the lab.
    bool is_wanted() const;
    void start();

    // Commands of the callers.
    bool grant_wish();
    bool send_or_explain(bool newer_waits);
    void send_request();
    void cancel_run();

    // Waiting.
    void attend();
    std::chrono::milliseconds time_to_wait() const;
    void run_out_of_patience();

    // Messages and failures of the lab.
    void take_message(const Message& message);
    void take_report(Report report);
    void lose(const std::string& why);
    void end_run(Status status, const std::string& message);
    void give_up_run();
    void give_up_device(const std::string& why);
    void tell() const;

    const LabOptions& options_;
    ClientState& state_;
    std::optional<LabProcess> lab_;
    bool ready_ = false;    ///< the lab has sent its device's limits
    bool leaving_ = false;  ///< the lab ends after the next final report
    Clock::time_point started_at_;
    int failed_starts_ = 0;         ///< consecutive ends before the lab had a device
    int put_off_starts_ = 0;        ///< consecutive starts that failed for lack of resources
    std::string why_put_off_;       ///< message of the last such failure
    Clock::time_point not_before_;  ///< earliest time of the next start
    int idle_losses_ = 0;           ///< consecutive losses while nothing ran
    std::optional<RunInAir> in_air_;
};

}  // namespace gridstride::lab
