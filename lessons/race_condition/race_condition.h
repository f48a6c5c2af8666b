// What the files of this lesson share: its parameters and its pictures.
#pragma once

#include <cstdint>

#include "figures/figures.h"
#include "lesson/lesson.h"

namespace gridstride::lessons::race_condition {

namespace key {
using namespace gridstride::key;
inline constexpr Key<std::uint64_t> runs{"runs"};
}  // namespace key

/// Before anything happens to it.
constexpr std::uint32_t no_moment = UINT32_MAX;

struct Facts {
    bool smooths = false;  ///< a row of numbers; else it counts
    bool in_place = false;
    bool notes_moments = false;
};
using Run = gridstride::Run<Facts>;

/// Modelled: "one_lost", four additions of which one is lost. Recorded: "staff", who read and wrote what.
/// Measured: "moments", when two invocations took their three steps; "distribution", what came out of the
/// runs. Computed or measured: "row", the first numbers and what became of them.
void pictures(Figures& add, const Run& run);

}  // namespace gridstride::lessons::race_condition
