// Shared by the kernels that smooth a row: the mean of a number and its two neighbours. The first and the last number
// stand in for their missing neighbours.
#include "invocations.glsl"

uint before(uint i) { return max(i, 1) - 1; }
uint behind(uint i) { return min(i + 1, launch.total - 1); }
uint mean_of(uint left, uint own, uint right) { return (left + 2 * own + right) / 4; }
