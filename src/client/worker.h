// The lab's side of the lab process.
#pragma once

#include <string_view>

#include "client/channel.h"
#include "lesson/report.h"

namespace gridstride::lab {

/// The first argument that makes the program the lab: `gridstride --lab SOCKET PARENT`, used by the client
/// only. SOCKET is the descriptor of a connected socket, PARENT the client's process id.
inline constexpr std::string_view worker_argument = "--lab";

/// Serves requests until the client closes the socket or ends. Returns the process's exit code.
int serve_lab(int socket, int parent);

/// Sends a report of any size. If it cannot be sent (over the channel's limits, or out of memory), a final
/// report is sent as failed, without its results, and any other is dropped. Throws ChannelClosed.
void send_report(Channel& channel, const Report& report);

}  // namespace gridstride::lab
