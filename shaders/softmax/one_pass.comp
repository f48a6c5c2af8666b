#version 450

// The numbers of a row's last round stay in registers. If a row has one round only, each number is read once and written once. The
// rest of a longer row is read again, from its end to its beginning, because the numbers that were read last are the likeliest to be
// still in a cache.
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
        // [pass]
        Part mine = nothing();
        for (uint r = row.rounds; r-- > 0;) {
            load(row, r);
            mine = with_held(mine);
        }
        const Part all = of_team(mine);

        // exp(x - mine.maximum) is held by now.
        const float inverse = 1.0 / all.sum;
        store(row, 0, inverse
            * exp(mine.maximum - all.maximum));
        // Numbers that did not fit are read again.
        for (uint r = 1; r < row.rounds; ++r) {
            load(row, r);
            exponentiate(all.maximum);
            store(row, r, inverse);
        }
        // [/pass]
    }
}
