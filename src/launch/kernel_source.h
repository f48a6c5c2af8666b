// The source of a kernel in a file: the user's, or one of a lesson of text.
#pragma once

#include <string>

#include "base/text_files.h"

namespace gridstride {

struct KernelSource {
    std::string text;  ///< GLSL
    std::string name;  ///< the file's name, for messages
    /// Absolute, or empty. Includes resolve in it, then in the shipped shaders, then in `lesson_files`.
    std::string folder;
    /// The files that it includes from the lesson of text that it is compiled for, by path in the lesson's
    /// folder.
    TextFiles lesson_files = {};
    bool is_trusted = false;  ///< ships with the program, and is in no session file or request
    bool operator==(const KernelSource&) const = default;
};

}  // namespace gridstride
