// What every kernel of a lesson is given: its workgroup, its grid, and the elements that it goes over.
//
// A launch runs over a domain of elements: a count of them, or the rows and columns of a picture. Where a device limit
// needs it, the lab cuts it along the last dimension into dispatches, slices, one after another. A kernel need not know:
// it goes from its workgroup's first element by the whole grid up to `launch.count`, and what it finds in a buffer of one
// value an element stands at the same index. What it leaves for each workgroup it leaves by common/partials.glsl.
//
// A kernel with push constants of its own defines PARAMETERS before it includes this file:
//     #define PARAMETERS float mean; float sigma;
#ifndef GRIDSTRIDE_LAUNCH
#define GRIDSTRIDE_LAUNCH

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

#ifndef PARAMETERS
#define PARAMETERS
#endif

layout(push_constant) uniform Launch {
    uint count;            // elements that this dispatch goes over; of two dimensions rows, of three layers
    uint workgroup_count;  // workgroups of the whole launch, along the same dimension
    uint columns;          // elements of a row, where there are rows
    uint rows;             // rows of a layer, where there are layers
    uint grid_x;           // workgroups along x and y of the whole launch, where those are not the last dimension
    uint grid_y;
    uint total;            // as count, of the whole launch
    // How the launch is cut. Only files of common/ ask.
    uint first;            // index in the whole of the first element, row or layer of this dispatch
    uint first_workgroup;  // number in the whole of its first workgroup
    uint fresh;            // 1: its workgroups have had no elements before
    uint last;             // 1: no dispatch of this launch follows
    uint reserved;
    PARAMETERS
} launch;

// The number of this workgroup in the whole launch, in one dimension.
uint workgroup() { return launch.first_workgroup + gl_WorkGroupID.x; }

// The place in the whole launch of element, row or layer i of this dispatch.
uint place_of(uint i) { return launch.first + i; }

#endif
