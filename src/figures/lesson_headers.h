// Everything that a lesson in C++ needs, except tensor/, tensor_lesson/ and text_lesson/.
#pragma once

// IWYU pragma: begin_exports
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bounded.h"
#include "base/error.h"
#include "base/format_exact.h"
#include "base/parallel_for.h"
#include "base/random.h"
#include "base/strict_math.h"
#include "base/text.h"
#include "base/tolerance.h"
#include "base/units.h"
#include "figures/figures.h"
#include "figures/load_counts.h"
#include "launch/slices.h"
#include "lesson/building_blocks.h"
#include "lesson/expected.h"
#include "lesson/fast_math.h"
#include "lesson/lesson.h"
// IWYU pragma: end_exports
