// The lesson's own parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "lesson/common_parameters.h"

namespace gridstride::lessons::zero_suppression {

enum class Rule { signed_value, magnitude };

namespace key {
using namespace gridstride::key;
inline constexpr Key<std::uint64_t> threshold{"threshold"};
inline constexpr Key<Rule> rule{"rule"};
}  // namespace key

std::vector<Parameter> parameters();

}  // namespace gridstride::lessons::zero_suppression
