#pragma once

#include <exception>
#include <string>

namespace gridstride {

/// Returns the message of a failed parse or access without the library's prefix.
std::string json_error_text(const std::exception& error);

}  // namespace gridstride
