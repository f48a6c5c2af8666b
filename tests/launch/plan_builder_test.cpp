#include "launch/plan_builder.h"

#include "test_includes.h"

namespace gridstride::plan_builder_test {

/// The grid that "auto" selects if the lesson does not set one.
Extent auto_grid(const Extent& domain, const Extent& workgroup, std::uint64_t per_invocation = 1,
                 const Limits& limits = {}) {
    return PlanBuilder(domain, workgroup, {0}, per_invocation, limits).grid();
}

TEST(PlanBuilder, AutoGridHasAWorkgroupPerTile) {
    EXPECT_EQ(auto_grid({1000}, {128}), (Extent{8}));
    EXPECT_EQ(auto_grid({1024}, {128}), (Extent{8}));
    EXPECT_EQ(auto_grid({1025}, {128}), (Extent{9}));
    EXPECT_EQ(auto_grid({1000}, {128}, 8), (Extent{1}));
    EXPECT_EQ(auto_grid({300, 200}, {16, 16}), (Extent{19, 13}));
    EXPECT_EQ(auto_grid({300, 200}, {16, 16}, 4), (Extent{5, 13}))
        << "an invocation handles more elements only along x";
    EXPECT_EQ(auto_grid({30, 20, 10}, {8, 4, 4}), (Extent{4, 5, 3}));
}

TEST(PlanBuilder, AutoGridRespectsTheDeviceLimit) {
    Limits limits;
    limits.max_grid = {4, 3, 2};
    EXPECT_EQ(auto_grid({1000}, {128}, 1, limits), (Extent{4}));
    EXPECT_EQ(auto_grid({300, 200}, {16, 16}, 1, limits), (Extent{4, 3}));
    EXPECT_EQ(auto_grid({30, 20, 10}, {8, 4, 4}, 1, limits), (Extent{4, 3, 2}));
}

TEST(PlanBuilder, LessonSetsTheDefaultGrid) {
    const auto natural = [](std::uint64_t workgroups, const Extent& requested, const Limits& limits = {}) {
        PlanBuilder plan({1000}, {128}, requested, 1, limits);
        plan.set_default_grid(workgroups);
        return plan.grid();
    };
    EXPECT_EQ(natural(3, {0}), (Extent{3}));
    EXPECT_EQ(natural(100, {0}), (Extent{8})) << "at most one workgroup per tile";
    Limits small;
    small.max_grid.x = 2;
    EXPECT_EQ(natural(3, {0}, small), (Extent{2}));
    EXPECT_EQ(natural(3, {5}), (Extent{5})) << "the user's value is kept";
    EXPECT_EQ(natural(3, {100}), (Extent{100})) << "even beyond the number of tiles";
}

TEST(PlanBuilder, LessonSetsElementsPerInvocation) {
    const Limits limits;
    PlanBuilder plan({1000}, {128}, {0}, 1, limits);
    EXPECT_EQ(plan.tiles(), 8u);
    plan.set_per_invocation(4);
    EXPECT_EQ(plan.tiles(), 2u);
    EXPECT_EQ(plan.launch("all", "folder/kernel", {}).tile, (Extent{512}));
    EXPECT_EQ(plan.workgroup_count(), 2u);
}

TEST(PlanBuilder, LaunchCoversTheDomainWithTheRequestedWorkgroup) {
    const Limits limits;
    PlanBuilder plan({300, 200}, {16, 8}, {0}, 2, limits);
    const PlanBuffer picture = plan.input("picture", ElementType::f32, plan.domain());
    const PlanBuffer blurred = plan.output("blurred", ElementType::f32, plan.domain());
    plan.upload(picture);
    plan.fill(blurred, 7, Fill::Time::before_run);
    plan.launch("blur", "folder/blur", {reads_each(picture), writes_each(blurred)}).push = {3};
    plan.download(blurred);
    plan.set_cost(11, 12);
    plan.main_output("blurred", 200);
    const Plan built_plan = std::move(plan).build();

    EXPECT_THAT(find_plan_error(built_plan), IsEmpty());
    ASSERT_EQ(built_plan.buffers.size(), 2u);
    EXPECT_EQ(built_plan.buffers[0], (BufferSpec{"picture", ElementType::f32, {300, 200}, false}));
    EXPECT_EQ(built_plan.buffers[1], (BufferSpec{"blurred", ElementType::f32, {300, 200}, true}));
    ASSERT_EQ(built_plan.steps.size(), 4u);
    EXPECT_EQ(std::get<Upload>(built_plan.steps[0]).input, "picture") << "its name";
    EXPECT_EQ(std::get<Fill>(built_plan.steps[1]).word, 7u);
    EXPECT_EQ(std::get<Fill>(built_plan.steps[1]).time, Fill::Time::before_run);
    EXPECT_EQ(std::get<Download>(built_plan.steps[3]).buffer, 1u);
    const Dispatch& launch = built_plan.main();
    EXPECT_EQ(launch.label, "blur");
    EXPECT_EQ(launch.kernel, "folder/blur");
    EXPECT_EQ(launch.domain, (Extent{300, 200}));
    EXPECT_EQ(launch.workgroup, (Extent{16, 8}));
    EXPECT_EQ(launch.tile, (Extent{32, 8}));
    EXPECT_EQ(launch.grid, (Extent{10, 25}));
    EXPECT_EQ(launch.push, (std::vector<std::uint32_t>{3}));
    EXPECT_EQ(launch.passes(), 1u);
    EXPECT_EQ(built_plan.min_bytes, 11u);
    EXPECT_EQ(built_plan.operations, 12u);
    EXPECT_EQ(built_plan.main_output, "blurred");
    EXPECT_EQ(built_plan.main_output_rows, 200u);
}

TEST(PlanBuilder, BindingsStateAccessAndSlicing) {
    const struct {
        Binding binding;
        Access access;
        bool sliced;
    } cases[] = {
        {reads({3}), Access::read, false},         {writes({3}), Access::write, false},
        {updates({3}), Access::read_write, false}, {reads_each({3}), Access::read, true},
        {writes_each({3}), Access::write, true},   {updates_each({3}), Access::read_write, true},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(c.binding.buffer, 3u);
        EXPECT_EQ(c.binding.access, c.access);
        EXPECT_EQ(c.binding.is_sliced, c.sliced);
    }
}

TEST(PlanBuilder, OneWorkgroupLaunchLoopsOverItsElements) {
    const Limits limits;
    PlanBuilder plan({300, 200}, {16, 16}, {0}, 1, limits);
    plan.launch("all", "folder/all", {});
    plan.launch_one_workgroup("sum", "folder/sum", {}, 247, 4);
    const Plan built_plan = std::move(plan).build();
    EXPECT_THAT(find_plan_error(built_plan), IsEmpty())
        << "a one-dimensional launch after a two-dimensional one";
    EXPECT_EQ(built_plan.main().label, "all");
    const auto& one = std::get<Dispatch>(built_plan.steps.at(1));
    EXPECT_EQ(one.grid, (Extent{1}));
    EXPECT_EQ(one.workgroup, (Extent{64}));
    EXPECT_EQ(one.domain, (Extent{247}));
    EXPECT_EQ(one.tile, (Extent{256}));
    EXPECT_EQ(one.passes(), 1u);
}

TEST(PlanBuilder, OneWorkgroupLaunchFitsItsElements) {
    Limits limits;
    limits.subgroup_size = 32;
    const auto size = [&](std::uint64_t elements, std::uint64_t per_invocation) {
        PlanBuilder plan({1}, {1}, {0}, 1, limits);
        return plan.launch_one_workgroup("sum", "folder/sum", {}, elements, per_invocation).workgroup_size();
    };
    EXPECT_EQ(size(1, 1), 32u) << "one subgroup";
    EXPECT_EQ(size(100, 1), 128u);
    EXPECT_EQ(size(1000, 4), 256u);
    EXPECT_EQ(size(1'000'000, 4), 1024u);
    limits.max_workgroup_size = 512;
    EXPECT_EQ(size(1'000'000, 4), 512u);
    limits.max_workgroup_size = 4096;
    EXPECT_EQ(size(1'000'000, 4), 1024u) << "no larger even if the device allows it";
    limits.max_workgroup_size = 16;
    EXPECT_EQ(size(1, 1), 16u) << "smaller than a subgroup if the device allows no more";
}

TEST(PlanBuilder, SubmitsEachPieceOfAnUploadSeparately) {
    PlanBuilder plan({1000}, {128}, {0}, 1, Limits{});
    plan.set_host_memory(HostMemory::pinned);
    const PlanBuffer numbers = plan.input("numbers", ElementType::f32, {1000});
    plan.upload_in_pieces(numbers, 7);
    plan.download(numbers, "count");
    const Plan built_plan = std::move(plan).build();
    std::uint64_t next = 0, ends = 0;
    for (const Step& step : built_plan.steps) {
        ends += std::holds_alternative<SubmitEnd>(step) ? 1 : 0;
        const auto* const upload = std::get_if<Upload>(&step);
        if (!upload) continue;
        EXPECT_EQ(upload->first, next);
        EXPECT_GT(upload->elements, 0);
        EXPECT_EQ(upload->memory, HostMemory::pinned);
        next += upload->elements;
    }
    EXPECT_EQ(next, 1000);
    EXPECT_EQ(ends, 7) << "one after each piece";
    const auto& download = std::get<Download>(built_plan.steps.back());
    EXPECT_EQ(download.memory, HostMemory::pinned);
    EXPECT_EQ(download.count_array, "count");
}

TEST(PlanBuilder, LimitsThePiecesOfAnUploadToItsElements) {
    PlanBuilder plan({3}, {128}, {0}, 1, Limits{});
    plan.upload_in_pieces(plan.input("numbers", ElementType::f32, {3}), 1000);
    EXPECT_EQ(std::move(plan).build().steps.size(), 3 + 3);
}

TEST(PlanBuilder, ReportsALaunchWithOtherDimensionsThanItsDomain) {
    const auto problem = [](const Extent& workgroup, const Extent& grid) {
        const Limits limits;
        PlanBuilder plan({300, 200}, workgroup, grid, 1, limits);
        plan.launch("blur", "folder/blur", {});
        return find_plan_error(std::move(plan).build());
    };
    EXPECT_THAT(problem({16, 16}, {19, 13}), IsEmpty());
    EXPECT_THAT(problem({256}, {0}), Mentions("blur", "300x200", 256));
    EXPECT_THAT(problem({16, 16}, {247}), HasSubstr("with 247 workgroups of 16x16"));
    EXPECT_THAT(problem({8, 8, 4}, {0}), Mentions("dimensions"));
}

}  // namespace gridstride::plan_builder_test
