// Words of other languages for kernels and what they are in GLSL, as data.
#pragma once

#include <span>
#include <string_view>

namespace gridstride::shader {

/// What follows a word and belongs to it.
enum class Follows {
    nothing,
    component,  ///< ".x": GLSL's has it too
    dimension,  ///< "(0)": GLSL's component x
};
struct ForeignWord {
    std::string_view word;
    std::string_view in_glsl;  ///< code between backticks, but for what components follow
    bool tells = true;         ///< it is a sign of the language: no word that GLSL or a person may use
    Follows follows = Follows::nothing;
};
struct ForeignLanguage {
    std::string_view name;
    std::span<const ForeignWord> words;
};

std::span<const ForeignLanguage> foreign_languages();

}  // namespace gridstride::shader
