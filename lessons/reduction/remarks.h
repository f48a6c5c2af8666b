#pragma once

#include <string_view>
#include <vector>

#include "lesson/remark.h"
#include "reduction/parameters.h"

namespace gridstride::lessons::reduction {

std::vector<Remark> remarks(const Values& values, std::string_view variant, const Limits& limits);

}  // namespace gridstride::lessons::reduction
