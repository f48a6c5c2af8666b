// Interval-like arithmetic: numbers in double, each with a bound on the error of a device that computes the
// same expression in f32.
//
// The bounds are those of the Vulkan specification, "Precision of Individual Operations" of SPIR-V. If it
// derives an operation from others, as tanh from sinh and cosh and those from exp, the bound is derived
// alike. Sums: N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, section 4.2.
#pragma once

#include <cstdint>
#include <span>

namespace gridstride {

/// A number and the largest error that a correct device may have. For every function below:
/// - An infinity or NaN that follows from the definition has no error: a correct device has it, too.
/// - A device may flush subnormal operands and results to 0.
/// - Values keep the range of double. A value beyond the largest f32 is an infinity on the device; the
///   comparison of results treats it as such.
struct Bounded {
    double value = 0, error = 0;
    bool may_be_nan = false;  ///< the device may also return NaN: see maximum()
};

/// A number that the host rounds to the nearest f32 and uploads.
Bounded stored_f32(double number);
/// A number that the host rounds to the nearest f16. A device may flush subnormal f16 to 0; numbers beyond
/// 65,504 become infinite.
Bounded stored_f16(double number);
/// A number that a device rounds to f16, up or down: Vulkan does not specify which. A device may flush
/// subnormal f16 to 0. From 65,520 on the value is infinite, with an infinite error, because a device that
/// rounds down stores 65,504.
Bounded rounded_to_f16(const Bounded& x);
/// A number that a device computes in f64 and rounds to f32, up or down.
Bounded rounded_to_f32(double number);

Bounded operator+(const Bounded& a, const Bounded& b);
Bounded operator-(const Bounded& a, const Bounded& b);
Bounded operator*(const Bounded& x, const Bounded& y);
Bounded operator/(const Bounded& dividend, const Bounded& divisor);
Bounded operator-(const Bounded& a);
Bounded sqrt(const Bounded& operand);
Bounded exp(const Bounded& x);
Bounded log(const Bounded& operand);
/// The specification does not bound tanh from x = 88.7 on, where exp overflows f32. Here the bound keeps its
/// value at 88.7.
Bounded tanh(const Bounded& x);
/// The specification bounds sine and cosine between -pi and pi. Outside, any result from -1 to 1 is accepted.
Bounded sin(const Bounded& x);
Bounded cos(const Bounded& x);
Bounded hypot(const Bounded& a, const Bounded& b);
/// GLSL leaves pow undefined for a negative base and for 0 to the power of 0; there any result is accepted.
Bounded pow(const Bounded& base, const Bounded& exponent);

/// If one operand is NaN, a device may return either operand (GLSL.std.450, FMax and FMin). Then the value is
/// the other operand and may_be_nan is set, also in results computed from it.
Bounded maximum(const Bounded& a, const Bounded& b);
Bounded minimum(const Bounded& a, const Bounded& b);

/// Returns 1 if x > y, else 0. If the bounds overlap, both results are accepted.
Bounded greater(const Bounded& x, const Bounded& y);
// The same for x >= y, x == y and x != y.
Bounded greater_equal(const Bounded& x, const Bounded& y);
Bounded equal(const Bounded& x, const Bounded& y);
Bounded not_equal(const Bounded& x, const Bounded& y);
/// If the bounds contain a whole number, the results on both sides of it are accepted.
Bounded floor(const Bounded& x);
/// Returns `yes` if the condition is not 0, else `no`. If the condition's error leaves this open, both
/// results are accepted.
Bounded where(const Bounded& condition, const Bounded& yes, const Bounded& no);

/// Bounds a sum of `count` terms in f32, in any order. The arguments are the sum of the terms, of their
/// magnitudes (errors included) and of their errors. count = 0: no addition rounds. chain: see Summation.
Bounded bound_sum(double sum, double magnitude, double error, std::uint64_t count, bool may_be_nan = false,
                  std::uint64_t chain = 0);
/// Accumulates the terms of a sum and bounds its error.
struct TermSum {
    double sum = 0, magnitude = 0, error = 0;  ///< magnitude: errors included
    bool may_be_nan = false;

    TermSum() = default;
    explicit TermSum(const Bounded& term);
    TermSum& operator+=(const TermSum& others);
    TermSum operator+(const TermSum& others) const { return TermSum(*this) += others; }
    Bounded rounded(std::uint64_t count, std::uint64_t chain = 0) const {
        return bound_sum(sum, magnitude, error, count, may_be_nan, chain);
    }
};
/// Bounds a sum of rounded products of exact numbers.
Bounded bound_product_sum(double sum, double magnitude, std::uint64_t count);
/// A sum of multiples of `step`, a power of two, is exact in f32 in any order if the sum of the magnitudes is
/// below this limit.
constexpr double exact_sum_limit(double step) {
    return 0x1p24 * step;
}
/// Bounds the rounding error of a sum of `count` products, relative to the sum of their magnitudes, with a
/// failure probability of at most 10^-13: N. J. Higham and T. Mary, "A New Approach to Probabilistic Rounding
/// Error Analysis", SIAM J. Sci. Comput. 41, 2019.
double probabilistic_rounding_error(std::uint64_t count);

/// The order in which a device sums a row.
struct Summation {
    std::uint64_t chain = 0;  ///< largest number of additions that a term goes through; 0: any order
    /// largest number of successive merges of partial results other than plain sums
    std::uint64_t merges = 0;
};
Bounded sum(std::span<const Bounded> row, const Summation& summation = {});
Bounded sum_of_squares(std::span<const Bounded> row, const Summation& summation = {});
/// The row must not be empty.
Bounded maximum(std::span<const Bounded> row);

struct Moments {
    Bounded mean, variance;
};
/// Bounds the results of device code that computes the mean first, or that merges means and sums of squared
/// distances: T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for Computing the Sample Variance", The
/// American Statistician 37, 1983.
Moments moments(std::span<const Bounded> row, const Summation& summation = {});

/// Computes exp(x) / sum of exp over the row. The bounds hold for device code that subtracts the row's
/// maximum or a number at most 8 below it; if subtracts_maximum is false, for code that subtracts nothing.
/// Masked elements (-inf or very low) have probability 0. If the whole row is -inf, its probabilities are
/// NaN.
void softmax(std::span<const Bounded> row, std::span<Bounded> probabilities, const Summation& summation = {},
             bool subtracts_maximum = true);

/// Computes the logarithm of the sum of exp(x) over the row. The bound holds for device code that subtracts a
/// maximum, in any order.
Bounded log_sum_exp(std::span<const Bounded> row);

}  // namespace gridstride
