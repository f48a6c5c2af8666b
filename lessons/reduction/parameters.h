// The lesson's own parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "base/array.h"
#include "lesson/common_parameters.h"

namespace gridstride::lessons::reduction {

enum class Element { u32, f32 };
enum class Finish { gpu, cpu };
enum class Barriers { all, one_missing };

namespace key {
using namespace gridstride::key;
inline constexpr Key<Element> element_type{"element_type"};
inline constexpr Key<Finish> finish{"finish"};
inline constexpr Key<Barriers> barriers{"barriers"};
}  // namespace key

std::vector<Parameter> parameters();

/// What the numbers, the partial sums and the total are stored as.
ElementType storage(const Values& values);

}  // namespace gridstride::lessons::reduction
