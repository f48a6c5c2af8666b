// Tests what callers get while the lab restarts or cannot be restarted.
#include <signal.h>

#include "base/error.h"
#include "client/changing_program.h"
#include "client/start_lab.h"
#include "test_includes.h"

namespace gridstride::lab::restart_test {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

TEST(Restart, CancelEndsARunWhileTheLabStarts) {
    const ChangingProgram program("exec sleep 10000");
    const auto client = start_lab({.program = program.program()});
    client->submit(long_request());
    wait_for_first_report(*client);
    program.change();
    ASSERT_TRUE(kill_labs_until_one_sleeps());
    client->cancel();
    EXPECT_EQ(wait_for_last(*client).status, Status::stopped);
    EXPECT_FALSE(client->is_busy());
}

TEST(Restart, DeadlineEndsARunWhileTheLabStarts) {
    const ChangingProgram program("exec sleep 10000");
    const auto client = start_lab({.program = program.program()});
    Request r = long_request();
    r.deadline_seconds = 2;
    client->limits();
    client->submit(r);
    Report report = client->wait(patience).value();
    program.change();
    kill_labs();
    // On a slow machine, the report may be the final one already.
    if (!report.is_final) report = wait_for_last(*client);
    EXPECT_EQ(report.status, Status::timed_out);
    EXPECT_THAT(report.message, HasSubstr("deadline of 2 s"));
}

TEST(Restart, DeliversTheReportBeforeTheLossOfTheDevice) {
    const ChangingProgram program("exec /bin/false");
    std::atomic<int> news = 0;
    const auto client = start_lab({.on_change = [&] { ++news; }, .program = program.program()});
    client->limits();
    const Request r = request();
    client->submit(r);
    ASSERT_TRUE(comes_true([&] { return news >= 2; })) << "two notifications: ready and the report";
    program.change();
    kill_labs();
    EXPECT_THROW(comes_true([&] {
                     client->limits_if_ready();
                     return false;
                 }),
                 NoDevice);
    const std::optional<Report> report = client->poll();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->request, r.id);
    EXPECT_EQ(report->status, Status::ok) << report->message;
    EXPECT_THROW(client->poll(), NoDevice);
}

TEST(Restart, StopsRestartingAnIdleLabThatKeepsEnding) {
    std::atomic<bool> dies = true;
    std::atomic<int> starts = 0;
    const auto client = start_lab({.on_change =
                                       [&] {
                                           if (!dies) return;
                                           ++starts;
                                           kill_labs();
                                       },
                                   .program = gridstride::program()});
    EXPECT_TRUE(comes_true([&] { return starts >= 3 && children().empty(); }));
    // No event announces that no further start follows. A start after this time goes unnoticed.
    std::this_thread::sleep_for(milliseconds(300));
    EXPECT_LE(starts, 3);
    EXPECT_TRUE(children().empty());
    dies = false;
    expect_ok(*client);
}

/// Some programs start others with SIGCHLD ignored. Then the kernel reaps the lab before its client does.
TEST(Restart, RestartsALabThatTheKernelReaped) {
    const auto before = signal(SIGCHLD, SIG_IGN);
    {
        const auto client = start();
        expect_ok(*client);
        kill_labs();
        expect_ok(*client);
    }
    signal(SIGCHLD, before);
    // waitid() reports that the child is gone slightly before the kernel removes it from the list.
    EXPECT_TRUE(comes_true([] { return children().empty(); }));
}

/// While the user drags a slider, only the newest request matters, and no earlier one may delay it.
TEST(Restart, SupersededRequestDoesNotDelayTheNextOne) {
    const auto client = start_ready();
    // The client's grace period for a superseded request is one second. A busy machine sometimes takes as
    // long without an earlier request, so only five slow tries in a row are a failure.
    const auto time_of_run = [&] {
        const auto since = Clock::now();
        expect_ok(*client);
        return Clock::now() - since;
    };
    const auto waits = [&](std::chrono::microseconds pause) {
        const auto alone = time_of_run();
        Request first = long_request();
        first.experiment.values.set("elements", std::uint64_t{1024});
        client->submit(first);
        std::this_thread::sleep_for(pause);
        return time_of_run() > std::max<Clock::duration>(milliseconds(900), 2 * alone);
    };
    const int tries = sample_of(40, 10);
    for (int i = 0; i < tries; ++i) {
        const std::chrono::microseconds pause(i * 800 / tries);
        int wait_count = 0;
        while (wait_count < 5 && waits(pause))
            ++wait_count;
        EXPECT_LT(wait_count, 5) << i;
    }
}

/// A stop affects only the request that runs when it is sent.
TEST(Restart, CancelDoesNotAffectTheNextRequest) {
    const auto client = start_ready();
    run(*client, request());
    const auto since = Clock::now();
    expect_ok(*client);
    const auto typical = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - since);
    const int stops = sample_of(200, 20);
    for (int i = 0; i < stops; ++i) {
        client->submit(request());
        std::this_thread::sleep_for(typical * (i % 20) / 13);
        client->cancel();
        const Report next = run(*client, request());
        ASSERT_EQ(next.status, Status::ok) << i << ": " << next.message;
    }
}

}  // namespace gridstride::lab::restart_test
