// Keywords of other kernel languages and their GLSL equivalents, as data.
#pragma once

#include <span>
#include <string_view>

namespace gridstride::shader {

/// The component or argument that follows a word and is translated with it.
enum class Suffix {
    none,
    component,  ///< ".x", as in GLSL
    dimension,  ///< "(0)": GLSL's component x
};
struct ForeignKeyword {
    std::string_view word;
    std::string_view in_glsl;    ///< code between backticks, except with a suffix
    bool is_distinctive = true;  ///< identifies the language: unlikely in GLSL or a user's code
    Suffix suffix = Suffix::none;
};
struct ForeignLanguage {
    std::string_view name;
    std::span<const ForeignKeyword> words;
    /// Words in common with other languages; none of them is distinctive.
    std::span<const ForeignKeyword> shared_keywords = {};
};

std::span<const ForeignLanguage> foreign_languages();

}  // namespace gridstride::shader
