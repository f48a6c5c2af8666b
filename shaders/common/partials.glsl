// One result per workgroup, such as its sum, in a buffer at binding 1. The kernel defines the type of the results first:
//     #define ELEMENT float
#include "common/launch.glsl"

// coherent: a kernel may read results of other workgroups in the same launch.
layout(std430, binding = 1) coherent buffer PartialSums { ELEMENT partial_sums[]; };

// One invocation of each workgroup calls this once, with the sum of its workgroup's elements.
void store_partial_sum(ELEMENT sum) {
    const uint mine = workgroup();
    partial_sums[mine] = launch.fresh == 1 ? sum : partial_sums[mine] + sum;
}

// The same for a total to which only one workgroup adds. Returns its previous value, or 0.
ELEMENT before(ELEMENT total) { return launch.fresh == 1 ? ELEMENT(0) : total; }
