// Shared by the kernels that scan with subgroups. A kernel first requires the subgroup extensions and defines ELEMENT.
// The invocations of a workgroup fill its subgroups in order, so that only the last one can have fewer lanes.

shared ELEMENT subgroup_sums[gl_WorkGroupSize.x];

uint lane = gl_SubgroupInvocationID;
uint lanes = subgroupBallotBitCount(subgroupBallot(true));

// Mesa 22's software driver does not count a last subgroup that is not full in gl_NumSubgroups.
uint subgroup_count() { return max(gl_NumSubgroups, (gl_WorkGroupSize.x + gl_SubgroupSize - 1) / gl_SubgroupSize); }

// Returns the sum of the subgroups before this one, and the sum of all subgroups of the workgroup.
ELEMENT sum_before_subgroup(ELEMENT subgroup_sum, out ELEMENT total) {
    // [across]
    if (lane == 0)
        subgroup_sums[gl_SubgroupID] = subgroup_sum;
    barrier();
    ELEMENT before = ELEMENT(0);
    total = ELEMENT(0);
    for (uint first = 0; first < subgroup_count();
         first += lanes) {
        const uint s = first + lane;
        const ELEMENT sum = s < subgroup_count()
            ? subgroup_sums[s] : ELEMENT(0);
        before += subgroupAdd(
            s < gl_SubgroupID ? sum : ELEMENT(0));
        total += subgroupAdd(sum);
    }
    // [/across]
    return before;
}
