// The client as its callers see it, and what they do with any client.
#include <thread>

#include "client/client.h"
#include "client/client_state.h"
#include "client/client_thread.h"

namespace gridstride::lab {

namespace {

using std::chrono::milliseconds;

class ProcessClient final : public Client {
 public:
    explicit ProcessClient(LabOptions options)
        : options_(std::move(options)), thread_([this] { ClientThread(options_, state_).serve(); }) {}

    ~ProcessClient() override {
        state_.stop();
        thread_.join();
    }

    void submit(Request request) override { state_.submit(std::move(request)); }
    std::optional<Report> poll() override { return state_.poll(); }
    std::optional<Report> wait(milliseconds patience) override { return state_.wait(patience); }
    void cancel() override { state_.cancel(); }
    bool busy() const override { return state_.busy(); }
    std::optional<Progress> progress() const override { return state_.progress(); }
    const Limits& limits() override { return state_.limits(); }
    const Limits* limits_if_ready() override { return state_.limits_if_ready(); }

 private:
    LabOptions options_;
    ClientState state_;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace

std::unique_ptr<Client> start_lab(LabOptions options) {
    return std::make_unique<ProcessClient>(std::move(options));
}

Report run_to_end(Client& client, Request request, const std::function<bool()>& interrupted,
                  const std::function<void(const Progress&)>& on_progress) {
    const std::uint64_t id = request.id;
    client.submit(std::move(request));
    bool cancelled = false;
    for (;;) {
        if (std::optional<Report> report = client.wait(milliseconds(50)))
            if (report->request == id && report->final) return std::move(*report);
        if (on_progress)
            if (const std::optional<Progress> progress = client.progress()) on_progress(*progress);
        if (!cancelled && interrupted()) {
            client.cancel();
            cancelled = true;
        }
    }
}

}  // namespace gridstride::lab
