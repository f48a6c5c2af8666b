#include "sweep/tuned_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/sweep_case.h"
#include "mentions.h"

namespace gridstride::lab::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

ParameterText grid_sizes(const char* text) {
    return {&parameter("workgroup_count"), text};
}

/// Returns kernel times: 1000 ns at this workgroup size, and twice that at the others.
std::function<double(const Request&)> times_with_best_size(std::uint64_t size) {
    return [=](const Request& request) {
        return request.experiment.values[key::workgroup_size] == size ? 1000.0 : 2000.0;
    };
}

SweepTuning tune(TimedLab& lab, SweepSpec spec) {
    Sweep sweep = lab.start(std::move(spec));
    EXPECT_THAT(find_best_launches(sweep).best, IsEmpty()) << "an unfinished sweep has no best launch";
    lab.execute(sweep);
    return find_best_launches(sweep);
}

TEST(TunedTest, SizeClassesExtendAFactorOfRootTwoAroundAPowerOfTwo) {
    EXPECT_EQ(size_class(1), 1U);
    EXPECT_EQ(size_class(2), 2U);
    EXPECT_EQ(size_class(0), 1U);
    // 2^19.5 is 741 455.2, 2^20.5 is 1 482 910.4.
    EXPECT_EQ(size_class(741455), 524288U);
    EXPECT_EQ(size_class(741456), 1048576U);
    EXPECT_EQ(size_class(1000003), 1048576U);
    EXPECT_EQ(size_class(1482910), 1048576U);
    EXPECT_EQ(size_class(1482911), 2097152U);
}

TEST(TunedTest, HoldsTheBestLaunchAndItsGain) {
    TimedLab lab;
    lab.device.device_name = "A device";
    lab.device.driver_version = "A driver 1.0";
    lab.kernel_ns = times_with_best_size(256);
    const SweepTuning tuned = tune(lab, make_spec({elements("4000"), sizes("64,128,256")}));
    ASSERT_THAT(tuned.best, SizeIs(1));
    EXPECT_THAT(tuned.left_out, IsEmpty());
    const TunedLaunch& one = tuned.best.front();
    EXPECT_THAT(one.parameters, ElementsAre("workgroup_size"));
    EXPECT_EQ(describe_launch(one), "workgroup_size = 256");
    EXPECT_EQ(one.experiment.variant, "tree_sequential");
    EXPECT_EQ(one.experiment.values[key::elements], 4000U);
    EXPECT_EQ(one.device, "A device");
    EXPECT_EQ(one.driver, "A driver 1.0");
    EXPECT_EQ(one.ties, 0U);
    EXPECT_NEAR(one.kernel_ns.value, 1000, 1e-6);
    // The default workgroup size is 128.
    ASSERT_TRUE(one.default_over_best);
    EXPECT_NEAR(one.default_over_best->value, 2, 0.01);
    EXPECT_THAT(describe_tuned(one, one.experiment), test::Mentions(2, "long"));
}

TEST(TunedTest, AFixedParameterThatIsNotDefaultIsPartOfTheLaunch) {
    TimedLab lab;
    lab.kernel_ns = times_with_best_size(64);
    const SweepTuning tuned = tune(lab, make_spec({sizes("64,128"), grid_sizes("3")}));
    ASSERT_THAT(tuned.best, SizeIs(1));
    EXPECT_EQ(describe_launch(tuned.best.front()), "workgroup_size = 64, workgroup_count = 3");
    EXPECT_FALSE(tuned.best.front().default_over_best) << "the sweep did not measure the automatic grid";
}

TEST(TunedTest, EachVariantAndSizeClassHasItsOwnLaunch) {
    TimedLab lab;
    lab.kernel_ns = [](const Request& request) {
        const bool small = request.experiment.values[key::elements] == 1000;
        return times_with_best_size(small == (request.experiment.variant == "tree_sequential") ? 64 : 256)(
            request);
    };
    const SweepTuning tuned = tune(
        lab, make_spec({elements("1000,1000000"), sizes("64,256")}, {"tree_sequential", "tree_first_add"}));
    ASSERT_THAT(tuned.best, SizeIs(4));
    Experiment experiment = default_experiment(reduction());
    const auto size_for = [&](const char* variant, std::uint64_t count) {
        experiment.variant = variant;
        experiment.values.set("elements", count);
        const TunedLaunch* const found = find_tuned(tuned.best, experiment, lab.device);
        return found ? found->experiment.values[key::workgroup_size] : 0;
    };
    EXPECT_EQ(size_for("tree_sequential", 1000), 64U);
    EXPECT_EQ(size_for("tree_sequential", 1048576), 256U);
    EXPECT_EQ(size_for("tree_first_add", 1024), 256U);
    EXPECT_EQ(size_for("tree_first_add", 1000000), 64U);
    EXPECT_EQ(size_for("tree_first_add", 2000), 0U) << "2000 elements belong to another size class";
    EXPECT_EQ(size_for("single_pass", 1000), 0U);
    Limits other = lab.device;
    other.device_name = "Another device";
    EXPECT_EQ(find_tuned(tuned.best, experiment, other), nullptr);
}

