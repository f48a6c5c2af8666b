// The parameters and pictures that the files of this lesson share.
#pragma once

#include "figures/figures.h"
#include "lesson/lesson.h"

namespace gridstride::lessons::grid_stride {

enum class Magnitude { one, huge, mixed };
enum class Counting { off, on };

namespace key {
using namespace gridstride::key;
inline constexpr Key<Magnitude> magnitude{"magnitude"};
inline constexpr Key<Counting> counting{"counting"};
}  // namespace key

struct Facts {
    bool in_chunks = false;  ///< an invocation processes neighbouring elements
};
using Run = gridstride::Run<Facts>;

/// Adds the pictures "lengths" (computed: the first pairs), "rounds" and "who" (from a trace: which elements
/// the invocations access, in order, and which invocation accesses which of the first), "taken" (measured:
/// how many elements each invocation processed) and "knee" (time against workgroups, from the runs so far).
void pictures(Figures& add, const Run& run);

}  // namespace gridstride::lessons::grid_stride
