// The fenced blocks of a story that are live: set, predict, kernel, plot.
#pragma once

#include <string>
#include <string_view>

#include "lesson/story.h"

namespace gridstride {

/// The block that a fence with this info string and content stands for; a CodeBlock for any other info
/// string. where names the file and step for StoryError.
Block make_fenced_block(std::string_view info, std::string_view content, const std::string& where);

}  // namespace gridstride
