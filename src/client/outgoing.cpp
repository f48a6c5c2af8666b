#include "client/outgoing.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

namespace gridstride::lab {

namespace {

template <class T>
void append(std::vector<std::byte>& target, const T& value) {
    const std::size_t before = target.size();
    target.resize(before + sizeof value);
    std::memcpy(target.data() + before, &value, sizeof value);
}

union SentControl {
    std::array<char, CMSG_SPACE(sizeof(int) * Message::most_arrays)> bytes;
    cmsghdr aligned;
};

/// They go with the first byte that is sent. The block outlives the message.
void attach(msghdr& message, SentControl& control, std::span<const int> descriptors) {
    message.msg_control = control.bytes.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
}

}  // namespace

Outgoing::Outgoing(MessageKind kind, wire::Writer message) : message_(std::move(message)) {
    const std::size_t bytes = message_.bytes().size(), arrays = message_.arrays().size();
    if (bytes > Message::most_bytes || arrays > Message::most_arrays)
        throw std::length_error(
            fmt::format("a message of {} bytes and {} arrays is over the limits of {} bytes and {} arrays",
                        bytes, arrays, Message::most_bytes, Message::most_arrays));
    append(start_, MessageHeader{protocol_version, kind, bytes, static_cast<std::uint32_t>(arrays), 0});
    for (const ArrayRef& array : message_.arrays())
        share(array);
}

void Outgoing::share(const ArrayRef& array) {
    append(start_, ArrayHeader{array->type(), 0, array->count()});
    if (array->shared().descriptor() >= 0) return descriptors_.push_back(array->shared().descriptor());
    copies_.emplace_back(array->bytes());
    std::memcpy(copies_.back().mapped().data(), array->raw().data(), array->bytes());
    descriptors_.push_back(copies_.back().descriptor());
}

bool Outgoing::send_on(int socket) {
    const std::vector<std::byte>& body = message_.bytes();
    SentControl control{};
    while (sent_ < start_.size() + body.size()) {
        const std::span<const std::byte> rest =
            sent_ < start_.size() ? std::span(start_).subspan(sent_)
                                  : std::span<const std::byte>(body).subspan(sent_ - start_.size());
        iovec piece{const_cast<std::byte*>(rest.data()), rest.size()};
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        if (sent_ == 0 && !descriptors_.empty()) attach(message, control, descriptors_);
        const ssize_t taken = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (taken < 0 && errno == EINTR) continue;
        if (taken < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
        if (taken <= 0) throw ChannelClosed(fmt::format("sending failed: {}", std::strerror(errno)));
        sent_ += static_cast<std::size_t>(taken);
    }
    return true;
}

}  // namespace gridstride::lab
