// Words of other languages for kernels and what they are in GLSL, as data.
#pragma once

#include <span>
#include <string_view>

namespace gridstride::shader {

/// What a word is written with: its component or argument, which is translated with it.
enum class Suffix {
    none,
    component,  ///< ".x", as in GLSL
    dimension,  ///< "(0)": GLSL's component x
};
struct ForeignWord {
    std::string_view word;
    std::string_view in_glsl;    ///< code between backticks, except with a suffix
    bool is_distinctive = true;  ///< it identifies the language: no word that GLSL or a user's code may have
    Suffix suffix = Suffix::none;
};
struct ForeignLanguage {
    std::string_view name;
    std::span<const ForeignWord> words;
    /// Those that it has in common with other languages; none of them is distinctive.
    std::span<const ForeignWord> shared_words = {};
};

std::span<const ForeignLanguage> foreign_languages();

}  // namespace gridstride::shader
