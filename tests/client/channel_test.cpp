// The client's end of a channel never blocks, and no message is lost or reordered because of that.
#include "client/channel.h"

#include <unistd.h>
#include <cstring>

#include "client/messages.h"
#include "client/sockets.h"
#include "test_includes.h"

namespace gridstride::lab::channel_test {

/// The message exceeds a socket's buffer, and the report has an array in shared memory.
Report large_report(std::uint64_t number) {
    Report report;
    report.request = number;
    report.message.assign(3 << 20, static_cast<char>('a' + number));
    auto array = std::make_shared<Array>(ElementType::u8, Array::shared_bytes);
    array->as<std::uint8_t>()[7] = static_cast<std::uint8_t>(number);
    report.outputs.push_back({"x", std::move(array), 1});
    return report;
}

void expect_same(const Report& got, std::uint64_t number) {
    EXPECT_EQ(got.request, number);
    EXPECT_EQ(got.message, large_report(number).message);
    EXPECT_EQ(got.outputs.at(0).array->as<std::uint8_t>()[7], number);
}

TEST(PostedMessages, ArriveCompleteAndInOrderThroughASmallSocketBuffer) {
    const auto [one, two] = sockets();
    Channel from(one), to(two);
    for (std::uint64_t number = 0; number < 3; ++number)
        from.post(MessageKind::report, large_report(number));
    from.post(MessageKind::cancel);
    EXPECT_TRUE(from.has_unsent()) << "the socket buffer is full";
    std::uint64_t reports = 0;
    for (int i = 0; i < 1'000'000 && reports < 4; ++i) {
        from.send_pending();
        const std::optional<Message> message = to.try_receive();
        if (!message) continue;
        if (message->kind == MessageKind::report)
            expect_same(decode<Report>(*message), reports);
        else
            EXPECT_EQ(message->kind, MessageKind::cancel);
        ++reports;
    }
    EXPECT_EQ(reports, 4u);
    EXPECT_FALSE(from.has_unsent());
}

TEST(PostedMessages, CanBeReceivedByABlockingReader) {
    const auto [one, two] = sockets();
    Channel from(one), to(two);
    std::thread reader([&to] {
        for (std::uint64_t number = 0; number < 3; ++number)
            expect_same(decode<Report>(to.receive()), number);
    });
    for (std::uint64_t number = 0; number < 3; ++number)
        from.send(MessageKind::report, large_report(number));
    reader.join();
}

TEST(PostedMessages, ArePartiallyReceivedUntilComplete) {
    const auto [one, two] = sockets();
    const std::array<int, 2> copied = sockets();
    Channel whole(one), to(copied[1]);
    whole.post(MessageKind::no_device, std::string("why"));
    std::array<std::byte, 200> bytes{};
    const ssize_t count = recv(two, bytes.data(), bytes.size(), 0);
    ASSERT_GT(count, 24);
    for (ssize_t i = 0; i < count; ++i) {
        EXPECT_FALSE(to.try_receive()) << i;
        ASSERT_EQ(write(copied[0], &bytes[static_cast<std::size_t>(i)], 1), 1);
    }
    const std::optional<Message> message = to.try_receive();
    ASSERT_TRUE(message);
    EXPECT_EQ(decode<std::string>(*message), "why");
    close(two);
    close(copied[0]);
    EXPECT_THROW(to.try_receive(), ChannelClosed);
}

TEST(PostedMessages, ThrowIfTheOtherEndIsClosed) {
    const auto [one, two] = sockets();
    Channel from(one);
    from.post(MessageKind::report, large_report(1));
    close(two);
    EXPECT_THROW(from.send_pending(), ChannelClosed);
}

}  // namespace gridstride::lab::channel_test
