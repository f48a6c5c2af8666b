// Messages to the person at the terminal: spdlog on stderr, so that stdout holds results alone.
#pragma once

#include <spdlog/spdlog.h>

namespace gridstride {

/// Sends spdlog to stderr with plain "gridstride: level: text" lines; GRIDSTRIDE_LOG sets the level.
void set_up_log();

}  // namespace gridstride
