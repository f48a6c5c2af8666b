// What the ways to the shares have in common. A row's shares are exp(x - m) / sum, where the sum is that of all exp(x - m) of the
// row, whatever m is: m cancels. With the row's maximum for m nothing overflows.
#define NOTHING uintBitsToFloat(0xff800000u)  // minus infinity: its share is 0
#include "softmax/rows.glsl"

layout(std430, binding = 1) writeonly buffer Shares { vec4 shares[]; };

// The smallest number there is, and no infinity: minus infinity less itself would be no number.
const float lowest = -3.402823466e38;

// Of some numbers: their maximum, or one that is near below it, and the sum of exp(x - maximum).
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

// Of what is held.
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
// Each number that is held becomes exp(x - m).
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
