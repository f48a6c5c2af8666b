// Shared by the kernels that scan tiles of as many numbers as a workgroup has invocations, each tile by itself.

uint tile_count() { return (launch.count + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x; }
uint index_in(uint tile) { return tile * gl_WorkGroupSize.x + gl_LocalInvocationIndex; }

bool is_in_array(uint tile) { return index_in(tile) < launch.count; }

// The number of this invocation, and 0 behind the last one.
uint number_of(uint tile) { return is_in_array(tile) ? numbers[index_in(tile)] : 0; }
