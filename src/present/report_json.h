// Writes reports, lessons and devices as JSON. assets/manual/command_line.md documents the formats.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "lesson/lesson.h"
#include "lesson/report.h"

namespace gridstride {

/// The version of reports, sweeps and CSV rows. It increases if an existing field changes its meaning.
inline constexpr int schema_version = 1;

/// dump() writes NaN and infinity, which JSON cannot represent, as null.
using Json = nlohmann::ordered_json;

Json to_json(const Report& report);
/// Returns [{"severity","parameter","text"}]; parameter is null if the remark concerns the whole run.
Json to_json(const std::vector<Remark>& remarks);
/// Returns {"id","title","default_variant","variants":[…],"parameters":[…]}.
Json to_json(const Lesson& lesson);
Json to_json(const Limits& limits);
Json to_json(const Ceilings& ceilings);
/// Returns a count or a real as a number; a choice, an extent and "auto" as text.
Json value_json(const Parameter& parameter, const Value& value);

}  // namespace gridstride
