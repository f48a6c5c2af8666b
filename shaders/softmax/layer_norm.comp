#version 450

// Layer norm: each number minus the mean of its row, divided by the row's standard deviation. Counts, means and sums of squared
// distances from the mean are merged, which avoids cancellation: T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for Computing
// the Sample Variance", The American Statistician 37, 1983.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#define NOTHING 0.0
#include "softmax/rows.glsl"

layout(std430, binding = 1) writeonly buffer Normed { vec4 normed[]; };

// Added to the variance, so that a row of equal numbers does not divide by 0.
const float epsilon = 1e-5;

// Of a set of numbers: their count, their mean, and the sum of their squared distances from it.
struct Part {
    float count, mean, squares;
};
Part nothing() { return Part(0.0, 0.0, 0.0); }

// [merge]
Part merged(Part a, Part b) {
    const float count = a.count + b.count;
    const float share = b.count / max(count, 1.0);
    const float apart = b.mean - a.mean;
    return Part(count, a.mean + share * apart,
                a.squares + b.squares
                + share * a.count * apart * apart);
}
// [/merge]

Part of_subgroup(Part mine) {
    const float count = subgroupAdd(mine.count);
    const float mean = subgroupAdd(mine.count / max(count, 1.0) * mine.mean);
    const float apart = mine.mean - mean;
    return Part(count, mean, subgroupAdd(mine.squares + mine.count * apart * apart));
}
#include "common/of_team.glsl"

// 1 for each of a quad's numbers that is in the row, 0 for the others.
vec4 ones(Row row, int q) {
    if (q < row.first_quad) return vec4(0);
    return is_shared(row, q) ? vec4(in_row(row, q)) : vec4(1);
}

Part part_of_held(Row row, uint round) {
    vec4 count = vec4(0), sum = vec4(0), squares = vec4(0);
    [[unroll]] for (uint k = 0; k < quads_each; ++k) {
        count += ones(row, quad_of(row, round, k));
        sum += held[k];
    }
    const float all = dot(count, vec4(1)), mean = dot(sum, vec4(1)) / max(all, 1.0);
    [[unroll]] for (uint k = 0; k < quads_each; ++k) {
        const vec4 apart = ones(row, quad_of(row, round, k)) * (held[k] - mean);
        squares += apart * apart;
    }
    return Part(all, mean, dot(squares, vec4(1)));
}

void store(Row row, uint round, float mean, float factor) {
    [[unroll]] for (uint k = 0; k < quads_each; ++k) {
        const int q = quad_of(row, round, k);
        if (q < row.first_quad) continue;
        const vec4 four = (held[k] - mean) * factor;
        if (!is_shared(row, q)) {
            normed[q] = four;
            continue;
        }
        const bvec4 own = in_row(row, q);
        [[unroll]] for (uint i = 0; i < 4; ++i)
            if (own[i]) normed[q][i] = four[i];
    }
}

void main() {
    for (uint i = first_row(); i < launch.count; i += step_of_rows()) {
        const Row row = row_at(i);
        // [pass]
        Part part = nothing();
        for (uint r = row.rounds; r-- > 0;) {
            load(row, r);
            part = merged(part, part_of_held(row, r));
        }
        part = of_team(part);

        const float variance = part.squares / part.count;
        const float factor = inversesqrt(variance + epsilon);
        store(row, 0, part.mean, factor);
        for (uint r = 1; r < row.rounds; ++r) {
            load(row, r);
            store(row, r, part.mean, factor);
        }
        // [/pass]
    }
}
