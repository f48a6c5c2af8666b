// The operation "axpy" of BLAS, a * x + y, stored to a third array.
#include "quads.glsl"

void main() {
    // [axpy]
    for (uint q = me(); q < quads();
         q += everyone())
        store(q, 1.5 * x[q] + y[q]);
    // [/axpy]
}
