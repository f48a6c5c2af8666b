// Random numbers without a memory: four words for each counter, the same wherever and whenever they are asked for.
//
// Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
// Counters that differ in one bit give words that look unrelated; keys tell sequences apart, as seeds do.
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

// The rounds' keys depend on nothing but the key: where that is the launch's, they are computed once. The rounds are
// written out because a software driver counts the rounds of a loop, and ends it after 65 535.
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
