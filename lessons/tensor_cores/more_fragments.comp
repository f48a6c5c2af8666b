// The same with 64 x 64 results a subgroup: each fragment from workgroup memory is multiplied four times.
#extension GL_EXT_control_flow_attributes : require
#define OWN_COLUMNS 64
#include "prefetched.comp"
