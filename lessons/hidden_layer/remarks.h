#pragma once

#include <string_view>
#include <vector>

#include "hidden_layer/parameters.h"
#include "lesson/remark.h"

namespace gridstride::lessons::hidden_layer {

std::vector<Remark> remarks(const Values& values, std::string_view variant, const Limits& limits);

}  // namespace gridstride::lessons::hidden_layer
