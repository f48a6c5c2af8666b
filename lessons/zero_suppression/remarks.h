#pragma once

#include <string_view>
#include <vector>

#include "lesson/remark.h"
#include "zero_suppression/parameters.h"

namespace gridstride::lessons::zero_suppression {

std::vector<Remark> remarks(const Values& values, std::string_view variant, const Limits& limits);

}  // namespace gridstride::lessons::zero_suppression
