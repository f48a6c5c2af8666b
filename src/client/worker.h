// The lab's side of the lab process.
#pragma once

#include <string>
#include <string_view>

namespace gridstride::lab {

/// The program's first argument that makes it the lab: `gridstride --lab SOCKET PARENT`, which only the
/// client gives. SOCKET is the number of a connected socket's descriptor, PARENT the client's process.
inline constexpr std::string_view worker_argument = "--lab";

/// Serves requests until the client closes the socket or ends. The process's exit code.
int serve_lab(int socket, int parent);

}  // namespace gridstride::lab
