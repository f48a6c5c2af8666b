// 64 invocations load one word each from workgroup memory. Those of neighbours are `stride` words apart.
// 64 other invocations have stored the words before.

shared uint words[64 * 33];

void main() {
    const uint i = gl_LocalInvocationIndex;
    if (i >= 64)
        for (uint word = i - 64; word < 64 * 33; word += 64) words[word] = word;
    barrier();
    // [load]
    if (i < 64) loaded[i] = words[stride * i];
    // [/load]
}
