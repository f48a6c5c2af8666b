// The grid-stride loop over groups of four elements ("quads"): a load of 16 bytes is one instruction, like one of 4. Shared by
// vec4 and float64, which differ in the arithmetic between load and store.
//
// The includer defines vec4 density(vec4) and includes common/launch.glsl.
#ifndef GRIDSTRIDE_GAUSSIAN_QUADS
#define GRIDSTRIDE_GAUSSIAN_QUADS

// [memory]
layout(std430, binding = 0)
    readonly buffer X { vec4 xs[]; };
layout(std430, binding = 1)
    writeonly buffer D {
        vec4 densities[];
    };
// [/memory]

void evaluate_my_quads() {
    const uint size = gl_WorkGroupSize.x;
    const uint end = launch.count / 4;  // number of whole quads
    const uint grid = launch.workgroup_count * size;
    uint i = gl_WorkGroupID.x * size + gl_LocalInvocationIndex;

    // [loop]
    for (; i + 3 * grid < end;
         i += 4 * grid) {
        const vec4 a = xs[i];
        const vec4 b = xs[i + grid];
        const vec4 c = xs[i + 2 * grid];
        const vec4 d = xs[i + 3 * grid];
        densities[i] = density(a);
        densities[i + grid] = density(b);
        densities[i + 2 * grid] = density(c);
        densities[i + 3 * grid] = density(d);
    }
    for (; i < end; i += grid)
        densities[i] = density(xs[i]);
    // [/loop]

    // [rest]
    // One to three elements may remain. Buffers
    // are bound as a multiple of 16 bytes, so
    // one load is valid; stores are separate.
    const uint left = launch.count % 4;
    if (i == end && left > 0) {
        const vec4 last = density(xs[i]);
        densities[i].x = last.x;
        if (left > 1)
            densities[i].y = last.y;
        if (left > 2)
            densities[i].z = last.z;
    }
    // [/rest]
}

#endif
