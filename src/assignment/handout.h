// A lesson to print, or to read without the program.
#pragma once

#include <functional>
#include <string>

#include "lesson/plot.h"
#include "story/story.h"

namespace gridstride {

/// Returns an HTML page that loads nothing: the story, and the recorded answers on a last page. Pictures that
/// follow a question are on that page, too. Throws StoryError and FileError.
/// draw: returns the PNG of a picture; empty: the page names the pictures.
std::string format_handout(const CourseEntry& entry, const Story& story,
                           const std::function<std::string(const Plot&)>& draw);

}  // namespace gridstride
