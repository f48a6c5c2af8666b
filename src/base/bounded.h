// Numbers in double, each with a bound on how far a device that computes the same in f32 may be from it.
//
// The bounds are those of the Vulkan specification, "Precision of Individual Operations" of SPIR-V.
// Where it derives an operation from others, as tanh from sinh and cosh and those from exp, so is the bound.
// Sums: N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, section 4.2.
#pragma once

#include <cstdint>
#include <span>

namespace gridstride {

/// What holds for every result below:
/// - An infinity or NaN that follows from the definition has no error: a device has it, too, or is wrong.
/// - A device may flush subnormal numbers to 0, as operands and as results.
/// - Values keep the range of double. One beyond the largest f32 is an infinity on the device: the judge
///   takes it as such.
struct Bounded {
    double value = 0, error = 0;
    bool or_nan = false;  ///< the device may also have NaN: see maximum()
};

/// What a host rounds to the nearest f32 and hands to a device.
Bounded stored_f32(double number);
/// The same in f16, whose subnormal numbers a device may flush to 0; beyond 65,504 it is infinite.
Bounded stored_f16(double number);
/// What a device computes in f64 and rounds to f32, up or down.
Bounded rounded_to_f32(double number);

Bounded operator+(const Bounded& a, const Bounded& b);
Bounded operator-(const Bounded& a, const Bounded& b);
Bounded operator*(const Bounded& x, const Bounded& y);
Bounded operator/(const Bounded& dividend, const Bounded& divisor);
Bounded operator-(const Bounded& a);
Bounded sqrt(const Bounded& operand);
Bounded exp(const Bounded& x);
Bounded log(const Bounded& operand);
/// From x = 88.7 on, where exp is infinite in f32, the specification allows anything; here the bound stays
/// what it is at 88.7.
Bounded tanh(const Bounded& x);
Bounded hypot(const Bounded& a, const Bounded& b);
/// GLSL leaves a negative base undefined, and 0 to the power of 0: there any number is right.
Bounded pow(const Bounded& base, const Bounded& exponent);

/// Where one operand is NaN, either may be the result (GLSL.std.450, FMax and FMin): the value is the other
/// one, and NaN is right besides. What is computed from it may be NaN, too.
Bounded maximum(const Bounded& a, const Bounded& b);
Bounded minimum(const Bounded& a, const Bounded& b);

/// 1 where x > y, else 0. Where the bounds overlap, both are right.
Bounded greater(const Bounded& x, const Bounded& y);
/// yes where the condition is not 0. Where that depends on the condition's error, both are right.
Bounded where(const Bounded& condition, const Bounded& yes, const Bounded& no);

/// A sum of `count` terms in f32, in any order: from their sum, that of their magnitudes, errors included,
/// and that of their errors. count = 0: no addition rounds. chain: see Summation.
Bounded sum_of_terms(double sum, double magnitude, double error, std::uint64_t count, bool or_nan = false,
                     std::uint64_t chain = 0);
/// Terms of a sum, added up for its bound.
struct Terms {
    double sum = 0, magnitude = 0, error = 0;  ///< magnitude: errors included
    bool or_nan = false;

    Terms() = default;
    explicit Terms(const Bounded& term);
    Terms& operator+=(const Terms& others);
    Terms operator+(const Terms& others) const { return Terms(*this) += others; }
    Bounded rounded(std::uint64_t count, std::uint64_t chain = 0) const {
        return sum_of_terms(sum, magnitude, error, count, or_nan, chain);
    }
};
/// The same of products of exact numbers, each of which is rounded, too.
Bounded sum_of_products(double sum, double magnitude, std::uint64_t count);
/// Whole multiples of `step`, a power of two, whose magnitudes come to less than this have an exact sum in
/// f32, in any order.
constexpr double exact_sum_limit(double step) {
    return 0x1p24 * step;
}
/// What rounding adds to a sum of so many products, relative to their magnitudes, unless chance has it worse
/// than once in 10^13: N. J. Higham and T. Mary, "A New Approach to Probabilistic Rounding Error Analysis",
/// SIAM J. Sci. Comput. 41, 2019.
double likely_rounding(std::uint64_t count);

/// How a device adds up a row.
struct Summation {
    std::uint64_t chain = 0;   ///< additions that a term goes through at most; 0: any order
    std::uint64_t merges = 0;  ///< of partial results that carry more than a sum, one after another at most
};
Bounded sum(std::span<const Bounded> row, const Summation& summation = {});
Bounded sum_of_squares(std::span<const Bounded> row, const Summation& summation = {});
/// The largest of the row, which has one number at least.
Bounded maximum(std::span<const Bounded> row);

struct Moments {
    Bounded mean, variance;
};
/// For device code that takes the mean first, or merges means and sums of squared distances: T. F. Chan,
/// G. H. Golub and R. J. LeVeque, "Algorithms for Computing the Sample Variance", The American Statistician
/// 37, 1983.
Moments moments(std::span<const Bounded> row, const Summation& summation = {});

/// exp(x) over the sum of all exp(x) of the row: for device code that subtracts the row's maximum, or a
/// number at most 8 below it; without subtracts_maximum, for one that subtracts nothing. Masked elements,
/// -inf or very low, have probability 0; where all of a row are -inf, its probabilities are NaN.
void softmax(std::span<const Bounded> row, std::span<Bounded> probabilities, const Summation& summation = {},
             bool subtracts_maximum = true);

/// The logarithm of the sum of exp(x) over the row: for device code that subtracts a maximum, in any order.
Bounded log_sum_exp(std::span<const Bounded> row);

}  // namespace gridstride
