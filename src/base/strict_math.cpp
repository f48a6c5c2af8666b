#include "base/strict_math.h"

#include <cmath>
#include <vector>

#include "base/parallel_for.h"
#include "base/random.h"

namespace gridstride {

namespace {

// ln 2 in two parts: the high part has trailing zeros, so that its product with an integer is exact.
constexpr double ln2_high = 6.93147180369123816490e-01;
constexpr double ln2_low = 1.90821492927058770002e-10;

// pi / 2 in three parts of 33 bits, for the same reason (W. J. Cody, W. Waite, "Software Manual for the
// Elementary Functions", 1980).
constexpr double half_pi_1 = 1.57079632673412561417e+00;
constexpr double half_pi_2 = 6.07710050630396597660e-11;
constexpr double half_pi_3 = 2.02226624879595063154e-21;

/// Evaluates a[0] + a[1] x + a[2] x^2 + …
template <std::size_t N>
double polynomial(const double (&a)[N], double x) {
    double sum = a[N - 1];
    for (std::size_t i = N - 1; i-- > 0;)
        sum = sum * x + a[i];
    return sum;
}

/// Taylor series of sin and cos on [-pi/4, pi/4]; the first term left out is below 2^-55 of the sum.
double sin_series(double x) {
    const double s = x * x;
    double term = x, sum = 0;
    for (int n = 1; n <= 9; ++n) {
        term *= -s / static_cast<double>(2 * n * (2 * n + 1));
        sum += term;
    }
    return x + sum;
}
double cos_series(double x) {
    const double s = x * x;
    double term = 1, sum = 0;
    for (int n = 1; n <= 9; ++n) {
        term *= -s / static_cast<double>((2 * n - 1) * 2 * n);
        sum += term;
    }
    return 1 + sum;
}

}  // namespace

double strict_log(double x) {
    // x = 2^exponent * m, m in [sqrt(1/2), sqrt(2)); log m = 2 artanh((m - 1) / (m + 1)).
    int exponent = 0;
    double m = std::frexp(x, &exponent);
    if (m < 0.70710678118654752440) {
        m *= 2;
        --exponent;
    }
    const double s = (m - 1) / (m + 1);
    const double z = s * s;
    double sum = 0;
    for (int n = 12; n >= 1; --n)
        sum = sum * z + 1.0 / (2 * n + 1);
    const double artanh_rest = 2 * s * (sum * z);
    const double e = exponent;
    return e * ln2_high + (2 * s + (artanh_rest + e * ln2_low));
}

double strict_sin(double x) {
    const double k = std::floor(x * 0.63661977236758134308 + 0.5);
    const double r = ((x - k * half_pi_1) - k * half_pi_2) - k * half_pi_3;
    switch (static_cast<std::int64_t>(k) & 3) {
        case 0:
            return sin_series(r);
        case 1:
            return cos_series(r);
        case 2:
            return -sin_series(r);
        default:
            return -cos_series(r);
    }
}

double normal_quantile(double p) {
    static constexpr double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                   1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                   4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                   3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static constexpr double b[] = {1.0,
                                   4.2313330701600911252e+1,
                                   6.8718700749205790830e+2,
                                   5.3941960214247511077e+3,
                                   2.1213794301586595867e+4,
                                   3.9307895800092710610e+4,
                                   2.8729085735721942674e+4,
                                   5.2264952788528545610e+3};
    static constexpr double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                   5.76949722146069140550e0,  3.64784832476320460504e0,
                                   1.27045825245236838258e0,  2.41780725177450611770e-1,
                                   2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static constexpr double d[] = {1.0,
                                   2.05319162663775882187e0,
                                   1.67638483018380384940e0,
                                   6.89767334985100004550e-1,
                                   1.48103976427480074590e-1,
                                   1.51986665636164571966e-2,
                                   5.47593808499534494600e-4,
                                   1.05075007164441684324e-9};
    static constexpr double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                   1.78482653991729133580e0,  2.96560571828504891230e-1,
                                   2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                   2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static constexpr double f[] = {1.0,
                                   5.99832206555887937690e-1,
                                   1.36929880922735805310e-1,
                                   1.48753612908506148525e-2,
                                   7.86869131145613259100e-4,
                                   1.84631831751005468180e-5,
                                   1.42151175831644588870e-7,
                                   2.04426310338993978564e-15};
    const double q = p - 0.5;
    if (std::abs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * polynomial(a, r) / polynomial(b, r);
    }
    double r = std::sqrt(-strict_log(q < 0 ? p : 1 - p));
    double x = 0;
    if (r <= 5) {
        r -= 1.6;
        x = polynomial(c, r) / polynomial(d, r);
    } else {
        r -= 5;
        x = polynomial(e, r) / polynomial(f, r);
    }
    return q < 0 ? -x : x;
}

void fill_normal_f32(std::span<float> out, std::uint64_t seed, std::uint32_t stream, double mean, double sd) {
    std::vector<std::uint32_t> words(out.size());
    fill_random_u32(words, seed, stream);
    parallel_for(out.size(), 1 << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            out[i] = static_cast<float>(mean + sd * normal_quantile((words[i] + 0.5) * 0x1p-32));
    });
}

}  // namespace gridstride
