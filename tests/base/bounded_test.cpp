// Each bound must hold for f32 results with the largest errors that the specification allows, and must be
// narrow enough that a wrong number fails.
#include "base/bounded.h"

#include "base/half.h"

#include "base/tolerance.h"
#include "test_includes.h"

namespace gridstride::bounded_test {

constexpr double infinite = std::numeric_limits<double>::infinity(), u = f32_ulp;

std::mt19937_64& random_engine() {
    static std::mt19937_64 random(20261126);
    return random;
}
double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random_engine());
}
double any_sign() {
    return random_engine()() % 2 == 0 ? 1 : -1;
}
int cases() {
    return sample_of(1'000'000, 50'000);
}

/// Rounds to f32 as a device may: it sometimes flushes a subnormal number to 0. off_by() below adds the error
/// in ulp that the specification allows, up or down.
float stored(double number) {
    const auto rounded = static_cast<float>(number);
    return std::abs(rounded) < smallest_normal_f32 && random_engine()() % 2 == 0 ? 0 : rounded;
}
float off_by(double number, double ulps) {
    if (number == 0 || !std::isfinite(number)) return static_cast<float>(number);
    // The rounding to f32 may add half an ulp, so the error added here is half an ulp smaller.
    return stored(number + any_sign() * std::max(ulps - 0.5, 0.0) * std::ldexp(u, std::ilogb(number)));
}

/// An operand's bounded value, and the f32 value that the device has for it.
struct Operand {
    Bounded is;
    float device = 0;
};
Operand operand(double min_exponent, double max_exponent, bool is_positive = false) {
    const float number =
        static_cast<float>((is_positive ? 1 : any_sign()) * std::exp2(uniform(min_exponent, max_exponent)));
    if (random_engine()() % 3 == 0) return {{number}, number};
    const double error = std::abs(number) * std::exp2(uniform(-24, -5));
    const auto device = static_cast<float>(number + error * uniform(-1, 1));
    return {{number, std::max(error, std::abs(double{device} - number))}, device};
}

void expect_holds(const char* operation, const Bounded& bound, double device, const Operand& a,
                  const Operand& b = {}) {
    ASSERT_LE(std::abs(device - bound.value), bound.error) << fmt::format(
        "{} of {} +- {} and {} +- {}, on the device {} and {}: {} for {}", operation, a.is.value, a.is.error,
        b.is.value, b.is.error, a.device, b.device, device, bound.value);
}

TEST(Bounded, HoldsForTheLargestErrorsOfTheSpecification) {
    for (int i = 0; i < cases(); ++i) {
        const Operand a = operand(-120, 60), b = operand(-60, 60), x = operand(-20, 6),
                      positive = operand(-120, 120, true);
        expect_holds("+", a.is + b.is, off_by(double{a.device} + b.device, 1), a, b);
        expect_holds("-", a.is - b.is, off_by(double{a.device} - b.device, 1), a, b);
        expect_holds("*", a.is * b.is, off_by(double{a.device} * b.device, 1), a, b);
        expect_holds("/", a.is / b.is, off_by(double{a.device} / b.device, 2.5), a, b);
        expect_holds("max", maximum(a.is, b.is), std::max(a.device, b.device), a, b);
        expect_holds("min", minimum(a.is, b.is), std::min(a.device, b.device), a, b);
        expect_holds("greater", greater(a.is, b.is), a.device > b.device ? 1 : 0, a, b);
        expect_holds("where", where(a.is - b.is, x.is, positive.is),
                     off_by(double{a.device} - b.device, 1) != 0 ? x.device : positive.device, x, positive);
        expect_holds("exp", exp(x.is), off_by(std::exp(double{x.device}), 3 + 2 * std::abs(x.device)), x);
        const double expected_log = std::log(double{positive.device});
        const bool near_1 = positive.device >= 0.5 && positive.device <= 2;
        expect_holds("log", log(positive.is),
                     near_1 ? stored(expected_log + any_sign() * 0x1p-21) : off_by(expected_log, 3),
                     positive);
        // 1 / inversesqrt
        expect_holds("sqrt", sqrt(positive.is),
                     off_by(1 / double{off_by(1 / std::sqrt(double{positive.device}), 2)}, 2.5), positive);
        const auto e = [&](double at) { return double{off_by(std::exp(at), 3 + 2 * std::abs(at))}; };
        const float sinh = off_by(off_by(e(x.device) - e(-x.device), 1) * 0.5, 0),
                    cosh = off_by(off_by(e(x.device) + e(-x.device), 1) * 0.5, 0);
        if (!std::isinf(cosh)) expect_holds("tanh", tanh(x.is), off_by(double{sinh} / cosh, 2.5), x);
        const Operand turn = operand(-20, 1.5);
        expect_holds("cos", cos(turn.is), stored(std::cos(double{turn.device}) + any_sign() * 0x1.ffp-12),
                     turn);
        expect_holds("sin", sin(turn.is), stored(std::sin(double{turn.device}) + any_sign() * 0x1.ffp-12),
                     turn);
        const Operand power = operand(-6, 3);
        const double expected_log2 = std::log2(double{positive.device});
        const float times =
            off_by(double{power.device} *
                       (near_1 ? stored(expected_log2 + any_sign() * 0x1p-21) : off_by(expected_log2, 3)),
                   1);
        if (std::abs(times) < 120)
            expect_holds("pow", pow(positive.is, power.is),
                         off_by(std::exp2(double{times}), 3 + 2 * std::abs(times)), positive, power);
        const float high = std::max(std::abs(a.device), std::abs(b.device)),
                    low = std::min(std::abs(a.device), std::abs(b.device));
        const float ratio = off_by(double{low} / high, 2.5);
        const float root = off_by(std::sqrt(off_by(1 + double{off_by(double{ratio} * ratio, 1)}, 1)), 5);
        expect_holds("hypot", hypot(a.is, b.is), off_by(double{high} * root, 1), a, b);
        if (HasFatalFailure()) return;
    }
}

// For exact operands, a bound is at most a few times the error that the specification allows.
TEST(Bounded, BoundsAreTightForExactOperands) {
    for (int i = 0; i < cases(); ++i) {
        const Bounded a{static_cast<float>(any_sign() * std::exp2(uniform(-60, 60)))},
            b{static_cast<float>(any_sign() * std::exp2(uniform(-60, 60)))},
            x{static_cast<float>(uniform(-80, 80))}, positive{std::abs(a.value)};
        const Bounded small{static_cast<float>(uniform(-2, 2))}, raised = pow(positive, small);
        ASSERT_LE(raised.error,
                  (4 + 5 * std::abs(std::log2(raised.value)) + 5 * std::abs(small.value)) * u * raised.value +
                      2 * smallest_normal_f32)
            << positive.value << " to the power of " << small.value;
        for (const Bounded& y : {a + b, a - b, a * b, a / b, hypot(a, b), sqrt(positive)})
            ASSERT_LE(y.error, 10 * u * std::abs(y.value) + 2 * smallest_normal_f32);
        ASSERT_LE(exp(x).error, (4 + 2 * std::abs(x.value)) * u * exp(x).value + 2 * smallest_normal_f32);
        ASSERT_LE(log(positive).error, 0x1p-20 + 4 * u * std::abs(log(positive).value));
        ASSERT_LE(tanh(x).error, (8 + 4 * std::abs(x.value)) * 2 * u);
        ASSERT_EQ(maximum(a, b).error, 0);
        ASSERT_EQ(greater(a, b).error, 0);
        ASSERT_EQ(where(a, x, b).error, 0);
    }
    EXPECT_LT(tanh(Bounded{1e30}).error, 1e-4);
    EXPECT_EQ(cos(Bounded{3}).error, 0x1p-11);
    EXPECT_EQ(sin(Bounded{4}).error, 1 + std::abs(std::sin(4.0))) << "the specification gives no bound";
}

/// Orders of summation that make the rounding errors of a sum large.
std::vector<std::function<void(std::vector<float>&)>> orders() {
    return {
        [](auto&) {},
        [](auto& x) { std::ranges::sort(x); },
        [](auto& x) { std::ranges::sort(x, std::greater()); },
        [](auto& x) { std::ranges::sort(x, {}, [](float one) { return std::abs(one); }); },
        [](auto& x) { std::ranges::sort(x, std::greater(), [](float one) { return std::abs(one); }); },
        [](auto& x) { std::ranges::shuffle(x, random_engine()); },
    };
}
float sum_in_order(std::span<const float> x) {
    float sum = 0;
    for (const float one : x)
        sum += one;
    return sum;
}
float sum_in_pairs(std::span<const float> x) {
    if (x.size() == 1) return x[0];
    return sum_in_pairs(x.first(x.size() / 2)) + sum_in_pairs(x.subspan(x.size() / 2));
}

TEST(Bounded, SumsHoldInEveryOrder) {
    const int all = sample_of(20'000, 500);
    for (int i = 0; i < all; ++i) {
        std::vector<float> x(1 + random_engine()() % 500);
        for (float& one : x)
            one = static_cast<float>(any_sign() * std::exp2(uniform(-10, 10)));
        TermSum terms;
        for (const float one : x)
            terms += TermSum(Bounded{one});
        const auto& [sum, magnitude, error, maybe_nan] = terms;
        ASSERT_EQ(error, 0);
        ASSERT_FALSE(maybe_nan);
        const Bounded bound = terms.rounded(x.size());
        for (const auto& order : orders()) {
            order(x);
            ASSERT_LE(std::abs(sum_in_order(x) - sum), bound.error) << x.size();
            ASSERT_LE(std::abs(sum_in_pairs(x) - sum), bound.error) << x.size();
        }
        ASSERT_LE(bound.error, 500 * u * magnitude)
            << "the bound detects a missing term of a thousandth of the sum";
    }
}

TEST(Bounded, PartialSumsCombineTheirErrors) {
    TermSum first(Bounded{3, 0.5}), second(Bounded{-1, 0.25, /*maybe_nan=*/true});
    const TermSum both = first + second;
    EXPECT_EQ(both.sum, 2);
    EXPECT_EQ(both.magnitude, 4.75) << "errors included";
    EXPECT_EQ(both.error, 0.75);
    EXPECT_TRUE(both.may_be_nan);
    EXPECT_GT(both.rounded(2).error, 0.75);
    EXPECT_EQ(both.rounded(0).error, 0.75) << "no addition rounds";
}

std::vector<Bounded> softmax_of(const std::vector<Bounded>& row) {
    std::vector<Bounded> all(row.size());
    softmax(row, all);
    return all;
}

/// Computes the probabilities with a running maximum, as online softmax does.
std::vector<float> softmax_on_device(const std::vector<float>& row) {
    float top = std::numeric_limits<float>::lowest(), sum = 0;
    for (const float x : row) {
        if (x > top) {
            sum *= static_cast<float>(std::exp(double{top} - x));
            top = x;
        }
        sum += off_by(std::exp(double{x - top}), 3 + 2 * std::min(std::abs(x - top), 100.0F));
    }
    std::vector<float> all;
    for (const float x : row)
        all.push_back(off_by(
            off_by(std::exp(double{x - top}), 3 + 2 * std::min(std::abs(x - top), 100.0F)) / sum, 2.5));
    return all;
}

TEST(Bounded, MultiplesOfAStepAddExactlyBelowTheLimit) {
    constexpr double step = 0x1p-8;
    static_assert(exact_sum_limit(step) == 65536);
    for (int i = 0; i < cases() / 1000; ++i) {
        std::vector<float> terms;
        double magnitude = 0, right = 0;
        for (;;) {
            const auto term = static_cast<float>(any_sign() * std::floor(uniform(1, 0x1p19)) * step);
            magnitude += std::abs(term);
            if (magnitude >= exact_sum_limit(step)) break;
            terms.push_back(term);
            right += term;
        }
        float sum = 0;
        for (const float term : terms)
            sum += term;
        ASSERT_EQ(sum, right);
    }
    const float most = exact_sum_limit(step);
    EXPECT_EQ(most + static_cast<float>(step), most) << "at the limit a step is lost";
}

TEST(Bounded, ProbabilisticBoundOfProductSumsHolds) {
    constexpr std::size_t count = 1000;
    double worst = 0;
    for (int i = 0; i < cases() / 1000; ++i) {
        float sum = 0;
        double right = 0, magnitude = 0;
        for (std::size_t j = 0; j < count; ++j) {
            const auto a = static_cast<float>(uniform(0, 1)), b = static_cast<float>(uniform(0, 1));
            sum += a * b;
            right += double{a} * b;
            magnitude += std::abs(double{a} * b);
        }
        const double off = std::abs(sum - right);
        ASSERT_LE(off, probabilistic_rounding_error(count) * magnitude);
        ASSERT_LE(off, bound_product_sum(right, magnitude, count).error);
        worst = std::max(worst, off / magnitude);
    }
    EXPECT_LT(probabilistic_rounding_error(count), bound_product_sum(1, 1, count).error / 3);
    EXPECT_GT(worst, probabilistic_rounding_error(count) / 100);
    EXPECT_EQ(bound_product_sum(1, 1, 0).error, 0) << "an empty sum has no rounding error";
}

TEST(Bounded, SoftmaxBoundHoldsForMaskedRowsAndRoundedNumbers) {
    const int all = sample_of(100'000, 3'000);
    const double masks[] = {-infinite, -1e30, -3e38, -1e9, -200};
    for (int i = 0; i < all; ++i) {
        const std::size_t count = 1 + random_engine()() % 40;
        const double spread = std::exp2(uniform(-3, 6));
        const bool has_errors = i % 2 == 0;
        const double mask = masks[random_engine()() % std::size(masks)];
        std::vector<Bounded> row;
        std::vector<float> device;
        for (std::size_t j = 0; j < count; ++j) {
            const bool is_masked = j > 0 && random_engine()() % 3 == 0;
            const float x = static_cast<float>(is_masked ? mask : uniform(-spread, spread));
            const double error = has_errors && std::isfinite(x) ? 4 * u * std::abs(x) : 0;
            device.push_back(static_cast<float>(x + error * uniform(-0.7, 0.7)));
            row.push_back({x, error});
        }
        const std::vector<float> found = softmax_on_device(device);
        const std::vector<Bounded> right = softmax_of(row);
        for (std::size_t j = 0; j < count; ++j) {
            ASSERT_LE(std::abs(found[j] - right[j].value), right[j].error)
                << fmt::format("{} of {}: {} +- {}, mask {}", j, count, row[j].value, row[j].error, mask);
            ASSERT_LE(right[j].error, 1e-3 * right[j].value + 1e-30) << row[j].value << " " << mask;
            if (row[j].value < -1e8) {
                ASSERT_EQ(right[j].value, 0);
            }
        }
    }
}

/// Returns 2 to 300 numbers of one sign or both, far from 0 or near it, in one of the orders.
std::vector<float> any_row() {
    std::vector<float> row(2 + random_engine()() % 299);
    const double offset = random_engine()() % 2 == 0 ? 0 : any_sign() * std::exp2(uniform(-3, 6)),
                 spread = std::exp2(uniform(-6, 4));
    for (float& x : row)
        x = static_cast<float>(offset + uniform(-spread, spread));
    const auto all = orders();
    all[random_engine()() % all.size()](row);
    return row;
}
std::vector<Bounded> bounded(const std::vector<float>& row) {
    std::vector<Bounded> all;
    for (const float x : row)
        all.push_back({x});
    return all;
}
/// The maximum number of additions that a term takes part in when a row is added up in pairs.
std::uint64_t depth_of_pairs(std::size_t count) {
    std::uint64_t depth = 0;
    for (std::size_t pairs = 1; pairs < count; pairs *= 2)
        ++depth;
    return depth;
}
int rows() {
    return sample_of(20'000, 1'000);
}

TEST(Bounded, ShorterChainOfAdditionsHasASmallerBound) {
    for (int i = 0; i < rows(); ++i) {
        const std::vector<float> row = any_row();
        const Bounded any = sum(bounded(row)),
                      pairs = sum(bounded(row), {.chain = depth_of_pairs(row.size())});
        ASSERT_EQ(any.value, pairs.value);
        ASSERT_LE(std::abs(sum_in_order(row) - any.value), any.error) << row.size();
        ASSERT_LE(std::abs(sum_in_pairs(row) - pairs.value), pairs.error) << row.size();
        if (row.size() > 20) {
            ASSERT_LT(pairs.error, any.error);
        }
    }
}

/// A row's moments. moments_on_device() splits the row into parts of `each` numbers and merges their counts,
/// means and sums of squared deviations one after another.
struct DeviceMoments {
    float mean = 0, variance = 0;
};
DeviceMoments moments_on_device(const std::vector<float>& row, std::size_t each) {
    float count = 0, mean = 0, squares = 0;
    for (std::size_t first = 0; first < row.size(); first += each) {
        const auto part = std::span(row).subspan(first, std::min(each, row.size() - first));
        const auto n = static_cast<float>(part.size());
        const float part_error = off_by(double{sum_in_order(part)} / n, 2.5);
        float apart = 0;
        for (const float x : part) {
            const float d = x - part_error;
            apart += off_by(double{d} * d, 1);
        }
        const float all = count + n, share = off_by(double{n} / all, 2.5), between = part_error - mean;
        mean += off_by(double{share} * between, 1);
        squares += apart +
                   off_by(double{off_by(double{share} * count, 1)} * off_by(double{between} * between, 1), 1);
        count = all;
    }
    return {mean, off_by(double{squares} / count, 2.5)};
}

TEST(Bounded, MomentsHoldForOneAndForMergedParts) {
    for (int i = 0; i < rows(); ++i) {
        const std::vector<float> row = any_row();
        for (const std::size_t each : {row.size(), 1 + random_engine()() % row.size()}) {
            const std::size_t parts = (row.size() + each - 1) / each;
            const Moments bound = moments(bounded(row), {.chain = each, .merges = parts});
            const DeviceMoments found = moments_on_device(row, each);
            ASSERT_LE(std::abs(found.mean - bound.mean.value), bound.mean.error)
                << row.size() << " by " << each;
            ASSERT_LE(std::abs(found.variance - bound.variance.value), bound.variance.error)
                << row.size() << " by " << each;
            if (parts > 1) continue;
            const float largest = std::abs(std::ranges::max(row, {}, [](float x) { return std::abs(x); }));
            const double step = static_cast<double>(row.size() + 20) * u * largest;
            ASSERT_LE(bound.mean.error, step + smallest_normal_f32)
                << "the bound detects a mean of one number too many";
            ASSERT_LE(bound.variance.error, static_cast<double>(row.size() + 20) * u * bound.variance.value +
                                                4 * step * (std::sqrt(bound.variance.value) + step) +
                                                smallest_normal_f32);
        }
    }
}

TEST(Bounded, LogSumExpHoldsInEveryOrder) {
    for (int i = 0; i < rows(); ++i) {
        const std::vector<float> row = any_row();
        const Bounded bound = log_sum_exp(bounded(row));
        float top = std::numeric_limits<float>::lowest(), sum = 0;
        const auto e = [](double x) { return off_by(std::exp(x), 3 + 2 * std::min(std::abs(x), 100.0)); };
        for (const float x : row) {
            if (x > top) {
                sum = off_by(double{sum} * e(double{top} - x), 1);
                top = x;
            }
            sum += e(x - top);
        }
        const double expected_log = std::log(double{sum});
        const float found =
            top + (sum <= 2 ? stored(expected_log + any_sign() * 0x1p-21) : off_by(expected_log, 3));
        ASSERT_LE(std::abs(found - bound.value), bound.error) << row.size();
        ASSERT_LE(bound.error, 1e-3 * (1 + std::abs(bound.value)));
    }
}

TEST(Bounded, SoftmaxWithoutMaximumHoldsWhileExpIsFinite) {
    for (int i = 0; i < rows(); ++i) {
        const std::vector<float> row = any_row();
        const std::vector<Bounded> exact = bounded(row);
        std::vector<Bounded> right(row.size());
        softmax(exact, right, {}, /*subtracts_maximum=*/false);
        const auto e = [](float x) { return off_by(std::exp(double{x}), 3 + 2 * std::abs(x)); };
        float sum = 0;
        for (const float x : row)
            sum += e(x);
        if (!std::isfinite(sum) || sum < 1e-20F) continue;
        for (std::size_t j = 0; j < row.size(); ++j) {
            const float found = off_by(double{e(row[j])} / sum, 2.5);
            ASSERT_LE(std::abs(found - right[j].value), right[j].error) << row[j] << " of " << row.size();
        }
    }
}

TEST(Bounded, StoredHalfIsTheNearestOrFlushed) {
    EXPECT_EQ(stored_f16(1).error, 0);
    EXPECT_EQ(stored_f16(1 + 0x1p-11).error, 0x1p-11) << "half a step";
    EXPECT_EQ(stored_f16(65504).error, 0);
    EXPECT_EQ(stored_f16(65520).value, infinite);
    EXPECT_EQ(stored_f16(-65519).error, 15) << "rounded to the largest";
    EXPECT_EQ(stored_f16(0x1p-24).error, 0x1p-24) << "it may be 0";
    EXPECT_EQ(stored_f16(0x1p-14).error, 0);
    for (int i = 0; i < cases(); ++i) {
        const double x = any_sign() * std::exp2(uniform(-20, 16));
        ASSERT_LE(stored_f16(x).error, std::abs(x) < 0x1p-14 ? std::abs(x) : std::abs(x) * 0x1p-11) << x;
    }
}

// Devices may round up or down, and flush subnormal numbers.
TEST(Bounded, RoundedHalfMayBeEitherNeighbour) {
    EXPECT_EQ(rounded_to_f16({1}).error, 0);
    EXPECT_EQ(rounded_to_f16({1 + 0x1p-12}).value, 1);
    EXPECT_EQ(rounded_to_f16({1 + 0x1p-12}).error, 0x1p-10) << "a whole step";
    EXPECT_EQ(rounded_to_f16({2, 0x1p-30}).error, 0x1p-9) << "steps above 2 are larger than below";
    EXPECT_EQ(rounded_to_f16({65504}).error, 0);
    EXPECT_EQ(rounded_to_f16({65510}).value, 65504);
    EXPECT_EQ(rounded_to_f16({65510}).error, 32) << "up to infinity";
    EXPECT_EQ(rounded_to_f16({-65520}).value, -infinite);
    EXPECT_EQ(rounded_to_f16({65500, 30}).error, infinite) << "it may overflow";
    EXPECT_EQ(rounded_to_f16({infinite}).error, 0);
    EXPECT_TRUE(std::isnan(rounded_to_f16({NAN}).value));
    EXPECT_EQ(rounded_to_f16({0}).error, 0);
    EXPECT_EQ(rounded_to_f16({-0x1p-24}).error, 0x1p-24) << "it may be 0";
    EXPECT_EQ(rounded_to_f16({0x1p-14, 0x1p-30}).error, 0x1p-14);
    for (int i = 0; i < cases(); ++i) {
        const double x = any_sign() * std::exp2(uniform(-26, 15.9)), error = std::abs(x) * uniform(0, 0.1);
        const Bounded half = rounded_to_f16({x, error});
        if (std::isinf(half.error)) continue;
        const double device = x + error * uniform(-1, 1), step = f16_ulp(device);
        for (const double stored : {std::floor(device / step) * step, std::ceil(device / step) * step,
                                    std::abs(device) < 0x1p-14 ? 0 : nearest_f16(device)})
            ASSERT_LE(std::abs(stored - half.value), half.error) << x << " +- " << error << ": " << stored;
    }
}

TEST(Bounded, SoftmaxOfACompletelyMaskedRowIsNaN) {
    for (const Bounded& one : softmax_of({{-infinite}, {-infinite}}))
        EXPECT_TRUE(std::isnan(one.value));
    for (const Bounded& one : softmax_of({{1}, {NAN}, {-infinite}}))
        EXPECT_TRUE(std::isnan(one.value));
    // Very low finite logits are valid: equal logits have equal probabilities.
    for (const Bounded& one : softmax_of({{-1e30}, {-1e30}})) {
        EXPECT_EQ(one.value, 0.5);
        EXPECT_LT(one.error, 1e-4);
    }
    // Rounding errors may exceed the difference of the logits: any probability is possible, but no NaN.
    for (const Bounded& one : softmax_of({{-1e30, 1e23}, {-1e30, 1e23}})) {
        EXPECT_GE(one.error, 0.5);
        EXPECT_LE(one.error, 1);
    }
}

TEST(Bounded, PropagatesInfinitiesAndNaN) {
    const Bounded low{-infinite}, one{1, 1e-6}, nan{NAN};
    for (const Bounded& unending : {low + one, low - one, one - low, low * one, low / one, one / Bounded{0},
                                    log(Bounded{0}), maximum(-low, one), -low}) {
        EXPECT_TRUE(std::isinf(unending.value));
        EXPECT_EQ(unending.error, 0);
    }
    EXPECT_EQ(exp(low).value, 0);
    EXPECT_LT(exp(low).error, 1e-30);
    EXPECT_EQ((one / low).value, 0);
    EXPECT_LT((one / low).error, 1e-30);
    EXPECT_LT(exp(Bounded{-1e30, 1e23}).error, 1e-30);
    for (const Bounded& none : {low - low, low * Bounded{0}, nan + one, exp(nan), log(Bounded{-1}), tanh(nan),
                                hypot(nan, low), sqrt(Bounded{-1})}) {
        EXPECT_TRUE(std::isnan(none.value));
        EXPECT_FALSE(none.may_be_nan) << "it is NaN, and not besides";
    }
}

TEST(Bounded, MaximumOfNaNAndANumberMayBeEither) {
    const Bounded nan{NAN}, one{1}, three{3};
    for (const Bounded& either :
         {maximum(nan, one), maximum(one, nan), minimum(nan, one), minimum(one, nan)}) {
        EXPECT_EQ(either.value, 1);
        EXPECT_EQ(either.error, 0);
        EXPECT_TRUE(either.may_be_nan);
        EXPECT_TRUE((either + one).may_be_nan);
        EXPECT_TRUE(exp(either).may_be_nan);
    }
    EXPECT_FALSE(maximum(nan, nan).may_be_nan);
    EXPECT_TRUE(std::isnan(maximum(nan, nan).value));
    // The result is 3, or 1 if a NaN replaced the 3 and the second maximum ignored the NaN.
    const Bounded lost = maximum(maximum(three, nan), one);
    EXPECT_EQ(lost.value, 3);
    EXPECT_EQ(lost.error, 2);
    EXPECT_TRUE(lost.may_be_nan);
    EXPECT_EQ(greater(maximum(three, nan), one).error, 1);
    EXPECT_EQ(where(maximum(Bounded{0}, nan), three, one).error, 2);
    EXPECT_FALSE(maximum(one, three).may_be_nan);
}

TEST(Bounded, DivisionByASubnormalIsUnbounded) {
    const Bounded subnormal{1e-40};
    EXPECT_EQ((Bounded{1} / subnormal).error, infinite);
    EXPECT_EQ(log(subnormal).error, infinite) << "it may be minus infinite";
    EXPECT_GE(sqrt(subnormal).error, 1e-20) << "it may be 0";
    EXPECT_EQ(pow(Bounded{-2}, Bounded{2}).error, infinite) << "undefined in GLSL";
    EXPECT_EQ(pow(Bounded{0}, Bounded{2}).value, 0);
    EXPECT_GE((Bounded{1} / Bounded{0x1p127}).error, 0x1p-127) << "its inverse may be 0";
}

}  // namespace gridstride::bounded_test
