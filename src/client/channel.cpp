#include "client/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <utility>

namespace gridstride::lab {

namespace {

/// An end that does not read for so long is taken for gone by one that waits for it.
constexpr std::chrono::milliseconds peer_patience{5000};
constexpr std::chrono::milliseconds for_ever{-1};

/// False when the time is over first.
bool wait_for(int socket, short what, std::chrono::milliseconds longest) {
    pollfd source{socket, what, 0};
    // A signal counts as news: the caller tries, and waits again.
    return ::poll(&source, 1, static_cast<int>(longest.count())) != 0;
}

}  // namespace

Channel::Channel(int socket) : socket_(socket) {}

Channel::~Channel() {
    close(socket_);
}

void Channel::finish() {
    shutdown(socket_, SHUT_WR);
}

void Channel::send(MessageKind kind, wire::Writer message) {
    post(kind, std::move(message));
    while (has_rest()) {
        if (!wait_for(socket_, POLLOUT, peer_patience)) throw ChannelClosed("the other end does not read");
        send_rest();
    }
}

void Channel::post(MessageKind kind, wire::Writer message) {
    outgoing_.emplace_back(kind, std::move(message));
    send_rest();
}

void Channel::send_rest() {
    while (!outgoing_.empty() && outgoing_.front().send_on(socket_))
        outgoing_.pop_front();
}

Message Channel::receive() {
    for (;;) {
        if (std::optional<Message> message = receive_if_there()) return std::move(*message);
        wait_for(socket_, POLLIN, for_ever);
    }
}

std::optional<Message> Channel::receive_if_there() {
    if (!incoming_) incoming_.emplace();
    if (!incoming_->receive_on(socket_)) return std::nullopt;
    Message message = take(*incoming_);
    incoming_.reset();
    return message;
}

Message Channel::take(Incoming& incoming) {
    Message message;
    message.kind = incoming.kind();
    message.bytes = incoming.take_bytes();
    const std::vector<ArrayHeader>& arrays = incoming.arrays();
    if (incoming.arrays_lost()) {
        message.arrays.resize(arrays.size());
        message.arrays_lost = true;
        return message;
    }
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (arrays[i].type > ElementType::f64 || arrays[i].count == 0 ||
            arrays[i].count > (std::uint64_t{1} << 40))
            throw wire::Malformed("an array that is none");
        message.arrays.push_back(adopt(incoming.take_descriptor(i), arrays[i].type, arrays[i].count));
    }
    return message;
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

}  // namespace gridstride::lab
