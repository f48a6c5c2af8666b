// What the products of a matrix with a few vectors have in common: a team does a row of the matrix with all of the vectors, so that
// what it loads of the row is loaded once. Results stand vector by vector, one for each row.
//
// The includer defines Part, float or int, and requires the subgroup extensions and GL_EXT_control_flow_attributes.
layout(constant_id = 5) const uint vectors = 1;

Part nothing() { return Part(0); }
Part merged(Part a, Part b) { return a + b; }
Part of_subgroup(Part mine) { return subgroupAdd(mine); }
#include "common/of_team.glsl"

// Loads of the row that are on their way before the first of them is used.
const uint at_once = 4;
