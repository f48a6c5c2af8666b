// Random numbers of a graph, computed where they are read.
#include "common/philox.glsl"

// Uniform in [0, 1): element e of the sequence of a seed.
float random_at(uint e, uvec2 seed) { return float(philox(uvec4(e / 4, 0, 0, 0), seed)[e % 4] >> 8) * exp2(-24.0); }
vec4 random_at(uvec4 e, uvec2 seed) {
    return vec4(random_at(e.x, seed), random_at(e.y, seed), random_at(e.z, seed), random_at(e.w, seed));
}
