// Parameters that lessons whose plans are made of graphs have in common.
#pragma once

#include "lesson/lesson.h"
#include "tensor/plan.h"

namespace gridstride::tensor {

enum class InPlace { no, yes };

namespace key {
inline constexpr Key<InPlace> in_place{"in_place"};
inline constexpr Key<std::uint64_t> memory{"memory"};  ///< bytes; 0: auto
}  // namespace key

Parameter in_place_parameter();
Parameter memory_parameter();

/// With the bench's workgroup and grid: kernels of graphs count along one line, so their products matter.
Options options_of(const Values& values, Execution execution);

/// What does not look at these values.
void add_remarks(Remarks& say, const Values& values, Execution execution);

}  // namespace gridstride::tensor
