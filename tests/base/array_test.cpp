#include "base/array.h"

#include <new>

#include "test_includes.h"

namespace gridstride::array_test {

TEST(Array, HasTypeAndSize) {
    const Array array(ElementType::i16, 7);
    EXPECT_EQ(array.type(), ElementType::i16);
    EXPECT_EQ(array.count(), 7u);
    EXPECT_EQ(array.bytes(), 14u);
    EXPECT_EQ(array.raw().size(), 14u);
    EXPECT_FALSE(array.empty());
    EXPECT_EQ(name(ElementType::i16), "i16");
    EXPECT_EQ(name(ElementType::i8), "i8");
    EXPECT_EQ(byte_size(ElementType::i8), 1u);
}

TEST(Array, IsAlignedForVectorLoads) {
    for (std::size_t count : {1, 3, 17, 1000}) {
        const Array array(ElementType::u8, count);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.raw().data()) % 64, 0u) << count;
    }
}

TEST(Array, MayBeEmpty) {
    const Array none;
    EXPECT_TRUE(none.empty());
    Array zero(ElementType::f64, 0);
    EXPECT_TRUE(zero.empty());
    EXPECT_EQ(zero.as<double>().size(), 0u);
    EXPECT_EQ(zero.raw().size(), 0u);
}

TEST(Array, RefusesImpossibleSizes) {
    EXPECT_THROW(Array(ElementType::f64, std::numeric_limits<std::size_t>::max()), std::bad_alloc);
    // The size of 2^61 + 1 elements of 8 bytes wraps around to 8 bytes in 64-bit arithmetic.
    EXPECT_THROW(Array(ElementType::f64, (std::size_t{1} << 61) + 1), std::bad_alloc);
}

TEST(Array, CopiesItsSource) {
    std::vector<float> values = {1.5f, -2.0f};
    const Array array = Array::of<float>(values);
    values[0] = 0;
    EXPECT_EQ(array.as<float>()[0], 1.5f);
    EXPECT_EQ(array.number(1), -2.0);
}

TEST(Array, RefusesAccessAsAnotherType) {
    Array array(ElementType::u32, 2);
    EXPECT_NO_THROW(array.as<std::uint32_t>());
    EXPECT_THROW(array.as<float>(), std::logic_error);
    EXPECT_THROW(std::as_const(array).as<std::int32_t>(), std::logic_error);
}

TEST(Array, ConvertsEveryTypeToANumber) {
    EXPECT_EQ(Array::of<std::uint8_t>(std::vector<std::uint8_t>{255}).number(0), 255.0);
    EXPECT_EQ(Array::of<std::int16_t>(std::vector<std::int16_t>{-32768}).number(0), -32768.0);
    EXPECT_EQ(Array::of<std::int32_t>(std::vector<std::int32_t>{-7}).number(0), -7.0);
    EXPECT_EQ(Array::of<std::uint32_t>(std::vector<std::uint32_t>{4294967295u}).number(0), 4294967295.0);
    EXPECT_EQ(Array::of<std::uint64_t>(std::vector<std::uint64_t>{std::uint64_t{1} << 53}).number(0), 0x1p53);
    EXPECT_EQ(Array::of<float>(std::vector<float>{0.1f}).number(0), static_cast<double>(0.1f));
    EXPECT_EQ(Array::of<double>(std::vector<double>{0.1}).number(0), 0.1);
}

template <class T>
void expect_numbers(std::vector<T> values) {
    const Array array = Array::of<T>(std::span<const T>(values));
    std::vector<double> numbers(values.size() - 1);
    array.numbers(1, numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        EXPECT_EQ(numbers[i], array.number(i + 1)) << name(array.type()) << " " << i;
}

TEST(Array, ConvertsManyElementsLikeSingleOnes) {
    expect_numbers<std::uint8_t>({1, 2, 255});
    expect_numbers<std::int16_t>({1, -32768, 32767});
    expect_numbers<std::int32_t>({1, -7, 2147483647});
    expect_numbers<std::uint32_t>({1, 2, 4294967295u});
    expect_numbers<std::uint64_t>({1, 2, std::uint64_t{1} << 63});
    expect_numbers<float>({1, 0.1F, -2.5F});
    expect_numbers<double>({1, 0.1, -2.5});
    std::vector<double> two(2);
    EXPECT_THAT(message_of<std::out_of_range>([&] { Array(ElementType::f32, 2).numbers(5, two); }),
                Mentions(5, 6, 2));
    EXPECT_THROW(Array(ElementType::f32, 2).numbers(1, two), std::out_of_range);
    EXPECT_THROW(Array(ElementType::f32, 2).numbers(3, {}), std::out_of_range);
}

TEST(Array, IsEmptyAfterAMove) {
    Array from = Array::of<double>(std::vector<double>{1, 2, 3});
    Array to = std::move(from);
    EXPECT_EQ(to.count(), 3u);
    EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): the test checks this state
    Array other(ElementType::u8, 4);
    other = std::move(to);
    EXPECT_EQ(other.number(2), 3.0);
    EXPECT_TRUE(to.empty());  // NOLINT(bugprone-use-after-move)
}

template <class T>
std::uint32_t checksum(const std::vector<T>& numbers) {
    return compute_checksum(Array::of<T>(numbers));
}

// The expected values are from Python: zlib.crc32(numpy.array([1, 2.5, -3], "<f8").tobytes()).
TEST(Checksum, IsTheCrc32OfDoubles) {
    EXPECT_EQ(checksum<double>({1, 2.5, -3}), 0xBF76CB7Eu);
    EXPECT_EQ(checksum<std::uint32_t>({4294967295}), 0x01A2AF5Eu);
    EXPECT_EQ(checksum<double>({}), 0u);
    std::vector<std::uint32_t> many(200'000);
    std::iota(many.begin(), many.end(), 0u);
    EXPECT_EQ(checksum(many), 0x2B81177Bu) << "shared among the cores";
}

TEST(Checksum, DependsOnTheNumbersNotTheirType) {
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

}  // namespace gridstride::array_test
