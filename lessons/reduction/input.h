#pragma once

#include "lesson/data.h"
#include "reduction/parameters.h"

namespace gridstride::lessons::reduction {

/// Up to so many numbers are 1, 2, …, n.
inline constexpr std::size_t most_that_count_up = 65'536;

/// "numbers": as u32 1, 2, …, n, or, where there are more, 0 to 3 by seed, so that no sum of up to 2^30
/// numbers wraps; as f32 uniform in [0, 1).
Input input(const Values& values);

/// The user's numbers, converted. Throws Refusal naming the first that does not fit.
Input input_from_user(const UserData& data, const Values& values);

}  // namespace gridstride::lessons::reduction
