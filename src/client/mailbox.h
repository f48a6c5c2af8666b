// Requests as they come to the lab: one waits, one runs, and what the client says next is for the newer.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>

#include "lab/control.h"
#include "lab/request.h"

namespace gridstride::lab {

/// Filled by the thread that reads the socket, emptied by the one that carries requests out.
class Mailbox {
 public:
    void put(Request request);
    /// There will be no more. Ends the process if a run is in the air: it would go on for nobody.
    void end();
    void supersede();
    void cancel();

    /// Waits for a request; control is its own until done(). nullopt: there will be no more.
    std::optional<Request> take(Control& control);
    void done();

 private:
    /// What was said of a request before it was taken.
    struct Waiting {
        Request request;
        bool superseded = false;
        bool cancelled = false;
    };

    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Waiting> waiting_;
    Control* running_ = nullptr;
    bool ended_ = false;
};

}  // namespace gridstride::lab
