// What travels between the lab and its client, one message at a time; its values as bytes: see base/wire.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/wire.h"
#include "lab/request.h"
#include "lesson/report.h"

namespace gridstride {

template <class Wire>
void carry(Wire& wire, Values& values) {
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

/// Counts up whenever what travels changes: the two ends compare it first.
inline constexpr std::uint32_t protocol_version = 16;

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
    notice,     ///< to the client: what happened to a file of the person's, a sentence
};

/// What a lab is to be.
struct Hello {
    std::string device;       ///< as in gpu::choose_device()
    bool validation = false;  ///< turn the validation layers on
};

struct Message {
    MessageKind kind = MessageKind::hello;
    std::vector<std::byte> bytes;
    std::vector<ArrayRef> arrays;
    bool arrays_lost = false;  ///< no file descriptor was left for them: all of them are null
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

}  // namespace lab

}  // namespace gridstride
