// Messages over a socket between the lab and its client, big arrays beside them in shared memory.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/wire.h"
#include "client/incoming.h"
#include "client/message.h"
#include "client/outgoing.h"

namespace gridstride::lab {

/// One end of a connected stream socket. Sending and receiving may be done on two threads, each of them on
/// one at a time. The lab waits for its client; the client, which has deadlines to keep and a window that
/// may close, never waits for the lab: it posts, and takes what is there.
class Channel {
 public:
    static constexpr std::uint64_t longest_message = Message::most_bytes;  ///< bytes, without its arrays
    static constexpr std::uint32_t most_arrays = Message::most_arrays;

    explicit Channel(int socket);  ///< takes the descriptor over
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    int descriptor() const { return socket_; }

    void send(MessageKind kind) { send(kind, wire::Writer()); }
    template <class T>
    void send(MessageKind kind, const T& value) {
        wire::Writer writer;
        writer(value);
        send(kind, std::move(writer));
    }
    /// Waits until all of it is sent. Throws ChannelClosed, also when the other end does not read for some
    /// seconds, std::length_error for a message over the limits, and std::bad_alloc.
    void send(MessageKind kind, wire::Writer message);

    void post(MessageKind kind) { post(kind, wire::Writer()); }
    template <class T>
    void post(MessageKind kind, const T& value) {
        wire::Writer writer;
        writer(value);
        post(kind, std::move(writer));
    }
    /// Sends what the socket takes now and keeps the rest for send_rest(). Throws as send() does.
    void post(MessageKind kind, wire::Writer message);
    /// Whether something was posted that is not sent yet.
    bool has_rest() const { return !outgoing_.empty(); }
    /// Sends of it what the socket takes now. Throws ChannelClosed.
    void send_rest();

    /// Waits for a message. Throws ChannelClosed, or wire::Malformed for what is none.
    Message receive();
    /// The next message if all of it is there; what is there of one is kept. Throws as receive() does.
    std::optional<Message> receive_if_there();

    /// No more will be sent: the other end's receive() throws ChannelClosed once it has read the rest.
    void finish();

 private:
    Message take(Incoming& incoming);
    ArrayRef adopt(int descriptor, ElementType type, std::size_t count);

    int socket_;
    std::deque<Outgoing> outgoing_;
    std::optional<Incoming> incoming_;
    /// By inode: what came before and is still held is the same memory, and stays the same ArrayRef.
    std::map<ino_t, std::weak_ptr<const Array>> received_;
};

/// The value that a message holds. Throws wire::Malformed.
template <class T>
T decode(const Message& message) {
    wire::Reader reader(message.bytes, message.arrays);
    T value{};
    reader(value);
    reader.end();
    return value;
}

}  // namespace gridstride::lab
