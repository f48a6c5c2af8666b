// A quantized matrix: signed bytes, four per word, the first in the lowest bits. Each row begins with a new word; bytes of its last
// word past the row are 0. A byte q represents (q - zero_point) * scale.
//
//     binding 0  words        rows of words_per_row() words
//     binding 1  steps        f32 scales: one, or one per row
//     binding 2  zero_points  i32: as many; all 0 if the matrix is symmetric
//
// All kernels of this folder have the same specialisation constants: 3 rows_at_once (common/row_team.glsl), 4 scheme
// (rounding.glsl), 5 vectors and 6 all_vectors (product.glsl).
//
// The includer includes common/launch.glsl first, and defines WORDS_ACCESS if it writes the words.
#include "quantise_int8/rounding.glsl"

#ifndef WORDS_ACCESS
#define WORDS_ACCESS readonly
#endif
layout(std430, binding = 0) WORDS_ACCESS buffer Words { uint words[]; };
layout(std430, binding = 1) readonly buffer Steps { float steps[]; };
layout(std430, binding = 2) readonly buffer ZeroPoints { int zero_points[]; };

uint words_per_row() { return (launch.columns + 3) / 4; }

// row: index in the whole matrix, as returned by place_of().
float step_of(uint row) { return steps[scheme == by_row ? row : 0]; }
int zero_point_of(uint row) { return scheme == one_step_and_zero ? zero_points[0] : 0; }

// [bytes]
// The four signed bytes of a word.
ivec4 bytes_of(uint word) {
    return ivec4(word << 24, word << 16,
                 word << 8, word) >> 24;
}
// [/bytes]
