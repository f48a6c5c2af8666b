// A kernel that somebody wrote, whom nobody vouches for.
#pragma once

#include <string>

namespace gridstride {

struct KernelSource {
    std::string text;  ///< GLSL
    std::string name;  ///< the file's, for messages
    std::string
        folder;  ///< absolute: includes resolve there and in the shaders that ship; empty: there alone
    bool operator==(const KernelSource&) const = default;
};

}  // namespace gridstride
