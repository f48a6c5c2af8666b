// What the products of a matrix with a few vectors have in common: a team does a row of the matrix with all of the vectors, so that
// what it loads of the row is loaded once. Results stand vector by vector, one for each row.
//
// Of many vectors, `vectors` are taken at a time, a group, since their sums are in registers. Workgroups side by side take one group
// after another. All groups are of one size: the last one begins within the group before it where it must, and leaves some of that
// one's results again.
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

// Loads of the row that are on their way before the first of them is used.
const uint at_once = 4;
