// What a team (common/row_team.glsl) makes of what its invocations have found: the subgroup's part by subgroup arithmetic and, where
// the workgroup shares a row, one part for each subgroup through workgroup memory.
//
// The includer defines Part, and of_subgroup(Part), which every lane gets; merged(Part, Part); and nothing(), a part of no numbers.

// Counted, since a small workgroup does not fill its subgroup; at once, while there is nothing to wait for.
uint lanes = subgroupBallotBitCount(subgroupBallot(true));          // of this subgroup
uint lane = subgroupBallotExclusiveBitCount(subgroupBallot(true));  // this invocation's place among them

shared Part parts[rows_at_once == 1 ? invocations : 1];

// Where a row of the workgroup is no whole number of subgroups, Mesa 22's software driver gives several subgroups one number. There
// each leaves its part at the place of one of its invocations.
bool are_full = gl_WorkGroupSize.x % gl_SubgroupSize == 0;

// Every invocation of the team gets it. All of them call it.
Part of_team(Part mine) {
    // [team]
    Part all = of_subgroup(mine);
    if (!shares_row) return all;
    barrier();  // somebody may still read what the last one left
    if (!are_full) parts[gl_LocalInvocationIndex] = subgroupElect() ? all : nothing();
    else if (subgroupElect()) parts[gl_SubgroupID] = all;
    barrier();
    all = nothing();
    const uint count = are_full ? gl_NumSubgroups : invocations;
    for (uint i = lane; i < count; i += lanes)
        all = merged(all, parts[i]);
    return of_subgroup(all);
    // [/team]
}
