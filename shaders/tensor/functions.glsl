// Functions of a graph beside GLSL's own, of a single number and of four alike.

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
