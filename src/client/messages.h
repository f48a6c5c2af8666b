// The protocol between the lab and its client. Values are serialised with base/wire.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/wire.h"
#include "lab/request.h"
#include "lesson/report.h"

namespace gridstride {

template <class Wire>
void serialize(Wire& wire, Values& values) {
    if constexpr (Wire::writes) {
        wire(values.entries());
    } else {
        std::vector<std::pair<std::string, Value>> entries;
        wire(entries);
        values = {};
        for (auto& [id, value] : entries)
            values.set(id, value);
    }
}

namespace lab {

/// The first argument that makes the program the lab: `gridstride --lab SOCKET PARENT`, used by the client
/// only. SOCKET is the descriptor of a connected socket, PARENT the client's process id.
inline constexpr std::string_view worker_argument = "--lab";

/// Increment it with every change of the protocol; both ends compare it first.
inline constexpr std::uint32_t protocol_version = 23;

enum class MessageKind : std::uint32_t {
    hello,      ///< to the lab, first: Hello
    request,    ///< to the lab: Request
    supersede,  ///< to the lab: a newer request is waiting
    cancel,     ///< to the lab: abort the run
    ready,      ///< to the client, first: Limits
    no_device,  ///< to the client, instead of ready: the reason
    report,     ///< to the client: Report
    progress,   ///< to the client: Progress
    leaving,    ///< to the client, before a final report: the lab will exit, its device still works
    notice,     ///< to the client: a sentence about a file of the user
};

/// Configures the lab.
struct Hello {
    std::string device;       ///< as in gpu::find_device()
    bool validation = false;  ///< enables the validation layers
};

struct Message {
    MessageKind kind = MessageKind::hello;
    std::vector<std::byte> bytes;
    std::vector<ArrayRef> arrays;
    bool has_lost_arrays = false;  ///< out of file descriptors: all arrays are null
};

/// Deserialises the message's value. Throws wire::MalformedMessage.
template <class T>
T decode(const Message& message) {
    wire::Reader reader(message.bytes, message.arrays);
    T value{};
    reader(value);
    reader.end();
    return value;
}

}  // namespace lab

}  // namespace gridstride
