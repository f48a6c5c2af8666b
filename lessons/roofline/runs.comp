// The same polynomial. Each invocation processes 16 contiguous numbers, as a thread of a CPU would, so neighbouring lanes access
// numbers that are 64 bytes apart.
#include "polynomial.glsl"

void main() {
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x;
    // [runs]
    for (uint run = gl_GlobalInvocationID.x;
         16 * run < launch.count;
         run += everyone) {
        const uint begin = 16 * run;
        const uint end =
            min(begin + 16, launch.count);
        for (uint i = begin; i < end; ++i) {
            const float v = x[i];
            results[i] = POLYNOMIAL(v);
        }
    }
    // [/runs]
}
