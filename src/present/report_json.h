// Reports, lessons and devices as JSON: the shapes that assets/manual/command_line.md documents.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "lesson/lesson.h"
#include "lesson/report.h"

namespace gridstride {

/// Of reports, sweeps and CSV rows alike: it changes when what is there changes its meaning.
inline constexpr int schema_version = 1;

/// Its dump() writes null for NaN and infinity, which JSON does not have.
using Json = nlohmann::ordered_json;

Json to_json(const Report& report);
/// [{"severity","parameter","text"}]; parameter is null where the remark is of the run as a whole.
Json to_json(const std::vector<Remark>& remarks);
/// {"id","title","default_variant","variants":[…],"parameters":[…]}: its place in the course is its story's.
Json to_json(const Lesson& lesson);
Json to_json(const Limits& limits);
Json to_json(const Ceilings& ceilings);
/// A count or a real as a number, a choice, an extent and "auto" as text.
Json value_json(const Parameter& parameter, const Value& value);

}  // namespace gridstride
