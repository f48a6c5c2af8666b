// Numbers are rounded to places that stand a whole number of steps from 0. The same numbers, steps and places come out on every
// device, though none divides exactly: a step has 15 bits and the count of steps to a place or to a middle at most 9, so that each
// of these is an f32, and comparing with it is exact.

// A matrix is quantised in one of three ways.
layout(constant_id = 4) const uint scheme = 0;
const uint one_step_and_zero = 0;  // 256 places from its smallest number to its largest, 0 among them
const uint symmetric = 1;          // 255 places, as many below 0 as above
const uint by_row = 2;             // the same, with a step for each row

// More than the smallest f32 that is a normal number, so that a row of zeros has a step, too.
const float smallest_step = 7.888609e-31;  // 2^-100

// [step]
// A step of which fewer than `count` cover the
// range: inverse is a little more than 1 / count.
float step_for(float range, float inverse) {
    const float step =
        max(range * inverse, smallest_step);
    // Rounded up to 15 bits.
    return uintBitsToFloat(
        (floatBitsToUint(step) + 0x1FF) & ~0x1FFu);
}
// [/step]
const float inverse_of_255 = 3.9215707e-3, inverse_of_127 = 7.8740204e-3;

// [nearest]
// How many steps x is from 0, rounded; from the
// middle between two places to the even one.
int nearest(float x, float step) {
    const float count = roundEven(x / step);
    // The quotient was rounded. The middles are
    // exact.
    const float h = 0.5 * step;
    const float above = (2 * count + 1) * h;
    const float below = (2 * count - 1) * h;
    const bool is_odd = (int(count) & 1) == 1;
    if (x > above || x == above && is_odd)
        return int(count) + 1;
    if (x < below || x == below && is_odd)
        return int(count) - 1;
    return int(count);
}
// [/nearest]
