// Shared by the kernels with tiles. The launch has its x axis along the rows or along the columns of the
// matrix.

// [order]
// The column and the row of a workgroup's tile,
// counted in tiles.
uvec2 tile_of_workgroup() {
    return order == 0 ? gl_WorkGroupID.xy
                      : gl_WorkGroupID.yx;
}
// [/order]
