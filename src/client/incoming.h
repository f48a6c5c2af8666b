// A message on its way in, however much of it the socket holds at a time.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "client/message.h"

struct msghdr;

namespace gridstride::lab {

class Incoming {
 public:
    Incoming() = default;
    ~Incoming();  ///< closes the descriptors that nobody has taken
    Incoming(const Incoming&) = delete;
    Incoming& operator=(const Incoming&) = delete;

    /// Takes what the socket holds of this message now, without waiting. Whether it is complete. Throws
    /// ChannelClosed, or wire::Malformed for what is no message.
    bool receive_on(int socket);

    // Of a complete message.
    MessageKind kind() const { return header_.kind; }
    const std::vector<ArrayHeader>& arrays() const { return arrays_; }
    /// There were arrays, and no room in this process for their file descriptors.
    bool arrays_lost() const { return arrays_lost_; }
    /// The caller's from now on.
    int take_descriptor(std::size_t array);
    std::vector<std::byte> take_bytes() { return std::move(bytes_); }

 private:
    enum class Part { header, arrays, bytes, complete };

    std::span<std::byte> current();
    bool fill(int socket);
    void take_descriptors(msghdr& message);
    void begin_next();
    void examine_header();

    Part part_ = Part::header;
    std::size_t filled_ = 0;  ///< bytes of the current part
    MessageHeader header_;
    std::vector<ArrayHeader> arrays_;
    std::vector<std::byte> bytes_;
    std::vector<int> descriptors_;
    bool cut_off_ = false;  ///< more descriptors came than there was room for
    bool arrays_lost_ = false;
};

}  // namespace gridstride::lab
