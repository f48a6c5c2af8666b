#version 450

// The definition as written, without a maximum: exp(x) overflows for large x.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "softmax/shares.glsl"

void main() {
    for (uint i = first_row(); i < launch.count; i += step_of_rows()) {
        const Row row = row_at(i);
        // [passes]
        float sum = 0.0;
        for (uint r = row.rounds; r-- > 0;) {
            load(row, r);
            exponentiate(0.0);
            sum += sum_of_held();
        }
        sum = of_team(Part(0.0, sum)).sum;

        for (uint r = row.rounds; r-- > 0;) {
            load(row, r);
            exponentiate(0.0);
            store(row, r, 1.0 / sum);
        }
        // [/passes]
    }
}
