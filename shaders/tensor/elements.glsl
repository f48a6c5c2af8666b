// What a kernel needs that is made from a graph: the elements of a launch, and functions beside GLSL's own, of a single number
// and of four alike.
#include "common/launch.glsl"

// Elements are taken four at a time, quads: an invocation begins with its own and goes on by the whole grid. Buffers are bound as
// multiples of 16 bytes, so the last quad may have less than four.
uint quads() { return (launch.count + 3) / 4; }
uint first_quad() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }
uint step_of_quads() { return launch.workgroup_count * gl_WorkGroupSize.x; }
// The numbers of a quad's elements in the whole launch; behind the last one there is none, and it stands for them.
uvec4 elements_of(uint q) { return min(place_of(4 * q) + uvec4(0, 1, 2, 3), uvec4(launch.total - 1)); }

// Without overflow, and without what the larger would lose of the smaller.
float hypot(float a, float b) {
    const float high = max(abs(a), abs(b)), low = min(abs(a), abs(b));
    return high > 0.0 ? high * sqrt(1.0 + (low / high) * (low / high)) : 0.0;
}
vec4 hypot(vec4 a, vec4 b) { return vec4(hypot(a.x, b.x), hypot(a.y, b.y), hypot(a.z, b.z), hypot(a.w, b.w)); }

// GLSL's own may be infinity over infinity for large numbers.
float tanh_of(float x) { return 1.0 - 2.0 / (exp(2.0 * x) + 1.0); }
vec4 tanh_of(vec4 x) { return 1.0 - 2.0 / (exp(2.0 * x) + 1.0); }

float greater(float a, float b) { return a > b ? 1.0 : 0.0; }
vec4 greater(vec4 a, vec4 b) { return vec4(greaterThan(a, b)); }
int greater(int a, int b) { return a > b ? 1 : 0; }
ivec4 greater(ivec4 a, ivec4 b) { return ivec4(greaterThan(a, b)); }

float where(float condition, float yes, float no) { return condition != 0.0 ? yes : no; }
vec4 where(vec4 condition, vec4 yes, vec4 no) { return mix(no, yes, notEqual(condition, vec4(0.0))); }
int where(int condition, int yes, int no) { return condition != 0 ? yes : no; }
ivec4 where(ivec4 condition, ivec4 yes, ivec4 no) { return no + (yes - no) * ivec4(notEqual(condition, ivec4(0))); }
