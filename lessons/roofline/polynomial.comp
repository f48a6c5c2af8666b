// A polynomial of degree 7 for each number.
#include "quads.glsl"
#include "polynomial.glsl"

void main() {
    for (uint q = me(); q < quads(); q += everyone()) {
        const vec4 v = x[q];
        store(q, POLYNOMIAL(v));
    }
}
