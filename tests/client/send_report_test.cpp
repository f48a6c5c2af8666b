// If the channel cannot send a report, the client gets a failed report that says why.
#include "client/worker.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test_includes.h"

namespace gridstride::lab::send_report_test {

using ::testing::HasSubstr;

struct Ends {
    std::array<int, 2> socket_pair = [] {
        std::array<int, 2> ends{};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        return ends;
    }();
    Channel lab{socket_pair[0]}, client{socket_pair[1]};
};

Report with_arrays(std::size_t count) {
    Report report;
    report.request = 7;
    report.experiment.lesson = "reduction";
    report.run_id = "abc";
    report.status = Status::ok;
    for (std::size_t i = 0; i < count; ++i)
        report.outputs.push_back(
            {"x", std::make_shared<const Array>(ElementType::u8, Array::shared_bytes), 1});
    return report;
}

TEST(SendReport, SendsAFailureInsteadOfTooManyArrays) {
    Ends ends;
    send_report(ends.lab, with_arrays(Channel::max_arrays + 1));
    const auto report = decode<Report>(ends.client.receive());
    EXPECT_EQ(report.request, 7u);
    EXPECT_EQ(report.run_id, "abc");
    EXPECT_TRUE(report.is_final);
    EXPECT_EQ(report.status, Status::failed);
    EXPECT_THAT(report.message, HasSubstr("65 arrays"));
    EXPECT_TRUE(report.outputs.empty());
}

TEST(SendReport, SendsAFailureInsteadOfTooManyBytes) {
    Ends ends;
    Report report = with_arrays(0);
    report.timings.kernel.samples.resize(Channel::max_message_bytes / sizeof(double) + 1);
    send_report(ends.lab, report);
    EXPECT_EQ(decode<Report>(ends.client.receive()).status, Status::failed);
}

TEST(SendReport, OmitsANonFinalReportThatIsTooLarge) {
    Ends ends;
    Report report = with_arrays(Channel::max_arrays + 1);
    report.is_final = false;
    send_report(ends.lab, report);
    ends.lab.finish();
    EXPECT_THROW(ends.client.receive(), ChannelClosed);
}

TEST(Channel, DropsArraysWithoutFreeDescriptorsAndContinues) {
    Ends ends;
    send_report(ends.lab, with_arrays(3));
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{0, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    const Message message = ends.client.receive();
    setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_TRUE(message.has_lost_arrays);
    EXPECT_EQ(decode<Report>(message).outputs.at(2).array, nullptr);
    send_report(ends.lab, with_arrays(1));
    EXPECT_NE(decode<Report>(ends.client.receive()).outputs.at(0).array, nullptr);
}

}  // namespace gridstride::lab::send_report_test
