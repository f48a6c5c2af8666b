// exp for doubles, which GLSL lacks.
//
// x = k ln 2 + r with integer k and |r| <= ln 2 / 2, so exp(x) = 2^k exp(r). ln 2 is split into two parts, the first with
// so few bits that its product with k is exact (W. J. Cody and W. Waite, "Software Manual for the Elementary Functions",
// 1980; the parts are those of fdlibm's e_exp.c). exp(r) is its Taylor series up to r^13 / 13!: the next term is at most
// 0.3466^14 / 14! = 4.2e-18, a fortieth of a double's last bit. Over [-700, 0] the error is within 1 ulp.
#ifndef GRIDSTRIDE_GAUSSIAN_EXP64
#define GRIDSTRIDE_GAUSSIAN_EXP64

const double inverse_ln2 = 1.4426950408889634lf;
const double ln2_high = 6.93147180369123816e-1lf;
const double ln2_low = 1.90821492927058770e-10lf;

// For x from -infinity to 700. Below -700 the result is 0, because the final result is f32, which holds nothing so small.
double exp64(double x) {
    if (x < -700.0lf) return 0.0lf;

    // [reduce]
    const double k =
        floor(x * inverse_ln2 + 0.5lf);
    double r = fma(-k, ln2_high, x);
    r = fma(-k, ln2_low, r);
    // [/reduce]

    // [series]
    // 1 / 13!, then 1 / 12! down to 1 / 0!
    double p = 1.0lf / 6227020800.0lf;
    p = fma(p, r, 1.0lf / 479001600.0lf);
    p = fma(p, r, 1.0lf / 39916800.0lf);
    p = fma(p, r, 1.0lf / 3628800.0lf);
    p = fma(p, r, 1.0lf / 362880.0lf);
    p = fma(p, r, 1.0lf / 40320.0lf);
    p = fma(p, r, 1.0lf / 5040.0lf);
    p = fma(p, r, 1.0lf / 720.0lf);
    p = fma(p, r, 1.0lf / 120.0lf);
    p = fma(p, r, 1.0lf / 24.0lf);
    p = fma(p, r, 1.0lf / 6.0lf);
    p = fma(p, r, 0.5lf);
    p = fma(p, r, 1.0lf);
    p = fma(p, r, 1.0lf);
    // [/series]

    // [scale]
    // 2^k, assembled from its bits.
    const uint power = uint(int(k) + 1023);
    return p * packDouble2x32(
        uvec2(0, power << 20));
    // [/scale]
}

#endif
