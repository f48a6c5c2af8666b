#include "base/format_exact.h"

#include <fmt/format.h>

#include <cmath>

namespace gridstride {

std::string format_exact(double number) {
    const bool is_integer = std::abs(number) <= 0x1p64 && number == std::trunc(number);
    return is_integer ? fmt::format("{:.0f}", number) : fmt::format("{}", number);
}

}  // namespace gridstride
