// results = a + b * x + c * x^2 + d * x^3, for each number. The arrays have
// four numbers to an index: number i is x[i / 4][i % 4].
const float a = 0.25, b = 1.5, c = -0.75, d = 0.125;

float power(float number, uint exponent) {
    float product = 1.0;
    for (uint k = 0; k < exponent; ++k) product *= number;
    return product;
}

void main() {
    // Your turn: the results are right. Which limit is nearest?
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint run = gl_GlobalInvocationID.x; 16 * run < launch.count;
         run += everyone) {
        const uint end = min(16 * run + 16, launch.count);
        for (uint i = 16 * run; i < end; ++i) {
            const float v = x[i / 4][i % 4];
            results[i / 4][i % 4] =
                a + b * v + c * power(v, 2) + d * power(v, 3);
        }
    }
}
