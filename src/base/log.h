// Log messages on stderr; stdout holds results only.
#pragma once

#include <string>

namespace gridstride {

/// Sets the line format "gridstride: level: text" and reads the level from GRIDSTRIDE_LOG. Control
/// characters are escaped.
void set_up_log();

// spdlog's functions are templates that would compile all of fmt in every file that logs.
void log_debug(const std::string& text);
void log_info(const std::string& text);
void log_warning(const std::string& text);
void log_error(const std::string& text);

}  // namespace gridstride
