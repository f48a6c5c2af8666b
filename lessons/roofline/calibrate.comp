// A polynomial of degree 3 by Horner's rule. Neighbouring lanes load and store neighbouring quads.
const float a = 0.25, b = 1.5, c = -0.75, d = 0.125;

void main() {
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint q = gl_GlobalInvocationID.x; 4 * q < launch.count; q += everyone) {
        const vec4 v = x[q];
        const vec4 calibrated = a + v * (b + v * (c + v * d));
        // The last quad may have fewer than four numbers.
        const uint left = launch.count - 4 * q;
        if (left >= 4)
            results[q] = calibrated;
        else
            for (uint k = 0; k < left; ++k) results[q][k] = calibrated[k];
    }
}
