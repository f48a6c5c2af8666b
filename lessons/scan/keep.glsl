// Shared by the starter and your kernel. A workgroup has a tile of 256 numbers, one for each invocation.
const uint tile_size = 256;

uint index_of_number() { return gl_WorkGroupID.x * tile_size + gl_LocalInvocationIndex; }

// Odd numbers are kept, and nothing behind the last number.
bool is_kept() { return index_of_number() < launch.count && numbers[index_of_number()] % 2 == 1; }
