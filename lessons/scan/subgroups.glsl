#include "common/subgroups.glsl"  // for kernels that were saved when it was here
