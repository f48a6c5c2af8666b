#include "tensor/glsl_identifiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/text.h"

namespace gridstride::tensor {

namespace {

/// The keywords of GLSL (specification 4.50, 3.6 "Keywords", and those of glslang's extensions) except opaque
/// types.
constexpr std::string_view keywords =
    "active asm atomic_uint attribute bool break buffer bvec2 bvec3 bvec4 case cast centroid class coherent "
    "common const continue default devicecoherent discard dmat2 dmat2x2 dmat2x3 dmat2x4 dmat3 dmat3x2 "
    "dmat3x3 dmat3x4 dmat4 dmat4x2 dmat4x3 dmat4x4 do double dvec2 dvec3 dvec4 else enum extern external "
    "false filter fixed flat float for fvec2 fvec3 fvec4 goto half highp hvec2 hvec3 hvec4 if in inline "
    "inout input int interface invariant ivec2 ivec3 ivec4 layout long lowp mat2 mat2x2 mat2x3 mat2x4 mat3 "
    "mat3x2 mat3x3 mat3x4 mat4 mat4x2 mat4x3 mat4x4 mediump namespace noinline nonprivate noperspective out "
    "output partition patch pervertexEXT pervertexNV precise precision public queuefamilycoherent readonly "
    "resource restrict return sample shadercallcoherent shared short sizeof smooth static struct "
    "subgroupcoherent subroutine superp switch template this true typedef uint uniform union unsigned using "
    "uvec2 uvec3 uvec4 varying vec2 vec3 vec4 void volatile while workgroupcoherent writeonly VULKAN";

/// Functions that operations call or that are likely names of tensors, and the identifiers of shaders/common,
/// shaders/tensor and the generated text. Kernels in other folders use no identifier that begins with the_.
constexpr std::string_view used_words =
    "abs all any barrier ceil clamp cos cross distance dot equal exp exp2 floatBitsToUint floor fract "
    "greaterThan inverse length lessThan log log2 max min mix mod normalize not notEqual pow radians reflect "
    "round sign sin sqrt step tan "
    "tanh transpose trunc uintBitsToFloat umulExtended "
    "packHalf2x16 unpackHalf2x16 roundEven launch workgroup place_of quads first_quad step_of_quads "
    "elements_of hypot maximum minimum is_nan "
    "tanh_of tanh_stable greater greater_equal is_equal is_not_equal to_float to_int to_uint remainder "
    "to_half "
    "from_halves to_halves where "
    "COMPARISON "
    "COMPARISONS CONVERSIONS CHOICE CHOICES "
    "random_at philox philox_round main identity combine number_at store_result partials team_size "
    "invocation results_at_once partial parts e q r result place "
    "defined NUMBER PARAMETERS GRIDSTRIDE_LAUNCH GRIDSTRIDE_PHILOX";

bool contains_word(std::string_view words, std::string_view word) {
    const std::vector<std::string_view> all = split(words, ' ');
    return std::ranges::find(all, word) != all.end();
}

}  // namespace

bool is_glsl_keyword(std::string_view word) {
    if (word.starts_with("gl_") || word.starts_with("GL_") || contains_word(keywords, word)) return true;
    if (word.starts_with('u') || (word.starts_with('i') && !word.starts_with("image"))) word.remove_prefix(1);
    for (const std::string_view kind : {"sampler", "image", "texture", "subpassInput"}) {
        if (!word.starts_with(kind)) continue;
        const char next = word.size() > kind.size() ? word[kind.size()] : '\0';
        return (next >= '0' && next <= '9') || (next >= 'A' && next <= 'Z') || (!next && kind != "image");
    }
    return false;
}

std::string GlslIdentifiers::reserve(std::string word) {
    while (is_glsl_keyword(word) || contains_word(used_words, word) || !reserved_.insert(word).second)
        word.insert(0, "the_");
    return word;
}

std::string GlslIdentifiers::buffer(std::size_t binding, std::string_view access, std::string_view type,
                                    std::string_view word) {
    return fmt::format("layout(std430, binding = {}) {}buffer {} {{ {} {}[]; }};\n", binding, access,
                       reserve(fmt::format("Binding{}", binding)), type, word);
}

std::string_view glsl_element_type(ElementType type, bool four) {
    if (type == ElementType::f32) return four ? "vec4" : "float";
    if (type == ElementType::f16) return four ? "f16vec4" : "float16_t";
    if (type == ElementType::u32) return four ? "uvec4" : "uint";
    return four ? "ivec4" : "int";
}

std::string hashed_source_name(std::string_view text) {
    return "made/kernel_" + hash_text(text);
}

}  // namespace gridstride::tensor
