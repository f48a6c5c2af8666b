#pragma once

#include "lesson/data.h"
#include "reduction/parameters.h"

namespace gridstride::lessons::reduction {

/// "numbers": 1, 2, …, n as u32, or f32 uniform in [0, 1).
Input input(const Values& values);

/// The user's numbers, converted. Throws Refusal naming the first that does not fit.
Input input_from_user(const UserData& data, const Values& values);

}  // namespace gridstride::lessons::reduction
