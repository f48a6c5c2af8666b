// Tests sampling as on a GPU; any device is made to report that it is one.
#include "lab/measured_run.h"

#include "gpu/device.h"
#include "lab/judge.h"
#include "lab/sampling.h"
#include "lesson/metrics.h"
#include "test_includes.h"

namespace gridstride::lab::measured_run_test {

// A lesson's baseline and a plan's host steps are plain functions without captures, so their state is global.
std::chrono::milliseconds baseline_takes{0}, pass_takes{0};
int baselines_run = 0;

Array slow_host_step(std::span<const Array* const>) {
    std::this_thread::sleep_for(pass_takes);
    return Array(ElementType::u8, 1);
}

double slow_baseline(const Input& input, const Values&, SumRanges) {
    std::this_thread::sleep_for(baseline_takes);
    if (find(input, "numbers")) ++baselines_run;
    return 1;
}

class MeasuredRunTest : public ::testing::Test {
 protected:
    MeasuredRunTest() {
        report_.device = device_.limits();
        report_.device.is_cpu = false;
    }
    /// Does what the runner does, for a lesson whose baseline takes this long and whose passes take at least
    /// this long.
    void take(
        const Sampling& sampling, std::chrono::milliseconds baseline,
        const std::function<void()>& on_progress = [] {}, std::chrono::milliseconds pass = {}) {
        baseline_takes = baseline;
        pass_takes = pass;
        baselines_run = 0;
        lesson_.baseline = &slow_baseline;
        PreparedExperiment prepared =
            prepare(lesson_, {lesson_.id, "grid_stride", values_, {}, std::nullopt}, device_.limits());
        prepared.plan.steps.emplace_back(HostStep{"wait", "waited", &slow_host_step, {}});
        report_.input = lesson_.input(values_);
        const std::vector<Expected> expected = prepared.task.reference(report_.input, prepared);
        Execution execution(kernels_, prepared.plan, report_.input,
                            std::make_shared<PlanMemory>(device_, prepared.plan));
        MeasuredRun run(execution, prepared, expected, control_, report_);
        run.run_judged_pass();
        run.take_samples(sampling, on_progress);
    }

    /// Retries a condition that holds for short work, because a loaded machine may make the work long.
    void expect_soon(const std::function<bool()>& is_so) {
        for (int i = 0; i < 50; ++i) {
            report_.timings = {};
            if (is_so()) return;
        }
        ADD_FAILURE() << "not once in 50 times";
    }

    using Alter = std::function<void(PreparedExperiment&, std::vector<Expected>&)>;
    /// Runs and judges one pass of tree_sequential over 64 numbers, after `alter` has changed its plan and
    /// references.
    Report judged(std::string_view barriers, const Alter& alter) {
        Values values(lesson_.parameters);
        values.set(key::elements.id, std::uint64_t{64});
        // With one invocation per workgroup no barrier is needed, so the result is correct without one too.
        values.set(key::workgroup_size.id, std::uint64_t{1});
        values.set(key::workgroup_count.id, std::uint64_t{8});
        values.set("barriers", parse(*find(lesson_.parameters, "barriers"), barriers));
        PreparedExperiment prepared =
            prepare(lesson_, {lesson_.id, "tree_sequential", values, {}, std::nullopt}, device_.limits());
        const Input input = lesson_.input(values);
        std::vector<Expected> expected = prepared.task.reference(input, prepared);
        alter(prepared, expected);
        Execution execution(kernels_, prepared.plan, input,
                            std::make_shared<PlanMemory>(device_, prepared.plan));
        Report report;
        MeasuredRun run(execution, prepared, expected, control_, report);
        run.run_judged_pass();
        return report;
    }

