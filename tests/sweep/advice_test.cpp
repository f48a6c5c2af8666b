#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "jobs/sweep_case.h"
#include "mentions.h"
#include "sweep/sweep_words.h"

namespace gridstride::lab::tests {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

const Advice& advice(const std::vector<Advice>& all, std::string_view id) {
    return *std::find_if(all.begin(), all.end(), [&](const Advice& one) { return one.id == id; });
}

/// A kernel that takes so long at one size of its workgroups, and so long at the others.
std::function<double(const Request&)> one_size_takes(std::uint64_t at, double its_ns, double others_ns) {
    return [=](const Request& request) {
        return request.experiment.values[key::workgroup_size] == at ? its_ns : others_ns;
    };
}

TEST(AdviceTest, HoldsWhereTheBestCellFollowsIt) {
    ClockedLab lab;
    lab.device.subgroup_size = 32;
    lab.kernel_ns = one_size_takes(256, 900, 1000);
    Sweep sweep = lab.start(spec_of({sizes("48,64,256,1024")}));
    EXPECT_THAT(advice(evaluate_advice(sweep), "size_128_to_512").sentence, test::Mentions("cell"));
    lab.drive(sweep);
    const auto all = evaluate_advice(sweep);
    ASSERT_THAT(all, SizeIs(4));
    EXPECT_EQ(advice(all, "subgroup_multiple").holds, true);
    EXPECT_EQ(advice(all, "size_128_to_512").holds, true);
    EXPECT_THAT(advice(all, "size_128_to_512").sentence, test::Mentions(5, 256));
    EXPECT_EQ(advice(all, "groups_2_to_4_per_multiprocessor").holds, std::nullopt);
    EXPECT_THAT(advice(all, "groups_2_to_4_per_multiprocessor").sentence, test::Mentions("multiprocessors"));
    // 1024 elements in groups of 48 are 22 workgroups, the others fewer.
    EXPECT_EQ(advice(all, "groups_20_to_100").holds, false);
}

TEST(AdviceTest, SaysHowMuchItCostsWhereItDidNotHold) {
    ClockedLab lab;
    lab.device.subgroup_size = 32;
    lab.kernel_ns = one_size_takes(64, 1000, 1120);
    Sweep sweep = lab.start(spec_of({sizes("64,128,256")}));
    lab.drive(sweep);
    const auto all = evaluate_advice(sweep);
    const Advice& size = advice(all, "size_128_to_512");
    EXPECT_EQ(size.holds, false);
    EXPECT_THAT(size.sentence, HasSubstr("12\u00A0% slower"));
    ASSERT_TRUE(size.worst);
    EXPECT_NEAR(size.worst->value, 1.12, 1e-9);
    EXPECT_LT(size.worst->low, 1.12);
    EXPECT_GT(size.worst->high, 1.12);
    EXPECT_EQ(advice(all, "subgroup_multiple").holds, std::nullopt);
    EXPECT_THAT(advice(all, "subgroup_multiple").sentence, test::Mentions("every"));
}

TEST(AdviceTest, ATieIsNoRefutationAndOneSampleNoProof) {
    ClockedLab lab;
    lab.spread = 10;
    lab.kernel_ns = one_size_takes(64, 1000, 1002);
    Sweep tied = lab.start(spec_of({sizes("64,128")}));
    lab.drive(tied);
    EXPECT_EQ(advice(evaluate_advice(tied), "size_128_to_512").holds, true);
    SweepSpec single = spec_of({sizes("64,128")});
    single.sampling.samples = 1;
    Sweep unsure = lab.start(single);
    lab.drive(unsure);
    EXPECT_EQ(advice(evaluate_advice(unsure), "size_128_to_512").holds, std::nullopt);
    EXPECT_EQ(unsure.best()->confidence, 0);
}

TEST(AdviceTest, JudgesEachSizeOfTheWorkByItself) {
    ClockedLab lab;
    // 64 is best for the small work, 128 for the large: pooled, the large work's best would speak for all.
    lab.kernel_ns = [](const Request& request) {
        const bool small = request.experiment.values[key::elements] == 1000;
        const bool narrow = request.experiment.values[key::workgroup_size] == 64;
        return (small ? 1e3 : 1e6) * (small == narrow ? 1 : 1.2);
    };
    Sweep sweep = lab.start(spec_of({elements("1000,1000000"), sizes("64,128")}));
    lab.drive(sweep);
    const auto all = evaluate_advice(sweep);
    const Advice& size = advice(all, "size_128_to_512");
    EXPECT_EQ(size.tested, 2u);
    EXPECT_EQ(size.confirmed, 1u);
    EXPECT_EQ(size.holds, false);
    EXPECT_THAT(size.sentence, HasSubstr("elements = 1000"));
}

}  // namespace
}  // namespace gridstride::lab::tests
