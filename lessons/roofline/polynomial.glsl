// The first terms of the series of exp(x), up to x^7, by Horner's rule: seven multiplications and seven additions.
const float c[8] = float[](1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0);

// Of a float or a vec4.
// [horner]
#define POLYNOMIAL(x) \
    (c[0] + x * (c[1] + x * (c[2] + \
     x * (c[3] + x * (c[4] + x * (c[5] + \
     x * (c[6] + x * c[7])))))))
// [/horner]
