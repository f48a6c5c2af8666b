// What the files of this lesson share: its parameters, and its pictures.
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
    bool in_chunks = false;  ///< an invocation takes neighbouring elements
};
using Run = gridstride::Run<Facts>;

/// "lengths", computed: the first pairs; "rounds" and "who", recorded: which elements the invocations take,
/// one after another, and who takes which of the first; "taken", measured: how many elements each invocation
/// took; "knee": time against workgroups, from the runs so far.
void pictures(Figures& add, const Run& run);

}  // namespace gridstride::lessons::grid_stride
