// The sum over a workgroup of one number of each invocation, without a tree: the invocations of a subgroup add up theirs
// with one instruction, register to register, and workgroup memory carries one number a subgroup across one barrier.
//
// The includer defines ELEMENT (uint or float) and requires the subgroup extensions.
#ifndef GRIDSTRIDE_REDUCTION_ACROSS
#define GRIDSTRIDE_REDUCTION_ACROSS

// One for each subgroup. How many there are is known only when the kernel runs, but never more than invocations.
shared ELEMENT sums[gl_WorkGroupSize.x];

// Mesa 22's software driver leaves a last subgroup that is not full out of gl_NumSubgroups; elsewhere that is right, and
// there may be more subgroups than it takes to hold all invocations, never fewer.
uint subgroup_count() {
    return max(gl_NumSubgroups, (gl_WorkGroupSize.x + gl_SubgroupSize - 1) / gl_SubgroupSize);
}

// Counted, since a small workgroup does not fill its subgroup; at once, while there is nothing to wait for.
uint lanes = subgroupBallotBitCount(subgroupBallot(true));          // of this subgroup
uint lane = subgroupBallotExclusiveBitCount(subgroupBallot(true));  // this invocation's place among them

// The one invocation that has the sum and stores it.
bool is_first() { return gl_SubgroupID == 0 && subgroupElect(); }

// The sum, in the invocations of the first subgroup alone. Without the barrier it may miss what others stored.
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
    // more sums than a subgroup has lanes, so it
    // takes a few rounds.
    ELEMENT sum = ELEMENT(0);
    const uint count = subgroup_count();
    for (uint first = 0; first < count; first += lanes)
        if (first + lane < count)
            sum += sums[first + lane];
    return subgroupAdd(sum);
    // [/across]
}

#endif
