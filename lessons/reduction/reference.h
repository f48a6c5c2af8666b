// What the sums must be.
#pragma once

#include "lesson/data.h"
#include "lesson/plan.h"
#include "reduction/parameters.h"

namespace gridstride::lessons::reduction {

/// The definition. total: the sum of all numbers; partial sum g: of the numbers in the tiles t with
/// t mod workgroup_count = g, a tile being the elements that a workgroup takes in one pass. u32: modulo 2^32,
/// exact. f32: in double, with the bound of rounding_bound().
std::vector<Expected> reference(const Input& input, const Values& values, const Plan& plan);

/// The most f32 additions that any one number goes through on its way into a partial sum, and from there into
/// the total, in the plan's order.
struct Chains {
    std::uint64_t partial_sum = 0;
    std::uint64_t total = 0;
};
Chains longest_chains(const Plan& plan);

/// How far an f32 sum of `count` numbers may be from the exact one, relative to the sum of their magnitudes,
/// when no number goes through more than `chain` additions: gamma_k = k u / (1 - k u), u = 2^-24 (N. J.
/// Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, 2002, section 4.2), or, where that
/// is smaller or undefined, (count - 1) u, which holds in any order and for any count (C.-P. Jeannerod and S.
/// M. Rump, "Improved error bounds for inner products in floating-point arithmetic", SIAM J. Matrix Anal.
/// Appl. 34, 2013).
double rounding_bound(std::uint64_t chain, std::uint64_t count);

/// A fast sum on one thread: the time that the GPU is compared with.
double one_thread(const Input& input, const Values& values);

}  // namespace gridstride::lessons::reduction
