// Numbers and parameter values as JSON, the same in every file that is written.
#pragma once

#include <nlohmann/json.hpp>

#include "lesson/param.h"

namespace gridstride {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity: null.
Json json_number(double value);

/// A count or a real as a number, a choice and "auto" as text.
Json value_json(const Parameter& parameter, const Value& value);

}  // namespace gridstride
