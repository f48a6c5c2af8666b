// What the files of this lesson share: its parameters, who does a row, and its pictures.
#pragma once

#include <cstdint>
#include <vector>

#include "lesson/lesson.h"
#include "tensor/rows.h"

namespace gridstride::lessons::softmax {

using tensor::TeamChoice;

namespace key {
using namespace gridstride::key;
inline constexpr Key<std::uint64_t> columns{"columns"}, rows{"rows"};
inline constexpr Key<double> offset{"offset"}, spread{"spread"};
inline constexpr Key<std::uint64_t> kept{"kept"};  ///< 0: auto
inline constexpr Key<TeamChoice> team{"team"};
}  // namespace key

using tensor::Team;
Team team_of(const Values& values, const Limits& limits);

/// Of a run, computed or measured: "numbers", the first of a row; "row", what came of them; "curve", shares
/// against numbers;
/// "online", the maximum and the sum so far. "reads", recorded: how often each number is read; "who" takes
/// which. "bytes", computed: what each way moves for a number. "per_length", measured: time against the
/// length of rows, from the runs so far.
std::vector<Plot> pictures(const PictureInput& input);

}  // namespace gridstride::lessons::softmax
