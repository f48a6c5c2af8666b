// Runs plans on a device in this process, without a client.
#pragma once

#include "gpu/device.h"
#include "lab/execution.h"
#include "lab/judge.h"
#include "lesson/lesson.h"
#include "test_includes.h"

namespace gridstride::lab {

class DeviceTest : public ::testing::Test {
 protected:
    using Settings = std::vector<std::pair<std::string_view, std::string>>;

    void TearDown() override { EXPECT_THAT(gpu::take_validation_messages(), IsEmpty()); }

    /// Uses the lesson's defaults except for these settings, which are given as a user types them.
    PreparedExperiment prepare_case(std::string_view id, const std::string& variant,
                                    const Settings& settings) {
        const Lesson& lesson = *find_lesson(id);
        Values values(lesson.parameters);
        for (const auto& [name, text] : settings)
            values.set(name, parse(*find(lesson.parameters, name), text));
        PreparedExperiment prepared =
            prepare(lesson, {lesson.id, variant, values, {}, std::nullopt}, device_.limits());
        require_valid(prepared);
        return prepared;
    }
    std::shared_ptr<PlanMemory> memory_of(const Plan& plan) {
        return std::make_shared<PlanMemory>(device_, plan);
    }
    Outputs run(const Plan& plan, const Input& input) {
        Execution execution(kernels_, plan, input, memory_of(plan));
        execution.run(control_);
        EXPECT_EQ(execution.find_overwritten_output(control_), "") << "something was written behind an array";
        return execution.outputs();
    }
    static void expect_right(const std::vector<Expected>& all, const Outputs& outputs) {
        for (const Expected& expected : all) {
            const OutputComparison comparison = judge(expected, outputs);
            EXPECT_TRUE(comparison.is_right)
                << expected.output << "[" << comparison.first_mismatch->index << "] is "
                << comparison.first_mismatch->gpu << ", not " << comparison.first_mismatch->reference;
        }
    }

    gpu::Device device_;
    KernelCache kernels_{device_};
    Control control_;
};

}  // namespace gridstride::lab
