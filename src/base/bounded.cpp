#include "base/bounded.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/half.h"
#include "base/tolerance.h"

namespace gridstride {

namespace {

constexpr double infinite_bound = std::numeric_limits<double>::infinity();

/// exp(x) overflows f32 above this x.
constexpr double max_exponent = 88.72;

/// Adds the error of an operation rounded to `units` ulp to the error carried over from its operands. An
/// exact 0, as in 1 - 1 or 0 * x, is 0 on every device.
Bounded rounded(double value, double input_error, double units, bool may_be_nan) {
    if (!std::isfinite(value) || (value == 0 && input_error == 0)) return {value, 0, may_be_nan};
    const double error =
        input_error + units * f32_ulp * (std::abs(value) + input_error) + smallest_normal_f32;
    return {value, std::isnan(error) ? infinite_bound : error, may_be_nan};
}

/// Allows for a device that flushes the operand to 0.
Bounded allow_flush(Bounded x) {
    if (std::abs(x.value) - x.error < smallest_normal_f32) x.error = std::max(x.error, std::abs(x.value));
    return x;
}

/// Allows for a device that returns the alternative instead.
Bounded allow_alternative(Bounded result, const Bounded& alternative) {
    if (result.value != alternative.value)
        result.error = std::max(result.error, std::abs(result.value - alternative.value) + alternative.error);
    return result;
}

/// Implements maximum and minimum. chooses_a tells which operand is chosen if both are numbers.
Bounded extreme(const Bounded& a, const Bounded& b, bool chooses_a) {
    if (std::isnan(a.value) || std::isnan(b.value)) {
        const Bounded& other = std::isnan(a.value) ? b : a;
        return {other.value, other.error, !std::isnan(other.value)};
    }
    Bounded result{chooses_a ? a.value : b.value, std::max(a.error, b.error), a.may_be_nan || b.may_be_nan};
    if (std::isinf(result.value)) result.error = 0;
    if (a.may_be_nan) result = allow_alternative(result, b);
    if (b.may_be_nan) result = allow_alternative(result, a);
    return result;
}

/// Returns the rounding error of the sum of a row.
Tolerance sum_rounding(std::uint64_t terms, const Summation& summation) {
    return f32_sum_tolerance(summation.chain > 0 ? summation.chain : terms + 8, terms + 8);
}

}  // namespace

Bounded stored_f32(double number) {
    return {number, std::abs(static_cast<double>(static_cast<float>(number)) - number)};
}

namespace {

Bounded allow_flush_to_f16(Bounded x) {
    if (std::abs(x.value) - x.error < smallest_normal_f16) x.error = std::max(x.error, std::abs(x.value));
    return x;
}

}  // namespace

Bounded stored_f16(double number) {
    const double rounded = nearest_f16(number);
    if (!std::isfinite(rounded)) return {rounded, 0};
    const double error = std::abs(rounded - number);
    return {number, std::abs(rounded) < smallest_normal_f16 ? std::max(error, std::abs(number)) : error};
}

Bounded rounded_to_f16(const Bounded& x) {
    if (!std::isfinite(x.value)) return {x.value, 0, x.may_be_nan};
    const double value = nearest_f16(x.value), low = x.value - x.error, high = x.value + x.error;
    // Numbers after this one may be computed from an infinity or from a finite number.
    if (!std::isfinite(value) || !std::isfinite(nearest_f16(low)) || !std::isfinite(nearest_f16(high)))
        return {value, infinite_bound, x.may_be_nan};
    const double below = std::floor(low / f16_ulp(low)) * f16_ulp(low),
                 above = std::ceil(high / f16_ulp(high)) * f16_ulp(high);
    return allow_flush_to_f16({value, std::max(value - below, above - value), x.may_be_nan});
}

Bounded rounded_to_f32(double number) {
    // The f64 rounding errors are negligible beside the rounding to f32.
    return rounded(number, 0, 1 + 0x1p-17, false);
}

Bounded operator+(const Bounded& a, const Bounded& b) {
    return rounded(a.value + b.value, a.error + b.error, 1, a.may_be_nan || b.may_be_nan);
}

Bounded operator-(const Bounded& a, const Bounded& b) {
    return a + -b;
}

Bounded operator*(const Bounded& x, const Bounded& y) {
    const Bounded a = allow_flush(x), b = allow_flush(y);
    return rounded(a.value * b.value,
                   std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error, 1,
                   a.may_be_nan || b.may_be_nan);
}

/// The specification bounds divisors from 2^-126 to 2^126. A device may flush the reciprocal of a larger one.
Bounded operator/(const Bounded& dividend, const Bounded& divisor) {
    constexpr double largest_divisor = 0x1p126;
    const Bounded a = allow_flush(dividend), b = allow_flush(divisor);
    const double value = a.value / b.value, min_divisor = std::abs(b.value) - b.error;
    double input_error =
        min_divisor > 0 ? (a.error + std::abs(value) * b.error) / min_divisor : infinite_bound;
    if (std::abs(b.value) + b.error > largest_divisor) input_error += std::abs(value);
    return rounded(value, input_error, 2.5, a.may_be_nan || b.may_be_nan);
}

Bounded operator-(const Bounded& a) {
    return {-a.value, a.error, a.may_be_nan};
}

/// Derived from 1 / inversesqrt(x): 2.5 and 2 ulp.
Bounded sqrt(const Bounded& operand) {
    const Bounded x = allow_flush(operand);
    const double value = std::sqrt(x.value), min_root = std::sqrt(std::max(x.value - x.error, 0.0));
    return rounded(value, std::max(value - min_root, std::sqrt(x.value + x.error) - value), 5, x.may_be_nan);
}

/// 3 + 2 |x| ulp.
Bounded exp(const Bounded& x) {
    const double value = std::exp(x.value);
    // A result that is 0 in double may be a subnormal number on the device.
    // e^t - 1 is at most t + t^2 for t up to 1.
    const double error_growth =
        x.error <= 1 ? value * (x.error + x.error * x.error) : std::exp(x.value + x.error) - value;
    const double input_error = error_growth + smallest_normal_f32;
    // Far below the smallest f32, |x| no longer matters.
    const double size = std::min(std::abs(x.value) + x.error, 128.0);
    return rounded(value, input_error, 3 + 2 * size, x.may_be_nan);
}

/// 3 ulp, and an absolute error of 2^-21 from 0.5 to 2.
Bounded log(const Bounded& operand) {
    const Bounded x = allow_flush(operand);
    const double value = std::log(x.value), min_argument = x.value - x.error;
    Bounded result =
        rounded(value, min_argument > 0 ? x.error / min_argument : infinite_bound, 3, x.may_be_nan);
    const bool is_near_1 = min_argument <= 2 && x.value + x.error >= 0.5;
    if (is_near_1 && std::isfinite(value)) result.error += 0x1p-21;
    return result;
}

/// Derived from sinh(x) / cosh(x), with both as (exp(x) -+ exp(-x)) * 0.5. If d is the relative error of an
/// exponential, the error of sinh is d cosh(x) and one rounding, that of cosh alike; the division adds 2.5
/// ulp.
Bounded tanh(const Bounded& x) {
    const double value = std::tanh(x.value), size = std::abs(value);
    if (std::isnan(value)) return {value, 0, x.may_be_nan};
    const double exponent = std::min(std::abs(x.value) + x.error, max_exponent);
    const double d = (3 + 2 * exponent) * f32_ulp;
    const double rounding_error = (d * (1 + size) + 4.5 * f32_ulp * size) * (1 + 4 * d);
    // The slope is 1 - tanh(x)^2, and changes by less than x does.
    const double input_error = x.error > 0 ? x.error * std::min(1.0, 1 - value * value + x.error) : 0;
    return {value, std::min(input_error + rounding_error + smallest_normal_f32, 1 + size), x.may_be_nan};
}

namespace {

/// Bounds a sine or cosine: an absolute error of 2^-11 between -pi and pi.
Bounded bound_circular(double value, const Bounded& x) {
    if (std::isnan(value)) return {value, 0, x.may_be_nan};
    const bool is_bounded = std::abs(x.value) + x.error <= std::numbers::pi;
    return {value, is_bounded ? std::min(0x1p-11 + x.error, 2.0) : 1 + std::abs(value), x.may_be_nan};
}

}  // namespace

Bounded sin(const Bounded& x) {
    return bound_circular(std::sin(x.value), x);
}

Bounded cos(const Bounded& x) {
    return bound_circular(std::cos(x.value), x);
}

/// Not a SPIR-V operation: computed from the larger operand and the quotient of both, as in
/// shaders/tensor/functions.glsl.
Bounded hypot(const Bounded& a, const Bounded& b) {
    const bool is_nan = std::isnan(a.value) || std::isnan(b.value);
    return rounded(is_nan ? NAN : std::hypot(a.value, b.value), a.error + b.error, 8,
                   a.may_be_nan || b.may_be_nan);
}

/// Derived from exp2(exponent * log2(base)): 3 + 2 |power| ulp, plus the error of log.
Bounded pow(const Bounded& base, const Bounded& exponent) {
    constexpr double ln2 = std::numbers::ln2;
    const Bounded of_base = log(base),
                  power = exponent * Bounded{of_base.value / ln2, of_base.error / ln2, of_base.may_be_nan};
    const double value = std::pow(base.value, exponent.value);
    if (std::isnan(power.value) && !std::isnan(value)) return {value, infinite_bound};
    const double size = std::min(std::abs(power.value) + power.error, 150.0);
    return rounded(value, value * std::expm1(power.error * ln2) + smallest_normal_f32, 3 + 2 * size,
                   power.may_be_nan);
}

Bounded maximum(const Bounded& a, const Bounded& b) {
    return extreme(a, b, a.value >= b.value);
}

Bounded minimum(const Bounded& a, const Bounded& b) {
    return extreme(a, b, a.value <= b.value);
}

namespace {

/// Returns 1 if `holds`, which compares the values, else 0. Comparisons with NaN have no error.
Bounded compare(const Bounded& x, const Bounded& y, bool (*holds)(double, double)) {
    const Bounded a = allow_flush(x), b = allow_flush(y);
    const bool result = holds(a.value, b.value);
    const bool is_exact = a.error + b.error == 0 || std::isnan(a.value) || std::isnan(b.value);
    const bool is_clear = is_exact || std::abs(a.value - b.value) > a.error + b.error;
    // A device that has NaN in place of an operand compares with NaN.
    const bool may_change = (a.may_be_nan || b.may_be_nan) && result != holds(NAN, NAN);
    return {result ? 1.0 : 0.0, is_clear && !may_change ? 0.0 : 1.0};
}

}  // namespace

Bounded greater(const Bounded& x, const Bounded& y) {
    return compare(x, y, [](double a, double b) { return a > b; });
}
Bounded greater_equal(const Bounded& x, const Bounded& y) {
    return compare(x, y, [](double a, double b) { return a >= b; });
}
Bounded equal(const Bounded& x, const Bounded& y) {
    return compare(x, y, [](double a, double b) { return a == b; });
}
Bounded not_equal(const Bounded& x, const Bounded& y) {
    return compare(x, y, [](double a, double b) { return a != b; });
}

Bounded floor(const Bounded& x) {
    const Bounded of = allow_flush(x);
    const double value = std::floor(of.value);
    if (!std::isfinite(of.value) || of.error == 0) return {value, 0, of.may_be_nan};
    return {value, std::max(std::floor(of.value + of.error) - value, value - std::floor(of.value - of.error)),
            of.may_be_nan};
}

/// NaN is not 0.
Bounded where(const Bounded& condition, const Bounded& yes, const Bounded& no) {
    const Bounded decides = allow_flush(condition);
    const bool takes_yes = decides.value != 0;
    const Bounded &chosen = takes_yes ? yes : no, &other = takes_yes ? no : yes;
    const bool is_clear = decides.error == 0 || std::abs(decides.value) > decides.error;
    if (is_clear && (takes_yes || !decides.may_be_nan)) return chosen;
    if (std::isnan(chosen.value)) return {other.value, other.error, true};
    if (std::isnan(other.value)) return {chosen.value, chosen.error, true};
    Bounded result = allow_alternative(chosen, other);
    result.may_be_nan = chosen.may_be_nan || other.may_be_nan;
    return result;
}

Bounded bound_sum(double sum, double magnitude, double error, std::uint64_t count, bool may_be_nan,
                  std::uint64_t chain) {
    if (!std::isfinite(sum)) return {sum, 0, may_be_nan};
    const Tolerance rounding = count > 0 ? f32_sum_tolerance(chain > 0 ? chain : count, count) : Tolerance{};
    error += rounding.absolute + rounding.relative * magnitude;
    return {sum, std::isnan(error) ? infinite_bound : error, may_be_nan};
}

TermSum::TermSum(const Bounded& term)
    : sum(term.value),
      magnitude(std::abs(term.value) + term.error),
      error(term.error),
      may_be_nan(term.may_be_nan) {}

TermSum& TermSum::operator+=(const TermSum& others) {
    sum += others.sum;
    magnitude += others.magnitude;
    error += others.error;
    may_be_nan = may_be_nan || others.may_be_nan;
    return *this;
}

Bounded bound_product_sum(double sum, double magnitude, std::uint64_t count) {
    return bound_sum(sum, magnitude, 0, count > 0 ? count + 1 : 0);
}

double probabilistic_rounding_error(std::uint64_t count) {
    return 8 * std::sqrt(static_cast<double>(count)) * f32_ulp / 2;
}

Bounded sum(std::span<const Bounded> row, const Summation& summation) {
    TermSum terms;
    for (const Bounded& term : row)
        terms += TermSum(term);
    return terms.rounded(row.size() + 8, summation.chain);
}

Bounded sum_of_squares(std::span<const Bounded> row, const Summation& summation) {
    TermSum terms;
    for (const Bounded& x : row)
        terms += TermSum(x * x);
    return terms.rounded(row.size() + 8, summation.chain);
}

Bounded maximum(std::span<const Bounded> row) {
    Bounded max_magnitude = row.front();
    for (const Bounded& x : row.subspan(1))
        max_magnitude = maximum(max_magnitude, x);
    return max_magnitude;
}

/// Let X be the largest magnitude of the row, errors included. A mean is a sum, and each merge of two means
/// rounds to 5 ulp of the larger, so the error of the mean is e = (sum + 5 merges ulp) X. The error of the
/// squared distances consists of the sum's rounding, 10 ulp for each merge, and the effect of e, which is at
/// most 4 e sqrt(v) + 4 e^2 for a variance v.
Moments moments(std::span<const Bounded> row, const Summation& summation) {
    const auto count = static_cast<double>(row.size()), merges = static_cast<double>(summation.merges);
    const double sum_error = sum_rounding(row.size(), summation).relative;
    double sum = 0, max_magnitude = 0, error = 0, squares = 0;
    bool maybe_nan = false;
    for (const Bounded& x : row) {
        sum += x.value;
        max_magnitude = std::max(max_magnitude, std::abs(x.value) + x.error);
        error = std::max(error, x.error);
        maybe_nan = maybe_nan || x.may_be_nan;
    }
    const double mean = sum / count;
    for (const Bounded& x : row)
        squares += (x.value - mean) * (x.value - mean);
    const double variance = squares / count;
    if (!std::isfinite(variance)) return {{mean, 0, maybe_nan}, {variance, 0, maybe_nan}};
    const double mean_error =
                     error + (sum_error + 5 * merges * f32_ulp) * max_magnitude + smallest_normal_f32,
                 variance_error = variance * (sum_error + 10 * merges * f32_ulp) +
                                  4 * mean_error * (std::sqrt(variance) + mean_error) + smallest_normal_f32;
    return {{mean, mean_error, maybe_nan}, {variance, variance_error, maybe_nan}};
}

namespace {

/// A device may subtract a number that is this far below the maximum of the row.
constexpr double max_shift = 8;
/// exp(-x) is below the smallest f32 beyond this x.
constexpr double max_depth = 104;

/// Bounds the error, in ulp, of exp(x - m) up to the last m of the row, for an x that lies `depth` below the
/// row's maximum. The m of each part that is merged on the way is at most `max_shift` below the maximum, so
/// the path from x to the last m is at most depth + 2 max_shift long. Along it, these add up:
///
///       each difference x - m, an error of |x - m| / 2 in e^(x - m)      0.5 (depth + 2 max_shift)
///       the error that exp() may have for its argument                     2 (depth + 2 max_shift)
///       for each call, 3.5 with the product that follows it
double path_error(double depth, double calls) {
    return 2.5 * (std::min(depth, max_depth) + 2 * max_shift) + 3.5 * calls;
}

/// Bounds the error of the sum of exp(x - m), in which each number is weighted by its probability, so that
/// the mean depth counts. Calls of exp: the number's own, one for each time that m rises by `max_shift` or
/// more, and one for each merge.
double exponential_sum_error(double mean_depth, double merges) {
    return path_error(mean_depth, 3 + (std::min(mean_depth, max_depth) + 2 * max_shift) / max_shift + merges);
}

}  // namespace

/// Shifting a row does not change its probabilities. So only the errors of its numbers are propagated: a
/// probability is smallest with its own number as low and all others as high as their errors allow, and
/// largest in the opposite case.
void softmax(std::span<const Bounded> row, std::span<Bounded> probabilities, const Summation& summation,
             bool subtracts_maximum) {
    const double top = std::ranges::max(row, {}, &Bounded::value).value;
    const bool maybe_nan = std::ranges::any_of(row, &Bounded::may_be_nan),
               is_exact = std::ranges::all_of(row, [](const Bounded&x) { return x.error == 0; });
    const auto low = [&](const Bounded& x) { return std::exp(x.value - x.error - top); };
    const auto high = [&](const Bounded& x) { return std::exp(x.value + x.error - top); };
    double sum = 0, low_sum = 0, high_sum = 0, depths = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Bounded& x = row[i];
        const double e = probabilities[i].value = std::exp(x.value - top);
        sum += e;
        if (e > 0) depths += e * (top - x.value);
        if (is_exact) continue;
        low_sum += low(x);
        high_sum += high(x);
    }
    const Tolerance rounding = sum_rounding(row.size(), summation);
    // The errors of the arguments of the exponentials, which are large if no maximum is subtracted.
    const double argument_error = subtracts_maximum ? 0 : 5 * std::abs(top);
    // The division, the last product, and the rounding of the factor of a part.
    constexpr double division = 4;
    const double sum_error = (exponential_sum_error(depths / sum, static_cast<double>(summation.merges)) +
                              division + argument_error) *
                                 f32_ulp +
                             rounding.relative;
    const double smallest = rounding.absolute + 2 * smallest_normal_f32 * std::exp(max_shift);
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Bounded& x = row[i];
        const double probability = probabilities[i].value / sum;
        if (std::isnan(probability)) {
            probabilities[i] = {probability, 0, maybe_nan};
            continue;
        }
        double max_total = probability, min_total = probability;
        if (!is_exact) {
            max_total = high(x) / (high(x) + (low_sum - low(x)));
            min_total = low(x) / (low(x) + (high_sum - high(x)));
        }
        // It is infinite if the number may be far above the others.
        if (!(max_total <= 1)) max_total = 1;
        if (!(min_total >= 0)) min_total = 0;
        const double relative = path_error(top - x.value + x.error, 2) * f32_ulp + sum_error;
        const double error =
            std::max(max_total - probability, probability - min_total) + max_total * relative + smallest;
        probabilities[i] = {probability, std::min(error, 1.0), maybe_nan};
    }
}

/// A new maximum rescales the sum. If numbers come in random order, about ln n of n are larger than all
/// before; the bound allows 64 rescalings.
Bounded log_sum_exp(std::span<const Bounded> row) {
    constexpr double rescalings = 64;
    const Bounded top = maximum(row);
    if (!std::isfinite(top.value)) return top;
    double sum = 0, depths = 0, error = 0;
    for (const Bounded& x : row) {
        const double depth = top.value - x.value, e = std::exp(-depth);
        sum += e;
        if (e > 0) depths += depth * e;
        error = std::max(error, x.error);
    }
    const double relative = (3.5 * (rescalings + 2) + 3 * depths / sum) * f32_ulp +
                            sum_rounding(row.size(), {}).relative + std::expm1(error + top.error);
    return Bounded{top.value, top.error, top.may_be_nan} + log(Bounded{sum, sum * relative});
}

}  // namespace gridstride
