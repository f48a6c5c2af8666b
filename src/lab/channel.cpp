#include "lab/channel.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace gridstride::lab {

namespace {

/// An end that stops in the middle of a message for so long is taken for gone.
constexpr timeval patience{.tv_sec = 5, .tv_usec = 0};

struct Header {
    std::uint32_t version = 0;
    MessageKind kind = MessageKind::hello;
    std::uint64_t bytes = 0;
    std::uint32_t arrays = 0;
    std::uint32_t reserved = 0;
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 24);

struct ArrayHeader {
    ElementType type = ElementType::u8;
    std::uint32_t reserved = 0;
    std::uint64_t count = 0;
};
static_assert(std::is_trivially_copyable_v<ArrayHeader> && sizeof(ArrayHeader) == 16);

/// Room for the descriptors of one message.
union ControlBlock {
    std::array<char, CMSG_SPACE(sizeof(int) * Channel::most_arrays)> bytes;
    cmsghdr aligned;
};

void send_all(int socket, std::span<const std::byte> data, std::span<const int> descriptors) {
    ControlBlock control{};
    while (!data.empty()) {
        iovec piece{const_cast<std::byte*>(data.data()), data.size()};
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        if (!descriptors.empty()) {
            message.msg_control = control.bytes.data();
            message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
            cmsghdr* const header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
            std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
        }
        const ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) throw ChannelClosed(fmt::format("sending failed: {}", std::strerror(errno)));
        data = data.subspan(static_cast<std::size_t>(sent));
        descriptors = {};  // they go with the first byte
    }
}

/// The descriptors that came with a piece, in order; those that must not be there are closed.
void take_descriptors(msghdr& message, std::vector<int>* descriptors) {
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int descriptor = -1;
            std::memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof descriptor);
            if (descriptors)
                descriptors->push_back(descriptor);
            else
                close(descriptor);
        }
    }
}

}  // namespace

/// Those that came with a message. Closes what nobody has taken.
struct Channel::Descriptors {
    std::vector<int> open;
    bool cut_off = false;  ///< more came than there was room for
    ~Descriptors() {
        for (const int descriptor : open)
            if (descriptor >= 0) close(descriptor);
    }
};

Channel::Channel(int socket) : socket_(socket) {
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

Channel::~Channel() {
    close(socket_);
}

void Channel::finish() {
    shutdown(socket_, SHUT_WR);
}

void Channel::send(MessageKind kind, const wire::Writer& message) {
    if (message.bytes().size() > longest_message || message.arrays().size() > most_arrays)
        throw std::length_error(
            fmt::format("a message of {} bytes and {} arrays is over the limits of {} bytes and {} arrays",
                        message.bytes().size(), message.arrays().size(), longest_message, most_arrays));
    Header header{protocol_version, kind, message.bytes().size(),
                  static_cast<std::uint32_t>(message.arrays().size()), 0};
    std::vector<int> descriptors;
    std::vector<SharedMemory> copies;  // of arrays that another process made: their files are closed
    std::vector<ArrayHeader> arrays;
    for (const ArrayRef& array : message.arrays()) {
        arrays.push_back({array->type(), 0, array->count()});
        if (array->shared().descriptor() < 0) {
            copies.emplace_back(array->bytes());
            std::memcpy(copies.back().mapped().data(), array->raw().data(), array->bytes());
            descriptors.push_back(copies.back().descriptor());
        } else {
            descriptors.push_back(array->shared().descriptor());
        }
    }
    send_all(socket_, std::as_bytes(std::span(&header, 1)), descriptors);
    send_all(socket_, std::as_bytes(std::span(arrays)), {});
    send_all(socket_, message.bytes(), {});
}

void Channel::receive_bytes(std::span<std::byte> target, Descriptors* descriptors) {
    ControlBlock control{};
    while (!target.empty()) {
        iovec piece{target.data(), target.size()};
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        message.msg_control = control.bytes.data();
        message.msg_controllen = sizeof control.bytes;
        const ssize_t got = recvmsg(socket_, &message, MSG_CMSG_CLOEXEC);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            throw ChannelClosed(got == 0 ? "the other end is gone"
                                         : fmt::format("receiving failed: {}", std::strerror(errno)));
        take_descriptors(message, descriptors ? &descriptors->open : nullptr);
        if (descriptors && (message.msg_flags & MSG_CTRUNC)) descriptors->cut_off = true;
        target = target.subspan(static_cast<std::size_t>(got));
    }
}

ArrayRef Channel::adopt(int descriptor, ElementType type, std::size_t count) {
    struct stat facts {};
    if (fstat(descriptor, &facts) == 0) {
        if (ArrayRef known = received_[facts.st_ino].lock();
            known && known->type() == type && known->count() == count) {
            close(descriptor);
            return known;
        }
    }
    SharedMemory memory;
    try {
        memory = SharedMemory::adopt(descriptor, count * byte_size(type));
    } catch (const std::runtime_error& error) {
        throw wire::Malformed(error.what());
    }
    const auto array = std::make_shared<const Array>(type, count, std::move(memory));
    std::erase_if(received_, [](const auto& entry) { return entry.second.expired(); });
    received_[facts.st_ino] = array;
    return array;
}

Message Channel::receive() {
    Header header;
    Descriptors came;
    // The wait for a message has no end; one that has begun must go on.
    constexpr timeval for_ever{};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &for_ever, sizeof for_ever);
    const std::span<std::byte> start = std::as_writable_bytes(std::span(&header, 1));
    receive_bytes(start.first(1), &came);
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    receive_bytes(start.subspan(1), &came);
    if (header.version != protocol_version)
        throw wire::Malformed(
            fmt::format("version {} of the protocol, not {}", header.version, protocol_version));
    // The control block has room for the most there may be, so what is cut off is for want of descriptors.
    const bool arrays_lost = came.cut_off && came.open.size() < header.arrays;
    if (header.kind > MessageKind::leaving || header.bytes > longest_message || header.arrays > most_arrays ||
        (header.arrays != came.open.size() && !arrays_lost))
        throw wire::Malformed("a header that is none");

    Message message;
    message.kind = header.kind;
    std::vector<ArrayHeader> arrays(header.arrays);
    receive_bytes(std::as_writable_bytes(std::span(arrays)), nullptr);
    message.bytes.resize(header.bytes);
    receive_bytes(message.bytes, nullptr);
    if (arrays_lost) {
        message.arrays.resize(arrays.size());
        message.arrays_lost = true;
        return message;
    }
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (arrays[i].type > ElementType::f64 || arrays[i].count == 0 ||
            arrays[i].count > (std::uint64_t{1} << 40))
            throw wire::Malformed("an array that is none");
        message.arrays.push_back(adopt(std::exchange(came.open[i], -1), arrays[i].type, arrays[i].count));
    }
    return message;
}

}  // namespace gridstride::lab
