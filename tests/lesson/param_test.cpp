#include "lesson/param.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "lesson/common_parameters.h"

namespace gridstride {
namespace {

using ::testing::HasSubstr;

enum class Flavour { sweet, sour };
constexpr Key<Flavour> flavour{"flavour"};
constexpr Key<double> sigma{"sigma"};

std::vector<Parameter> declared() {
    std::vector<Parameter> parameters = common_parameters(1000, 64);
    parameters.push_back({.id = "flavour",
                          .label = "Flavour",
                          .fallback = ChoiceIndex{0},
                          .choices = {{"sweet", ""}, {"sour", ""}}});
    parameters.push_back({.id = "sigma",
                          .label = "Sigma",
                          .fallback = 1.0,
                          .minimum = 0,
                          .maximum = 100,
                          .minimum_excluded = true});
    return parameters;
}

const Parameter& parameter(const std::vector<Parameter>& all, std::string_view id) {
    return *find(all, id);
}

std::string complaint(const Parameter& parameter, std::string_view text) {
    try {
        parse(parameter, text);
    } catch (const Refusal& refused) {
        return refused.what();
    }
    return "accepted";
}

TEST(Param, ValuesStartAtTheirDefaultsAndAreReadByTypedKey) {
    const std::vector<Parameter> parameters = declared();
    const Values values(parameters);
    EXPECT_EQ(values[key::elements], 1000u);
    EXPECT_EQ(values[key::workgroup_size], 64u);
    EXPECT_EQ(values[key::workgroup_count], 0u);
    EXPECT_EQ(values[flavour], Flavour::sweet);
    EXPECT_DOUBLE_EQ(values[sigma], 1.0);
}

TEST(Param, WhatIsFormattedIsParsedBack) {
    for (const Parameter& p : declared())
        EXPECT_TRUE(parse(p, format(p, p.fallback)) == p.fallback) << p.id;
    const auto all = declared();
    EXPECT_EQ(format(parameter(all, "workgroup_count"), std::uint64_t{0}), "auto");
    EXPECT_TRUE(parse(parameter(all, "flavour"), "sour") == Value(ChoiceIndex{1}));
}

TEST(Param, UnreadableTextIsRefusedWithTheRange) {
    const auto all = declared();
    const std::string wrong = complaint(parameter(all, "workgroup_size"), "abc");
    EXPECT_THAT(wrong, HasSubstr("workgroup_size = abc"));
    EXPECT_THAT(wrong, HasSubstr("from 1 to"));
    for (const char* text : {"", " 3", "3 ", "-1", "1.5", "0x10", "1e3", "+4", "12a"})
        EXPECT_NE(complaint(parameter(all, "elements"), text), "accepted") << '"' << text << '"';
    for (const char* text : {"", "nan", "inf", "1,5", "two"})
        EXPECT_NE(complaint(parameter(all, "sigma"), text), "accepted") << '"' << text << '"';
    EXPECT_THAT(complaint(parameter(all, "flavour"), "bitter"), HasSubstr("sweet or sour"));
    EXPECT_NE(complaint(parameter(all, "elements"), "auto"), "accepted");
}

TEST(Param, RangesAreInclusiveAndNameTheLimit) {
    const auto all = declared();
    const Limits device;  // 1024 invocations, 65535 workgroups
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
    EXPECT_TRUE(refusal(parameter(all, "sigma"), 0.0, device)) << "its minimum is excluded";
    EXPECT_TRUE(refusal(parameter(all, "sigma"), std::numeric_limits<double>::quiet_NaN(), device));
    EXPECT_TRUE(refusal(parameter(all, "flavour"), ChoiceIndex{2}, device));
    EXPECT_TRUE(refusal(parameter(all, "sigma"), std::uint64_t{1}, device)) << "the wrong kind of value";
}

TEST(Param, ACountThatNoSixtyFourBitsHoldIsOutOfRangeAsTyped) {
    const auto all = declared();
    for (const char* text : {"99999999999999999999999", "-5"})
        EXPECT_THAT(complaint(parameter(all, "elements"), text),
                    HasSubstr(fmt::format("elements = {} is outside what is allowed. Give from 1 to", text)));
    EXPECT_THAT(complaint(parameter(all, "elements"), "1e6"), HasSubstr("plain digits"));
}

}  // namespace
}  // namespace gridstride
