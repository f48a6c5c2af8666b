// Messages over a socket between the lab and its client, with large arrays in shared memory beside them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/shared_memory.h"
#include "client/messages.h"

namespace gridstride::lab {

/// The other end has closed the socket or stopped reading in the middle of a message.
struct ChannelClosed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One end of a connected stream socket. One thread may send while another receives. The lab blocks on its
/// client. The client has deadlines to keep and a window to close, so it never blocks on the lab: it calls
/// post() and try_receive().
class Channel {
 public:
    static constexpr std::uint64_t max_message_bytes = std::uint64_t{64} << 20;  ///< bytes, without arrays
    static constexpr std::uint32_t max_arrays = 64;

    explicit Channel(int socket) : socket_(socket) {}  ///< takes ownership of the descriptor
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    int descriptor() const { return socket_; }

    /// Sends a message with these values and waits until all of it is sent. Throws ChannelClosed (also if the
    /// other end does not read for some seconds), std::length_error for a message over the limits, and
    /// std::bad_alloc.
    template <class... T>
    void send(MessageKind kind, const T&... value) {
        post(kind, value...);
        send_all();
    }
    /// Sends as much as the socket accepts now and queues the rest for send_pending(). Throws as send() does.
    template <class... T>
    void post(MessageKind kind, const T&... value) {
        wire::Writer writer;
        writer(value...);
        enqueue_message(kind, writer);
    }
    /// Returns whether posted data is still unsent.
    bool has_unsent() const { return !outgoing_.empty(); }
    /// Sends as much of the rest as the socket accepts now. Throws ChannelClosed.
    void send_pending();

    /// Waits for a message. Throws ChannelClosed, or wire::MalformedMessage for invalid data.
    Message receive();
    /// Returns the next message if it has arrived completely; keeps a partial one. Throws as receive() does.
    std::optional<Message> try_receive();

    /// Ends sending: the other end's receive() throws ChannelClosed once it has read the rest.
    void finish();

 private:
    /// An outgoing message, which may be sent in several parts.
    struct Outgoing {
        std::vector<std::byte> bytes;
        std::vector<ArrayRef> arrays;      ///< kept alive until sent
        std::vector<SharedMemory> copies;  ///< of adopted arrays, which have no descriptor
        std::vector<int> descriptors;      ///< of the shared memory
        std::size_t sent = 0;              ///< bytes
    };
    /// An incoming message, which may arrive in several parts.
    struct Incoming {
        Incoming();
        ~Incoming();  ///< closes the descriptors not adopted yet
        Incoming(const Incoming&) = delete;
        Incoming& operator=(const Incoming&) = delete;

        std::vector<std::byte> bytes;  ///< header first, then resized to the whole message
        std::size_t filled = 0;        ///< bytes
        std::vector<int> descriptors;
        bool is_truncated = false;  ///< some descriptors did not arrive
    };

    void enqueue_message(MessageKind kind, const wire::Writer& written);
    void send_all();
    bool receive_available(Incoming& incoming);
    static std::size_t message_length(const Incoming& incoming);
    Message take(Incoming& incoming);
    ArrayRef adopt(int descriptor, ElementType type, std::size_t count);

    int socket_;
    std::deque<Outgoing> outgoing_;
    std::optional<Incoming> incoming_;
    /// By inode: memory that was received before and is still in use stays the same ArrayRef.
    std::map<ino_t, std::weak_ptr<const Array>> received_;
};

}  // namespace gridstride::lab
