// The source of a kernel in a file: the user's, or one of a lesson of text.
#pragma once

#include <string>

namespace gridstride {

struct KernelSource {
    std::string text;  ///< GLSL
    std::string name;  ///< the file's name, for messages
    /// Absolute. Includes resolve in it, then in the shipped shaders; if it is empty, only in the latter.
    std::string folder;
    bool is_trusted = false;  ///< ships with the program, and is in no session file or request
    bool operator==(const KernelSource&) const = default;
};

}  // namespace gridstride
