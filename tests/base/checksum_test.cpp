#include "base/checksum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace gridstride {
namespace {

template <class T>
std::uint32_t checksum(const std::vector<T>& numbers) {
    return checksum_of_numbers(Array::of<T>(numbers));
}

// The numbers at the right are Python's: zlib.crc32(numpy.array([1, 2.5, -3], "<f8").tobytes()).
TEST(Checksum, IsTheCrc32OfDoubles) {
    EXPECT_EQ(checksum<double>({1, 2.5, -3}), 0xBF76CB7Eu);
    EXPECT_EQ(checksum<std::uint32_t>({4294967295}), 0x01A2AF5Eu);
    EXPECT_EQ(checksum<double>({}), 0u);
    std::vector<std::uint32_t> many(200'000);
    std::iota(many.begin(), many.end(), 0u);
    EXPECT_EQ(checksum(many), 0x2B81177Bu) << "shared among the cores";
}

TEST(Checksum, IsOfTheNumbersAndNotOfTheirType) {
    EXPECT_EQ(checksum<std::int16_t>({-3, 7}), checksum<double>({-3, 7}));
    EXPECT_EQ(checksum<std::uint8_t>({3, 7}), checksum<std::uint64_t>({3, 7}));
    EXPECT_EQ(checksum<float>({0.1f}), 0xA4EE5562u);
    EXPECT_EQ(checksum<double>({0.1}), checksum<float>({0.1f})) << "lessons compute with f32";
    EXPECT_NE(checksum<double>({16777216}), checksum<double>({16777217})) << "or with u32";
    EXPECT_NE(checksum<double>({1, 2}), checksum<double>({2, 1}));
    EXPECT_EQ(checksum<double>({-0.0}), checksum<double>({0}));
    EXPECT_EQ(checksum<double>({-std::nan("1")}), checksum<float>({std::nanf("")}));
    EXPECT_NE(checksum<double>({std::numeric_limits<double>::infinity()}), checksum<double>({std::nan("")}));
}

}  // namespace
}  // namespace gridstride
