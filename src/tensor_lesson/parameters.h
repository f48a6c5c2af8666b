// Common parameters of lessons whose plans are built from graphs.
#pragma once

#include "lesson/lesson.h"
#include "tensor/plan.h"

namespace gridstride::tensor_lesson {

enum class InPlace { no, yes };
enum class Precision { f32, f16 };

namespace key {
inline constexpr Key<InPlace> in_place{"in_place"};
inline constexpr Key<Precision> precision{"precision"};
inline constexpr Key<std::uint64_t> memory{"memory"};  ///< bytes; 0: auto
}  // namespace key

Parameter in_place_parameter();
/// Returns the parameter for the type of matmul factors: see tensor::Graph::set_factor_type().
Parameter precision_parameter();
Parameter memory_parameter();

/// Generated kernels are one-dimensional and use the products of the workgroup's and the grid's extents.
tensor::Options options_for(const Values& values, tensor::Execution execution);

/// Adds remarks about values that this execution ignores.
void add_remarks(Remarks& remarks, const Values& values, tensor::Execution execution);

}  // namespace gridstride::tensor_lesson
