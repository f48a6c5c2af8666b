// Finds the bin of a number: floor((x - range_min) / width), bit-identical to a CPU's result.
//
// Vulkan allows a device's division an error of 2.5 units in the last place, which near the edge of a bin decides between
// two bins. So the quotient is only estimated here, with a multiplication, and if the estimate is too close to an edge,
// the bin is determined exactly. That is rare: with 1 024 bins, it concerns one or two numbers in a
// thousand.
#ifndef GRIDSTRIDE_HISTOGRAM_BINNING
#define GRIDSTRIDE_HISTOGRAM_BINNING

// width_high and width_low: 12 significant bits each, their sum is bin_width; bins_per_unit: 1 / bin_width; sure: how
// far from the middle of a bin, in bins, the estimate is reliable; bins: number of bins.
#define PARAMETERS                                       \
    float range_min; float range_max;                    \
    float bin_width; float width_high; float width_low;  \
    float bins_per_unit; float sure; uint bins;
#include "common/launch.glsl"

layout(std430, binding = 1) buffer Counts { uint counts[]; };
layout(std430, binding = 2) buffer Ignored { uint ignored; };

// Maps floats to integers in the same order, with 0 equal to -0. A device may flush the smallest floats to 0, but compares
// integers exactly. A NaN comes before or after all numbers.
uint in_order(float x) {
    const uint bits = floatBitsToUint(x);
    if (bits == 0x80000000u) return bits;
    return (bits & 0x80000000u) == 0 ? bits | 0x80000000u : ~bits;
}

// [exact]
// Returns true if a CPU's quotient reaches i > 0.
bool reaches(float from_min, uint i) {
    // These operations are exact.
    precise float rest = from_min;
    rest -= float(i) * launch.width_high;
    rest -= float(i) * launch.width_low;
    // Half the gap between i and the float
    // below it: if less is missing, the
    // quotient rounds up to i.
    const int power = findMSB(i - 1) - 24;
    const float half_gap =
        ldexp(launch.bin_width, power);
    return rest >= -half_gap;
}
// [/exact]

// For an x near an edge of the estimated bin; above: near its upper edge.
uint bin_at_edge(float x, float from_min, uint estimate, bool above) {
    if (in_order(x) < in_order(launch.range_min) || in_order(x) >= in_order(launch.range_max)) return launch.bins;
    const uint edge = above ? estimate + 1 : estimate;
    if (edge == 0) return 0;
    if (edge >= launch.bins) return launch.bins - 1;
    return reaches(from_min, edge) ? edge : edge - 1;
}

// off: estimated distance of x from the middle of its bin, in bins.
uint settled(float x, float from_min, float off, uint estimate) {
    return abs(off) > launch.sure ? bin_at_edge(x, from_min, estimate, off > 0) : estimate;
}

// Added to a float below a few million, this leaves no bits for a fraction: the low bits of the sum are the nearest
// integer. It avoids a slower conversion, and a number beyond all bins, an infinity or a NaN becomes an integer
// beyond all bins, too.
const float no_fraction = 12582912.0;  // 1.5 * 2^23

// Returns the bin of x; launch.bins or a larger number if x is outside the range.
uint bin_of(float x) {
    precise const float from_min = x - launch.range_min;
    const float from_middle = fma(from_min, launch.bins_per_unit, -0.5);  // of bin 0, in bins
    precise const float sum = from_middle + no_fraction;
    precise const float off = from_middle - (sum - no_fraction);
    return settled(x, from_min, off, floatBitsToUint(sum) - floatBitsToUint(no_fraction));
}

// The same for four numbers at a time, with one test for all: is any of them too close to an edge?
uvec4 bins_of(vec4 x) {
    precise const vec4 from_min = x - launch.range_min;
    const vec4 from_middle = fma(from_min, vec4(launch.bins_per_unit), vec4(-0.5));
    precise const vec4 sum = from_middle + no_fraction;
    precise const vec4 off = from_middle - (sum - no_fraction);
    uvec4 bin = floatBitsToUint(sum) - floatBitsToUint(no_fraction);
    if (any(greaterThan(abs(off), vec4(launch.sure))))
        bin = uvec4(settled(x.x, from_min.x, off.x, bin.x), settled(x.y, from_min.y, off.y, bin.y),
                    settled(x.z, from_min.z, off.z, bin.z), settled(x.w, from_min.w, off.w, bin.w));
    return bin;
}

#endif
