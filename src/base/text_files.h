// Texts of files, held in memory.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gridstride {

/// Texts by path, relative to a folder that need not exist.
using TextFiles = std::vector<std::pair<std::string, std::string>>;

}  // namespace gridstride
