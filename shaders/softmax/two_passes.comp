#version 450

// Two passes over each row: maximum and sum together, then the probabilities. Each number is read twice and written once.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "softmax/shares.glsl"
#include "softmax/online.glsl"

void main() {
    for (uint i = first_row(); i < launch.count; i += step_of_rows()) {
        const Row row = row_at(i);
        // [passes]
        Part part = nothing();
        for (uint r = row.rounds; r-- > 0;) {
            load(row, r);
            part = with_held(part);
        }
        part = of_team(part);

        for (uint r = row.rounds; r-- > 0;) {
            load(row, r);
            exponentiate(part.maximum);
            store(row, r, 1.0 / part.sum);
        }
        // [/passes]
    }
}
