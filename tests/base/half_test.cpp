// Tests conversions of f16 over all its values and around the midpoints between them.
#include "base/half.h"

#include "base/array.h"
#include "test_includes.h"

namespace gridstride::half_test {

constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(Half, RoundTripsEveryValue) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const double number = Half::from_bits(static_cast<std::uint16_t>(bits));
        if (std::isnan(number)) {
            EXPECT_TRUE(std::isnan(static_cast<double>(Half(number)))) << bits;
            continue;
        }
        ASSERT_EQ(static_cast<double>(Half(number)), number) << bits;
        ASSERT_EQ(std::signbit(static_cast<double>(Half(number))), bits >= 0x8000) << bits;
    }
    EXPECT_EQ(static_cast<double>(Half::from_bits(0x3555)), 0.333251953125);
    EXPECT_EQ(static_cast<double>(Half::from_bits(0x7bff)), largest_f16);
    EXPECT_EQ(static_cast<double>(Half::from_bits(0x0400)), smallest_normal_f16);
    EXPECT_EQ(static_cast<double>(Half::from_bits(0x0001)), 0x1p-24);
}

TEST(Half, RoundsToNearestTiesToEven) {
    for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
        const double low = Half::from_bits(bits),
                     high = Half::from_bits(static_cast<std::uint16_t>(bits + 1)), middle = (low + high) / 2;
        ASSERT_EQ(nearest_f16(std::nextafter(middle, 0)), low) << bits;
        ASSERT_EQ(nearest_f16(middle), bits % 2 == 0 ? low : high) << bits;
        ASSERT_EQ(nearest_f16(-std::nextafter(middle, infinite)), -high) << bits;
    }
    EXPECT_EQ(nearest_f16(std::nextafter(65520, 0)), largest_f16);
    EXPECT_EQ(nearest_f16(65520), infinite);
    EXPECT_EQ(nearest_f16(-1e300), -infinite);
    EXPECT_TRUE(std::isnan(nearest_f16(NAN)));
}

TEST(Half, CanBeAnArrayElement) {
    const Array array = Array::of<Half>(std::array{Half(0.1), Half(-70000), Half(3)});
    EXPECT_EQ(name(array.type()), "f16");
    EXPECT_EQ(array.bytes(), 6U);
    EXPECT_EQ(array.number(0), 0.0999755859375);
    EXPECT_EQ(array.number(1), -infinite);
    std::array<double, 2> numbers{};
    array.numbers(1, numbers);
    EXPECT_EQ(numbers[1], 3);
}

}  // namespace gridstride::half_test
