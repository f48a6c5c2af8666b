#pragma once

#include <string>

namespace gridstride {

/// Formats integers up to 2^64 with all digits (fmt switches to an exponent from 1e16 on), other numbers as
/// fmt does.
std::string format_exact(double number);

}  // namespace gridstride
