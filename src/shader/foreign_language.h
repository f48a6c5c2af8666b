// Recognizes kernels in other languages that were pasted where GLSL is expected, and translates their
// keywords to GLSL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace gridstride::shader {

/// For a source that does not compile: returns an error that names the language and translates the keywords
/// of the failing line (0: unknown) and of other lines. nullopt: it does not look like another language. A
/// language is recognized by keywords that GLSL does not have and that the source does not declare or define:
/// by two different ones; by one that the compiler's message `failure` is about; or by one if the source has
/// no void main(), layout or #version.
std::optional<Diagnostic> detect_foreign_language(std::string_view source, const std::string& name,
                                                  std::uint32_t failing_line, std::string_view failure = {});

}  // namespace gridstride::shader
