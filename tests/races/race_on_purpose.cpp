// A data race for the thread sanitizer to find: `race_on_purpose session|client` uses an object of one thread
// from two threads. If this program finishes, the sanitizer is not active.
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

void run_in_two_threads(const std::function<void(int)>& work) {
    // The latch prevents one thread from finishing before the other starts.
    std::latch both_started(2);
    const auto repeat = [&] {
        both_started.arrive_and_wait();
        for (int i = 0; i < 1000; ++i)
            work(i);
    };
    std::thread other(repeat);
    repeat();
    other.join();
}

void race_in_session() {
    ui::FakeLab lab;
    Session session(lab, "en");
    session.open(*find_course_entry("reduction"), 0);
    run_in_two_threads([&](int i) { session.go_to_step(i % 2 == 0 ? 0 : 1); });
}

void race_in_client() {
    lab::Request request;
    request.experiment = default_experiment(*find_lesson("reduction"));
    lab::ActiveRun run(request, 1);
    run_in_two_threads([&](int) { run.supersede(); });
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
