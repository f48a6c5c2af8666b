// What happened to a person's files: said in the log, and by the window once it looks.
#pragma once

#include <string>
#include <vector>

namespace gridstride {

/// From any thread; a warning in the log. `once`: the same sentence is not said again.
void notify_user(const std::string& sentence, bool once = false);

/// Without a line in the log: another process has written it there.
void pass_on_notice(std::string sentence);

/// Those since the last call.
std::vector<std::string> take_notices();

}  // namespace gridstride
