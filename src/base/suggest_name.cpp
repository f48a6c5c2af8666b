#include "base/suggest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace gridstride {

std::string suggest_name(std::string_view misspelt, const std::vector<std::string>& known) {
    const auto distance = [&](const std::string& name) { return edit_distance(misspelt, name); };
    const auto nearest = std::ranges::min_element(known, {}, distance);
    const std::size_t max_distance = std::max<std::size_t>(misspelt.size() / 3, 1);
    if (nearest == known.end() || distance(*nearest) > max_distance) return {};
    return fmt::format(" Do you mean {}?", *nearest);
}

}  // namespace gridstride
