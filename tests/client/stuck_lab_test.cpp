// A lab that hangs in the middle of a message or of its shutdown does not block its client.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/holder.h"
#include "client/changing_program.h"
#include "client/start_lab.h"
#include "test_includes.h"

namespace gridstride::lab::stuck_lab_test {

/// A lab that begins a message and never ends it.
const char* const stops_in_a_message = "printf abcde >&3; exec sleep 10000";

/// A client that lost its lab during a run, and whose new lab is stuck in a message.
std::unique_ptr<Client> with_stuck_lab(const ChangingProgram& program) {
    auto client = start_lab({.program = program.program()});
    client->limits();
    client->submit(long_request());
    wait_for_first_report(*client);
    program.change();
    EXPECT_TRUE(kill_labs_until_one_sleeps());
    return client;
}

TEST(StuckLab, CancelEndsARunIfTheLabStopsWithinAMessage) {
    const ChangingProgram program(stops_in_a_message);
    const auto client = with_stuck_lab(program);
    client->cancel();
    EXPECT_EQ(wait_for_last(*client).status, Status::stopped);
}

TEST(StuckLab, DeadlineEndsARunIfTheLabStopsWithinAMessage) {
    const ChangingProgram program(stops_in_a_message);
    const auto client = start_lab({.program = program.program()});
    client->limits();
    Request r = long_request();
    r.deadline_seconds = 2;
    client->submit(r);
    Report report = client->wait(patience).value();
    program.change();
    kill_labs();
    // On a slow machine, the report may be the final one already.
    if (!report.is_final) report = wait_for_last(*client);
    EXPECT_EQ(report.status, Status::timed_out);
}

TEST(StuckLab, ClientEndsIfTheLabStopsWithinAMessage) {
    const ChangingProgram program(stops_in_a_message);
    auto client = with_stuck_lab(program);
    client.reset();  // must return, although the lab does not end by itself
    EXPECT_TRUE(children().empty());
}

/// The request exceeds a socket's buffer, so its sender must wait until the lab reads.
Request large_request() {
    Request r = request();
    r.experiment.kernel = KernelSource{"#version 450\n" + std::string(4 << 20, '\n'), "large.comp", ""};
    return r;
}

TEST(StuckLab, DeadlineEndsARunIfTheLabDoesNotReadIt) {
    const auto client = start_ready();
    signal_labs(SIGSTOP);
    Request r = large_request();
    r.deadline_seconds = 0.4;
    const Report report = run(*client, r);
    EXPECT_EQ(report.status, Status::timed_out);
    expect_ok(*client);
}

TEST(StuckLab, ClientEndsIfTheLabDoesNotReadTheRequest) {
    auto client = start_ready();
    signal_labs(SIGSTOP);
    client->submit(large_request());
    std::this_thread::sleep_for(milliseconds(100));
    client.reset();  // must return, although the lab does not end by itself
    EXPECT_TRUE(children().empty());
}

TEST(StuckLab, LargeRequestReachesASlowLab) {
    const auto client = start_ready();
    const std::set<pid_t> labs = children();
    for (const pid_t lab : labs)
        kill(lab, SIGSTOP);
    const Request r = large_request();
    client->submit(r);
    std::this_thread::sleep_for(milliseconds(300));
    for (const pid_t lab : labs)
        kill(lab, SIGCONT);
    const Report report = wait_for_last(*client);
    EXPECT_EQ(report.request, r.id);
    EXPECT_EQ(report.status, Status::failed) << "the source has no main()";
    EXPECT_EQ(children(), labs);
}

TEST(StuckLab, ClientEndsEvenIfTheLabCannotBeReaped) {
    auto client = start_ready();
    const pid_t lab = *children().begin();
    {
        const test::Holder holder(lab);
        if (!holder.holds()) GTEST_SKIP() << "processes cannot be traced here";
        client.reset();
    }
    EXPECT_EQ(waitpid(lab, nullptr, 0), lab) << "the lab was killed and can be reaped now";
}

}  // namespace gridstride::lab::stuck_lab_test
