// Checks a folder with a lesson of text as a whole: lesson.toml, kernels and stories.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lesson/lesson.h"

namespace gridstride::text_lesson {

struct CheckedFolder {
    /// "FILE:LINE: ERROR" for each mistake found without a device. A syntax error of lesson.toml hides
    /// others.
    std::vector<std::string> errors;
    std::shared_ptr<const Lesson> lesson;  ///< null if there are errors
};

/// Kernels are compiled in a process of their own: see shader/compile_isolated.h.
CheckedFolder check_folder(const std::filesystem::path& folder);

/// Returns "FILE:LINE: ERROR" for each mistake in a lesson.toml.
std::vector<std::string> format_mistakes(const std::filesystem::path& folder,
                                         const std::vector<Diagnostic>& mistakes);

}  // namespace gridstride::text_lesson
