// Like words.comp, with 8 bytes for each load.

// [pairs]
shared uvec2 pairs[64 * 33];
// [/pairs]

void main() {
    const uint i = gl_LocalInvocationIndex;
    if (i >= 64)
        for (uint word = i - 64; word < 64 * 33; word += 64) pairs[word] = uvec2(word, 2 * word);
    barrier();
    // [load]
    if (i < 64) {
        const uvec2 pair = pairs[stride * i];
        loaded[i] = pair.x + pair.y;
    }
    // [/load]
}
