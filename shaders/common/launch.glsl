// What every kernel of a lesson is given: its workgroup size, and which part of the launch this dispatch is.
//
// A launch runs over `total` elements. Where a device limit needs it, it is cut into slices: this dispatch sees
// `count` elements, from index `first` of the whole. Bound buffers that hold one value an element start at the
// slice's first one, so kernels index them from 0 to count - 1. Every element e of the whole belongs to workgroup
// (e / elements per workgroup) % workgroup_count, sliced or not.
//
// A kernel with push constants of its own defines PARAMETERS before it includes this file:
//     #define PARAMETERS float mean; float sigma;
#ifndef GRIDSTRIDE_LAUNCH
#define GRIDSTRIDE_LAUNCH

layout(local_size_x_id = 0) in;

#ifndef PARAMETERS
#define PARAMETERS
#endif

layout(push_constant) uniform Launch {
    uint first;            // index in the whole of this slice's first element
    uint count;            // elements of this slice
    uint total;            // elements of the whole
    uint first_workgroup;  // number of this dispatch's first workgroup
    uint workgroup_count;  // workgroups of the whole launch
    uint fresh;            // 1: the workgroups of this slice have had no elements before it
    uint last;             // 1: no slice follows
    PARAMETERS
} launch;

// The number of this workgroup in the whole launch.
uint workgroup() { return launch.first_workgroup + gl_WorkGroupID.x; }

// True in the last slice: when it has ended, every element has been seen.
bool is_last_slice() { return launch.last == 1; }

#endif
