// What a command that was killed left in hidden files.
#pragma once

#include <filesystem>

namespace gridstride::app {

/// Names on stderr what lies in the folder of this file that is about to be written.
void name_left_behind(const std::filesystem::path& file);

}  // namespace gridstride::app
