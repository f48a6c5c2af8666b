// One multiplication for each number.
#include "quads.glsl"

void main() {
    // [scaled]
    for (uint q = me(); q < quads();
         q += everyone())
        store(q, 1.5 * x[q]);
    // [/scaled]
}
