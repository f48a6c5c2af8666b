// What the files of this lesson share: its parameters and its pictures.
#pragma once

#include <cstdint>

#include "figures/figures.h"
#include "lesson/lesson.h"

namespace gridstride::lessons::coalescing {

namespace key {
using namespace gridstride::key;
inline constexpr Key<std::uint64_t> row_length{"row_length"};
inline constexpr Key<std::uint64_t> stride{"stride"}, offset{"offset"};
inline constexpr Key<std::uint64_t> reach{"reach"};
}  // namespace key

struct Facts {};
using Run = gridstride::Run<Facts>;

/// Modelled: "sectors", a load of eight lanes as an example. Recorded: "ruler", the sectors that the first
/// loads fetch, and what of them is used. Computed or measured: "results", the first of them. Measured:
/// "per_stride", time against stride, from the runs so far.
void pictures(Figures& add, const Run& run);

}  // namespace gridstride::lessons::coalescing
