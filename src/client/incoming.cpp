#include "client/incoming.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/wire.h"

namespace gridstride::lab {

namespace {

/// Room for the descriptors of one message.
union ControlBlock {
    std::array<char, CMSG_SPACE(sizeof(int) * Message::most_arrays)> bytes;
    cmsghdr aligned;
};

}  // namespace

Incoming::~Incoming() {
    for (const int descriptor : descriptors_)
        if (descriptor >= 0) close(descriptor);
}

int Incoming::take_descriptor(std::size_t array) {
    return std::exchange(descriptors_[array], -1);
}

bool Incoming::receive_on(int socket) {
    while (part_ != Part::complete) {
        if (!fill(socket)) return false;
        begin_next();
    }
    return true;
}

std::span<std::byte> Incoming::current() {
    switch (part_) {
        case Part::header:
            return std::as_writable_bytes(std::span(&header_, 1));
        case Part::arrays:
            return std::as_writable_bytes(std::span(arrays_));
        default:
            return bytes_;
    }
}

/// Whether the current part is complete.
bool Incoming::fill(int socket) {
    ControlBlock control{};
    while (filled_ < current().size()) {
        const std::span<std::byte> rest = current().subspan(filled_);
        iovec piece{rest.data(), rest.size()};
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        message.msg_control = control.bytes.data();
        message.msg_controllen = sizeof control.bytes;
        const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
        if (got <= 0)
            throw ChannelClosed(got == 0 ? "the other end is gone"
                                         : fmt::format("receiving failed: {}", std::strerror(errno)));
        take_descriptors(message);
        filled_ += static_cast<std::size_t>(got);
    }
    return true;
}

/// In order; those that must not be there are closed.
void Incoming::take_descriptors(msghdr& message) {
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int descriptor = -1;
            std::memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof descriptor);
            if (part_ == Part::header)
                descriptors_.push_back(descriptor);
            else
                close(descriptor);
        }
    }
    if (part_ == Part::header && (message.msg_flags & MSG_CTRUNC)) cut_off_ = true;
}

void Incoming::begin_next() {
    filled_ = 0;
    switch (part_) {
        case Part::header:
            examine_header();
            arrays_.resize(header_.arrays);
            part_ = Part::arrays;
            break;
        case Part::arrays:
            bytes_.resize(header_.bytes);
            part_ = Part::bytes;
            break;
        default:
            part_ = Part::complete;
    }
}

void Incoming::examine_header() {
    if (header_.version != protocol_version)
        throw wire::Malformed(
            fmt::format("version {} of the protocol, not {}", header_.version, protocol_version));
    // The control block has room for the most there may be, so what is cut off is for want of descriptors.
    arrays_lost_ = cut_off_ && descriptors_.size() < header_.arrays;
    if (header_.kind > MessageKind::leaving || header_.bytes > Message::most_bytes ||
        header_.arrays > Message::most_arrays || (header_.arrays != descriptors_.size() && !arrays_lost_))
        throw wire::Malformed("a header that is none");
}

}  // namespace gridstride::lab
