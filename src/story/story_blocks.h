// The fenced blocks of a story that are live: set, predict, kernel, plot.
#pragma once

#include <string>
#include <string_view>

#include "story/story.h"

namespace gridstride {

/// Where a fence stands, for StoryError.
struct FencePlace {
    std::string file;
    std::string step;
    std::size_t line = 1;  ///< of the fence; its content starts on the next
};

/// The block that a fence with this info string and content stands for; a CodeBlock for any other info
/// string.
Block make_fenced_block(std::string_view info, std::string_view content, const FencePlace& place);

}  // namespace gridstride
