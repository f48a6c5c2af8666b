// The interface between a launch and every kernel of a lesson: the workgroup size, the grid, and the range of elements.
//
// A launch covers a domain of elements: a count of them, or the rows and columns of a picture. If a device limit requires
// it, the lab cuts the launch along the last dimension into dispatches (slices) that run one after another. A kernel need
// not know: it starts at its workgroup's first element and strides by the whole grid up to `launch.count`. A buffer with one
// value per element is bound so that the same index applies. One result per workgroup is stored by common/partials.glsl.
//
// A kernel with its own push constants defines PARAMETERS before it includes this file:
//     #define PARAMETERS float mean; float sigma;
#ifndef GRIDSTRIDE_LAUNCH
#define GRIDSTRIDE_LAUNCH

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

#ifndef PARAMETERS
#define PARAMETERS
#endif

layout(push_constant) uniform Launch {
    uint count;            // elements of this dispatch; in two dimensions its rows, in three its layers
    uint workgroup_count;  // workgroups of the whole launch, along the same dimension
    uint columns;          // elements of a row, in two or three dimensions
    uint rows;             // rows of a layer, in three dimensions
    uint grid_x;           // workgroups of the whole launch along x and y, if those are not the last dimension
    uint grid_y;
    uint total;            // like count, for the whole launch
    // How the launch is cut into slices. Only files in common/ use these.
    uint first;            // index in the whole launch of this dispatch's first element, row or layer
    uint first_workgroup;  // index in the whole launch of this dispatch's first workgroup
    uint fresh;            // 1: its workgroups have processed no elements before
    uint last;             // 1: this is the last dispatch of the launch
    uint reserved;
    PARAMETERS
} launch;

// Index of this workgroup in the whole launch, in one dimension.
uint workgroup() { return launch.first_workgroup + gl_WorkGroupID.x; }

// Index in the whole launch of element, row or layer i of this dispatch.
uint place_of(uint i) { return launch.first + i; }

#endif
