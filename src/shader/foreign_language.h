// Kernels of other languages, pasted in where GLSL is expected: which language a source looks like, and what
// its words are in GLSL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace gridstride::shader {

/// For a source that does not compile, failing at that line (0: not known): an error that names the language
/// and gives the words of the line, then others, in GLSL. nullopt: it does not look like another language.
/// One is recognised by words that GLSL does not have and that the source does not declare or define itself:
/// by two different ones; by one that `failure`, what the compiler says of the line, is about; or by one
/// where there is no void main(), layout or #version.
std::optional<Diagnostic> foreign_language(std::string_view source, const std::string& name,
                                           std::uint32_t failing_line, std::string_view failure = {});

}  // namespace gridstride::shader
