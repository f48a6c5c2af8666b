// The lab's side of the lab process.
#pragma once

#include <string_view>

#include "client/channel.h"
#include "lesson/report.h"

namespace gridstride::lab {

/// The program's first argument that makes it the lab: `gridstride --lab SOCKET PARENT`, which only the
/// client gives. SOCKET is the number of a connected socket's descriptor, PARENT the client's process.
inline constexpr std::string_view worker_argument = "--lab";

/// Serves requests until the client closes the socket or ends. The process's exit code.
int serve_lab(int socket, int parent);

/// Sends it, whatever its size. One that cannot be sent, because it is over the channel's limits or memory is
/// short, is sent as failed and without its results if it is final, and left out if it is not. Throws
/// ChannelClosed.
void send_report(Channel& channel, const Report& report);

}  // namespace gridstride::lab
