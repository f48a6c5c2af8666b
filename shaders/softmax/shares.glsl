// Shared by the softmax kernels. The probabilities of a row are exp(x - m) / sum, where sum adds up all exp(x - m) of the row. Any m
// gives the same result, because it cancels. If m is the row's maximum, nothing overflows.
#define NOTHING uintBitsToFloat(0xff800000u)  // minus infinity: its probability is 0
#include "softmax/rows.glsl"

layout(std430, binding = 1) writeonly buffer Shares { vec4 shares[]; };

// The smallest finite f32: minus infinity minus itself would be NaN.
const float lowest = -3.402823466e38;

// Of some numbers: their maximum, or a number slightly below it, and the sum of exp(x - maximum).
struct Part {
    float maximum, sum;
};
Part nothing() { return Part(lowest, 0.0); }

// [merge]
Part merged(Part a, Part b) {
    const float m = max(a.maximum, b.maximum);
    return Part(m, a.sum * exp(a.maximum - m)
                 + b.sum * exp(b.maximum - m));
}
// [/merge]

Part of_subgroup(Part mine) {
    const float m = subgroupMax(mine.maximum);
    return Part(m, subgroupAdd(mine.sum * exp(mine.maximum - m)));
}

#include "common/of_team.glsl"

float sum_of(vec4 four) { return (four.x + four.y) + (four.z + four.w); }

// Of the held numbers.
float maximum_of_held() {
    vec4 top = held[0];
    [[unroll]] for (uint k = 1; k < quads_each; ++k) top = max(top, held[k]);
    return max(max(max(top.x, top.y), max(top.z, top.w)), lowest);
}
float sum_of_held() {
    vec4 sum = held[0];
    [[unroll]] for (uint k = 1; k < quads_each; ++k) sum += held[k];
    return sum_of(sum);
}
// Replaces each held number by exp(x - m).
void exponentiate(float m) {
    [[unroll]] for (uint k = 0; k < quads_each; ++k) held[k] = exp(held[k] - m);
}

void store(Row row, uint round, float factor) {
    [[unroll]] for (uint k = 0; k < quads_each; ++k) {
        const int q = quad_of(row, round, k);
        if (q < row.first_quad) continue;
        const vec4 four = held[k] * factor;
        if (!is_shared(row, q)) {
            shares[q] = four;
            continue;
        }
        const bvec4 own = in_row(row, q);
        [[unroll]] for (uint i = 0; i < 4; ++i)
            if (own[i]) shares[q][i] = four[i];
    }
}
