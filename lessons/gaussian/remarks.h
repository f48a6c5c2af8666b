#pragma once

#include <string_view>
#include <vector>

#include "gaussian/parameters.h"
#include "lesson/remark.h"

namespace gridstride::lessons::gaussian {

std::vector<Remark> remarks(const Values& values, std::string_view variant, const Limits& limits);

/// The integral of the density over all x that occur: what the result's estimate is of.
double exact_integral(double mean, double sigma);

}  // namespace gridstride::lessons::gaussian
