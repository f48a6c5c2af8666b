#version 450

// What a row's last round has brought stays in registers, and of a row that is not longer that is all of it: each number is read
// once and written once. Of a longer row the rest is read again, from its end to its beginning, since what was read last is the
// likeliest to be still in a cache.
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

        // Held is exp(x - mine.maximum) by now.
        const float inverse = 1.0 / all.sum;
        store(row, 0, inverse * exp(mine.maximum - all.maximum));
        // What did not fit is read again.
        for (uint r = 1; r < row.rounds; ++r) {
            load(row, r);
            exponentiate(all.maximum);
            store(row, r, inverse);
        }
        // [/pass]
    }
}
