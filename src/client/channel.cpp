#include "client/channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <type_traits>
#include <utility>

namespace gridstride::lab {

namespace {

/// send() treats an end that does not read for this long as closed.
constexpr std::chrono::milliseconds peer_timeout{5000};
constexpr std::chrono::milliseconds no_timeout{-1};
constexpr std::uint64_t max_elements = std::uint64_t{1} << 40;

struct MessageHeader {
    std::uint32_t version = 0;
    MessageKind kind = MessageKind::hello;
    std::uint64_t bytes = 0;
    std::uint32_t arrays = 0;
    std::uint32_t reserved = 0;
};
static_assert(std::is_trivially_copyable_v<MessageHeader> && sizeof(MessageHeader) == 24);

/// One for each array, between the header and the bytes. The file descriptors are sent with the header.
struct ArrayHeader {
    ElementType type = ElementType::u8;
    std::uint32_t reserved = 0;
    std::uint64_t count = 0;
};
static_assert(std::is_trivially_copyable_v<ArrayHeader> && sizeof(ArrayHeader) == 16);

template <class T>
void append(std::vector<std::byte>& target, const T& value) {
    const auto* const from = reinterpret_cast<const std::byte*>(&value);
    target.insert(target.end(), from, from + sizeof value);
}

template <class T>
T read_at(const std::vector<std::byte>& bytes, std::size_t place) {
    T value;
    std::memcpy(&value, bytes.data() + place, sizeof value);
    return value;
}

/// Holds the descriptors of one message.
union ControlBlock {
    std::array<char, CMSG_SPACE(sizeof(int) * Channel::max_arrays)> bytes;
    cmsghdr aligned;
};

/// Attaches descriptors, which are sent with the first byte. The block must outlive the message.
void attach_descriptors(msghdr& message, ControlBlock& control, const std::vector<int>& descriptors) {
    const std::size_t bytes = descriptors.size() * sizeof(int);
    message.msg_control = control.bytes.data();
    message.msg_controllen = CMSG_SPACE(bytes);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(bytes);
    std::memcpy(CMSG_DATA(header), descriptors.data(), bytes);
}

/// Returns the descriptors received with the message, in order.
std::vector<int> received_descriptors(msghdr& message) {
    std::vector<int> descriptors;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t before = descriptors.size(), bytes = header->cmsg_len - CMSG_LEN(0);
        descriptors.resize(before + bytes / sizeof(int));
        std::memcpy(descriptors.data() + before, CMSG_DATA(header), bytes);
    }
    return descriptors;
}

/// Returns false on timeout.
bool wait_for(int socket, short what, std::chrono::milliseconds timeout) {
    pollfd source{socket, what, 0};
    // A signal ends the wait early; the caller tries again.
    return ::poll(&source, 1, static_cast<int>(timeout.count())) != 0;
}

}  // namespace

Channel::Incoming::Incoming() : bytes(sizeof(MessageHeader)) {}

Channel::Incoming::~Incoming() {
    for (const int descriptor : descriptors)
        if (descriptor >= 0) close(descriptor);
}

Channel::~Channel() {
    close(socket_);
}

void Channel::finish() {
    shutdown(socket_, SHUT_WR);
}

void Channel::send_all() {
    while (has_unsent()) {
        if (!wait_for(socket_, POLLOUT, peer_timeout)) throw ChannelClosed("the other end does not read");
        send_pending();
    }
}

void Channel::enqueue_message(MessageKind kind, const wire::Writer& written) {
    Outgoing message;
    message.arrays = written.arrays();
    const std::size_t bytes = written.bytes().size(), arrays = message.arrays.size();
    if (bytes > max_message_bytes || arrays > max_arrays)
        throw std::length_error(
            fmt::format("a message of {} bytes and {} arrays is over the limits of {} bytes and {} arrays",
                        bytes, arrays, max_message_bytes, max_arrays));
    message.bytes.reserve(sizeof(MessageHeader) + arrays * sizeof(ArrayHeader) + bytes);
    append(message.bytes,
           MessageHeader{protocol_version, kind, bytes, static_cast<std::uint32_t>(arrays), 0});
    for (const ArrayRef& array : message.arrays) {
        append(message.bytes, ArrayHeader{array->type(), 0, array->count()});
        const SharedMemory* memory = &array->shared();
        if (memory->descriptor() < 0) {
            memory = &message.copies.emplace_back(array->bytes());
            std::memcpy(memory->mapped().data(), array->raw().data(), array->bytes());
        }
        message.descriptors.push_back(memory->descriptor());
    }
    message.bytes.insert(message.bytes.end(), written.bytes().begin(), written.bytes().end());
    outgoing_.push_back(std::move(message));
    send_pending();
}

