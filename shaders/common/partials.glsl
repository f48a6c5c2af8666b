// A result for each workgroup, such as its sum, in a buffer at binding 1. Its kernel says before what the results are:
//     #define ELEMENT float
#include "common/launch.glsl"

// coherent: a kernel may read in the same launch what another workgroup left.
layout(std430, binding = 1) coherent buffer PartialSums { ELEMENT partial_sums[]; };

// One invocation of each workgroup calls this, once, with the sum of what its workgroup went over.
void leave_partial_sum(ELEMENT sum) {
    const uint mine = workgroup();
    partial_sums[mine] = launch.fresh == 1 ? sum : partial_sums[mine] + sum;
}

// The same for a total in memory that one workgroup alone adds to: what it was before, or 0.
ELEMENT before(ELEMENT total) { return launch.fresh == 1 ? ELEMENT(0) : total; }
