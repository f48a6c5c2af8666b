// The front matter of a story: its place in the course.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "story/blocks.h"

namespace gridstride {

struct FrontMatter {
    StoryHead head;
    std::size_t size = 0;             ///< in bytes, with both lines of ---; 0: there is none
    std::size_t lines = 0;            ///< in lines
    std::vector<std::string> errors;  ///< "FILE:LINE: front matter: …"
};
/// Throws StoryError if the end of the front matter cannot be found.
FrontMatter read_front_matter(std::string_view markdown, const std::string& file);

/// Returns the names of the lines that are missing, for example "chapter".
std::vector<std::string> missing_fields(const StoryHead& head);

}  // namespace gridstride
