#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "jobs/sweep_case.h"
#include "mentions.h"
#include "sweep/sweep_text.h"

namespace gridstride::lab::tests {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

const Advice& find_advice(const std::vector<Advice>& all, std::string_view id) {
    return *std::find_if(all.begin(), all.end(), [&](const Advice& one) { return one.id == id; });
}

/// Returns kernel times: `one_ns` at one workgroup size, `others_ns` at the others.
std::function<double(const Request&)> times_with_one_size(std::uint64_t one_size, double one_ns,
                                                          double others_ns) {
    return [=](const Request& request) {
        return request.experiment.values[key::workgroup_size] == one_size ? one_ns : others_ns;
    };
}

TEST(AdviceTest, HoldsIfTheBestCellFollowsIt) {
    TimedLab lab;
    lab.device.subgroup_size = 32;
    lab.kernel_ns = times_with_one_size(256, 900, 1000);
    Sweep sweep = lab.start(make_spec({sizes("48,64,256,1024")}));
    EXPECT_THAT(find_advice(evaluate_advice(sweep), "size_128_to_512").sentence, test::Mentions("cell"));
    lab.execute(sweep);
    const auto all = evaluate_advice(sweep);
    ASSERT_THAT(all, SizeIs(4));
    EXPECT_EQ(find_advice(all, "subgroup_multiple").holds, true);
    EXPECT_EQ(find_advice(all, "size_128_to_512").holds, true);
    EXPECT_THAT(find_advice(all, "size_128_to_512").sentence, test::Mentions(5, 256));
    EXPECT_EQ(find_advice(all, "groups_2_to_4_per_multiprocessor").holds, std::nullopt);
    EXPECT_THAT(find_advice(all, "groups_2_to_4_per_multiprocessor").sentence,
                test::Mentions("multiprocessors"));
    // 1024 elements are 22 workgroups of 48, and fewer of the larger sizes.
    EXPECT_EQ(find_advice(all, "groups_20_to_100").holds, false);
}

TEST(AdviceTest, ReportsItsCostIfItDoesNotHold) {
    TimedLab lab;
    lab.device.subgroup_size = 32;
    lab.kernel_ns = times_with_one_size(64, 1000, 1120);
    Sweep sweep = lab.start(make_spec({sizes("64,128,256")}));
    lab.execute(sweep);
    const auto all = evaluate_advice(sweep);
    const Advice& size = find_advice(all, "size_128_to_512");
    EXPECT_EQ(size.holds, false);
    EXPECT_THAT(size.sentence, test::Mentions(1.12));
    ASSERT_TRUE(size.max_slowdown);
    EXPECT_NEAR(size.max_slowdown->value, 1.12, 1e-9);
    EXPECT_LT(size.max_slowdown->low, 1.12);
    EXPECT_GT(size.max_slowdown->high, 1.12);
    EXPECT_EQ(find_advice(all, "subgroup_multiple").holds, std::nullopt);
    EXPECT_THAT(find_advice(all, "subgroup_multiple").sentence, test::Mentions("every"));
}

TEST(AdviceTest, ATieConfirmsItAndOneSampleDecidesNothing) {
    TimedLab lab;
    lab.spread_ns = 10;
    lab.kernel_ns = times_with_one_size(64, 1000, 1002);
    Sweep tied = lab.start(make_spec({sizes("64,128")}));
    lab.execute(tied);
    EXPECT_EQ(find_advice(evaluate_advice(tied), "size_128_to_512").holds, true);
    SweepSpec single = make_spec({sizes("64,128")});
    single.sampling.samples = 1;
    Sweep undecided = lab.start(single);
    lab.execute(undecided);
    EXPECT_EQ(find_advice(evaluate_advice(undecided), "size_128_to_512").holds, std::nullopt);
    EXPECT_EQ(undecided.best()->confidence, 0);
}

TEST(AdviceTest, EvaluatesEachWorkSizeSeparately) {
    TimedLab lab;
    // 64 is best for the small work and 128 for the large; pooled, the large work would decide alone.
    lab.kernel_ns = [](const Request& request) {
        const bool small = request.experiment.values[key::elements] == 1000;
        const bool narrow = request.experiment.values[key::workgroup_size] == 64;
        return (small ? 1e3 : 1e6) * (small == narrow ? 1 : 1.2);
    };
    Sweep sweep = lab.start(make_spec({elements("1000,1000000"), sizes("64,128")}));
    lab.execute(sweep);
    const auto all = evaluate_advice(sweep);
    const Advice& size = find_advice(all, "size_128_to_512");
    EXPECT_EQ(size.tested, 2u);
    EXPECT_EQ(size.confirmed, 1u);
    EXPECT_EQ(size.holds, false);
    EXPECT_THAT(size.sentence, HasSubstr("elements = 1000"));
}

TEST(AdviceTest, ComparesLaunchDependentReferencesIfBytesAreEqual) {
    // In another variant of this lesson, the workgroup size changes how many chains there are.
    const Lesson& lesson = *find_lesson("occupancy");
    const Parameter& size = *find(lesson.parameters, "workgroup_size");
    ASSERT_EQ(size.invalidates, Invalidates::reference);
    TimedLab lab;
    lab.kernel_ns = times_with_one_size(256, 900, 1000);
    const auto run = [&] {
        SweepSpec spec = make_sweep_spec(lesson, {"chase"}, {{&size, "64,256"}}, Limits());
        spec.sampling.samples = 10;
        Sweep sweep = lab.start(spec);
        lab.execute(sweep);
        return find_advice(evaluate_advice(sweep), "size_128_to_512").holds;
    };
    EXPECT_EQ(run(), true);
    lab.bytes_moved = [](const Request& request) { return request.experiment.values[key::workgroup_size]; };
    EXPECT_EQ(run(), std::nullopt);
}

}  // namespace
}  // namespace gridstride::lab::tests
