// Each number goes through a chain of multiply-adds, two operations each. Every one of them moves it by 1 / 1024 of its
// distance to 1. operations_per_number is known to the compiler, so a loop that is not needed disappears.
#include "quads.glsl"

vec4 next(vec4 v) { return fma(v, vec4(1023.0 / 1024.0), vec4(1.0 / 1024.0)); }

void main() {
    const uint count = operations_per_number / 2;
    for (uint q = me(); q < quads(); q += everyone()) {
        // [chain]
        // The four numbers of a quad are independent:
        // while one waits for its multiply-add, the
        // others use the arithmetic unit.
        vec4 v = x[q];
        for (uint i = 0; i < count / 8; ++i)
            v = next(next(next(next(
                next(next(next(next(v))))))));
        for (uint i = 0; i < count % 8; ++i)
            v = next(v);
        store(q, v);
        // [/chain]
    }
}
