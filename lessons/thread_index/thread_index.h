// What the files of this lesson share: its parameters, what nobody wrote, and its pictures.
#pragma once

#include <cstdint>

#include "figures/figures.h"
#include "lesson/lesson.h"

namespace gridstride::lessons::thread_index {

namespace key {
using namespace gridstride::key;
inline constexpr Key<std::uint64_t> width{"width"}, height{"height"};
inline constexpr Key<std::uint64_t> watched_workgroup{"watched_workgroup"};
inline constexpr Key<std::uint64_t> watched_invocation{"watched_invocation"};
}  // namespace key

/// What stands in the results, and in whatever lies behind them, before the launch.
constexpr std::uint32_t untouched = UINT32_MAX;

struct Facts {
    bool guarded = true;
    bool in_rows = false;  ///< x and y of the launch are column and row; else x alone counts the elements
    bool swapped = false;  ///< … are row and column
    bool squares = false;
    bool fetched_early = false;  ///< the results are, before the launch
};
using Run = gridstride::Run<Facts>;

/// "results", computed or measured: the numbers that came out, with what lies behind the array, or of several
/// rows the pictures; "coverage", recorded: whose each element is.
void pictures(Figures& add, const Run& run);

}  // namespace gridstride::lessons::thread_index
