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
    const uint in_a_row = gl_WorkGroupSize.x / lanes_x;
    my_rows = subgroup / in_a_row * lanes_y * (down / 4)
        + y;
    my_columns = subgroup % in_a_row * lanes_x * (across / 4)
        + x;
    // [/place]
}
