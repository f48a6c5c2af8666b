// How products store their results, four of a row at a time. The includer includes common/launch.glsl and declares c_in_quads.
layout(std430, binding = 2) writeonly buffer C { vec4 c[]; };

#ifdef TAIL
// Defined by the includer: computes these elements of c from four numbers of a row of the product.
vec4 tail(vec4 four, uvec4 e);
#endif

// The row is of this dispatch. Numbers past the edges are not stored.
void store_four(uint row, uint column, vec4 four) {
    if (row >= launch.count || column >= launch.columns) return;
    const uint to = row * launch.columns + column;
#ifdef TAIL
    const uvec4 e = place_of(row) * launch.columns + column + uvec4(0, 1, 2, 3);
    four = tail(four, min(e, uvec4(launch.total * launch.columns - 1)));
#endif
    if (c_in_quads == 1) {
        c[to / 4] = four;
        return;
    }
    [[unroll]] for (uint l = 0; l < 4; ++l)
        if (column + l < launch.columns) c[(to + l) / 4][(to + l) % 4] = four[l];
}
