void main() { if (gl_GlobalInvocationID.x == 0) total[0] = numbers[0]; }
