// File descriptors run out and become available again: a lab that could not be restarted is started later,
// and a caller that waits for it gets the reason.
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "client/changing_program.h"
#include "test_includes.h"

namespace gridstride::lab::shortage_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// During its lifetime, this process can open only `left` more files, so tests must not read /proc meanwhile.
class FewDescriptors {
 public:
    explicit FewDescriptors(rlim_t left = 0) {
        const int lowest = dup(STDIN_FILENO);
        close(lowest);
        getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit few{static_cast<rlim_t>(lowest) + left, before_.rlim_max};
        setrlimit(RLIMIT_NOFILE, &few);
    }
    ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
    FewDescriptors(const FewDescriptors&) = delete;
    FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
    rlimit before_{};
};

/// A lost lab frees one descriptor when its socket is closed. A new lab needs more than one.
void lose_labs(const std::set<pid_t>& labs) {
    for (const pid_t lab : labs)
        kill(lab, SIGKILL);
    ASSERT_TRUE(comes_true([&] { return std::all_of(labs.begin(), labs.end(), has_ended); }));
}

Report wait_for_news(Client& client, Status status) {
    return wait_for(client, [&](const Report& report) { return report.status == status; });
}

TEST(DescriptorShortage, RunWaitsAndReportsTheReason) {
    const auto client = start();
    Request r = request(1 << 18);
    r.sampling.samples = 100;
    r.sampling.quick_first_report = true;
    client->submit(r);
    wait_for_first_report(*client);
    const std::set<pid_t> labs = children();
    {
        const FewDescriptors none;
        lose_labs(labs);
        const Report reason = wait_for_news(*client, Status::lost);
        EXPECT_FALSE(reason.is_final);
        EXPECT_EQ(reason.request, r.id);
        EXPECT_THAT(reason.message, AllOf(HasSubstr("Too many open files"), HasSubstr("keeps trying")));
        EXPECT_TRUE(client->is_busy());
    }
    const Report report = wait_for_last(*client);
    EXPECT_EQ(report.status, Status::ok) << report.message;
    EXPECT_EQ(report.timings.kernel.samples.size(), 100u);
}

TEST(DescriptorShortage, RunReportsTheReasonAtItsDeadline) {
    const auto client = start_ready();
    const std::set<pid_t> labs = children();
    {
        const FewDescriptors none;
        lose_labs(labs);
        Request r = request();
        r.deadline_seconds = 1;
        const Report report = run(*client, r);
        EXPECT_EQ(report.status, Status::lost);
        EXPECT_EQ(report.request, r.id);
        EXPECT_THAT(report.message, HasSubstr("Too many open files"));
    }
    expect_ok(*client);
}

TEST(DescriptorShortage, OnlyTheNewestRequestWaits) {
    const auto client = start_ready();
    const std::set<pid_t> labs = children();
    Request newest = request();
    {
        const FewDescriptors none;
        lose_labs(labs);
        client->submit(long_request());
        wait_for_news(*client, Status::lost);
        client->submit(newest);
        wait_for_last(*client);  // the one before is given up
    }
    const Report report =
        wait_for(*client, [&](const Report& one) { return one.is_final && one.request == newest.id; });
    EXPECT_EQ(report.status, Status::ok) << report.message;
}

TEST(DescriptorShortage, CancelEndsAWaitingRun) {
    const auto client = start_ready();
    const std::set<pid_t> labs = children();
    const FewDescriptors none;
    lose_labs(labs);
    client->submit(long_request());
    wait_for_news(*client, Status::lost);
    client->cancel();
    EXPECT_EQ(wait_for_last(*client).status, Status::stopped);
    EXPECT_FALSE(client->is_busy());
}

TEST(DescriptorShortage, NewClientThrowsNoDevice) {
    std::unique_ptr<Client> client;
    const FewDescriptors one(1);  // for the client's wake-up event; a lab needs two
    client = start();
    try {
        client->limits();
        FAIL() << "there is no descriptor for a lab";
    } catch (const NoDevice& error) {
        EXPECT_THAT(error.what(), HasSubstr("Too many open files"));
    }
}

}  // namespace gridstride::lab::shortage_test
