// A sweep as JSON: the shape that the README documents.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "session/sweep.h"

namespace gridstride {

/// Axes, cells, the best one with its ties, and the advice. Cells that were not run are "pending".
nlohmann::ordered_json to_json(const Sweep& sweep);

}  // namespace gridstride
