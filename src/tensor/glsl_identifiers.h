// Identifiers in generated kernels. A tensor keeps its name if GLSL allows it.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "base/array.h"

namespace gridstride::tensor {

/// The identifiers of one kernel. None is given twice, and none collides with GLSL or the included shaders.
class GlslIdentifiers {
 public:
    /// Reserves and returns the word, with "the_" before it as often as needed.
    std::string reserve(std::string word);

    /// Returns the line that declares a buffer. Its block gets an identifier of its own.
    std::string buffer(std::size_t binding, std::string_view access, std::string_view type,
                       std::string_view word);

 private:
    std::set<std::string> reserved_;
};

/// Returns whether GLSL reserves the word, so that it cannot name a variable.
bool is_glsl_keyword(std::string_view word);

/// Returns the GLSL type of one element, or of a vector of four.
std::string_view glsl_element_type(ElementType type, bool four);

/// Returns a kernel name from a hash of its source text.
std::string hashed_source_name(std::string_view text);

}  // namespace gridstride::tensor
