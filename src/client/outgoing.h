// A message on its way out, however much of it the socket takes at a time.
#pragma once

#include <cstddef>
#include <vector>

#include "base/shared_memory.h"
#include "base/wire.h"
#include "client/message.h"

namespace gridstride::lab {

class Outgoing {
 public:
    /// Throws std::length_error for a message over the limits, std::bad_alloc when its arrays cannot be
    /// shared.
    Outgoing(MessageKind kind, wire::Writer message);
    Outgoing(Outgoing&&) = default;
    Outgoing& operator=(Outgoing&&) = default;

    /// Sends what the socket takes now, without waiting. Whether that was all that was left. Throws
    /// ChannelClosed.
    bool send_on(int socket);

 private:
    void share(const ArrayRef& array);

    wire::Writer message_;  ///< holds the arrays until they are sent
    std::vector<std::byte> start_;
    std::vector<int> descriptors_;
    std::vector<SharedMemory> copies_;  ///< of arrays that another process made: their files are closed
    std::size_t sent_ = 0;              ///< bytes of start_ and of the message's, in this order
};

}  // namespace gridstride::lab
