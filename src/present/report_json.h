// Reports, lessons and devices as JSON: the shapes that the README documents.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "lesson/ceilings.h"
#include "lesson/lesson.h"
#include "lesson/report.h"

namespace gridstride {

/// Of reports, sweeps and CSV rows alike: it changes when what is there changes its meaning.
inline constexpr int schema_version = 1;

nlohmann::ordered_json to_json(const Report& report);
/// {"id","title","question","variants":[…],"parameters":[…]}
nlohmann::ordered_json to_json(const Lesson& lesson);
nlohmann::ordered_json to_json(const Limits& limits);
nlohmann::ordered_json to_json(const Ceilings& ceilings);

}  // namespace gridstride
