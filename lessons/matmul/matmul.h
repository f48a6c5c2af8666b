// What the files of this lesson share: its parameters, the two factors as they lie in memory, and its
// pictures.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lesson/lesson.h"
#include "tensor/product.h"

namespace gridstride::lessons::matmul {

namespace key {
using namespace gridstride::key;
inline constexpr Key<std::uint64_t> m{"m"}, n{"n"}, k{"k"};
inline constexpr Key<Extent> results{"results"};     ///< of an invocation, x = 0: auto
inline constexpr Key<std::uint64_t> depth{"depth"};  ///< of k, that a tile holds; 0: auto
enum class Transposed { none, a, b, both };
inline constexpr Key<Transposed> transposed{"transposed"};
}  // namespace key

struct Way : Variant {
    tensor::ProductKernel does = {};
};
const std::vector<Way>& ways();

using View = tensor::Matrix;
View view_of_a(const Values& values);  ///< m x k
View view_of_b(const Values& values);  ///< k x n

/// c in f64, or, where that would take too long, its rows' products with a vector: see ByRows.
std::vector<Expected> reference(const Input& input, const Prepared& asked);

/// The product in f32, with four rows and eight columns of it in registers.
double on_cpu(const Input& input, const Values& values, InParts in_parts);

/// Computed: "needs", which numbers of a and b one result needs; "matrices", all three of them. Recorded:
/// "reuse", how often each number of a and b is fetched; "subgroups", where the results of each lie.
/// Measured: "ladder", the rate of each variant.
std::vector<Plot> pictures(const PictureInput& input);

}  // namespace gridstride::lessons::matmul
