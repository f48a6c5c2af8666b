// Where an invocation's results lie in the tile, for a subgroup whose lanes are lanes_x beside one another and lanes_y below. The
// subgroups lie in rows as well. An invocation's lane is taken from its number in the workgroup: if a device numbers its lanes in
// another way, the answer is the same.
void take_place_in_subgroup() {
    // [place]
    const uint lane = gl_LocalInvocationIndex
        % (lanes_x * lanes_y);
    const uint subgroup = gl_LocalInvocationIndex
        / (lanes_x * lanes_y);
    // Two neighbours lie one below the other.
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
