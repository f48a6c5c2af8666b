// Shared by the products of a matrix with a few vectors: a team processes a row of the matrix with all of the vectors, so that each
// load of the row is used for all of them. Results are stored vector by vector, one per row.
//
// Of many vectors, a group of `vectors` is processed at a time, because their sums are in registers. Workgroups along x process one
// group after another. All groups have the same size: if necessary, the last one begins within the previous one, and stores some of
// its results again.
//
// The includer defines Part, float or int, and requires the subgroup extensions and GL_EXT_control_flow_attributes.
layout(constant_id = 5) const uint vectors = 1;
layout(constant_id = 6) const uint all_vectors = 1;
uint first_of_group(uint vector) { return min(vector, all_vectors - vectors); }
uint first_vector() { return gl_WorkGroupID.x * vectors; }
uint step_of_vectors() { return launch.grid_x * vectors; }

Part nothing() { return Part(0); }
Part merged(Part a, Part b) { return a + b; }
Part of_subgroup(Part mine) { return subgroupAdd(mine); }
#include "common/of_team.glsl"

// Loads of the row that are in flight before the first value is used.
const uint at_once = 4;