TEST(TunedTest, TheLaterOfTwoEquivalentLaunchesStays) {
    TimedLab lab;
    lab.kernel_ns = [](const Request& request) {
        return times_with_best_size(request.experiment.values[key::elements] == 1000 ? 64 : 256)(request);
    };
    const SweepTuning tuned = tune(lab, make_spec({elements("1000,1024"), sizes("64,256")}));
    ASSERT_THAT(tuned.best, SizeIs(1));
    EXPECT_EQ(tuned.best.front().experiment.values[key::elements], 1024U);
    EXPECT_EQ(describe_launch(tuned.best.front()), "workgroup_size = 256");
}

TEST(TunedTest, NeverStoresAWrongLaunch) {
    TimedLab lab;
    lab.kernel_ns = times_with_best_size(64);
    lab.status = [](const Request& request) {
        return request.experiment.values[key::workgroup_size] == 64 ? Status::mismatch : Status::ok;
    };
    const SweepTuning tuned = tune(lab, make_spec({sizes("64,128,256")}));
    ASSERT_THAT(tuned.best, SizeIs(1));
    EXPECT_NE(describe_launch(tuned.best.front()), "workgroup_size = 64");
    // A launch without a barrier is never stored, even if it is fastest and its result happens to be right.
    lab.status = [](const Request&) { return Status::ok; };
    lab.kernel_ns = [](const Request& request) {
        return request.experiment.values.at("barriers") == Value(ChoiceIndex{1}) ? 500.0 : 1000.0;
    };
    EXPECT_THAT(tune(lab, make_spec({ParameterText{&parameter("barriers"), "one_missing,all"}})).best,
                IsEmpty())
        << "a single launch cannot be the best";
}

TEST(TunedTest, ASweepWithoutLaunchParametersStoresNothing) {
    TimedLab lab;
    const SweepTuning tuned = tune(lab, make_spec({elements("1000,100000")}));
    EXPECT_THAT(tuned.best, IsEmpty());
    EXPECT_THAT(tuned.left_out, IsEmpty());
}

TEST(TunedTest, TooFewSamplesAreReportedAndNotStored) {
    TimedLab lab;
    lab.kernel_ns = times_with_best_size(64);
    SweepSpec spec = make_spec({sizes("64,128")});
    spec.sampling.samples = 5;
    const SweepTuning tuned = tune(lab, spec);
    EXPECT_THAT(tuned.best, IsEmpty());
    EXPECT_THAT(tuned.left_out, ElementsAre(test::Mentions("tree_sequential", 5, 6)));
}

TEST(TunedTest, ANoisyBestLaunchIsReportedAndNotStored) {
    TimedLab lab;
    lab.kernel_ns = times_with_best_size(64);
    lab.noisy = true;
    const SweepTuning tuned = tune(lab, make_spec({sizes("64,128")}));
    EXPECT_THAT(tuned.best, IsEmpty());
    EXPECT_THAT(tuned.left_out, ElementsAre(test::Mentions("converged")));
}

TEST(TunedTest, ATieIsStoredAndReported) {
    TimedLab lab;
    lab.spread_ns = 100;
    const SweepTuning tuned = tune(lab, make_spec({sizes("64,128,256")}));
    ASSERT_THAT(tuned.best, SizeIs(1));
    const TunedLaunch& one = tuned.best.front();
    EXPECT_EQ(one.ties, 2U);
    EXPECT_THAT(describe_tuned(one, one.experiment), test::Mentions(2, "ties"));
}

TEST(TunedTest, DescribesOtherWorkOfTheSameSize) {
    TimedLab lab;
    const SweepTuning tuned = tune(lab, make_spec({sizes("64,256")}));
    ASSERT_THAT(tuned.best, SizeIs(1));
    Experiment experiment = default_experiment(reduction());
    experiment.variant = "tree_sequential";
    experiment.values.set("seed", std::uint64_t{77});
    EXPECT_THAT(describe_tuned(tuned.best.front(), experiment),
                testing::Not(HasSubstr(" with element_type")));
    experiment.values.set("element_type", ChoiceIndex{1});
    EXPECT_THAT(describe_tuned(tuned.best.front(), experiment), HasSubstr("with element_type = u32"));
    experiment.input.name = "mine.csv";
    EXPECT_THAT(describe_tuned(tuned.best.front(), experiment), test::Mentions("input"));
}

TEST(TunedTest, ANewDriverMakesItStale) {
    TimedLab lab;
    lab.device.driver_version = "1.0";
    const SweepTuning tuned = tune(lab, make_spec({sizes("64,256")}));
    ASSERT_THAT(tuned.best, SizeIs(1));
    EXPECT_FALSE(is_stale(tuned.best.front(), lab.device));
    lab.device.driver_version = "1.1";
    EXPECT_TRUE(is_stale(tuned.best.front(), lab.device));
    EXPECT_THAT(describe_staleness(tuned.best.front(), lab.device), test::Mentions("1.0", "1.1"));
    lab.device.driver_version = "1.1\x1b[31m";
    EXPECT_THAT(describe_staleness(tuned.best.front(), lab.device), testing::Not(HasSubstr("\x1b")))
        << "control characters of a driver's name do not reach the terminal";
}

}  // namespace
}  // namespace gridstride::lab::tests
