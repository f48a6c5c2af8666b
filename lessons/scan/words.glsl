// The words that workgroups exchange: the ticket in words[0], and behind it two words for each tile. They are 0 before
// the first launch, and each launch leaves them as the next one needs them.

// [words]
// Atomic, of device scope, and relaxed.
uint take_ticket() {
    return atomicAdd(words[0], 1,
        gl_ScopeDevice,
        gl_StorageSemanticsNone,
        gl_SemanticsRelaxed);
}
void reset_tickets() {
    atomicStore(words[0], 0u, gl_ScopeDevice,
        gl_StorageSemanticsNone,
        gl_SemanticsRelaxed);
}
void store_word(uint i, uint word) {
    atomicStore(words[i + 1], word,
        gl_ScopeDevice,
        gl_StorageSemanticsNone,
        gl_SemanticsRelaxed);
}
uint load_word(uint i) {
    return atomicLoad(words[i + 1],
        gl_ScopeDevice,
        gl_StorageSemanticsNone,
        gl_SemanticsRelaxed);
}
// [/words]
