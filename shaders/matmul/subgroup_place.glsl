// Where an invocation's results are in the tile, for a subgroup whose lanes form a rectangle of lanes_x by lanes_y. The subgroups
// are in rows, too. An invocation's lane is derived from its index in the workgroup: if a device numbers its lanes differently,
// the result is the same.
void take_place_in_subgroup() {
    // [place]
    const uint lane = gl_LocalInvocationIndex
        % (lanes_x * lanes_y);
    const uint subgroup = gl_LocalInvocationIndex
        / (lanes_x * lanes_y);
    // Two consecutive lanes are one above the other.
    const uint high = lanes_y % 2 == 0 ? 2 : 1;
    const uint x = lane / high % lanes_x;
    const uint y = lane % high
        + lane / (high * lanes_x) * high;
    const uint in_a_row =
        gl_WorkGroupSize.x / lanes_x;
    my_rows = y + rows_each * lanes_y
        * (subgroup / in_a_row);
    my_columns = x + columns_each * lanes_x
        * (subgroup % in_a_row);
    // [/place]
}
