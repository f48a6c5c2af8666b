// The definitions of this lesson, in double, and how far a kernel's f32 may be from them.
#pragma once

#include <vector>

#include "lesson/lesson.h"
#include "softmax/softmax.h"

namespace gridstride::lessons::softmax {

std::vector<Expected> shares_of_rows(const Input& input, const Values& values, const Team& team);
/// The same shares, and what exp() of large numbers may be off.
std::vector<Expected> shares_without_maximum(const Input& input, const Values& values, const Team& team);
/// Squares of what is larger in magnitude may add up to more than f32 holds.
constexpr double largest_squarable = 1e15;

/// Both norms throw Refusal for a finite number beyond largest_squarable.
std::vector<Expected> norms_of_rows(const Input& input, const Values& values, const Team& team);
/// Throws Refusal for a row with minus infinity in it, which has no mean.
std::vector<Expected> layer_norms(const Input& input, const Values& values, const Team& team);

/// log(sum of exp(x)) of each row.
std::vector<Expected> log_sums_of_rows(const Input& input, const Values& values);

/// What layer norm adds to the variance, as layer_norm.comp does.
constexpr double layer_norm_epsilon = 1e-5;

}  // namespace gridstride::lessons::softmax
