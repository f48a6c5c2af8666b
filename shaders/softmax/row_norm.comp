#version 450

// The norm of each row, the root of the sum of its squares: a pass of the same shape that stores one number per row.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#define NOTHING 0.0
#include "softmax/rows.glsl"

layout(std430, binding = 1) writeonly buffer Norms { float norms[]; };

#define Part float
Part nothing() { return 0.0; }
Part merged(Part a, Part b) { return a + b; }
Part of_subgroup(Part mine) { return subgroupAdd(mine); }
#include "common/of_team.glsl"

void main() {
    for (uint i = first_row(); i < launch.count; i += step_of_rows()) {
        const Row row = row_at(i);
        // [pass]
        float sum = 0.0;
        for (uint r = row.rounds; r-- > 0;) {
            load(row, r);
            [[unroll]] for (uint k = 0; k < quads_each; ++k)
                sum += dot(held[k], held[k]);
        }
        sum = of_team(sum);
        if (is_first_of_team()) norms[place_of(i)] = sqrt(sum);
        // [/pass]
    }
}
