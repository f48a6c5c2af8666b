#pragma once

#include <string_view>
#include <vector>

#include "gaussian/parameters.h"
#include "lesson/remark.h"

namespace gridstride::lessons::gaussian {

std::vector<Remark> remarks(const Values& values, std::string_view variant, const Limits& limits);

}  // namespace gridstride::lessons::gaussian
