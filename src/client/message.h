// What goes over the socket between the lab and its client, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "base/array.h"

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
    static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;  ///< without its arrays
    static constexpr std::uint32_t most_arrays = 64;

    MessageKind kind = MessageKind::hello;
    std::vector<std::byte> bytes;
    std::vector<ArrayRef> arrays;
    bool arrays_lost = false;  ///< no file descriptor was left for them: all of them are null
};

/// What a message begins with.
struct MessageHeader {
    std::uint32_t version = 0;
    MessageKind kind = MessageKind::hello;
    std::uint64_t bytes = 0;
    std::uint32_t arrays = 0;
    std::uint32_t reserved = 0;
};
static_assert(std::is_trivially_copyable_v<MessageHeader> && sizeof(MessageHeader) == 24);

/// One for each array, behind the header and before the bytes. The file descriptors come with the header.
struct ArrayHeader {
    ElementType type = ElementType::u8;
    std::uint32_t reserved = 0;
    std::uint64_t count = 0;
};
static_assert(std::is_trivially_copyable_v<ArrayHeader> && sizeof(ArrayHeader) == 16);

/// The other end is gone, or does not read on in the middle of a message.
struct ChannelClosed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace gridstride::lab
