#include "client/start_lab.h"

#include <thread>

#include "client/client_state.h"
#include "client/client_thread.h"

namespace gridstride::lab {

namespace {

class ProcessClient final : public ClientState {
 public:
    explicit ProcessClient(LabOptions options)
        : options_(std::move(options)), thread_([this] { ClientThread(options_, *this).serve(); }) {}

    ~ProcessClient() override {
        stop();
        thread_.join();
    }

 private:
    LabOptions options_;
    std::thread thread_;  // declared last, because it uses the other members
};

}  // namespace

std::unique_ptr<Client> start_lab(LabOptions options) {
    return std::make_unique<ProcessClient>(std::move(options));
}

}  // namespace gridstride::lab
