// Each number times the factor. Add one to each product.
void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid)
        products[i] = numbers[i] * factor;
}
