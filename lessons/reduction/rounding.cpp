// How far rounding may take a sum of f32, from the most additions that any one number goes through on its way
// into it, in the plan's order.
#include <algorithm>
#include <limits>

#include "reduction/reduction.h"

namespace gridstride::lessons::reduction {

namespace {

/// How far an f32 sum of `count` numbers may be from the exact one, relative to the sum of their magnitudes,
/// when no number goes through more than `chain` additions: gamma_k = k u / (1 - k u), u = 2^-24 (N. J.
/// Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, 2002, section 4.2), or, where that
/// is smaller or undefined, (count - 1) u, which holds in any order and for any count (C.-P. Jeannerod and S.
/// M. Rump, "Improved error bounds for inner products in floating-point arithmetic", SIAM J. Matrix Anal.
/// Appl. 34, 2013).
double rounding_bound(double chain, double count) {
    constexpr double unit_roundoff = 0x1p-24;
    const double in_any_order = (count - 1) * unit_roundoff, along_the_chain = chain * unit_roundoff;
    if (along_the_chain >= 0.5) return in_any_order;
    return std::min(along_the_chain / (1 - along_the_chain), in_any_order);
}

Tolerance tolerance(std::uint64_t chain, std::uint64_t numbers) {
    const double count = static_cast<double>(numbers);
    // The double reference rounds too, and a device may take the smallest numbers (subnormal ones) for zero.
    const double reference_error = count * 0x1p-53, flushed = (count + 1) * std::numeric_limits<float>::min();
    return {flushed, rounding_bound(static_cast<double>(chain), count) + reference_error};
}

/// Of common/quads.glsl: at most one addition a pass in one of four sums, two for the last one to three
/// numbers and the slices, two to join the sums, two for the four numbers of a quad.
std::uint64_t chain_of_quads(const Dispatch& dispatch) {
    return dispatch.passes() + 2 + 2 + 2;
}

/// A device may add the numbers of a subgroup in any order, so a chain of width - 1 additions, twice, with
/// 1 024 / width^2 rounds between them: at most 270 whatever the width, 2 to 128. And never more than there
/// are additions.
std::uint64_t chain_of_subgroups(std::uint64_t workgroup_size) {
    return std::min<std::uint64_t>(workgroup_size - 1, 270);
}

}  // namespace

Allowed allowed_in_f32(const Way& way, const Plan& plan) {
    const Dispatch& main = plan.main();
    const std::uint64_t numbers = main.elements(), in_subgroups = chain_of_subgroups(main.workgroup_size());
    // The order is the device's choice: the first number may go through all additions.
    if (way.tree == Tree::none) return {{}, tolerance(numbers, numbers)};

    // Without sums first: what is added while loading, then the running total once a pass; a slice's total
    // joins the partial sum with one more addition, and there are no more slices than passes.
    const std::uint64_t partial_sum =
        (way.tree == Tree::subgroups ? in_subgroups : tree_levels(main.workgroup_size())) +
        (way.sums_first ? chain_of_quads(main) : (way.per_invocation - 1) + main.passes() + 1);
    const Dispatch* last = &main;
    for (const Step& step : plan.steps)
        if (const auto* dispatch = std::get_if<Dispatch>(&step)) last = dispatch;
    std::uint64_t finish = main.workgroup_count();  // the CPU adds one after another
    if (way.finishes_itself)
        // The lanes of a subgroup, one at least, take sixteen partial sums at a time, each as a tree of four
        // levels.
        finish = divide_up(main.workgroup_count(), 16) + 4 + in_subgroups;
    else if (last != &main)
        finish = chain_of_quads(*last) + tree_levels(last->workgroup_size());
    const std::uint64_t in_a_group = std::min(main.passes() * main.elements_per_workgroup(), numbers);
    return {tolerance(partial_sum, in_a_group), tolerance(partial_sum + finish, numbers)};
}

}  // namespace gridstride::lessons::reduction
