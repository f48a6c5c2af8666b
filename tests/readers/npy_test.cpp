#include "readers/npy.h"

#include "base/mutations.h"
#include "base/units.h"
#include "test_includes.h"

namespace gridstride::npy_test {

using namespace std::string_literals;

template <class T>
std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// A version 1.0 file with this header, which may be invalid.
std::string npy(const std::string& header, const std::string& data) {
    std::string out("\x93NUMPY\x01\x00", 8);
    out += static_cast<char>(header.size() & 0xFF);
    out += static_cast<char>(header.size() >> 8);
    return out + header + data;
}

std::string described(const std::string& descr, const std::string& shape,
                      const std::string& order = "False") {
    return fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}\n", descr, order, shape);
}

std::string npy_complaint(const std::string& bytes) {
    return message_of<FileError>([&] { parse_npy(bytes, "data.npy"); });
}

TEST(ParseNpy, ReadsAFileOfNumPy) {
    // NumPy 1.24 writes this file: numpy.save(file, numpy.array([1.5, -2], dtype="float32")).
    std::string file("\x93NUMPY\x01\x00\x76\x00", 10);
    file += "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
    file.append(127 - file.size(), ' ');
    file += '\n';
    file += std::string("\x00\x00\xC0\x3F\x00\x00\x00\xC0", 8);
    const Numbers read = parse_npy(file, "data.npy");
    ASSERT_EQ(read.array.type(), ElementType::f32);
    ASSERT_EQ(read.array.count(), 2u);
    EXPECT_EQ(read.array.number(0), 1.5);
    EXPECT_EQ(read.array.number(1), -2.0);
    EXPECT_EQ(read.width, 0u);
    EXPECT_EQ(read.stored_type, "f32");
    EXPECT_EQ(read.selection, counted(2, "number"));
}

template <class T>
void expect_round_trip(const std::vector<T>& values) {
    for (const std::size_t width : {std::size_t{0}, values.size() / 2, values.size()}) {
        const std::string file = format_npy(Array::of<T>(values), width);
        EXPECT_EQ((file.size() - values.size() * sizeof(T)) % 64, 0u);
        const Numbers back = parse_npy(file, "data.npy");
        ASSERT_EQ(back.array.type(), ElementTypeOf<T>::value);
        const auto numbers = back.array.template as<T>();
        EXPECT_TRUE(std::equal(values.begin(), values.end(), numbers.begin(), numbers.end()));
        EXPECT_EQ(back.width, width);
    }
}

TEST(FormatNpy, RoundTripsEveryType) {
    expect_round_trip<std::uint8_t>({0, 255});
    expect_round_trip<std::int8_t>({-128, 127});
    expect_round_trip<std::int16_t>({-32768, 32767});
    expect_round_trip<std::int32_t>({-2147483647 - 1, 2147483647});
    expect_round_trip<std::uint32_t>({0, 4294967295u});
    expect_round_trip<std::uint64_t>({0, std::uint64_t{1} << 63});
    expect_round_trip<float>({0.1f, -3e38f});
    expect_round_trip<double>({0.1, -1e308, 5e-324, 0});
    expect_round_trip<double>({});
}

// Halves are read as f32.
TEST(FormatNpy, WritesHalves) {
    const std::string file = format_npy(Array::of<Half>(std::array{Half(0.1), Half(-70000), Half(3)}), 0);
    EXPECT_THAT(file, HasSubstr("'descr': '<f2'"));
    const Numbers read = parse_npy(file, "data.npy");
    EXPECT_EQ(read.stored_type, "f16");
    EXPECT_THAT(read.array.as<float>(), ElementsAre(0.0999755859375F, -HUGE_VALF, 3.0F));
}

TEST(FormatNpy, WritesTheShapeLikeNumPy) {
    const Array six(ElementType::i32, 6);
    EXPECT_THAT(format_npy(six).substr(10, 60),
                HasSubstr("{'descr': '<i4', 'fortran_order': False, 'shape': (6,), }"));
    EXPECT_THAT(format_npy(six, 3).substr(10, 60), HasSubstr("'shape': (2, 3), }"));
    EXPECT_THAT(format_npy(six, 6).substr(10, 60), HasSubstr("'shape': (1, 6), }"));
    EXPECT_THROW(format_npy(six, 4), std::logic_error);
    EXPECT_THROW(format_npy(six, 7), std::logic_error);
}

