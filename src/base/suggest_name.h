// Suggests a name in place of a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gridstride {

/// Returns " Do you mean NAME?" for the known name with the smallest edit distance, or "" if a third of the
/// misspelt name or more would have to change.
std::string suggest_name(std::string_view misspelt, const std::vector<std::string>& known);

}  // namespace gridstride
