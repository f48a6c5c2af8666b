#pragma once

#include <exception>
#include <string>

namespace gridstride {

/// What is wrong with JSON, for a message: the words of a failed parse or access, without the library's name
/// for it.
std::string json_problem(const std::exception& error);

}  // namespace gridstride
