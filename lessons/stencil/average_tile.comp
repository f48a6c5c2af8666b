// The average of neighbours in a row. The invocations of a workgroup load the numbers that they need
// into workgroup memory: a tile, and a halo of radius numbers on each side.
#include "clamped.glsl"

const uint width = gl_WorkGroupSize.x + 2 * radius;
shared float tile[gl_WorkGroupSize.y * width];

void main() {
    const ivec2 me = place();
    const uint lane = gl_LocalInvocationID.x;
    const uint begin = gl_LocalInvocationID.y * width;
    // [load]
    // The first invocations load a second number.
    const int first =
        me.x - int(lane) - int(radius);
    for (uint i = lane; i < width;
         i += gl_WorkGroupSize.x)
        tile[begin + i] =
            x[index_of(first + int(i), me.y)];
    barrier();
    // [/load]
    if (!exists(me)) return;
    // [average]
    float sum = 0.0;
    for (uint d = 0; d <= 2 * radius; ++d)
        sum += tile[begin + lane + d];
    // [/average]
    filtered[index_of(me.x, me.y)] = sum / float(2 * radius + 1);
}
