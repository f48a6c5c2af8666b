// The length of each pair, sqrt(x * x + y * y). Some numbers are so large that x * x overflows
// f32, some so small that it underflows to 0, and some are 0.

void main() {
    // Your turn: each invocation takes at most one element, and its squares leave f32's range.
    const uint i = gl_GlobalInvocationID.x;
    if (i < launch.count) {
        const float a = x[i], b = y[i];
        lengths[i] = sqrt(a * a + b * b);
    }
}
