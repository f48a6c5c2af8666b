// [stable]
vec4 tanh_stable(vec4 v) {
    const vec4 size = abs(v);

    // Far from 0: e^(-2|v|) is at most 1,
    // so nothing overflows.
    const vec4 q = exp(-2.0 * size);
    vec4 far = (1.0 - q) / (1.0 + q);
    far *= sign(v);

    // Near 0: v plus an odd series, which
    // avoids cancellation.
    const vec4 s = v * v;
    vec4 p = vec4(-5.70498872745e-3);
    p = p * s + 2.06390887954e-2;
    p = p * s - 5.37397155531e-2;
    p = p * s + 1.33314422036e-1;
    p = p * s - 3.33332819422e-1;
    const vec4 near = v + v * (s * p);

    const bvec4 is_near =
        lessThan(size, vec4(0.625));
    return mix(far, near, is_near);
}
// [/stable]
// Coefficients of the series: S. L. Moshier, Cephes Mathematical Library, tanhf.c: relative error at most 1.3e-7 for
// |v| < 0.625.
