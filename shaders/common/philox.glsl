// A stateless random number generator: four words for each counter, which depend on the counter and the key alone.
//
// Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
// Counters that differ in one bit give words that look unrelated. Keys select independent sequences, as seeds do.
#ifndef GRIDSTRIDE_PHILOX
#define GRIDSTRIDE_PHILOX

// [round]
uvec4 philox_round(uvec4 counter, uvec2 key) {
    uint high_x, low_x, high_z, low_z;
    umulExtended(0xD2511F53u, counter.x,
                 high_x, low_x);
    umulExtended(0xCD9E8D57u, counter.z,
                 high_z, low_z);
    return uvec4(
        high_z ^ counter.y ^ key.x, low_z,
        high_x ^ counter.w ^ key.y, low_x);
}
// [/round]

// The round keys depend on the key alone: if that is uniform over the launch, they are computed once. The rounds are
// unrolled by hand because a software driver counts loop iterations and ends a loop after 65 535.
uvec4 philox(uvec4 counter, uvec2 key) {
    const uvec2 bump = uvec2(0x9E3779B9u, 0xBB67AE85u);  // the golden ratio, sqrt(3) - 1
    counter = philox_round(counter, key);
    counter = philox_round(counter, key + bump);
    counter = philox_round(counter, key + 2 * bump);
    counter = philox_round(counter, key + 3 * bump);
    counter = philox_round(counter, key + 4 * bump);
    counter = philox_round(counter, key + 5 * bump);
    counter = philox_round(counter, key + 6 * bump);
    counter = philox_round(counter, key + 7 * bump);
    counter = philox_round(counter, key + 8 * bump);
    return philox_round(counter, key + 9 * bump);
}

#endif
