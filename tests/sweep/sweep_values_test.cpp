#include "sweep/sweep_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/message_of.h"
#include "jobs/sweep_case.h"
#include "mentions.h"

namespace gridstride::lab::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<std::uint64_t> get_counts(const std::vector<Value>& values) {
    std::vector<std::uint64_t> all;
    all.reserve(values.size());
    for (const Value& value : values)
        all.push_back(std::get<std::uint64_t>(value));
    return all;
}
std::vector<double> parse_reals(std::string_view text) {
    const Lesson& gaussian = *find_lesson("gaussian");
    std::vector<double> all;
    for (const Value& value : parse_values(*find(gaussian.parameters, "mean"), text))
        all.push_back(std::get<double>(value));
    return all;
}
std::string parse_error(std::string_view id, std::string_view text) {
    return test::message_of<Refusal>([&] { parse_values(parameter(id), text); });
}

TEST(SweepValues, AcceptListsAndRanges) {
    EXPECT_THAT(get_counts(parse_values(parameter("workgroup_size"), "32,64,96")), ElementsAre(32, 64, 96));
    for (const char* text : {"1000:1000000:×10", "1000:1000000:x10", "1000:1000000:*10"})
        EXPECT_THAT(get_counts(parse_values(parameter("elements"), text)),
                    ElementsAre(1000, 10000, 100000, 1000000));
    EXPECT_THAT(get_counts(parse_values(parameter("elements"), "0:100:25")), ElementsAre(0, 25, 50, 75, 100));
    EXPECT_THAT(get_counts(parse_values(parameter("elements"), "1:100:40")), ElementsAre(1, 41, 81))
        << "the range stops before its end";
    EXPECT_THAT(get_counts(parse_values(parameter("elements"), "7,1:4:x2,4")), ElementsAre(7, 1, 2, 4))
        << "equal values occur once";
    EXPECT_THAT(get_counts(parse_values(parameter("elements"), "1:5:x1.5")), ElementsAre(1, 2, 3))
        << "values are rounded";
    EXPECT_THAT(get_counts(parse_values(parameter("workgroup_count"), "auto,64")), ElementsAre(0, 64));
    EXPECT_THAT(parse_values(parameter("element_type"), "u32,f32"),
                ElementsAre(Value(ChoiceIndex{0}), Value(ChoiceIndex{1})));
    EXPECT_THAT(parse_reals("-1:1:0.5"), ElementsAre(-1, -0.5, 0, 0.5, 1));
    EXPECT_THAT(parse_reals("0:0.5:0.1"), ElementsAre(0, 0.1, 0.2, 0.3, 0.4, 0.5))
        << "sums have no rounding errors";
    EXPECT_THAT(get_counts(parse_values(parameter("elements"), "1:1073741824:x2")), SizeIs(31));
}

TEST(SweepValues, RefusalsNameTheTextAndTheCorrectForm) {
    EXPECT_THAT(parse_error("elements", "1,x"), HasSubstr("elements = x is not a whole number"));
    EXPECT_THAT(parse_error("elements", "1,,2"), test::Mentions(1, 2));
    EXPECT_THAT(parse_error("elements", ""), test::Mentions("missing"));
    EXPECT_THAT(parse_error("elements", "1:10"), HasSubstr("first:last:step"));
    EXPECT_THAT(parse_error("elements", "1:10:2:3"), HasSubstr("first:last:step"));
    EXPECT_THAT(parse_error("elements", "10:1:1"), HasSubstr("goes down"));
    EXPECT_THAT(parse_error("elements", "1:10:0"), HasSubstr("above 0"));
    EXPECT_THAT(parse_error("elements", "1:10:-1"), HasSubstr("above 0"));
    EXPECT_THAT(parse_error("elements", "1:10:x1"), HasSubstr("above 1"));
    EXPECT_THAT(parse_error("elements", "1:10:xnan"), HasSubstr("above 1"));
    EXPECT_THAT(parse_error("elements", "0:10:x2"), HasSubstr("start above 0"));
    EXPECT_THAT(parse_error("elements", "1:10:1.5"), HasSubstr("whole number"));
    EXPECT_THAT(parse_error("elements", "1:1000000:1"), test::Mentions(1000000, 4096));
    EXPECT_THAT(parse_error("workgroup_count", "auto:64:2"), test::Mentions("auto"));
    EXPECT_THAT(parse_error("element_type", "u32:f32:1"), HasSubstr("u32 or f32"));
    EXPECT_THAT(parse_error("element_type", "u32,f64"), HasSubstr("element_type = f64"));
}

TEST(SweepValues, LimitTheAxesAndTheCells) {
    const SweepSpec two = make_spec({elements("1,2"), sizes("32,64"), {&parameter("seed"), "7"}});
    ASSERT_THAT(two.axes, SizeIs(2));
    EXPECT_EQ(two.axes[1].parameter, "workgroup_size");
    EXPECT_EQ(two.base.values[key::seed], 7u) << "a parameter with one value is not an axis";

    const std::string three = test::message_of<Refusal>([] {
        make_spec({elements("1,2"), sizes("32,64"), {&parameter("seed"), "1,2"}});
    });
    EXPECT_THAT(three, HasSubstr("elements, workgroup_size, seed"));
    EXPECT_NO_THROW(make_spec({elements("1:64:1"), sizes("1:64:1")}));
    EXPECT_THAT(test::message_of<Refusal>([] {
                    make_spec({elements("1:64:1"), sizes("1:65:1")});
                }),
                HasSubstr("4160 cells"));
    EXPECT_THAT(test::message_of<Refusal>([] {
                    make_spec({elements("1,x"), sizes("1:2")});
                }),
                testing::AllOf(HasSubstr("elements = x"), HasSubstr("workgroup_size = 1:2")))
        << "the message lists all mistakes";
}

TEST(SweepValues, SamplesAreACountOrAuto) {
    EXPECT_EQ(parse_sampling("auto").samples, 0u);
    EXPECT_EQ(parse_sampling("10").samples, 10u);
    for (const char* text : {"0", "-1", "x", "100001", "1.5", ""})
        EXPECT_THROW(parse_sampling(text), Refusal) << text;
}

}  // namespace
}  // namespace gridstride::lab::tests
