// A scan of unsigned integers in one launch: each workgroup looks back at the sums of the tiles before its own.
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_memory_scope_semantics : require
#define ELEMENT uint
#define ELEMENT4 uvec4
#define NUMBERS numbers
#define SUMS sums
#define TO_BITS(value) (value)
#define FROM_BITS(bits) (bits)
#include "look_back.glsl"  // main
