// Functions of a graph that GLSL lacks, for a single number and for four.
#include "common/tanh.glsl"

// GLSL's max and min may ignore a NaN. These propagate it, however a device compares with NaN.
bool is_nan(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }
bvec4 is_nan(vec4 x) { return greaterThan(floatBitsToUint(x) & uvec4(0x7fffffffu), uvec4(0x7f800000u)); }

float maximum(float a, float b) { return is_nan(a) ? a : is_nan(b) ? b : max(a, b); }
vec4 maximum(vec4 a, vec4 b) { return mix(mix(max(a, b), b, is_nan(b)), a, is_nan(a)); }
int maximum(int a, int b) { return max(a, b); }
ivec4 maximum(ivec4 a, ivec4 b) { return max(a, b); }

float minimum(float a, float b) { return is_nan(a) ? a : is_nan(b) ? b : min(a, b); }
vec4 minimum(vec4 a, vec4 b) { return mix(mix(min(a, b), b, is_nan(b)), a, is_nan(a)); }
int minimum(int a, int b) { return min(a, b); }
ivec4 minimum(ivec4 a, ivec4 b) { return min(a, b); }

// Avoids overflow, and underflow of the smaller square. 0, infinity and NaN are returned unchanged.
float hypot(float a, float b) {
    const float high = maximum(abs(a), abs(b)), low = minimum(abs(a), abs(b));
    return high > 0.0 && high <= 3.402823466e38 ? high * sqrt(1.0 + (low / high) * (low / high)) : high;
}
vec4 hypot(vec4 a, vec4 b) { return vec4(hypot(a.x, b.x), hypot(a.y, b.y), hypot(a.z, b.z), hypot(a.w, b.w)); }

// GLSL's tanh may compute infinity over infinity for large numbers, and loses digits near 0.
float tanh_of(float x) { return tanh_stable(vec4(x)).x; }
vec4 tanh_of(vec4 x) { return tanh_stable(x); }

float greater(float a, float b) { return a > b ? 1.0 : 0.0; }
vec4 greater(vec4 a, vec4 b) { return vec4(greaterThan(a, b)); }
int greater(int a, int b) { return a > b ? 1 : 0; }
ivec4 greater(ivec4 a, ivec4 b) { return ivec4(greaterThan(a, b)); }

// NaN is not 0.
float where(float condition, float yes, float no) { return condition == 0.0 ? no : yes; }
vec4 where(vec4 condition, vec4 yes, vec4 no) { return mix(yes, no, equal(condition, vec4(0.0))); }
int where(int condition, int yes, int no) { return condition != 0 ? yes : no; }
ivec4 where(ivec4 condition, ivec4 yes, ivec4 no) { return no + (yes - no) * ivec4(notEqual(condition, ivec4(0))); }
