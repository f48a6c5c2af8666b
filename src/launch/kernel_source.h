// The source of a kernel that the user wrote. It is untrusted.
#pragma once

#include <string>

namespace gridstride {

struct KernelSource {
    std::string text;  ///< GLSL
    std::string name;  ///< the file's name, for messages
    /// Absolute. Includes resolve in it, then in the shipped shaders; if it is empty, only in the latter.
    std::string folder;
    bool operator==(const KernelSource&) const = default;
};

}  // namespace gridstride
