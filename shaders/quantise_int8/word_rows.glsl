// Shared by kernels that compute an integer for each row of bytes, from the row's words and those of a vector. All invocations of
// a workgroup share a row: this invocation has index `rank` of `team`.
//
// The includer requires GL_KHR_shader_subgroup_basic.
#include "common/row_team.glsl"
#include "quantise_int8/bytes.glsl"
#include "common/dot_of_four.glsl"

layout(std430, binding = 3) readonly buffer Vector { uint x[]; };
layout(std430, binding = 4) writeonly buffer Distances { int distances[]; };

uint word_of_row(uint row, uint at) { return words[place_of(row) * words_per_row() + at]; }
uint word_of_x(uint at) { return x[at]; }
// One invocation of the team calls this once for each row.
void leave(uint row, int answer) { distances[place_of(row)] = answer; }
