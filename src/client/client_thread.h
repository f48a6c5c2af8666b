// The client's thread: it owns the lab process, and is the only one that reads it, kills it and starts it
// again. It never waits for the lab without also listening to its callers and to the clock.
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
    /// Both outlive it.
    ClientThread(const LabOptions& options, ClientState& state) : options_(options), state_(state) {}

    /// Until the state says that it is over. No lab is left then.
    void serve();

 private:
    using Clock = std::chrono::steady_clock;

    // Starting the lab.
    bool is_wanted() const;
    void start();

    // What callers wish.
    bool grant_wish();
    bool send_or_explain(bool newer_waits);
    void send_request();
    void cancel_run();

    // Waiting.
    void attend();
    std::chrono::milliseconds time_to_wait() const;
    void run_out_of_patience();

    // What comes of it.
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
    bool ready_ = false;    ///< the lab has said which device it has
    bool leaving_ = false;  ///< it ends after the next final report
    Clock::time_point started_at_;
    int failed_starts_ = 0;         ///< in a row: it ended before it had a device
    int put_off_starts_ = 0;        ///< in a row: the system had nothing left to start it with
    std::string why_put_off_;       ///< the last time; a sentence
    Clock::time_point not_before_;  ///< of the next start
    int idle_losses_ = 0;           ///< in a row, while nothing ran
    std::optional<RunInAir> in_air_;
};

}  // namespace gridstride::lab
