// The prefix sum of a workgroup: every invocation contributes a number and gets the sum of it and all before it.
//
// W. D. Hillis and G. L. Steele, "Data parallel algorithms", Communications of the ACM 29, 1986. It takes
// ceil(log2(size)) steps for any size, a power of two or not.
//
// The includer must declare `shared uint scratch[]` with at least one word per invocation.
#ifndef GRIDSTRIDE_ZERO_SUPPRESSION_SCAN
#define GRIDSTRIDE_ZERO_SUPPRESSION_SCAN

// All invocations call this. Afterwards scratch[i] is the sum up to and including invocation i's number, for all to read.
// A barrier must come before scratch is written again.
// [scan]
uint sum_up_to_me(uint mine) {
    uint size = gl_WorkGroupSize.x;
    uint lane = gl_LocalInvocationIndex;
    scratch[lane] = mine;
    barrier();
    for (uint d = 1; d < size; d *= 2) {
        uint left = 0;
        if (lane >= d)
            left = scratch[lane - d];
        barrier();  // all have read
        mine += left;
        scratch[lane] = mine;
        barrier();  // all have written
    }
    return mine;
}
// [/scan]

#endif
