// Each workgroup adds up a tile of contiguous numbers, 16 for each of its invocations, and stores their sum.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#define ELEMENT float
#include "common/workgroup_sum.glsl"

// The sum of quad q of the launch. Numbers behind the last one do not count.
float sum_of_quad(uint q) {
    if (4 * q >= launch.count) return 0.0;
    const vec4 numbers = x[q];
    if (4 * q + 4 <= launch.count)
        return (numbers.x + numbers.y) + (numbers.z + numbers.w);
    float sum = 0.0;
    for (uint k = 0; 4 * q + k < launch.count; ++k) sum += numbers[k];
    return sum;
}

void main() {
    const uint size = gl_WorkGroupSize.x, tile = 16 * size;
    for (uint t = gl_WorkGroupID.x; t * tile < launch.count; t += launch.workgroup_count) {
        // [sum]
        // Four loads of 16 bytes are in flight.
        const uint q = 4 * size * t
            + gl_LocalInvocationIndex;
        const float a = sum_of_quad(q),
            b = sum_of_quad(q + size),
            c = sum_of_quad(q + 2 * size),
            d = sum_of_quad(q + 3 * size);
        const float sum = sum_of_workgroup(
            (a + b) + (c + d), true);
        if (is_first())
            tile_sums[place_of(0) / tile + t] = sum;
        // [/sum]
        barrier();  // before workgroup memory is reused for the next tile
    }
}
