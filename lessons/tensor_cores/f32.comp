// The same tiles without fragments: each of 256 invocations computes 8 x 8 results in f32.
#extension GL_EXT_control_flow_attributes : require
#include "tiles.glsl"

vec4 left_half(uvec4 octet) { return vec4(unpackHalf2x16(octet.x), unpackHalf2x16(octet.y)); }
vec4 right_half(uvec4 octet) { return vec4(unpackHalf2x16(octet.z), unpackHalf2x16(octet.w)); }

void main() {
    const uint row = 8 * (gl_LocalInvocationIndex / 16), octet = gl_LocalInvocationIndex % 16;
    vec4 sums[16];
    [[unroll]] for (uint i = 0; i < 16; ++i) sums[i] = vec4(0.0);
    for (uint p = 0; p < padded_k; p += tile_k) {
        load_tiles();
        barrier();
        store_tiles();
        barrier();
        // [multiply]
        for (uint q = 0; q < tile_k; q += 4) {
            vec4 left[8];
            [[unroll]] for (uint i = 0; i < 8; ++i) {
                const uvec4 eight =
                    a_tile[(row + i) * a_pitch + q / 8];
                left[i] = q % 8 == 0 ? left_half(eight)
                                     : right_half(eight);
            }
            [[unroll]] for (uint r = 0; r < 4; ++r) {
                const uvec4 right =
                    b_tile[(q + r) * b_pitch + octet];
                const vec4 first = left_half(right),
                           second = right_half(right);
                [[unroll]] for (uint i = 0; i < 8; ++i) {
                    sums[2 * i] += left[i][r] * first;
                    sums[2 * i + 1] += left[i][r] * second;
                }
            }
        }
        // [/multiply]
    }
    [[unroll]] for (uint i = 0; i < 8; ++i)
        [[unroll]] for (uint j = 0; j < 8; ++j)
            c[c_at(first_row() + row + i, first_column() + 8 * octet + j)] = sums[2 * i + j / 4][j % 4];
}
