#include "present/json_values.h"

#include <cmath>

namespace gridstride {

Json json_number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json value_json(const Parameter& parameter, const Value& value) {
    if (const auto* count = std::get_if<std::uint64_t>(&value))
        if (!(parameter.automatic && *count == 0)) return *count;
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return format(parameter, value);
}

}  // namespace gridstride
