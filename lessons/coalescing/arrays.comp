// The distance of each particle from the mast. All radii are contiguous, then all angles, then members that are not read.
#include "polar.glsl"

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        // [read]
        const uint p = place_of(i);
        const float radius = x[p];
        const float angle = x[launch.total + p];
        distances[i] = polar_distance(
            radius, angle, mast_radius, mast_angle);
        // [/read]
    }
}
