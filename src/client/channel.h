// Messages over a socket between the lab and its client, big arrays beside them in shared memory.
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

/// The other end is gone, or does not read on in the middle of a message.
struct ChannelClosed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One end of a connected stream socket. Sending and receiving may be done on two threads, each of them on
/// one at a time. The lab waits for its client; the client, which has deadlines to keep and a window that
/// may close, never waits for the lab: it posts, and takes what is there.
class Channel {
 public:
    static constexpr std::uint64_t longest_message = std::uint64_t{64} << 20;  ///< bytes, without its arrays
    static constexpr std::uint32_t max_arrays = 64;

    explicit Channel(int socket) : socket_(socket) {}  ///< takes the descriptor over
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    int descriptor() const { return socket_; }

    /// A message with this value, or with none. Waits until all of it is sent. Throws ChannelClosed, also
    /// when the other end does not read for some seconds, std::length_error for a message over the limits,
    /// and std::bad_alloc.
    template <class... T>
    void send(MessageKind kind, const T&... value) {
        post(kind, value...);
        send_all();
    }
    /// Sends what the socket takes now and keeps the rest for send_rest(). Throws as send() does.
    template <class... T>
    void post(MessageKind kind, const T&... value) {
        wire::Writer writer;
        writer(value...);
        post_written(kind, writer);
    }
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
    /// A message on its way out, however much of it the socket takes at a time.
    struct Outgoing {
        std::vector<std::byte> bytes;
        std::vector<ArrayRef> arrays;      ///< held until they are sent
        std::vector<SharedMemory> copies;  ///< of arrays that another process made: their files are closed
        std::vector<int> descriptors;      ///< of the arrays' memory
        std::size_t sent = 0;              ///< bytes
    };
    /// A message on its way in, however much of it the socket holds at a time.
    struct Incoming {
        Incoming();
        ~Incoming();  ///< closes the descriptors that nobody has taken
        Incoming(const Incoming&) = delete;
        Incoming& operator=(const Incoming&) = delete;

        std::vector<std::byte> bytes;  ///< as long as what is known of it
        std::size_t filled = 0;        ///< bytes
        std::vector<int> descriptors;
        bool cut_off = false;  ///< more descriptors came than there was room for
    };

    void post_written(MessageKind kind, const wire::Writer& written);
    void send_all();
    bool fill(Incoming& incoming);
    static std::size_t length_of(const Incoming& incoming);
    Message take(Incoming& incoming);
    ArrayRef adopt(int descriptor, ElementType type, std::size_t count);

    int socket_;
    std::deque<Outgoing> outgoing_;
    std::optional<Incoming> incoming_;
    /// By inode: what came before and is still held is the same memory, and stays the same ArrayRef.
    std::map<ino_t, std::weak_ptr<const Array>> received_;
};

}  // namespace gridstride::lab
