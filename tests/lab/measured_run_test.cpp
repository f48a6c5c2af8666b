// Sampling as on a GPU: on any device, which is told to be one.
#include "lab/measured_run.h"

#include <gtest/gtest.h>

#include <thread>

#include "gpu/device.h"
#include "lab/sampling.h"

namespace gridstride::lab {
namespace {

// A baseline is a plain function, and so is what the host does in a plan.
std::chrono::milliseconds baseline_takes{0}, pass_takes{0};
int baselines_run = 0;

Array slow_host_step(std::span<const Array* const>) {
    std::this_thread::sleep_for(pass_takes);
    return Array(ElementType::u8, 1);
}

double slow_baseline(const Input&, const Values&) {
    std::this_thread::sleep_for(baseline_takes);
    ++baselines_run;
    return 1;
}

class MeasuredRunTest : public ::testing::Test {
 protected:
    MeasuredRunTest() {
        report_.device = device_.limits();
        report_.device.is_cpu = false;
    }
    /// The runner's part, for a lesson whose baseline takes so long and whose passes take at least so long.
    void take(
        const Sampling& sampling, std::chrono::milliseconds baseline,
        const std::function<void()>& on_progress = [] {}, std::chrono::milliseconds pass = {}) {
        baseline_takes = baseline;
        pass_takes = pass;
        baselines_run = 0;
        lesson_.baselines = {{"slow", "slow", &slow_baseline}};
        const Input input = lesson_.input(values_);
        Plan plan = lesson_.plan(values_, "grid_stride", device_.limits());
        plan.steps.emplace_back(HostStep{"wait", "waited", &slow_host_step, {}});
        const std::vector<Expected> expected = lesson_.reference(input, values_, plan);
        Execution execution(device_, kernels_, plan, input);
        MeasuredRun run(execution, {lesson_, values_, input, expected}, control_, report_);
        run.judged_pass();
        run.take_samples(sampling, on_progress);
    }

    gpu::Device device_;
    KernelCache kernels_{device_};
    Lesson lesson_ = *find_lesson("reduction");
    Values values_{lesson_.parameters};
    Control control_;
    Report report_;
};

TEST_F(MeasuredRunTest, TheFirstSamplesOfASleepingClockDoNotStay) {
    std::vector<Timings> told;
    take({.samples = 10, .first_quickly = true}, std::chrono::milliseconds(0),
         [&] { told.push_back(report_.timings); });
    ASSERT_FALSE(told.empty());
    EXPECT_TRUE(told.front().provisional);
    EXPECT_EQ(told.front().kernel.samples.size(), 3u);
    const Timings& t = report_.timings;
    EXPECT_FALSE(t.provisional);
    ASSERT_EQ(t.kernel.samples.size(), 10u);
    for (const Timing* timing : {&t.upload, &t.download, &t.wall, &t.pass_kernel, &t.host})
        EXPECT_EQ(timing->samples.size(), 10u) << "of the same runs";
    EXPECT_NE(t.wall.samples.front(), told.front().wall.samples.front());
    EXPECT_LE(t.cpu.samples.size(), 10u);
    EXPECT_GE(report_.compare.judged_runs, 13u) << "those that were forgotten were judged";
}

TEST_F(MeasuredRunTest, WithoutHasteNothingIsProvisional) {
    take({.samples = 5}, std::chrono::milliseconds(0), [] { FAIL() << "nobody asked"; });
    EXPECT_FALSE(report_.timings.provisional);
    EXPECT_EQ(report_.timings.wall.samples.size(), 5u);
}

TEST_F(MeasuredRunTest, NoisyIsSaidWhereSamplesWereAskedForToo) {
    take({.samples = 40}, std::chrono::milliseconds(0));
    EXPECT_EQ(report_.timings.kernel.noisy, noisy(report_.timings.kernel));
}

TEST_F(MeasuredRunTest, ShortKernelsAreBatchedUnlessALaunchByItselfIsWanted) {
    values_.set(key::elements.id, std::uint64_t{1});
    take({.samples = 5}, std::chrono::milliseconds(0));
    EXPECT_GT(report_.timings.kernel_repeats, 1u);
    EXPECT_FALSE(report_.timings.unbatched);
    report_.timings = {};
    take({.samples = 5, .unbatched = true}, std::chrono::milliseconds(0));
    EXPECT_EQ(report_.timings.kernel_repeats, 1u);
    EXPECT_EQ(report_.timings.kernel.samples.size(), 5u);
    EXPECT_TRUE(report_.timings.unbatched);
}

TEST_F(MeasuredRunTest, LongPassesAreFewBaselinesFewerAndKernelSamplesAllThere) {
    take(
        {.samples = 30}, std::chrono::milliseconds(1100), [] {}, std::chrono::milliseconds(350));
    const Timings& t = report_.timings;
    EXPECT_EQ(t.kernel.samples.size(), 30u);
    EXPECT_EQ(t.wall.samples.size(), fewest_passes);
    EXPECT_EQ(t.upload.samples.size(), fewest_passes);
    EXPECT_EQ(t.cpu.samples.size(), 1u);
    EXPECT_EQ(baselines_run, 1);
    EXPECT_EQ(report_.compare.judged_runs, 1 + fewest_passes) << "every pass is judged";
}

TEST_F(MeasuredRunTest, TheFirstSamplesOfColdCachesDoNotStayEither) {
    report_.device.is_cpu = true;
    std::vector<bool> provisional;
    take({.samples = 7, .first_quickly = true}, std::chrono::milliseconds(400),
         [&] { provisional.push_back(report_.timings.provisional); });
    ASSERT_FALSE(provisional.empty());
    EXPECT_TRUE(provisional.front());
    EXPECT_FALSE(report_.timings.provisional);
    EXPECT_EQ(report_.timings.kernel.samples.size(), 7u);
    EXPECT_GE(report_.timings.wall.samples.size(), fewest_passes) << "all seven where they take no second";
    EXPECT_LE(baselines_run, 3) << "until they have taken a second";
}

TEST_F(MeasuredRunTest, ASoftwareDeviceRunsShortWorkOverAndOverAndTimesLongWorkInItsPlace) {
    report_.device.is_cpu = true;
    take({.samples = 4}, std::chrono::milliseconds(0));
    EXPECT_NE(report_.timings.kernel.samples, report_.timings.pass_kernel.samples);
    report_.timings = {};
    // One invocation: far beyond the twenty milliseconds.
    values_.set(key::elements.id, std::uint64_t{1} << 25);
    values_.set(key::workgroup_size.id, std::uint64_t{1});
    values_.set(key::workgroup_count.id, std::uint64_t{1});
    take({.samples = 2}, std::chrono::milliseconds(0));
    EXPECT_EQ(report_.timings.kernel_repeats, 1u);
    EXPECT_EQ(report_.timings.kernel.samples, report_.timings.pass_kernel.samples);
}

}  // namespace
}  // namespace gridstride::lab
