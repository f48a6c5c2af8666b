// Notices about the user's files, shown in the log and by the window.
#pragma once

#include <string>
#include <vector>

namespace gridstride {

/// Logs a warning and queues it for the window. Thread-safe. If `once`, a repeated sentence is ignored.
void notify_user(const std::string& sentence, bool once = false);

/// Queues a notice without logging it, because another process has logged it.
void queue_notice(std::string sentence);

/// Returns the notices since the last call.
std::vector<std::string> take_notices();

}  // namespace gridstride
