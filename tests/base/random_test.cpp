#include "base/random.h"

#include "test_includes.h"

namespace gridstride::random_test {

using Words = std::array<std::uint32_t, 4>;

// The authors publish these known answers: Random123, kat_vectors, "philox4x32 10".
TEST(Philox, MatchesThePublishedAnswers) {
    EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    constexpr std::uint32_t ones = 0xffffffff;
    EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
              (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, BlocksSideBySideAreThoseOfTheirCounters) {
    const auto blocks = philox_blocks<3>({0xfffffffe, 5, 6, 7}, {8, 9});
    for (std::uint32_t i = 0; i < 3; ++i)
        EXPECT_EQ((Words{blocks[0][i], blocks[1][i], blocks[2][i], blocks[3][i]}),
                  philox4x32({0xfffffffe + i, 5, 6, 7}, {8, 9}));
}

TEST(FillRandom, UsesSeedStreamAndIndexAsDocumented) {
    std::vector<std::uint32_t> out(10);
    fill_random_u32(out, 0x1122334455667788, 7);
    for (std::uint32_t i = 0; i < out.size(); ++i) {
        EXPECT_EQ(out[i], philox4x32({i / 4, 0, 7, 0}, {0x55667788, 0x11223344})[i % 4]) << i;
    }
}

TEST(FillRandom, ValuesDoNotDependOnTheLength) {
    std::vector<std::uint32_t> longer(300'001);  // several ranges; not a multiple of four
    fill_random_u32(longer, 42, 1);
    for (const std::size_t length : {0, 1, 2, 3, 4, 5, 4096, 65'537, 299'999}) {
        std::vector<std::uint32_t> shorter(length);
        fill_random_u32(shorter, 42, 1);
        EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin())) << length;
    }
}

TEST(FillRandom, DiffersBySeedAndStream) {
    std::vector<std::uint32_t> a(16), b(16), c(16);
    fill_random_u32(a, 1, 0);
    fill_random_u32(b, 2, 0);
    fill_random_u32(c, 1, 1);
    EXPECT_NE(a, b);
    EXPECT_NE(a, c);
}

TEST(FillUniform, UsesTheTopBitsOfTheRandomWords) {
    std::vector<std::uint32_t> words(1001);
    std::vector<float> uniform(1001);
    fill_random_u32(words, 3, 4);
    fill_uniform_f32(uniform, 3, 4);
    for (std::size_t i = 0; i < words.size(); ++i) {
        ASSERT_EQ(uniform[i], std::ldexp(static_cast<float>(words[i] >> 8), -24)) << i;
    }
}

TEST(FillUniform, IsUniformAndBelowOne) {
    std::vector<float> values(1'000'000);
    fill_uniform_f32(values, 0, 0);
    double sum = 0, squares = 0;
    for (const float v : values) {
        ASSERT_TRUE(v >= 0 && v < 1) << v;
        sum += v;
        squares += static_cast<double>(v) * v;
    }
    const double mean = sum / 1e6;
    EXPECT_NEAR(mean, 0.5, 0.0015);  // five standard errors
    EXPECT_NEAR(squares / 1e6 - mean * mean, 1.0 / 12, 0.0005);
}

}  // namespace gridstride::random_test
