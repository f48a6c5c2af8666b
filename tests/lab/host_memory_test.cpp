// Tests the copy paths between the host's arrays and the device: all must give the same results.

#include "lab/device_case.h"

namespace gridstride::lab::host_memory_test {

constexpr HostMemory all_memory[] = {HostMemory::pageable, HostMemory::pinned, HostMemory::mapped};

class HostMemoryTest : public DeviceTest {
 protected:
    /// Returns Gaussian's plan for so many numbers, with its arrays in these kinds of memory.
    PreparedExperiment densities(std::uint64_t elements, HostMemory up, HostMemory down) {
        PreparedExperiment prepared =
            prepare_case("gaussian", "per_element", {{"elements", std::to_string(elements)}});
        for (Step& step : prepared.plan.steps) {
            if (auto* upload = std::get_if<Upload>(&step)) upload->memory = up;
            if (auto* download = std::get_if<Download>(&step)) download->memory = down;
        }
        EXPECT_EQ(find_plan_error(prepared.plan), "");
        return prepared;
    }
    /// Checks that all outputs are correct and that nothing was written past their ends.
    void expect_right(Execution& execution, const PreparedExperiment& prepared, const Input& input) {
        DeviceTest::expect_right(prepared.task.reference(input, prepared), execution.outputs());
        EXPECT_EQ(execution.find_overwritten_output(control_), "");
    }
};

TEST_F(HostMemoryTest, AllMemoryKindsTransferTheSameData) {
    for (const std::uint64_t elements : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{100'003}})
        for (const HostMemory up : all_memory)
            for (const HostMemory down : all_memory) {
                SCOPED_TRACE(testing::Message() << elements << " numbers, up " << static_cast<int>(up)
                                                << ", down " << static_cast<int>(down));
                const PreparedExperiment prepared = densities(elements, up, down);
                const Input input = prepared.lesson->input(prepared.values());
                Execution execution(kernels_, prepared.plan, input, memory_of(prepared.plan));
                for (int pass = 0; pass < 2; ++pass) {
                    const PassTimes times = execution.run(control_);
                    expect_right(execution, prepared, input);
                    const auto copies = [&](Phase phase) {
                        return std::ranges::count(times.timeline, phase, &StepTime::phase);
                    };
                    EXPECT_EQ(copies(Phase::upload), up == HostMemory::mapped ? 0 : 1);
                    EXPECT_EQ(copies(Phase::download), down == HostMemory::mapped ? 0 : 1);
                }
            }
}

TEST_F(HostMemoryTest, PartialUploadsCoverTheBuffer) {
    constexpr std::uint64_t elements = 100'003, piece = 9'999;
    for (const HostMemory up : {HostMemory::pageable, HostMemory::pinned}) {
        PreparedExperiment prepared = densities(elements, up, HostMemory::pageable);
        std::vector<Step>& steps = prepared.plan.steps;
        const Upload whole = std::get<Upload>(steps.front());
        steps.erase(steps.begin());
        for (std::uint64_t first = 0; first < elements; first += piece) {
            Upload part = whole;
            part.first = first;
            part.elements = std::min(piece, elements - first);
            // The parts are copied from last to first; each has its own destination.
            steps.insert(steps.begin(), {part, SubmitEnd{}});
        }
        EXPECT_EQ(uploaded_bytes(prepared.plan), elements * sizeof(float));
        const Input input = prepared.lesson->input(prepared.values());
        Execution execution(kernels_, prepared.plan, input, memory_of(prepared.plan));
        const PassTimes times = execution.run(control_);
        expect_right(execution, prepared, input);
        EXPECT_EQ(std::ranges::count(times.timeline, Phase::upload, &StepTime::phase), 11);
    }
}

TEST_F(HostMemoryTest, DownloadsOnlyTheCountedElements) {
    constexpr std::uint64_t elements = 1000;
    for (const HostMemory down : {HostMemory::pageable, HostMemory::pinned})
        for (const std::uint32_t count : {0U, 1U, 77U, 1000U, 1001U}) {
            SCOPED_TRACE(testing::Message() << count << " of them, down " << static_cast<int>(down));
            PreparedExperiment prepared = densities(elements, HostMemory::pageable, down);
            Plan& plan = prepared.plan;
            const std::size_t counts = plan.buffers.size();
            plan.buffers.push_back({"count", ElementType::u32, {1}});
            Download counted = std::get<Download>(plan.steps.back());
            counted.count_array = "count";
            plan.steps.back() = counted;
            EXPECT_NE(find_plan_error(plan).find("counted by \"count\""), std::string::npos);
            plan.steps.insert(plan.steps.end() - 1, {Upload{counts, "count"}, Download{counts}});
            EXPECT_EQ(find_plan_error(plan), "");
            Input input = prepared.lesson->input(prepared.values());
            const std::vector<std::uint32_t> one_count = {count};
            input.push_back({"count", array_of(one_count)});
            Execution execution(kernels_, plan, input, memory_of(plan));
            const ArrayRef right = prepared.task.reference(input, prepared).front().reference;
            for (int pass = 0; pass < 2; ++pass) {
                execution.run(control_);
                const Outputs outputs = execution.outputs();
                const Array& found = *find(outputs, plan.buffers[counted.buffer].name);
                ASSERT_EQ(found.count(), elements);
                for (std::uint64_t i = 0; i < elements; ++i)
                    ASSERT_NEAR(found.number(i), i < count ? right->number(i) : 0, 1e-6) << i;
                EXPECT_EQ(execution.find_overwritten_output(control_), "");
            }
            const auto says = [&](const std::string&) { return std::optional<std::uint64_t>(count); };
            EXPECT_EQ(downloaded_bytes(plan, says), 4 + 4 * std::min<std::uint64_t>(count, elements));
            EXPECT_EQ(downloaded_bytes(plan), 4 + 4 * elements);
        }
}

TEST_F(HostMemoryTest, PollingUsesMoreProcessorTimeThanSleeping) {
    GRIDSTRIDE_ONCE();
    constexpr std::uint64_t elements = 3'000'001;
    double slept = 0, polled = 0, passes = 0;
    for (const WaitMode waiting : {WaitMode::sleep, WaitMode::poll}) {
        PreparedExperiment prepared = densities(elements, HostMemory::pinned, HostMemory::pinned);
        prepared.plan.waiting = waiting;
        const Input input = prepared.lesson->input(prepared.values());
        Execution execution(kernels_, prepared.plan, input, memory_of(prepared.plan));
        execution.run(control_);
        for (int pass = 0; pass < 5; ++pass) {
            const PassTimes times = execution.run(control_);
            (waiting == WaitMode::poll ? polled : slept) += times.waiting_ns;
            passes += times.wall_ns;
        }
        expect_right(execution, prepared, input);
    }
    EXPECT_GT(slept, 0);
    EXPECT_GT(polled, 2 * slept);
    EXPECT_LE(polled, passes);
}

TEST_F(HostMemoryTest, RepeatedKernelsRotateCopiesOfMappedBuffers) {
    const PreparedExperiment prepared = densities(50'000, HostMemory::mapped, HostMemory::mapped);
    const Input input = prepared.lesson->input(prepared.values());
    Execution execution(kernels_, prepared.plan, input, memory_of(prepared.plan));
    execution.run(control_);
    const bool goes_round = execution.rotate_buffers(control_);
    EXPECT_TRUE(!goes_round || execution.time_kernels(3, control_) > 0);
    execution.run(control_);
    expect_right(execution, prepared, input);
}

TEST_F(HostMemoryTest, MemoryMatchesOnlyPlansOfTheSameMemoryKind) {
    const PreparedExperiment pageable = densities(64, HostMemory::pageable, HostMemory::pageable);
    const auto memory = memory_of(pageable.plan);
    EXPECT_TRUE(memory->matches(device_, pageable.plan));
    for (const HostMemory other : {HostMemory::pinned, HostMemory::mapped}) {
        const PreparedExperiment up = densities(64, other, HostMemory::pageable),
                                 down = densities(64, HostMemory::pageable, other);
        EXPECT_FALSE(memory->matches(device_, up.plan));
        EXPECT_FALSE(memory->matches(device_, down.plan));
        EXPECT_TRUE(memory_of(up.plan)->matches(device_, up.plan));
    }
}

}  // namespace gridstride::lab::host_memory_test
