// A mistake for the thread sanitizer to find: `race_on_purpose session|client` uses from two threads what
// belongs to one. A build in which this comes to its end watches nothing.
#include <cstdio>
#include <functional>
#include <latch>
#include <string_view>
#include <thread>

#include "client/active_run.h"
#include "jobs/fake_lab.h"
#include "session/session.h"

namespace {

using namespace gridstride;

void twice_at_once(const std::function<void(int)>& work) {
    // Neither is done before the other has begun.
    std::latch both_are_here(2);
    const auto often = [&] {
        both_are_here.arrive_and_wait();
        for (int i = 0; i < 1000; ++i)
            work(i);
    };
    std::thread other(often);
    often();
    other.join();
}

void race_in_session() {
    ui::FakeLab lab;
    Session session(lab, "en");
    session.open(*find_lesson("reduction"), 0);
    twice_at_once([&](int i) { session.go_to_step(i % 2 == 0 ? 0 : 1); });
}

void race_in_client() {
    lab::Request request;
    request.experiment = default_experiment(*find_lesson("reduction"));
    lab::ActiveRun run(request, 1);
    twice_at_once([&](int) { run.supersede(); });
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view where = argc == 2 ? argv[1] : "";
    if (where == "session")
        race_in_session();
    else if (where == "client")
        race_in_client();
    std::puts("It came to its end.");
}
