// The parameters and pictures that the files of this lesson share.
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

/// Adds the pictures "sectors" (modelled: a load of eight lanes as an example), "ruler" (from a trace: the
/// sectors that the first loads fetch, and which of their words are used), "results" (computed or measured:
/// the first results) and "per_stride" (measured: time against stride, from the runs so far).
void pictures(Figures& add, const Run& run);

}  // namespace gridstride::lessons::coalescing
