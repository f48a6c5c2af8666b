// Both directions in one launch. An invocation has four neighbouring columns of a strip. It goes down
// row by row: it loads a row, filters it along x, and keeps the last five of these rows in registers.
// From them it computes a row of results.
#extension GL_EXT_control_flow_attributes : require
#include "clamped.glsl"
#include "weights.glsl"

// The numbers of a row that four neighbouring results need.
struct Numbers {
    vec2 left;
    vec4 own;
    vec2 right;
};

float at(int column, int row) {
    const uint i = index_of(column, row);
    return x[i / 4][i % 4];
}

// is_inside: rows begin at a multiple of 16 bytes, and
// all columns exist. Then three loads are enough.
Numbers load(bool is_inside, int column, int row) {
    if (is_inside) {
        const uint quad =
            (clamp_row(row) * columns + column) / 4;
        return Numbers(x[quad - 1].zw, x[quad],
                       x[quad + 1].xy);
    }
    const int c = column;
    return Numbers(vec2(at(c - 2, row), at(c - 1, row)),
                   vec4(at(c, row), at(c + 1, row), at(c + 2, row), at(c + 3, row)),
                   vec2(at(c + 4, row), at(c + 5, row)));
}

vec4 weigh(vec4 a, vec4 b, vec4 c, vec4 d, vec4 e) {
    return weights[0] * a + weights[1] * b + weights[2] * c + weights[3] * d + weights[4] * e;
}

vec4 filter_along_x(Numbers n) {
    return weigh(vec4(n.left, n.own.xy),
                 vec4(n.left.y, n.own.xyz), n.own,
                 vec4(n.own.yzw, n.right.x),
                 vec4(n.own.zw, n.right));
}

void store(ivec2 to, vec4 results) {
    const uint i = to.y * columns + to.x;
    if (load_width == 4) {
        filtered[i / 4] = results;
        return;
    }
    [[unroll]] for (uint k = 0; k < 4; ++k)
        if (to.x + k < columns) filtered[(i + k) / 4][(i + k) % 4] = results[k];
}

void slide(bool is_inside, int column) {
    const int first = int(gl_WorkGroupID.y * strip);
    vec4 kept[5] = vec4[](vec4(0), vec4(0), vec4(0), vec4(0), vec4(0));
    // [slide]
    for (int t = 0; t < strip + 4; t += 5) {
        // Five loads are in flight at once.
        Numbers next[5];
        [[unroll]] for (int j = 0; j < 5; ++j)
            next[j] = load(is_inside, column,
                           first + t + j - 2);
        [[unroll]] for (int j = 0; j < 5; ++j) {
            kept[j] = filter_along_x(next[j]);
            const vec4 results = weigh(
                kept[(j + 1) % 5], kept[(j + 2) % 5],
                kept[(j + 3) % 5], kept[(j + 4) % 5],
                kept[j]);
            // Row 4 completes the first result.
            const int done = t + j - 4;
            const ivec2 to =
                ivec2(column, first + done);
            if (done >= 0 && done < strip
                && exists(to)) store(to, results);
        }
    }
    // [/slide]
}

void main() {
    const int column = 4 * place().x;
    if (column >= columns) return;
    // Only at the edges do the columns that are loaded need to be clamped.
    if (load_width == 4 && column >= 4 && column + 8 <= columns) slide(true, column);
    else slide(false, column);
}