void Channel::send_pending() {
    while (has_unsent()) {
        Outgoing& rest = outgoing_.front();
        iovec piece{rest.bytes.data() + rest.sent, rest.bytes.size() - rest.sent};
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        ControlBlock control{};
        if (rest.sent == 0 && !rest.descriptors.empty())
            attach_descriptors(message, control, rest.descriptors);
        const ssize_t bytes_sent = sendmsg(socket_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (bytes_sent < 0 && errno == EINTR) continue;
        if (bytes_sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (bytes_sent <= 0) throw ChannelClosed(fmt::format("sending failed: {}", std::strerror(errno)));
        rest.sent += static_cast<std::size_t>(bytes_sent);
        if (rest.sent == rest.bytes.size()) outgoing_.pop_front();
    }
}

Message Channel::receive() {
    for (;;) {
        if (std::optional<Message> message = try_receive()) return std::move(*message);
        wait_for(socket_, POLLIN, no_timeout);
    }
}

std::optional<Message> Channel::try_receive() {
    if (!incoming_) incoming_.emplace();
    if (!receive_available(*incoming_)) return std::nullopt;
    if (incoming_->bytes.size() == sizeof(MessageHeader)) {
        incoming_->bytes.resize(message_length(*incoming_));
        if (!receive_available(*incoming_)) return std::nullopt;
    }
    Message message = take(*incoming_);
    incoming_.reset();
    return message;
}

/// Receives what is available now. Returns whether the bytes known so far are complete.
bool Channel::receive_available(Incoming& incoming) {
    while (incoming.filled < incoming.bytes.size()) {
        iovec piece{incoming.bytes.data() + incoming.filled, incoming.bytes.size() - incoming.filled};
        ControlBlock control{};
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        message.msg_control = control.bytes.data();
        message.msg_controllen = sizeof control.bytes;
        const ssize_t bytes_received = recvmsg(socket_, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        if (bytes_received < 0 && errno == EINTR) continue;
        if (bytes_received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
        if (bytes_received <= 0)
            throw ChannelClosed(bytes_received == 0
                                    ? "the other end has closed the socket"
                                    : fmt::format("receiving failed: {}", std::strerror(errno)));
        const std::vector<int> descriptors = received_descriptors(message);
        if (incoming.filled < sizeof(MessageHeader)) {
            incoming.descriptors.insert(incoming.descriptors.end(), descriptors.begin(), descriptors.end());
            if (message.msg_flags & MSG_CTRUNC) incoming.is_truncated = true;
        } else {
            std::for_each(descriptors.begin(), descriptors.end(), close);  // the protocol allows none here
        }
        incoming.filled += static_cast<std::size_t>(bytes_received);
    }
    return true;
}

/// Returns the size of the whole message in bytes, from its header.
std::size_t Channel::message_length(const Incoming& incoming) {
    const auto header = read_at<MessageHeader>(incoming.bytes, 0);
    if (header.version != protocol_version)
        throw wire::MalformedMessage(
            fmt::format("protocol version {} instead of {}", header.version, protocol_version));
    const std::size_t descriptors = incoming.descriptors.size();
    // The control block has room for max_arrays, so descriptors are only cut off if the process has too few.
    const bool lost = incoming.is_truncated && descriptors < header.arrays;
    if (header.kind > MessageKind::notice || header.bytes > max_message_bytes || header.arrays > max_arrays ||
        (header.arrays != descriptors && !lost))
        throw wire::MalformedMessage(fmt::format(
            "an invalid message header: kind {} (up to {}), {} bytes (up to {}), {} arrays (up to "
            "{}), {} descriptors",
            static_cast<unsigned>(header.kind), static_cast<unsigned>(MessageKind::notice), header.bytes,
            max_message_bytes, header.arrays, max_arrays, descriptors));
    return sizeof header + header.arrays * sizeof(ArrayHeader) + header.bytes;
}

/// Decodes a complete message.
Message Channel::take(Incoming& incoming) {
    const auto header = read_at<MessageHeader>(incoming.bytes, 0);
    Message message{.kind = header.kind, .has_lost_arrays = incoming.descriptors.size() < header.arrays};
    message.arrays.resize(header.arrays);
    for (std::size_t i = 0; i < header.arrays && !message.has_lost_arrays; ++i) {
        const auto array = read_at<ArrayHeader>(incoming.bytes, sizeof header + i * sizeof(ArrayHeader));
        if (array.type > ElementType::f64 || array.count == 0 || array.count > max_elements)
            throw wire::MalformedMessage(
                fmt::format("an invalid array header: type {} (up to {}), {} elements (1 to {})",
                            static_cast<unsigned>(array.type), static_cast<unsigned>(ElementType::f64),
                            array.count, max_elements));
        message.arrays[i] = adopt(std::exchange(incoming.descriptors[i], -1), array.type, array.count);
    }
    const std::size_t before = incoming.bytes.size() - header.bytes;
    incoming.bytes.erase(incoming.bytes.begin(),
                         incoming.bytes.begin() + static_cast<std::ptrdiff_t>(before));
    message.bytes = std::move(incoming.bytes);
    return message;
}

ArrayRef Channel::adopt(int descriptor, ElementType type, std::size_t count) {
    struct stat status {};
    if (fstat(descriptor, &status) == 0) {
        if (ArrayRef known = received_[status.st_ino].lock();
            known && known->type() == type && known->count() == count) {
            close(descriptor);
            return known;
        }
    }
    SharedMemory memory;
    try {
        memory = SharedMemory::adopt(descriptor, count * byte_size(type));
    } catch (const std::runtime_error& error) {
        throw wire::MalformedMessage(error.what());
    }
    auto array = std::make_shared<const Array>(type, count, std::move(memory));
    std::erase_if(received_, [](const auto& entry) { return entry.second.expired(); });
    received_[status.st_ino] = array;
    return array;
}

}  // namespace gridstride::lab
