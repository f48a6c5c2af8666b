// The tile of the exercise: a workgroup of 32 x 8 invocations computes 32 x 32 results.
#include "clamped.glsl"

// [arrays]
// Rows and columns of the tile, with its halo.
const uint size = 32 + 2 * radius;
// Its numbers, and sums of each row of it.
shared float tile[size * size];
shared float sums[size * 32];
// [/arrays]

// The first column and the first row of the results of this workgroup.
ivec2 first_result() { return ivec2(32 * gl_WorkGroupID.xy); }
