// One invocation loads again and again. Each load needs the index that the one before has loaded.

void main() {
    // [load]
    uint at = 0;
    for (uint i = 0; i < steps; ++i)
        at = next[at];
    // [/load]
    last[0] = at;
}
