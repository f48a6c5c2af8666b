// The sum over a workgroup of one number per invocation, without a tree: the invocations of a subgroup add up theirs
// with one instruction between registers, and workgroup memory carries one number per subgroup across one barrier.
//
// The includer defines ELEMENT (uint or float) and requires the subgroup extensions.
#ifndef GRIDSTRIDE_WORKGROUP_SUM
#define GRIDSTRIDE_WORKGROUP_SUM

// One per subgroup. The number of subgroups is known only when the kernel runs, but never exceeds the invocations.
shared ELEMENT sums[gl_WorkGroupSize.x];

// Mesa 22's software driver does not count a last subgroup that is not full in gl_NumSubgroups. Elsewhere the count is
// right, and there may be more subgroups than are needed to hold all invocations, never fewer.
uint subgroup_count() {
    return max(gl_NumSubgroups, (gl_WorkGroupSize.x + gl_SubgroupSize - 1) / gl_SubgroupSize);
}

// Counted here, because a small workgroup does not fill its subgroup, and all lanes are active at this point.
uint lanes = subgroupBallotBitCount(subgroupBallot(true));          // active lanes of this subgroup
uint lane = subgroupBallotExclusiveBitCount(subgroupBallot(true));  // index of this invocation among them

// The one invocation that gets the sum and stores it.
bool is_first() { return gl_SubgroupID == 0 && subgroupElect(); }

// Returns the sum in the first subgroup only. Without the barrier it may miss numbers that others stored.
ELEMENT sum_of_workgroup(ELEMENT mine, bool with_barrier) {
    // [subgroup]
    const ELEMENT subgroup_sum = subgroupAdd(mine);
    if (subgroupElect())
        sums[gl_SubgroupID] = subgroup_sum;
    if (with_barrier) barrier();
    // [/subgroup]

    // [across]
    if (gl_SubgroupID != 0) return ELEMENT(0);
    // A workgroup of 1 024 has 128 subgroups of 8:
    // more sums than a subgroup has lanes, so this
    // takes several rounds.
    ELEMENT sum = ELEMENT(0);
    const uint count = subgroup_count();
    for (uint first = 0; first < count; first += lanes)
        if (first + lane < count)
            sum += sums[first + lane];
    return subgroupAdd(sum);
    // [/across]
}

#endif
