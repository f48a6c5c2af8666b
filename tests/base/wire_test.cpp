#include "base/wire.h"

#include "test_includes.h"

namespace gridstride::wire::wire_test {

enum class Colour { red, green, blue };
constexpr Colour last_enumerator(Colour) {
    return Colour::blue;
}

struct Inner {
    std::string text;
    std::vector<double> numbers;
    bool operator==(const Inner&) const = default;
};

struct Outer {
    std::uint32_t count = 0;
    bool flag = false;
    Colour colour = Colour::red;
    std::optional<Inner> maybe;
    std::vector<std::pair<std::string, std::variant<std::uint64_t, double, Inner>>> entries;
    ArrayRef array;
};

Outer example() {
    Outer outer;
    outer.count = 7;
    outer.flag = true;
    outer.colour = Colour::blue;
    outer.maybe = Inner{"été", {1.5, -0.0}};
    outer.entries = {{"a", std::uint64_t{1} << 60}, {"b", 0.25}, {"c", Inner{"", {}}}};
    const std::vector<std::int16_t> samples = {-1, 2, -3};
    outer.array = std::make_shared<Array>(Array::of<std::int16_t>(samples));
    return outer;
}

TEST(Wire, RoundTripsAMessage) {
    Writer writer;
    const Outer out = example();
    writer(out);
    Reader reader(writer.bytes(), writer.arrays());
    Outer in;
    reader(in);
    reader.end();
    EXPECT_EQ(in.count, 7u);
    EXPECT_TRUE(in.flag);
    EXPECT_EQ(in.colour, Colour::blue);
    EXPECT_EQ(in.maybe, out.maybe);
    EXPECT_EQ(in.entries, out.entries);
    ASSERT_TRUE(in.array);
    EXPECT_THAT(in.array->as<std::int16_t>(), ElementsAre(-1, 2, -3));
}

TEST(Wire, RefusesATruncatedMessage) {
    Writer writer;
    writer(example());
    for (std::size_t size = 0; size < writer.bytes().size(); ++size) {
        Reader reader(std::span(writer.bytes()).first(size));
        Outer in;
        EXPECT_THROW(reader(in), MalformedMessage) << size;
    }
}

TEST(Wire, RefusesTrailingBytes) {
    Writer writer;
    writer(example(), std::uint8_t{0});
    Reader reader(writer.bytes());
    Outer in;
    reader(in);
    EXPECT_THAT(message_of<MalformedMessage>([&] { reader.end(); }), Mentions(1));
}

TEST(Wire, LengthsBeyondTheMessageAllocateNothing) {
    Writer writer;
    writer(std::uint64_t{1} << 60);
    std::string text;
    std::vector<double> numbers;
    std::vector<Inner> inners;
    EXPECT_THAT(message_of<MalformedMessage>([&] { Reader(writer.bytes())(text); }),
                Mentions(std::uint64_t{1} << 60, 0));
    EXPECT_THROW(Reader(writer.bytes())(numbers), MalformedMessage);
    EXPECT_THROW(Reader(writer.bytes())(inners), MalformedMessage);
}

TEST(Wire, EnumerationsVariantsAndFlagsStayInRange) {
    Writer three;
    three(std::uint32_t{3});
    Colour colour = Colour::red;
    EXPECT_THAT(message_of<MalformedMessage>([&] { Reader(three.bytes())(colour); }), Mentions(3, 2));
    std::variant<std::uint64_t, double> either;
    EXPECT_THAT(message_of<MalformedMessage>([&] { Reader(three.bytes())(either); }), Mentions(3, 1));
    Writer two;
    two(std::uint8_t{2});
    bool flag = false;
    EXPECT_THAT(message_of<MalformedMessage>([&] { Reader(two.bytes())(flag); }), Mentions(2));
}

TEST(Wire, LargeArraysAreSentBesideTheMessage) {
    Outer out = example();
    auto big = std::make_shared<Array>(ElementType::f32, Array::shared_bytes / 4);
    big->as<float>()[5] = 42;
    out.array = big;
    Writer writer;
    writer(out);
    EXPECT_LT(writer.bytes().size(), 1000u);
    ASSERT_EQ(writer.arrays().size(), 1u);
    Outer in;
    Reader(writer.bytes(), writer.arrays())(in);
    EXPECT_EQ(in.array, out.array);
    EXPECT_THAT(message_of<MalformedMessage>([&] { Reader(writer.bytes())(in); }), Mentions(0, 0))
        << "array 0 is missing, none was received";
}

}  // namespace gridstride::wire::wire_test
