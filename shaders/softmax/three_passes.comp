#version 450

// Three passes over each row: its maximum, the sum, the probabilities. Each number is read three times and written once.
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
        Part part = nothing();
        for (uint r = row.rounds; r-- > 0;) {
            load(row, r);
            part.maximum = max(part.maximum,
                               maximum_of_held());
        }
        part = of_team(part);

        part.sum = 0.0;
        for (uint r = row.rounds; r-- > 0;) {
            load(row, r);
            exponentiate(part.maximum);
            part.sum += sum_of_held();
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
