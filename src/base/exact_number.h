// Numbers of files as messages quote them.
#pragma once

#include <string>

namespace gridstride {

/// A whole number up to 2^64 in all its digits, where fmt gives an exponent from 1e16 on; any other number as
/// fmt does.
std::string exact_number(double number);

}  // namespace gridstride
