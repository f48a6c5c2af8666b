// Messages to the person at the terminal, on stderr, so that stdout holds results alone.
#pragma once

#include <string>

namespace gridstride {

/// Plain "gridstride: level: text" lines, escaped(); GRIDSTRIDE_LOG sets the level.
void set_up_log();

// spdlog's own functions are templates, which compile fmt's whole engine in every file that logs.
void log_debug(const std::string& text);
void log_info(const std::string& text);
void log_warning(const std::string& text);
void log_error(const std::string& text);

}  // namespace gridstride
