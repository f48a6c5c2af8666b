// Functions of a graph that GLSL lacks, for a single number and for four.
#include "common/tanh.glsl"

// GLSL's max and min may ignore a NaN. These propagate it, however a device compares with NaN.
bool is_nan(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }
bvec4 is_nan(vec4 x) { return greaterThan(floatBitsToUint(x) & uvec4(0x7fffffffu), uvec4(0x7f800000u)); }

float maximum(float a, float b) { return is_nan(a) ? a : is_nan(b) ? b : max(a, b); }
vec4 maximum(vec4 a, vec4 b) { return mix(mix(max(a, b), b, is_nan(b)), a, is_nan(a)); }
int maximum(int a, int b) { return max(a, b); }
ivec4 maximum(ivec4 a, ivec4 b) { return max(a, b); }
uint maximum(uint a, uint b) { return max(a, b); }
uvec4 maximum(uvec4 a, uvec4 b) { return max(a, b); }

float minimum(float a, float b) { return is_nan(a) ? a : is_nan(b) ? b : min(a, b); }
vec4 minimum(vec4 a, vec4 b) { return mix(mix(min(a, b), b, is_nan(b)), a, is_nan(a)); }
int minimum(int a, int b) { return min(a, b); }
ivec4 minimum(ivec4 a, ivec4 b) { return min(a, b); }
uint minimum(uint a, uint b) { return min(a, b); }
uvec4 minimum(uvec4 a, uvec4 b) { return min(a, b); }

// Whole numbers in the order of the numbers: -0 equals 0, and a NaN is the largest.
uint order_of(float x) {
    const uint bits = floatBitsToUint(x);
    if (is_nan(x)) return 0xffffffffu;
    return bits == 0x80000000u ? bits : (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}
uint order_of(int x) { return uint(x) ^ 0x80000000u; }
uint order_of(uint x) { return x; }

// Avoids overflow, and underflow of the smaller square. 0, infinity and NaN are returned unchanged.
float hypot(float a, float b) {
    const float high = maximum(abs(a), abs(b)), low = minimum(abs(a), abs(b));
    return high > 0.0 && high <= 3.402823466e38 ? high * sqrt(1.0 + (low / high) * (low / high)) : high;
}
vec4 hypot(vec4 a, vec4 b) { return vec4(hypot(a.x, b.x), hypot(a.y, b.y), hypot(a.z, b.z), hypot(a.w, b.w)); }

// GLSL's tanh may compute infinity over infinity for large numbers, and loses digits near 0.
float tanh_of(float x) { return tanh_stable(vec4(x)).x; }
vec4 tanh_of(vec4 x) { return tanh_stable(x); }

// Comparisons: 1 where they hold, else 0.
#define COMPARISON(NAME, OPERATOR, OF_VECTORS, ONE, FOUR)                        \
    ONE NAME(ONE a, ONE b) { return a OPERATOR b ? ONE(1) : ONE(0); }            \
    FOUR NAME(FOUR a, FOUR b) { return FOUR(OF_VECTORS(a, b)); }
#define COMPARISONS(ONE, FOUR)                                                   \
    COMPARISON(greater, >, greaterThan, ONE, FOUR)                               \
    COMPARISON(greater_equal, >=, greaterThanEqual, ONE, FOUR)                   \
    COMPARISON(is_equal, ==, equal, ONE, FOUR)                                   \
    COMPARISON(is_not_equal, !=, notEqual, ONE, FOUR)
COMPARISONS(float, vec4)
COMPARISONS(int, ivec4)
COMPARISONS(uint, uvec4)

#define CONVERSIONS(ONE, FOUR)                                                   \
    float to_float(ONE x) { return float(x); }                                   \
    vec4 to_float(FOUR x) { return vec4(x); }                                    \
    int to_int(ONE x) { return int(x); }                                         \
    ivec4 to_int(FOUR x) { return ivec4(x); }                                    \
    uint to_uint(ONE x) { return uint(x); }                                      \
    uvec4 to_uint(FOUR x) { return uvec4(x); }
CONVERSIONS(float, vec4)
CONVERSIONS(int, ivec4)
CONVERSIONS(uint, uvec4)

// Rounds to the nearest f16, ties to even; GLSL's packHalf2x16 may round down. From 65520 on it is infinite.
float to_half(float x) {
    const uint bits = floatBitsToUint(x), size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) return x;
    // Below 2^-14, steps are 2^-24.
    if (size < 0x38800000u) return roundEven(x * 16777216.0) * 5.9604644775390625e-8;
    const uint rounded = (size + 0xfffu + ((size >> 13) & 1u)) & 0xffffe000u;
    return uintBitsToFloat((rounded < 0x47800000u ? rounded : 0x7f800000u) | (bits & 0x80000000u));
}
vec4 to_half(vec4 x) { return vec4(to_half(x.x), to_half(x.y), to_half(x.z), to_half(x.w)); }
float to_half(int x) { return to_half(float(x)); }
vec4 to_half(ivec4 x) { return to_half(vec4(x)); }
float to_half(uint x) { return to_half(float(x)); }
vec4 to_half(uvec4 x) { return to_half(vec4(x)); }
// Four f16 in memory. They are loaded and stored without rounding.
vec4 from_halves(uvec2 words) { return vec4(unpackHalf2x16(words.x), unpackHalf2x16(words.y)); }
uvec2 to_halves(vec4 x) { return uvec2(packHalf2x16(x.xy), packHalf2x16(x.zw)); }

// GLSL's % is undefined where an operand is negative.
int remainder(int a, int b) { return a - a / b * b; }
ivec4 remainder(ivec4 a, ivec4 b) { return a - a / b * b; }
uint remainder(uint a, uint b) { return a % b; }
uvec4 remainder(uvec4 a, uvec4 b) { return a % b; }

// NaN is not 0. The condition may have another type than the numbers.
float where(bool condition, float yes, float no) { return condition ? yes : no; }
int where(bool condition, int yes, int no) { return condition ? yes : no; }
uint where(bool condition, uint yes, uint no) { return condition ? yes : no; }
vec4 where(bvec4 condition, vec4 yes, vec4 no) { return mix(no, yes, condition); }
ivec4 where(bvec4 condition, ivec4 yes, ivec4 no) { return no + (yes - no) * ivec4(condition); }
uvec4 where(bvec4 condition, uvec4 yes, uvec4 no) { return no + (yes - no) * uvec4(condition); }
#define CHOICE(CONDITION, CONDITIONS, ONE, FOUR)                                                       \
    ONE where(CONDITION condition, ONE yes, ONE no) { return where(!(condition == CONDITION(0)), yes, no); } \
    FOUR where(CONDITIONS condition, FOUR yes, FOUR no) {                                              \
        return where(not(equal(condition, CONDITIONS(0))), yes, no);                                   \
    }
#define CHOICES(CONDITION, CONDITIONS)            \
    CHOICE(CONDITION, CONDITIONS, float, vec4)    \
    CHOICE(CONDITION, CONDITIONS, int, ivec4)     \
    CHOICE(CONDITION, CONDITIONS, uint, uvec4)
CHOICES(float, vec4)
CHOICES(int, ivec4)
CHOICES(uint, uvec4)
