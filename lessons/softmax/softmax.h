// What the files of this lesson share: its parameters, who does a row, and its pictures.
#pragma once

#include <cstdint>
#include <vector>

#include "lesson/lesson.h"

namespace gridstride::lessons::softmax {

enum class TeamChoice { automatic, subgroup, workgroup };

namespace key {
using namespace gridstride::key;
inline constexpr Key<std::uint64_t> columns{"columns"}, rows{"rows"};
inline constexpr Key<double> offset{"offset"}, spread{"spread"};
inline constexpr Key<std::uint64_t> kept{"kept"};  ///< 0: auto
inline constexpr Key<TeamChoice> team{"team"};
}  // namespace key

/// Who does a row, and in how many rounds: see shaders/softmax/rows.glsl.
struct Team {
    std::uint64_t rows_at_once = 1;  ///< of a workgroup: one for each subgroup, or 1, which all of it share
    std::uint64_t invocations = 1;   ///< that share a row
    std::uint64_t quads_each = 1;    ///< that each of them has in its registers at a time
    std::uint64_t rounds = 1;        ///< in which they go over the row
    std::uint64_t merges = 1;        ///< of subgroups' parts, one after another, at most
};
Team team_of(const Values& values, const Limits& limits);

/// Of a run, computed or measured: "numbers", the first of a row; "row", what came of them; "curve", shares
/// against numbers;
/// "online", the maximum and the sum so far. "reads", recorded: how often each number is read; "who" takes
/// which. "bytes", computed: what each way moves for a number. "per_length", measured: time against the
/// length of rows, from the runs so far.
std::vector<Plot> pictures(const PictureInput& input);

}  // namespace gridstride::lessons::softmax
