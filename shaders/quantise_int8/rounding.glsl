// Numbers are rounded to levels at integer multiples of the scale. The same scales and levels result on every device, although none
// divides exactly: a scale has 15 significant bits and the multiple for a level or midpoint at most 9, so that each product is
// exact in f32, and so is a comparison with it.

// A matrix is quantized in one of three ways.
layout(constant_id = 4) const uint scheme = 0;
const uint one_step_and_zero = 0;  // 256 levels from its smallest number to its largest, including 0
const uint symmetric = 1;          // 255 levels, as many below 0 as above
const uint by_row = 2;             // the same, with a scale for each row

// Above the smallest normal f32, so that a row of zeros has a valid scale, too.
const float smallest_step = 7.888609e-31;  // 2^-100

// [step]
// A scale of which fewer than `count` cover the
// range: inverse is slightly above 1 / count.
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
// x in units of the scale, rounded to nearest;
// midpoints are rounded to even.
int nearest(float x, float step) {
    const float count = roundEven(x / step);
    // The quotient was rounded. The midpoints
    // are exact.
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
