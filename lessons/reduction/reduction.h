// What the lesson's files share: its ways to add up.
#pragma once

#include <vector>

#include "lesson/lesson.h"

namespace gridstride::lessons::reduction {

/// How a workgroup adds up what its invocations hold.
enum class Tree {
    none,          ///< it does not: every number goes to one total, and there are no partial sums
    neighbours,    ///< those that add first take what the next invocation holds
    side_by_side,  ///< those that add stand side by side, and take what others far away hold
    subgroups,     ///< subgroup arithmetic, and one number a subgroup in workgroup memory
};

struct Way : Variant {
    Tree tree = Tree::none;
    /// An invocation sums its share in registers, over all passes, before its workgroup adds anything up.
    bool sums_first = false;
    bool finishes_itself = false;  ///< the workgroup that is done last adds up the partial sums

    /// It loads by common/quads.glsl.
    bool in_quads() const { return per_invocation == 4; }
};
const std::vector<Way>& ways();

/// "partial_sums", measured, once there is a report; "tree", recorded: which invocations of a workgroup add
/// between its barriers; "passes", recorded: which numbers the invocations take, one after another; "order",
/// computed, for f32: how far the order of the additions takes a sum from the exact one.
std::vector<Plot> pictures(const PictureInput& input);

}  // namespace gridstride::lessons::reduction
