// Which bin a number falls into: floor((x - range_min) / width), to the last bit as a CPU computes it.
//
// Vulkan lets a device's division be 2.5 units in the last place off, and next to a bin's edge that is the difference
// between two bins. So the quotient is only estimated here, with a multiplication, and where the estimate comes too
// close to an edge the question is decided exactly. That is rare: with 1 024 bins, one or two numbers in a
// thousand.
#ifndef GRIDSTRIDE_HISTOGRAM_BINNING
#define GRIDSTRIDE_HISTOGRAM_BINNING

// width_high and width_low: of 12 significant bits each, their sum is bin_width; bins_per_unit: 1 / bin_width; sure: how
// far from a bin's middle, in bins, the estimate can be trusted; bins: how many.
#define PARAMETERS                                       \
    float range_min; float range_max;                    \
    float bin_width; float width_high; float width_low;  \
    float bins_per_unit; float sure; uint bins;
#include "common/launch.glsl"

layout(std430, binding = 1) buffer Counts { uint counts[]; };
layout(std430, binding = 2) buffer Ignored { uint ignored; };

// Whole numbers in the order of the floats that they are made from, 0 and -0 being one. A device may take the smallest
// floats for 0; whole numbers it compares as they are. A NaN comes before or after all numbers.
uint in_order(float x) {
    const uint bits = floatBitsToUint(x);
    if (bits == 0x80000000u) return bits;
    return (bits & 0x80000000u) == 0 ? bits | 0x80000000u : ~bits;
}

// [exact]
// Whether a CPU's quotient reaches i > 0.
bool reaches(float from_min, uint i) {
    // No operation here rounds.
    precise float rest = from_min;
    rest -= float(i) * launch.width_high;
    rest -= float(i) * launch.width_low;
    // Half the gap from i to the float
    // below it: less is missing, and a
    // quotient rounds up to i.
    const int power = findMSB(i - 1) - 24;
    const float half_gap =
        ldexp(launch.bin_width, power);
    return rest >= -half_gap;
}
// [/exact]

// For an x near an edge of the bin that the estimate says; above tells which.
uint bin_at_edge(float x, float from_min, uint estimate, bool above) {
    if (in_order(x) < in_order(launch.range_min) || in_order(x) >= in_order(launch.range_max)) return launch.bins;
    const uint edge = above ? estimate + 1 : estimate;
    if (edge == 0) return 0;
    if (edge >= launch.bins) return launch.bins - 1;
    return reaches(from_min, edge) ? edge : edge - 1;
}

// off: how far from the middle of its estimated bin x is said to be, in bins.
uint settled(float x, float from_min, float off, uint estimate) {
    return abs(off) > launch.sure ? bin_at_edge(x, from_min, estimate, off > 0) : estimate;
}

// Added to a float of less than a few million, this leaves no bits for a fraction: the sum's low bits are the nearest
// whole number. It spares a device the slower conversion, and a number beyond all bins, an infinity or a NaN becomes a
// whole number beyond all bins too.
const float no_fraction = 12582912.0;  // 1.5 * 2^23

// The bin of x; launch.bins or any larger number when x is outside the range.
uint bin_of(float x) {
    precise const float from_min = x - launch.range_min;
    const float from_middle = fma(from_min, launch.bins_per_unit, -0.5);  // of bin 0, in bins
    precise const float sum = from_middle + no_fraction;
    precise const float off = from_middle - (sum - no_fraction);
    return settled(x, from_min, off, floatBitsToUint(sum) - floatBitsToUint(no_fraction));
}

// The same for four at a time, with one question for all: is any of them too close to an edge?
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
