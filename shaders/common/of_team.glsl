// Combines the results of a team's invocations (common/row_team.glsl): within a subgroup by subgroup operations and, if the
// workgroup shares a row, across subgroups through workgroup memory.
//
// The includer defines Part; of_subgroup(Part), whose result every lane gets; merged(Part, Part); and nothing(), the neutral Part.

// Counted here, because a small workgroup does not fill its subgroup, and because all lanes are active at this point.
uint lanes = subgroupBallotBitCount(subgroupBallot(true));          // active lanes of this subgroup
uint lane = subgroupBallotExclusiveBitCount(subgroupBallot(true));  // index of this invocation among them

shared Part parts[rows_at_once == 1 ? invocations : 1];

// If the x extent of the workgroup is not a multiple of the subgroup size, Mesa 22's software driver gives several subgroups the
// same gl_SubgroupID. Then each subgroup stores its part at the index of one of its invocations.
bool are_full = gl_WorkGroupSize.x % gl_SubgroupSize == 0;

// Every invocation of the team must call this, and each gets the result.
Part of_team(Part mine) {
    // [team]
    Part all = of_subgroup(mine);
    if (!shares_row) return all;
    barrier();  // others may still read the previous parts
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
