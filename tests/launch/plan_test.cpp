// Tests the errors that a lesson's author gets for a plan that cannot be executed.
#include "launch/plan.h"

#include "test_includes.h"

namespace gridstride::plan_test {

Plan sound() {
    Dispatch dispatch;
    dispatch.label = "add";
    dispatch.bindings = {{0, Access::read}, {1, Access::write}};
    Plan plan;
    plan.buffers = {{"numbers", ElementType::f32, {4}}, {"sums", ElementType::f32, {4}, true}};
    plan.steps.emplace_back(Upload{0, "numbers"});
    plan.steps.emplace_back(dispatch);
    plan.steps.emplace_back(Download{1});
    return plan;
}

TEST(PlanError, IsEmptyForAValidPlan) {
    EXPECT_THAT(find_plan_error(sound()), IsEmpty());
}

TEST(PlanBytes, CountPartialUploads) {
    Plan plan = sound();
    EXPECT_EQ(uploaded_bytes(plan), 16u);
    std::get<Upload>(plan.steps.front()).elements = 3;
    EXPECT_EQ(uploaded_bytes(plan), 12u);
    EXPECT_EQ(downloaded_bytes(plan), 16u);
}

TEST(PlanBytes, DoNotCountMappedMemory) {
    Plan plan = sound();
    std::get<Upload>(plan.steps.front()).memory = HostMemory::mapped;
    std::get<Download>(plan.steps.back()).memory = HostMemory::pinned;
    EXPECT_EQ(uploaded_bytes(plan), 0u);
    EXPECT_EQ(downloaded_bytes(plan), 16u);
}

TEST(PlanError, ReportsACountArrayThatDoesNotExistYet) {
    Plan plan = sound();
    std::get<Download>(plan.steps.back()).count_array = "count";
    EXPECT_THAT(find_plan_error(plan), Mentions("count", "counted"));
    plan.steps.insert(plan.steps.end() - 1, HostStep{"count", "count", nullptr, {"numbers"}});
    EXPECT_THAT(find_plan_error(plan), IsEmpty());
}

TEST(PlanError, ReportsStepsThatReadPinnedOrMappedArrays) {
    for (const HostMemory memory : {HostMemory::pinned, HostMemory::mapped}) {
        Plan plan = sound();
        std::get<Upload>(plan.steps.front()).memory = memory;
        std::get<Download>(plan.steps.back()).memory = memory;
        EXPECT_THAT(find_plan_error(plan), IsEmpty());
        plan.steps.emplace_back(Upload{0, "sums"});
        EXPECT_THAT(find_plan_error(plan), Mentions("sums", "downloaded"));
        plan.steps.back() = HostStep{"add", "total", nullptr, {"numbers", "sums"}};
        EXPECT_THAT(find_plan_error(plan), Mentions("sums", "downloaded"));
        std::get<Download>(plan.steps[2]).memory = HostMemory::pageable;
        EXPECT_THAT(find_plan_error(plan), IsEmpty());
        plan.steps.emplace_back(Upload{.input = "total", .memory = memory});
        EXPECT_THAT(find_plan_error(plan), Mentions("total", "uploaded"));
    }
}

TEST(PlanError, ReportsUnknownBuffersWithTheirStep) {
    Plan plan = sound();
    std::get<Dispatch>(plan.steps[1]).bindings[1].buffer = 7;
    EXPECT_THAT(find_plan_error(plan), Mentions("add", 7, 2));
    plan = sound();
    std::get<Upload>(plan.steps[0]).buffer = 2;
    EXPECT_THAT(find_plan_error(plan), Mentions("numbers", 2));
    plan = sound();
    plan.steps.emplace_back(Download{2});
    EXPECT_THAT(find_plan_error(plan), HasSubstr("a download names buffer 2"));
    plan = sound();
    plan.steps.emplace_back(Fill{2, 0});
    EXPECT_THAT(find_plan_error(plan), HasSubstr("a fill names buffer 2"));
}

TEST(PlanError, ReportsEmptyLaunches) {
    for (Extent Dispatch::*part : {&Dispatch::workgroup, &Dispatch::grid, &Dispatch::tile}) {
        Plan plan = sound();
        std::get<Dispatch>(plan.steps[1]).*part = {0};
        EXPECT_THAT(find_plan_error(plan), HasSubstr("\"add\" has workgroups"));
    }
    EXPECT_THAT(find_plan_error({}), HasSubstr("no dispatch"));
}

TEST(PlanError, ReportsDifferingDimensions) {
    const auto with = [](Extent Dispatch::*part, const Extent& extent) {
        Plan plan = sound();
        auto& dispatch = std::get<Dispatch>(plan.steps[1]);
        dispatch.domain = {300, 200};
        dispatch.workgroup = dispatch.tile = {16, 16};
        dispatch.grid = {19, 13};
        dispatch.*part = extent;
        return find_plan_error(plan);
    };
    EXPECT_THAT(with(&Dispatch::grid, {19, 13}), IsEmpty());
    EXPECT_THAT(with(&Dispatch::workgroup, {256}), Mentions("add", "300x200", "16x16", "19x13", 256));
    EXPECT_THAT(with(&Dispatch::grid, {247}), Mentions("dimensions"));
    EXPECT_THAT(with(&Dispatch::tile, {16, 16, 1}), HasSubstr("tiles of 16x16x1"));
    EXPECT_THAT(with(&Dispatch::domain, {60000}), HasSubstr("over 60000 elements"));
}

TEST(PlanBytes, CountTransfersAndKernelAccesses) {
    Plan plan = sound();
    plan.buffers[0].shape = {300, 200};
    EXPECT_EQ(uploaded_bytes(plan), 240'000u);
    EXPECT_EQ(downloaded_bytes(plan), 16u);
    EXPECT_EQ(kernel_bytes(plan), 240'016u);
    std::get<Dispatch>(plan.steps[1]).bindings[1].access = Access::read_write;
    EXPECT_EQ(kernel_bytes(plan), 240'032u) << "read and written";
}

}  // namespace gridstride::plan_test
