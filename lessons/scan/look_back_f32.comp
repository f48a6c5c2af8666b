// A scan of floats in one launch: each workgroup looks back at the sums of the tiles before its own.
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_memory_scope_semantics : require
#define ELEMENT float
#define ELEMENT4 vec4
#define NUMBERS reals
#define SUMS real_sums
#define TO_BITS(value) floatBitsToUint(value)
#define FROM_BITS(bits) uintBitsToFloat(bits)
#include "look_back.glsl"  // main
