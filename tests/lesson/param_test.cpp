#include "lesson/param.h"

#include "lesson/common_parameters.h"
#include "test_includes.h"

namespace gridstride::param_test {

enum class Flavour { sweet, sour };
constexpr Key<Flavour> flavour{"flavour"};
constexpr Key<double> sigma{"sigma"};
enum class Leg { out, home };
constexpr Key<Sequence> route{"route"};

std::vector<Parameter> declared() {
    std::vector<Parameter> parameters = common_parameters(1000, 64);
    parameters.push_back({.id = "flavour",
                          .label = "Flavour",
                          .default_value = ChoiceIndex{0},
                          .choices = {{"sweet", ""}, {"sour", ""}}});
    parameters.push_back(
        {.id = "sigma", .label = "Sigma", .default_value = 1.0, .minimum = 0.5, .maximum = 100});
    parameters.push_back(sequence_parameter(route, "Route", "", std::vector{Leg::out, Leg::home}, 3,
                                            Invalidates::launch, {{"out", ""}, {"home", ""}}));
    return parameters;
}

const Parameter& parameter(const std::vector<Parameter>& all, std::string_view id) {
    return *find(all, id);
}

std::string complaint(const Parameter& parameter, std::string_view text) {
    return message_of<Refusal>([&] { parse(parameter, text); });
}

TEST(Param, ValuesHaveDefaultsAndAreReadByTypedKeys) {
    const std::vector<Parameter> parameters = declared();
    const Values values(parameters);
    EXPECT_EQ(values[key::elements], 1000u);
    EXPECT_EQ(values[key::workgroup_size], 64u);
    EXPECT_EQ(values[key::workgroup_count], 0u);
    EXPECT_EQ(values[flavour], Flavour::sweet);
    EXPECT_DOUBLE_EQ(values[sigma], 1.0);
}

TEST(Param, FormattedValuesParseBack) {
    for (const Parameter& p : declared())
        EXPECT_TRUE(parse(p, format(p, p.default_value)) == p.default_value) << p.id;
    const auto all = declared();
    EXPECT_EQ(format(parameter(all, "workgroup_count"), std::uint64_t{0}), "auto");
    EXPECT_TRUE(parse(parameter(all, "flavour"), "sour") == Value(ChoiceIndex{1}));
}

TEST(Param, RefusesInvalidTextWithTheRange) {
    const auto all = declared();
    const std::string wrong = complaint(parameter(all, "workgroup_size"), "abc");
    EXPECT_THAT(wrong, HasSubstr("workgroup_size = abc"));
    EXPECT_THAT(wrong, HasSubstr("from 1 to"));
    for (const char* text : {"", " 3", "3 ", "-1", "1.5", "0x10", "1e3", "+4", "12a"})
        EXPECT_NE(complaint(parameter(all, "elements"), text), not_thrown) << '"' << text << '"';
    for (const char* text : {"", "nan", "inf", "1,5", "two"})
        EXPECT_NE(complaint(parameter(all, "sigma"), text), not_thrown) << '"' << text << '"';
    EXPECT_THAT(complaint(parameter(all, "flavour"), "bitter"), HasSubstr("sweet or sour"));
    EXPECT_NE(complaint(parameter(all, "elements"), "auto"), not_thrown);
}

TEST(Param, RangesAreInclusiveAndNameTheLimit) {
    const auto all = declared();
    const Limits device;  // allows 1024 invocations, 65535 workgroups
    const Parameter& size = parameter(all, "workgroup_size");
    EXPECT_FALSE(refusal(size, std::uint64_t{1}, device));
    EXPECT_FALSE(refusal(size, std::uint64_t{1024}, device));
    EXPECT_TRUE(refusal(size, std::uint64_t{0}, device));
    const auto over = refusal(size, std::uint64_t{1025}, device);
    ASSERT_TRUE(over);
    EXPECT_THAT(*over, HasSubstr("1025"));
    EXPECT_THAT(*over, HasSubstr("maxComputeWorkGroupInvocations"));
    EXPECT_TRUE(refusal(parameter(all, "elements"), std::uint64_t{1'000'000'000'000}, device));
    EXPECT_TRUE(refusal(parameter(all, "workgroup_count"), std::uint64_t{65536}, device));
    EXPECT_FALSE(refusal(parameter(all, "workgroup_count"), std::uint64_t{0}, device))
        << "auto is always allowed";
    EXPECT_FALSE(refusal(parameter(all, "sigma"), 0.5, device));
    EXPECT_TRUE(refusal(parameter(all, "sigma"), 0.499, device));
    EXPECT_TRUE(refusal(parameter(all, "sigma"), std::numeric_limits<double>::quiet_NaN(), device));
    EXPECT_TRUE(refusal(parameter(all, "flavour"), ChoiceIndex{2}, device));
    EXPECT_TRUE(refusal(parameter(all, "sigma"), std::uint64_t{1}, device)) << "the wrong kind of value";
}

TEST(Param, ParsesAndLimitsSequencesOfChoices) {
    const auto all = declared();
    const Parameter& declared_route = parameter(all, "route");
    const Value there_and_back_and_there = Sequence{{0, 1, 0}};
    EXPECT_EQ(format(declared_route, there_and_back_and_there), "out+home+out");
    EXPECT_TRUE(parse(declared_route, "out+home+out") == there_and_back_and_there);
    EXPECT_TRUE(parse(declared_route, "out + home + out") == there_and_back_and_there)
        << "stories write spaces";
    EXPECT_TRUE(parse(declared_route, format(declared_route, Sequence{})) == Value(Sequence{}));
    EXPECT_THAT(Values(all)[route].choices, ElementsAre(0, 1));

    for (const char* text : {"", "out+", "+out", "out,home", "out+away", "Out"})
        EXPECT_THAT(complaint(declared_route, text), HasSubstr("up to 3 of out and home, such as out+home"))
            << '"' << text << '"';
    const Limits device;
    EXPECT_FALSE(refusal(declared_route, there_and_back_and_there, device));
    EXPECT_FALSE(refusal(declared_route, Sequence{}, device));
    const auto longer = refusal(declared_route, Sequence{{0, 0, 0, 0}}, device);
    ASSERT_TRUE(longer);
    EXPECT_THAT(*longer, HasSubstrs("out+out+out+out", "up to 3"));
    EXPECT_TRUE(refusal(declared_route, Sequence{{0, 2}}, device)) << "there is no such choice";
    EXPECT_TRUE(refusal(declared_route, ChoiceIndex{0}, device));
}

TEST(Param, ReportsCountsBeyond64BitsAsTyped) {
    const auto all = declared();
    for (const char* text : {"99999999999999999999999", "-5"})
        EXPECT_THAT(complaint(parameter(all, "elements"), text),
                    HasSubstr(fmt::format("elements = {} is out of range. Give from 1 to", text)));
    EXPECT_THAT(complaint(parameter(all, "elements"), "1e6"), HasSubstr("plain digits"));
    EXPECT_THAT(complaint(parameter(all, "elements"), ""), Mentions(1, "value"));
    EXPECT_THAT(complaint(parameter(all, "sigma"), "0,5"), Mentions("0,5", "0.5"));
}

/// Declares the parameters of a launch of two or three dimensions.
std::vector<Parameter> declared_extents(const Extent& workgroup) {
    std::vector<Parameter> domain{domain_parameter("columns", "Columns", 640, "The picture's width."),
                                  domain_parameter("rows", "Rows", 480, "Its height.")};
    if (workgroup.z > 0) domain.push_back(domain_parameter("layers", "Layers", 8, "Its depth."));
    return common_parameters(std::move(domain), workgroup);
}

TEST(ParamExtent, IsParsedAndFormattedWithAnX) {
    const auto flat = declared_extents({16, 16}), deep = declared_extents({8, 8, 4});
    EXPECT_EQ(Values(flat)[key::workgroup], (Extent{16, 16}));
    EXPECT_EQ(Values(deep)[key::workgroup], (Extent{8, 8, 4}));
    EXPECT_TRUE(parse(parameter(flat, "workgroup"), "32x4") == Value(Extent{32, 4}));
    EXPECT_TRUE(parse(parameter(deep, "workgroup"), "8x4x2") == Value(Extent{8, 4, 2}));
    EXPECT_EQ(format(parameter(flat, "workgroup"), Extent{32, 4}), "32x4");
    EXPECT_EQ(format(parameter(flat, "workgroup"), Extent{32, 1}), "32x1") << "a single row is still written";
    EXPECT_EQ(format(parameter(deep, "grid"), Extent{1, 2, 3}), "1x2x3");
    for (const auto* const all : {&flat, &deep})
        for (const Parameter& p : *all)
            EXPECT_TRUE(parse(p, format(p, p.default_value)) == p.default_value) << p.id;
}

TEST(ParamExtent, OnlyAGridAcceptsAuto) {
    for (const Extent& workgroup : {Extent{16, 16}, Extent{8, 8, 4}}) {
        const auto all = declared_extents(workgroup);
        const Parameter& grid = parameter(all, "grid");
        const Value read = parse(grid, "auto");
        EXPECT_TRUE(read == grid.default_value);
        EXPECT_EQ(std::get<Extent>(read).x, 0u);
        EXPECT_EQ(std::get<Extent>(read).dimensions(), workgroup.dimensions());
        EXPECT_EQ(format(grid, read), "auto");
        EXPECT_FALSE(refusal(grid, read, Limits{}));
        EXPECT_THAT(complaint(grid, "many"), HasSubstr("or auto"));
        EXPECT_THAT(complaint(parameter(all, "workgroup"), "auto"), HasSubstr("workgroup = auto"));
        EXPECT_TRUE(refusal(parameter(all, "workgroup"), Extent{0, 1, workgroup.z > 0 ? 1u : 0u}, Limits{}));
    }
}

TEST(ParamExtent, RefusesOtherDimensionsWithAnExample) {
    const auto flat = declared_extents({16, 16}), deep = declared_extents({8, 8, 4});
    for (const char* text : {"16", "8x8x4", "8x8x4x2"})
        EXPECT_THAT(complaint(parameter(flat, "workgroup"), text),
                    HasSubstrs(fmt::format("workgroup = {} is", text), "two numbers", "16x16"));
    for (const char* text : {"16", "16x16"})
        EXPECT_THAT(complaint(parameter(deep, "workgroup"), text), HasSubstrs("three numbers", "8x8x4"));
    // A sweep, a script or another lesson can pass such a value, though nobody can type it.
    EXPECT_TRUE(refusal(parameter(flat, "workgroup"), Extent{16}, Limits{}));
    EXPECT_TRUE(refusal(parameter(flat, "workgroup"), Extent{8, 8, 4}, Limits{}));
    EXPECT_TRUE(refusal(parameter(deep, "workgroup"), Extent{16, 16}, Limits{}));
    EXPECT_TRUE(refusal(parameter(flat, "workgroup"), std::uint64_t{256}, Limits{})) << "a count";
    EXPECT_TRUE(refusal(parameter(flat, "rows"), Extent{16, 16}, Limits{})) << "an extent for a count";
}

TEST(ParamExtent, RefusesZeroAndNonDigits) {
    const auto all = declared_extents({16, 16});
    for (const char* text :
         {"0x16", "16x0", "0x0", "", "x", "16x", "x16", "16xx16", "16x16x", "-16x16", "16x-1", "16 x 16",
          " 16x16", "16x16 ", "16X16", "16*16", "1.5x2", "4294967296x1"}) {
        EXPECT_NE(complaint(parameter(all, "workgroup"), text), not_thrown) << '"' << text << '"';
        EXPECT_NE(complaint(parameter(all, "grid"), text), not_thrown) << '"' << text << '"';
    }
}

TEST(ParamExtent, LimitsTheProductOfItsNumbers) {
    const Limits device;  // allows 1024 invocations
    const auto flat = declared_extents({16, 16}), deep = declared_extents({8, 8, 4});
    const Parameter& workgroup = parameter(flat, "workgroup");
    EXPECT_FALSE(refusal(workgroup, Extent{1, 1}, device));
    EXPECT_FALSE(refusal(workgroup, Extent{32, 32}, device));
    EXPECT_FALSE(refusal(workgroup, Extent{1, 1024}, device));
    const auto over = refusal(workgroup, Extent{64, 32}, device);
    ASSERT_TRUE(over);
    EXPECT_THAT(*over, HasSubstrs("workgroup = 64x32", "from 1 to 1024 invocations",
                                  "maxComputeWorkGroupInvocations"));
    EXPECT_FALSE(refusal(parameter(deep, "workgroup"), Extent{16, 16, 4}, device));
    EXPECT_TRUE(refusal(parameter(deep, "workgroup"), Extent{16, 16, 5}, device));
    // A product beyond 64 bits must not wrap to a small number: 2^66 would become 0.
    const std::uint64_t large = std::uint64_t{1} << 22;
    EXPECT_TRUE(refusal(parameter(deep, "workgroup"), Extent{large, large, large}, device));
    EXPECT_FALSE(refusal(parameter(flat, "grid"), Extent{32768, 32768}, device));
    EXPECT_TRUE(refusal(parameter(flat, "grid"), Extent{32769, 32768}, device)) << "over 2^30 workgroups";
}

}  // namespace gridstride::param_test
