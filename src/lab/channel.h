// Messages over a socket between the lab and its client, big arrays beside them in shared memory.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/wire.h"

namespace gridstride::lab {

/// Counts up whenever what travels changes: the two ends compare it first.
inline constexpr std::uint32_t protocol_version = 3;

enum class MessageKind : std::uint32_t {
    hello,      ///< to the lab, first: Hello
    request,    ///< to the lab: Request
    supersede,  ///< to the lab: a newer request waits
    cancel,     ///< to the lab: give the run up
    ready,      ///< to the client, first: Limits
    no_device,  ///< to the client, in place of ready: why, as a string
    report,     ///< to the client: Report
    progress,   ///< to the client: Progress
    leaving,    ///< to the client, before a final report: the lab ends after it, its device still works
};

struct Message {
    MessageKind kind = MessageKind::hello;
    std::vector<std::byte> bytes;
    std::vector<ArrayRef> arrays;
    bool arrays_lost = false;  ///< no file descriptor was left for them: all of them are null
};

/// The other end is gone, or stopped reading or writing in the middle of a message.
struct ChannelClosed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One end of a connected stream socket. send() and receive() may be called from two threads, each of them
/// from one at a time.
class Channel {
 public:
    static constexpr std::uint64_t longest_message = std::uint64_t{64} << 20;  ///< bytes, without its arrays
    static constexpr std::uint32_t most_arrays = 64;

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
        send(kind, writer);
    }
    /// Throws ChannelClosed, and std::length_error for a message over the limits.
    void send(MessageKind kind, const wire::Writer& message);

    /// Waits for a message. Throws ChannelClosed, or wire::Malformed for what is none.
    Message receive();

    /// No more will be sent: the other end's receive() throws ChannelClosed once it has read the rest.
    void finish();

 private:
    struct Descriptors;
    void receive_bytes(std::span<std::byte> target, Descriptors* descriptors);
    ArrayRef adopt(int descriptor, ElementType type, std::size_t count);

    int socket_;
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