    gpu::Device device_;
    KernelCache kernels_{device_};
    Lesson lesson_ = *find_lesson("reduction");
    Values values_{lesson_.parameters};
    Control control_;
    Report report_;
};

TEST_F(MeasuredRunTest, DiscardsTheQuickFirstSamples) {
    std::vector<Timings> timings;
    take({.samples = 10, .quick_first_report = true}, std::chrono::milliseconds(0),
         [&] { timings.push_back(report_.timings); });
    ASSERT_FALSE(timings.empty());
    EXPECT_TRUE(timings.front().is_provisional);
    const std::size_t first = timings.front().kernel.samples.size();
    EXPECT_GE(first, 1u);
    EXPECT_LE(first, 3u) << "fewer if they take half a second";
    const Timings& t = report_.timings;
    EXPECT_FALSE(t.is_provisional);
    ASSERT_EQ(t.kernel.samples.size(), 10u);
    for (const Timing* timing : {&t.upload, &t.download, &t.wall, &t.kernel_in_wall, &t.host})
        EXPECT_EQ(timing->samples.size(), 10u) << "all phases are timed in the same runs";
    EXPECT_NE(t.wall.samples.front(), timings.front().wall.samples.front());
    EXPECT_LE(t.cpu.samples.size(), 10u);
    EXPECT_GE(report_.compare.judged_runs, 10u + first) << "discarded runs are judged too";
}

TEST_F(MeasuredRunTest, NothingIsProvisionalWithoutAQuickReport) {
    take({.samples = 5}, std::chrono::milliseconds(0), [] { FAIL() << "no first report was requested"; });
    EXPECT_FALSE(report_.timings.is_provisional);
    EXPECT_EQ(report_.timings.wall.samples.size(), 5u);
}

TEST_F(MeasuredRunTest, MarksNoisyTimesForAFixedSampleCount) {
    take({.samples = 40}, std::chrono::milliseconds(0));
    EXPECT_EQ(report_.timings.kernel.is_noisy, is_noisy(report_.timings.kernel));
}

TEST_F(MeasuredRunTest, BatchesShortKernelsUnlessUnbatchedIsSet) {
    values_.set(key::elements.id, std::uint64_t{1});
    expect_soon([&] {
        take({.samples = 5}, std::chrono::milliseconds(0));
        return report_.timings.kernel_repeats > 1;
    });
    EXPECT_FALSE(report_.timings.is_unbatched);
    report_.timings = {};
    take({.samples = 5, .is_unbatched = true}, std::chrono::milliseconds(0));
    EXPECT_EQ(report_.timings.kernel_repeats, 1u);
    EXPECT_EQ(report_.timings.kernel.samples.size(), 5u);
    EXPECT_TRUE(report_.timings.is_unbatched);
}

TEST_F(MeasuredRunTest, LimitsLongPassesAndBaselinesButNotKernelSamples) {
    take(
        {.samples = 30}, std::chrono::milliseconds(1100), [] {}, std::chrono::milliseconds(350));
    const Timings& t = report_.timings;
    EXPECT_EQ(t.kernel.samples.size(), 30u);
    EXPECT_EQ(t.wall.samples.size(), min_passes);
    EXPECT_EQ(t.upload.samples.size(), min_passes);
    EXPECT_EQ(t.cpu.samples.size(), 1u);
    EXPECT_EQ(baselines_run, 2) << "once on one thread and once on all";
    EXPECT_EQ(report_.compare.judged_runs, 1 + min_passes) << "every pass is judged";
}

TEST_F(MeasuredRunTest, DiscardsTheQuickFirstSamplesOnASoftwareDevice) {
    report_.device.is_cpu = true;
    std::vector<bool> provisional;
    take({.samples = 7, .quick_first_report = true}, std::chrono::milliseconds(400),
         [&] { provisional.push_back(report_.timings.is_provisional); });
    ASSERT_FALSE(provisional.empty());
    EXPECT_TRUE(provisional.front());
    EXPECT_FALSE(report_.timings.is_provisional);
    EXPECT_EQ(report_.timings.kernel.samples.size(), 7u);
    EXPECT_GE(report_.timings.wall.samples.size(), min_passes) << "all seven if they take less than a second";
    EXPECT_LE(baselines_run, 4) << "no more after a second";
}

TEST_F(MeasuredRunTest, SoftwareDeviceBatchesShortKernelsAndTimesLongOnesInPass) {
    report_.device.is_cpu = true;
    expect_soon([&] {
        take({.samples = 4}, std::chrono::milliseconds(0));
        return report_.timings.kernel.samples != report_.timings.kernel_in_wall.samples;
    });
    report_.timings = {};
    // One invocation takes far longer than the twenty milliseconds.
    values_.set(key::elements.id, std::uint64_t{1} << 25);
    values_.set(key::workgroup_size.id, std::uint64_t{1});
    values_.set(key::workgroup_count.id, std::uint64_t{1});
    take({.samples = 2}, std::chrono::milliseconds(0));
    EXPECT_EQ(report_.timings.kernel_repeats, 1u);
    EXPECT_EQ(report_.timings.kernel.samples, report_.timings.kernel_in_wall.samples);
}

TEST_F(MeasuredRunTest, NewerRequestEndsSampling) {
    take({.samples = 30, .quick_first_report = true}, std::chrono::milliseconds(0),
         [&] { control_.is_superseded = true; });
    EXPECT_TRUE(report_.is_cut_short);
    EXPECT_FALSE(report_.timings.kernel.samples.empty());
    EXPECT_LT(report_.timings.kernel.samples.size(), 30u);
    EXPECT_EQ(report_.status, Status::ok) << report_.message;
    control_.is_superseded = false;
    report_ = {};
    report_.device = device_.limits();
    take({.samples = 5}, std::chrono::milliseconds(0));
    EXPECT_FALSE(report_.is_cut_short);
}

TEST_F(MeasuredRunTest, ReportsTheTotalErrorOfRoundedOutputs) {
    values_.set(key::elements.id, std::uint64_t{1000});
    take({.samples = 1}, std::chrono::milliseconds(0));
    EXPECT_FALSE(metric(report_, "total_error")) << "whole numbers have no rounding error";

    values_.set("element_type", parse(*find(lesson_.parameters, "element_type"), "f32"));
    report_ = {};
    report_.device = device_.limits();
    take({.samples = 2}, std::chrono::milliseconds(0));
    const auto numbers = get(report_.input, "numbers").as<float>();
    const double exact = std::accumulate(numbers.begin(), numbers.end(), 0.0);
    const double total = get(report_.outputs, "total").number(0);
    EXPECT_NE(total, exact) << "a thousand random numbers do not add up to one of 24 bits";
    EXPECT_NEAR(metric(report_, "total_error").value_or(-1), std::abs(total - exact), 1e-9);
    EXPECT_EQ(std::ranges::count(report_.result, "total_error", &Fact::id), 1) << "only the last run's fact";
}

TEST_F(MeasuredRunTest, CorrectRunHasNoExpectedValues) {
    for (const char* barriers : {"all", "one_missing"}) {
        const Report report = judged(barriers, [](PreparedExperiment&, std::vector<Expected>&) {});
        EXPECT_EQ(report.status, Status::ok) << barriers << ": " << report.message;
        EXPECT_TRUE(report.expected.empty());
        EXPECT_TRUE(report.message.empty());
        EXPECT_EQ(report.correct_values("partial_sums"), find(report.outputs, "partial_sums"));
    }
}

TEST_F(MeasuredRunTest, WrongRunHasTheExpectedValues) {
    for (const char* barriers : {"all", "one_missing"}) {
        ArrayRef right;
        const Report report = judged(barriers, [&](PreparedExperiment&, std::vector<Expected>& expected) {
            Expected& sums = *std::ranges::find_if(
                expected, [](const Expected& one) { return one.output == "partial_sums"; });
            Array other = Array::of(sums.reference->as<std::uint32_t>());
            for (std::uint32_t& sum : other.as<std::uint32_t>())
                sum += 7;
            sums.reference = right = std::make_shared<const Array>(std::move(other));
        });
        const bool meant = std::string_view(barriers) == "one_missing";
        EXPECT_EQ(report.status, meant ? Status::wrong_on_purpose : Status::mismatch) << barriers;
        EXPECT_NE(report.message.find("1 of 1 runs differ"), std::string::npos) << report.message;
        ASSERT_EQ(report.expected.size(), 1u) << "the total is correct";
        EXPECT_EQ(report.expected.front().name, "partial_sums");
        EXPECT_EQ(report.expected.front().array, right);
        EXPECT_EQ(report.correct_values("partial_sums"), right.get());
        EXPECT_EQ(report.compare.wrong_runs, 1u);
        ASSERT_TRUE(report.compare.first_mismatch);
        EXPECT_EQ(report.compare.first_mismatch->reference, report.compare.first_mismatch->gpu + 7);
    }
}

TEST_F(MeasuredRunTest, OutOfBoundsWriteIsNeverWrongOnPurpose) {
    for (const char* barriers : {"all", "one_missing"}) {
        const Report report = judged(barriers, [](PreparedExperiment& prepared, std::vector<Expected>&) {
            // This last copy is too long: eight sums are 32 bytes, the numbers are 256. It ends in the guard,
            // which is at least as long.
            std::vector<BufferSpec>& buffers = prepared.plan.buffers;
            const auto sums = std::ranges::find_if(
                buffers, [](const BufferSpec& buffer) { return buffer.name == "partial_sums"; });
            ASSERT_NE(sums, buffers.end());
            ASSERT_LE(64 * sizeof(std::uint32_t), sums->bytes() + guard_bytes);
            prepared.plan.steps.emplace_back(
                Upload{static_cast<std::size_t>(sums - buffers.begin()), "numbers"});
        });
        EXPECT_EQ(report.compare.out_of_bounds_output, "partial_sums");
        EXPECT_EQ(report.status, Status::mismatch) << barriers;
        EXPECT_NE(report.message.find("outside the bounds of partial_sums"), std::string::npos)
            << report.message;
        EXPECT_TRUE(report.expected.empty()) << "the values themselves are correct";
    }
}

}  // namespace gridstride::lab::measured_run_test
