#include "base/strict_math.h"

#include "test_includes.h"

namespace gridstride::strict_math_test {

double ulps(double got, double expected) {
    const double spacing = std::nextafter(std::abs(expected), INFINITY) - std::abs(expected);
    return std::abs(got - expected) / spacing;
}

TEST(StrictMath, IsWithinTwoUlpOfTheCLibrary) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> unit(0, 1);
    double worst_log = 0;
    for (int i = 0; i < 200000; ++i) {
        const double x = std::ldexp(unit(random) + 0x1p-60, static_cast<int>(random() % 200) - 100);
        if (std::abs(std::log(x)) > 0.1) worst_log = std::max(worst_log, ulps(strict_log(x), std::log(x)));
        const double angle = (unit(random) * 2 - 1) * 1e6;
        EXPECT_NEAR(strict_sin(angle), std::sin(angle), 1e-15) << angle;
    }
    EXPECT_LE(worst_log, 2);
    EXPECT_EQ(strict_log(1), 0);
    EXPECT_EQ(strict_sin(0), 0);
}

TEST(StrictMath, NormalQuantilesMatchTheTable) {
    // The expected values are the test values published with algorithm AS 241.
    EXPECT_NEAR(normal_quantile(0.25), -0.6744897501960817, 1e-15);
    EXPECT_NEAR(normal_quantile(0.001), -3.090232306167814, 1e-14);
    EXPECT_NEAR(normal_quantile(1e-20), -9.262340089798408, 1e-13);
    EXPECT_EQ(normal_quantile(0.5), 0);
    EXPECT_NEAR(normal_quantile(0.975), -normal_quantile(0.025), 1e-14);
}

TEST(StrictMath, NormalNumbersHaveMeanAndDeviation) {
    std::vector<float> numbers(200003);
    fill_normal_f32(numbers, 1, 0, 10, 3);
    double sum = 0, squares = 0;
    for (const float number : numbers) {
        sum += number;
        squares += (number - 10.0) * (number - 10.0);
    }
    const double n = static_cast<double>(numbers.size());
    EXPECT_NEAR(sum / n, 10, 4 * 3 / std::sqrt(n));
    EXPECT_NEAR(std::sqrt(squares / n), 3, 4 * 3 / std::sqrt(2 * n));
}

TEST(StrictMath, TheSameSeedGivesTheSameBytes) {
    // The hash of all bytes detects a change of a single bit on any machine.
    std::vector<float> numbers(10007);
    fill_normal_f32(numbers, 42, 7, 0.5, 0.1);
    std::uint64_t hash = 1469598103934665603ull;  // FNV-1a, 64 bits
    for (const float number : numbers) {
        hash ^= std::bit_cast<std::uint32_t>(number);
        hash *= 1099511628211ull;
    }
    EXPECT_EQ(hash, 5881719251087425922ull) << "recorded once, on the first machine";
}

}  // namespace gridstride::strict_math_test
