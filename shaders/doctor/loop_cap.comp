#version 450
// Measures after how many iterations the driver ends a loop: one invocation follows a chain of numbers that cannot be
// predicted without following it, and stores the number it reached. The first 2^32 - 1 numbers are all different, so
// the host finds the iteration by following the same chain. A counter in the shader would not do: a compiler may
// know its last value without running the loop.
//
// Source: G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (14), 2003, triple (13, 17, 5).
layout(local_size_x_id = 0) in;

layout(std430, binding = 0) writeonly buffer Last { uint last; };

layout(push_constant) uniform Walk {
    uint start;       // not 0
    uint iterations;
} walk;

void main() {
    uint x = walk.start;
    for (uint i = 0; i < walk.iterations; ++i) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    last = x;
}
