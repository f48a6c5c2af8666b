// The lines at the top of a story that say where it stands in the course.
#pragma once

#include <string>
#include <string_view>

#include "story/blocks.h"

namespace gridstride {

struct FrontMatter {
    StoryHead head;
    std::size_t size = 0;   ///< bytes of the text, both lines of --- included; 0: it has none
    std::size_t lines = 0;  ///< the same
};
/// Throws StoryError "FILE:LINE: front matter: …".
FrontMatter read_front_matter(std::string_view markdown, const std::string& file);

/// Which of its lines are missing: "chapter", "question" …
std::vector<std::string> missing_of(const StoryHead& head);

}  // namespace gridstride