TEST(FormatNpy, WritesI8AsI1) {
    const Array bytes = Array::of<std::int8_t>(std::vector<std::int8_t>{-1, 127});
    EXPECT_THAT(format_npy(bytes).substr(10, 60), HasSubstr("'descr': '|i1'"));
    EXPECT_EQ(parse_npy(format_npy(bytes), "data.npy").array.number(0), -1);
}

TEST(FormatNpy, JoinsSeveralArrays) {
    const auto floats = [](const std::vector<float>& numbers) { return share(Array::of<float>(numbers)); };
    const Numbers rows = parse_npy(format_npy(std::vector{floats({1, 2, 3}), floats({4, 5, 6})}), "data.npy");
    EXPECT_EQ(rows.width, 3u) << "equally long: rows";
    EXPECT_THAT(rows.array.as<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
    const Numbers line = parse_npy(
        format_npy(std::vector{floats({1, 2, 3, 4}), floats({5, 6}), floats({7, 8, 9})}), "data.npy");
    EXPECT_EQ(line.width, 0u) << "arrays of different lengths are concatenated";
    EXPECT_THAT(line.array.as<float>(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
    EXPECT_THROW(format_npy(std::vector{floats({1}), share(Array(ElementType::u32, 1))}), std::logic_error);
}

TEST(FormatNpy, RoundTripsAnyShapeIfAllAreAccepted) {
    const Array six = Array::of<float>(std::vector<float>{1, 2, 3, 4, 5, 6});
    const Array one = Array::of<float>(std::vector<float>{7});
    for (const auto& [shape, in_words] : std::vector<std::pair<std::vector<std::uint64_t>, const char*>>{
             {{6}, "(6,)"}, {{1, 6}, "(1, 6)"}, {{1, 3, 2}, "(1, 3, 2)"}, {{3, 1, 2, 1}, "(3, 1, 2, 1)"}}) {
        const std::string file = format_npy(six, shape);
        EXPECT_THAT(file.substr(10, 80), HasSubstr(std::string("'shape': ") + in_words + ", }"));
        const Numbers back = parse_npy(file, "data.npy", AcceptedShapes::all);
        EXPECT_THAT(back.array.as<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
        EXPECT_EQ(back.width, shape.size() > 1 ? shape.back() : 0);
    }
    const std::string single = format_npy(one, std::vector<std::uint64_t>{});
    EXPECT_THAT(single.substr(10, 80), HasSubstr("'shape': (), }"));
    EXPECT_EQ(parse_npy(single, "data.npy", AcceptedShapes::all).array.number(0), 7);
    EXPECT_THROW(format_npy(six, std::vector<std::uint64_t>{2, 2}), std::logic_error);
    EXPECT_THAT(message_of<FileError>([] {
                    parse_npy(npy(described("'|u1'", "(1, 2, 3)", "True"), "123456"), "data.npy",
                              AcceptedShapes::all);
                }),
                HasSubstr("Fortran"));
}

TEST(ParseNpy, ReadsTheRowWidth) {
    const auto width_of = [](const char* shape, const char* order = "False") {
        return parse_npy(npy(described("'|u1'", shape, order), std::string(6, '\1')), "data.npy").width;
    };
    EXPECT_EQ(width_of("(6,)"), 0u);
    EXPECT_EQ(width_of("(2, 3)"), 3u);
    EXPECT_EQ(width_of("(3, 2)"), 2u);
    EXPECT_EQ(width_of("(1, 6)"), 6u);
    EXPECT_EQ(width_of("(6, 1)"), 1u);
    EXPECT_EQ(width_of("(1, 6)", "True"), 6u) << "one line is the same in both orders";
    for (const char* shape : {"(0, 6)", "(6, 0)", "(0, 18446744073709551615)"})
        EXPECT_EQ(parse_npy(npy(described("'|u1'", shape), ""), "data.npy").width, 0u) << shape;
}

TEST(ParseNpy, ReadsLaterVersionsAndOtherSpellings) {
    const std::string header = R"({"shape": (2L, 1), "fortran_order": True, "descr": '|u1'})";
    std::string file("\x93NUMPY\x03\x00", 8);
    file += static_cast<char>(header.size());
    file += std::string(3, '\0');
    const Numbers numbers = parse_npy(file + header + "\x07\x09", "data.npy");
    EXPECT_EQ(numbers.array.type(), ElementType::u8);
    EXPECT_EQ(numbers.array.number(1), 9);
}

TEST(ParseNpy, AcceptsWideIntegersIfTheyAreExact) {
    const std::vector<std::int64_t> exact = {-3, std::int64_t{1} << 53,
                                             std::numeric_limits<std::int64_t>::min()};
    const Array array = parse_npy(npy(described("'<i8'", "(3,)"), bytes_of(exact)), "data.npy").array;
    EXPECT_EQ(array.type(), ElementType::f64);
    EXPECT_EQ(array.number(0), -3);
    EXPECT_EQ(array.number(1), 0x1p53);
    EXPECT_EQ(array.number(2), -0x1p63);
    for (const std::int64_t value : {(std::int64_t{1} << 53) + 1, std::numeric_limits<std::int64_t>::max()})
        for (const char* const type : {"'<i8'", "'<u8'"}) {
            const std::vector<std::int64_t> inexact = {0, value, value};
            EXPECT_THAT(npy_complaint(npy(described(type, "(3,)"), bytes_of(inexact))),
                        HasSubstrs("element 1 is " + std::to_string(value), "Scale"));
        }
    EXPECT_THAT(npy_complaint(npy(described("'<u8'", "(1,)"), bytes_of<std::uint64_t>({UINT64_MAX}))),
                HasSubstr("18446744073709551615"));
}

/// The rows hold an element's bytes, most significant first. The test reads each in both byte orders.
TEST(ParseNpy, ReadsEveryTypeInBothByteOrders) {
    struct Row {
        const char* type;
        const char* name;
        std::string bytes;
        double number;
        ElementType becomes;
    };
    const Row rows[] = {{"u1", "u8", "\xFE", 254, ElementType::u8},
                        {"i1", "i8", "\xFE", -2, ElementType::i8},
                        {"b1", "bool", "\x01", 1, ElementType::u8},
                        {"u2", "u16", "\xFF\xFE", 65534, ElementType::u32},
                        {"i2", "i16", "\xFF\xFE", -2, ElementType::i16},
                        {"u4", "u32", "\x80\x00\x00\x01"s, 2147483649.0, ElementType::u32},
                        {"i4", "i32", "\xFF\xFF\xFF\xFE", -2, ElementType::i32},
                        {"u8", "u64", "\x00\x00\x01\x00\x00\x00\x00\x01"s, 0x1p40 + 1, ElementType::u64},
                        {"i8", "i64", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE", -2, ElementType::f64},
                        {"f2", "f16", "\xC1\x00"s, -2.5, ElementType::f32},
                        {"f4", "f32", "\xC0\x20\x00\x00"s, -2.5, ElementType::f32},
                        {"f8", "f64", "\xC0\x04\x00\x00\x00\x00\x00\x00"s, -2.5, ElementType::f64}};
    for (const Row& row : rows)
        for (const bool is_big : {true, false}) {
            SCOPED_TRACE(fmt::format("{} {}", row.name, is_big ? "big" : "little"));
            std::string bytes = row.bytes;
            if (!is_big) std::ranges::reverse(bytes);
            const bool is_byte = bytes.size() == 1;
            const std::string type = fmt::format("'{}{}'", is_byte ? '|' : is_big ? '>' : '<', row.type);
            const Numbers read = parse_npy(npy(described(type, "(2,)"), bytes + bytes), "data.npy");
            EXPECT_EQ(read.array.type(), row.becomes);
            EXPECT_EQ(read.array.number(0), row.number);
            EXPECT_EQ(read.array.number(1), row.number);
            EXPECT_EQ(read.stored_type, (is_big && !is_byte ? "big-endian " : "") + std::string(row.name));
        }
}

TEST(ParseNpy, ReadsHalvesLikeIeee754) {
    const std::vector<std::uint16_t> halves = {0x0000, 0x8000, 0x0001, 0x03FF, 0x0400, 0x3C00,
                                               0x3555, 0x7BFF, 0x7C00, 0xFC00, 0x7E00};
    const Array array = parse_npy(npy(described("'<f2'", "(11,)"), bytes_of(halves)), "data.npy").array;
    const auto read = array.as<float>();
    // NumPy's results: numpy.array(halves, dtype="uint16").view("float16").astype("float32")
    EXPECT_THAT(read.first(10), ElementsAre(0.0F, -0.0F, 0x1p-24F, 0x1.ff8p-15F, 0x1p-14F, 1.0F, 0x1.554p-2F,
                                            65504.0F, HUGE_VALF, -HUGE_VALF));
    EXPECT_TRUE(std::signbit(read[1]));
    EXPECT_TRUE(std::isnan(read[10]));
}

/// The array is longer than one block of the conversion.
TEST(ParseNpy, ConvertsLongArrays) {
    std::vector<std::uint16_t> counts(200'001);
    for (std::size_t i = 0; i < counts.size(); ++i)
        counts[i] = static_cast<std::uint16_t>(i * 7);
    const Array array = parse_npy(npy(described("'<u2'", "(200001,)"), bytes_of(counts)), "data.npy").array;
    ASSERT_EQ(array.count(), counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i)
        ASSERT_EQ(array.number(i), counts[i]) << i;
}

TEST(ParseNpy, ErrorsNameTheFileAndTheReason) {
    const std::string two(2, '\0'), eight(8, '\0'), none;
    EXPECT_THAT(npy_complaint(""), HasSubstrs("\"data.npy\"", "not an .npy file"));
    EXPECT_THAT(npy_complaint("1,2,3\n"), HasSubstr("not an .npy file"));
    EXPECT_THAT(npy_complaint(std::string("\x93NUMPY\x09\x01", 8) + two), HasSubstr("version is 9.1"));
    EXPECT_THAT(npy_complaint(std::string("\x93NUMPY\x01\x00", 8)), Mentions("header"));
    EXPECT_THAT(npy_complaint(std::string("\x93NUMPY\x01\x00\xFF\xFF{", 11)), Mentions("header"));
    EXPECT_THAT(npy_complaint(std::string("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF{}", 14)), Mentions("header"));
    EXPECT_THAT(npy_complaint(npy(described("'|O'", "(1,)"), eight)), HasSubstr("objects"));
    EXPECT_THAT(npy_complaint(npy(described("[('x', '<f4')]", "(2,)"), eight)), HasSubstr("several fields"));
    EXPECT_THAT(npy_complaint(npy(described("'<c8'", "(1,)"), eight)), HasSubstrs("\"<c8\"", "array.real"));
    EXPECT_THAT(npy_complaint(npy(described("'<U2'", "(1,)"), eight)), Mentions("texts"));
    EXPECT_THAT(npy_complaint(npy(described("'<M8[s]'", "(1,)"), eight)), Mentions("Convert"));
    EXPECT_THAT(npy_complaint(npy(described("'<f16'", "(1,)"), eight + eight)), HasSubstr("\"<f16\""));
    EXPECT_THAT(npy_complaint(npy(described("''", "(1,)"), eight)), HasSubstr("\"\""));
    EXPECT_THAT(npy_complaint(npy(described("'<f4'", "()"), eight)), HasSubstr("0 dimensions"));
    EXPECT_THAT(npy_complaint(npy(described("'<f4'", "(1, 2, 1)"), eight)), HasSubstr("3 dimensions"));
    EXPECT_THAT(npy_complaint(npy(described("'<f4'", "(2, 2)", "True"), eight + eight)),
                HasSubstr("Fortran"));
    EXPECT_THAT(npy_complaint(npy(described("'<f4'", "(3,)"), eight)), HasSubstrs("(3,)", "8 bytes"));
    EXPECT_THAT(npy_complaint(npy(described("'<f4'", "(1,)"), eight)), HasSubstr("does not fit"));
    EXPECT_THAT(npy_complaint(npy(described("'<f4'", "(1,)"), two)), HasSubstr("does not fit"));
    EXPECT_THAT(npy_complaint(npy(described("'<f4'", "(4294967296, 4294967298)"), eight)),
                HasSubstr("does not fit"));
    EXPECT_THAT(npy_complaint(npy(described("'<f8'", "(2305843009213693953,)"), eight)),
                HasSubstr("does not fit"));
    EXPECT_THAT(npy_complaint(npy(described("'<f4'", "(99999999999999999999,)"), eight)),
                HasSubstr("damaged"));
    EXPECT_THAT(npy_complaint(npy(described("'<f4'", "(-2,)"), eight)), HasSubstrs("damaged", "-2,)"));
    EXPECT_THAT(npy_complaint(npy(described("'<f4'", "(2,)", "Maybe"), eight)),
                HasSubstrs("damaged", "Maybe"));
    EXPECT_THAT(npy_complaint(npy("{'descr': '<f4'}", none)), HasSubstr("damaged"));
    EXPECT_THAT(npy_complaint(npy("{'descr': '<f4", none)), HasSubstr("damaged"));
    EXPECT_THAT(npy_complaint(npy(described("'<f4'", "(2,)") + "x", eight)), HasSubstrs("damaged", "x"));
    EXPECT_THAT(npy_complaint(npy("{'shape': (2,), 'shape': (2,)}", eight)), HasSubstr("damaged"));
}

TEST(ParseNpy, SurvivesDamagedFiles) {
    const std::string originals[] = {
        format_npy(Array::of<float>(std::vector<float>{1, 2, 3, 4})),
        format_npy(Array::of<double>(std::vector<double>{1, 2, 3, 4}), 2),
        npy(described("'<i8'", "(2,)"), bytes_of<std::int64_t>({1, -1})),
        npy(described("'<i2'", "(2, 2)", "True"), std::string(8, '\1')),
        npy(described("'>u2'", "(4,)"), std::string(8, '\1')),
        npy(described("'<f2'", "(2, 2)"), std::string(8, '\1')),
    };
    std::mt19937 random(20240602);
    int read = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::string bytes = test::mutated(originals[random() % std::size(originals)], random);
        try {
            const Numbers read_back = parse_npy(bytes, "data.npy");
            ASSERT_LE(read_back.array.bytes(), 2 * bytes.size()) << "16-bit numbers become 32-bit";
            ASSERT_LE(read_back.width, read_back.array.count());
            ++read;
        } catch (const FileError& error) {
            ASSERT_TRUE(std::string_view(error.what()).starts_with("\"data.npy\": ")) << error.what();
        }
    }
    EXPECT_GT(read, 200);
    EXPECT_LT(read, 19'800);
}

TEST(ReadNumbers, ChoosesTheFormatByExtension) {
    const ScratchFolder folder;
    write_file(folder / "a.csv", "x\n1\n2\n");
    write_file(folder / "b.TXT", "3\n");
    write_file(folder / "c.npy", format_npy(Array::of<std::int16_t>(std::vector<std::int16_t>{4})));
    EXPECT_EQ(read_numbers(folder / "a.csv").array.count(), 2u);
    EXPECT_EQ(read_numbers(folder / "a.csv").width, 0u);
    EXPECT_EQ(read_numbers(folder / "b.TXT").array.number(0), 3);
    EXPECT_EQ(read_numbers(folder / "c.npy").array.type(), ElementType::i16);
}

TEST(ReadNumbers, RefusesOtherFiles) {
    const ScratchFolder folder;
    write_file(folder / "a.doc", "1\n");
    write_file(folder / "empty.npy", format_npy(Array(ElementType::f32, 0)));
    const auto complaint_about = [&](const std::string& name) {
        return message_of<FileError>([&] { read_numbers(folder / name); });
    };
    EXPECT_THAT(complaint_about("a.doc"), HasSubstrs("a.doc", ".npy"));
    EXPECT_THAT(complaint_about("empty.npy"), HasSubstr("no numbers"));
    EXPECT_THAT(complaint_about("missing.csv"), Mentions("missing.csv", "no such"));
}

}  // namespace gridstride::npy_test
