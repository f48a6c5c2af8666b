// The source of a kernel in a file: the user's, or one of a lesson of text.
#pragma once

#include <string>

namespace gridstride {

struct KernelSource {
    std::string text;  ///< GLSL
    std::string name;  ///< the file's name, for messages
    /// Absolute. Includes resolve in it, then in `lesson_folder`, then in the shipped shaders; empty ones are
    /// left out.
    std::string folder;
    std::string lesson_folder = {};  ///< of the lesson of text that the kernel is compiled for, absolute
    bool is_trusted = false;         ///< ships with the program, and is in no session file or request
    bool operator==(const KernelSource&) const = default;
};

}  // namespace gridstride
