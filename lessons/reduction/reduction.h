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
const Way& way_of(const Variant& variant);

enum class Element { u32, f32 };
enum class Finish { gpu, cpu };
enum class Barriers { all, one_missing };

namespace key {
using namespace gridstride::key;
inline constexpr Key<Element> element_type{"element_type"};
inline constexpr Key<Finish> finish{"finish"};
inline constexpr Key<Barriers> barriers{"barriers"};
}  // namespace key

// What exercises have in common with the lesson's own ways.

/// What students make: see exercises.cpp.
std::vector<Variant> exercises();

/// What the numbers, the partial sums and the total are stored as.
ElementType storage(const Values& values);
/// The build of the variant's kernel for this type.
std::string kernel_of(const Variant& variant, ElementType type);
/// Each further workgroup costs a tree and a partial sum. In a long run it pays to have some wait their turn
/// all the same: a multiprocessor that is ahead takes the next one.
std::uint64_t natural_grid_of_sums(const PlanBuilder& plan);
/// The launch that adds the partial sums of so many workgroups to the total.
void add_partial_sums(PlanBuilder& plan, PlanBuffer partial_sums, PlanBuffer total, std::uint64_t groups,
                      ElementType type);
std::vector<Fact> result(const Prepared& run, const Outputs& outputs);

/// "partial_sums", measured, once there is a report; "tree", recorded: which invocations of a workgroup add
/// between its barriers; "passes", recorded: which numbers the invocations take, one after another; "order",
/// computed, for f32: how far the order of the additions takes a sum from the exact one.
std::vector<Plot> pictures(const PictureInput& input);

}  // namespace gridstride::lessons::reduction
