// Runs on this machine's device through the client, as the window and the command line do.

#include "client/client.h"
#include "client/start_lab.h"
#include "gpu/device.h"
#include "lab/execution.h"
#include "lab/plan_memory.h"
#include "lab/reduction_lab.h"
#include "lesson/lesson.h"
#include "test_includes.h"

namespace gridstride::lab::runner_test {

class RunnerTest : public ReductionLab {
 protected:
    static std::uint64_t total(const Report& report) {
        return std::get<std::uint64_t>(report.result.front().value);
    }
};

TEST_F(RunnerTest, DefaultRunGivesTheDocumentedSums) {
    const Report report = run(request("tree_sequential"));
    ASSERT_EQ(report.status, Status::ok) << report.message;
    EXPECT_EQ(total(report), 524800u);
    const ArrayRef& sums = std::get<ArrayRef>(report.result.at(1).value);
    const auto values = sums->as<std::uint32_t>();
    EXPECT_THAT(std::vector<std::uint32_t>(values.begin(), values.end()),
                ElementsAre(8256, 24640, 41024, 57408, 73792, 90176, 106560, 122944));
    EXPECT_EQ(report.launch.grid, (Extent{8}));
    EXPECT_TRUE(report.expected.empty());
}

TEST_F(RunnerTest, EveryVariantIsCorrectForRandomLaunches) {
    GRIDSTRIDE_ONCE();
    std::mt19937_64 random(20261121);
    const std::vector<std::uint64_t> sizes = {1, 2, 3, 7, 8, 31, 32, 96, 100, 128, 255, 256, 1000, 1024};
    const auto any = [&](std::uint64_t low, std::uint64_t high) { return low + random() % (high - low + 1); };
    for (const Variant& variant : reduction().variants) {
        int ran = 0;
        const int launches = sample_of_runs(60, 6);
        for (int i = 0; i < launches; ++i) {
            // The sizes spread over their orders of magnitude, because edge cases occur at small ones.
            Request r =
                request(variant.id,
                        {{"elements", any(1, std::uint64_t{1} << any(0, i < launches * 11 / 12 ? 16 : 22))},
                         {"workgroup_size", sizes[any(0, sizes.size() - 1)]},
                         {"workgroup_count", any(0, 3) == 0 ? 0 : any(1, std::uint64_t{1} << any(0, 15))},
                         {"element_type", any(0, 1) == 0 ? "u32" : "f32"},
                         {"finish", any(0, 1) == 0 ? "gpu" : "cpu"}});
            const Values values = r.experiment.values;
            const Report report = run(std::move(r));
            ASSERT_EQ(report.status, Status::ok)
                << variant.id << " n = " << values[key::elements] << " size = " << values[key::workgroup_size]
                << " grid = " << values[key::workgroup_count] << ": " << report.message;
            ++ran;
        }
        EXPECT_EQ(ran, launches);
    }
}

TEST_F(RunnerTest, OneInvocationSumsAMillionElements) {
    for (const Variant& variant : reduction().variants) {
        const Report report = run(
            request(variant.id, {{"elements", 1'000'003}, {"workgroup_size", 1}, {"workgroup_count", 1}}));
        ASSERT_EQ(report.status, Status::ok) << variant.id << ": " << report.message;
        EXPECT_EQ(total(report), 1'499'915u) << variant.id << ": 0 to 3 by the seed 1, 1.5 on average";
        if (report.device.loop_iterations > 0) {
            EXPECT_GT(report.launch.slices, 1u) << variant.id;
        }
    }
}

TEST_F(RunnerTest, RunsTheLargestGrid) {
    GRIDSTRIDE_ONCE();
    for (const Variant& variant : reduction().variants) {
        for (const std::uint64_t size : {1u, 3u, 96u, 1000u, 1024u}) {
            if (!full() && (size == 3 || size == 1000)) continue;
            // 65 535 full workgroups are 67 million invocations, so a software driver runs them only once.
            if (size >= 1000 && variant.id != "tree_first_add" && variant.id != "single_pass") continue;
            // Every invocation processes a second element, and in some variants up to its 77th.
            const bool is_long =
                size == 1 && (full() || variant.id == "tree_first_add" || variant.id == "single_pass");
            const Report report = run(request(variant.id, {{"elements", is_long ? 5'000'000 : 100'003},
                                                           {"workgroup_size", size},
                                                           {"workgroup_count", 65535}}));
            ASSERT_EQ(report.status, Status::ok) << variant.id << " size " << size << ": " << report.message;
        }
    }
}

TEST_F(RunnerTest, SlicesLaunchesLargerThanABinding) {
    GRIDSTRIDE_ONCE();
    if (client_->limits().max_binding_bytes > (std::uint64_t{1} << 28))
        GTEST_SKIP() << "this device binds more than is worth testing";
    const std::uint64_t elements = client_->limits().max_binding_bytes / 4 + 1'000'003;
    for (const char* variant : {"tree_sequential", "grid_stride", "single_pass"}) {
        for (const std::uint64_t size :
             {128u, 1024u}) {  // with 1024 and auto, a pass is larger than a binding
            if (!full() && (size == 1024) != (variant == std::string_view("single_pass"))) continue;
            const Report report = run(request(variant, {{"elements", elements}, {"workgroup_size", size}}));
            ASSERT_EQ(report.status, Status::ok) << variant << " size " << size << ": " << report.message;
            EXPECT_GT(report.launch.slices, 1u);
        }
    }
}

TEST_F(RunnerTest, SumsUserNumbersInEveryVariant) {
    std::mt19937_64 random(7);
    std::vector<double> numbers(100'000);
    std::uint64_t sum = 0;
    for (double& number : numbers) {
        number = static_cast<double>(random() % 100'000);
        sum += static_cast<std::uint64_t>(number);
    }
    const ArrayRef array = array_of(numbers);
    for (const Variant& variant : reduction().variants)
        for (const char* type : {"u32", "f32"}) {
            Request r = request(variant.id, {{"element_type", type}});
            r.experiment.input.numbers = array;
            const Report report = run(std::move(r));
            ASSERT_EQ(report.status, Status::ok) << variant.id << " " << type << ": " << report.message;
            EXPECT_EQ(report.experiment.values[key::elements], 100'000u);
            if (std::string(type) == "u32")
                EXPECT_EQ(total(report), sum % (std::uint64_t{1} << 32));
            else
                EXPECT_NEAR(std::get<double>(report.result.front().value), static_cast<double>(sum),
                            static_cast<double>(sum) * 1e-2);
        }
}

TEST_F(RunnerTest, RefusesUserNumbersThatDoNotFitWithAdvice) {
    Request r = request("tree_sequential");
    r.experiment.input.numbers = array_of<double>({1, 2, -3.5});
    const Report report = run(r);
    EXPECT_EQ(report.status, Status::refused);
    EXPECT_THAT(report.message, Mentions("-3.5", "f32"));
}

TEST_F(RunnerTest, ReportsAllRefusalsTogether) {
    const Report report = run(request("tree_sequential", {{"elements", 0}, {"workgroup_size", 1'000'000}}));
    EXPECT_EQ(report.status, Status::refused);
    EXPECT_THAT(report.message, Mentions("elements = 0", "workgroup_size = 1000000"));
}

TEST_F(RunnerTest, RefusesUnknownLessonsAndVariants) {
    EXPECT_EQ(run(request("tree_of_life")).status, Status::refused);
    Request other = request("tree_sequential");
    other.experiment.lesson = "alchemy";
    EXPECT_EQ(run(other).status, Status::refused);
}

TEST_F(RunnerTest, TakesTheRequestedSamplesWithPlausibleTimes) {
    const Report report = run(request("tree_sequential", {{"elements", 1 << 20}}, 5));
    ASSERT_EQ(report.status, Status::ok) << report.message;
    const Timings& t = report.timings;
    for (const Timing* timing : {&t.upload, &t.kernel, &t.download, &t.wall, &t.cpu}) {
        ASSERT_EQ(timing->samples.size(), 5u);
        for (const double sample : timing->samples)
            EXPECT_GT(sample, 0);
    }
    EXPECT_GT(t.wall.summary().median, t.upload.summary().median + t.download.summary().median);
    EXPECT_GT(t.compile_ns, 0);
    EXPECT_TRUE(report.ceilings);
    EXPECT_GE(report.compare.judged_runs, 5u) << "every run is judged";
    EXPECT_EQ(report.compare.wrong_runs, 0u);
    EXPECT_FALSE(report.timeline.empty());
}

TEST_F(RunnerTest, MeasuresAllCeilingsAndCountsBytesAndOperations) {
    const Report report = run(request("grid_stride", {{"elements", 100'000}, {"finish", "cpu"}}, 5));
    ASSERT_EQ(report.status, Status::ok) << report.message;
    ASSERT_TRUE(report.ceilings);
    for (const CeilingGroup group : needed_ceilings(report))
        EXPECT_TRUE(is_measured(*report.ceilings, group)) << static_cast<int>(group);
    Request remeasured = request("grid_stride", {}, 1);
    remeasured.measure_ceilings = true;
    const Ceilings c = run(std::move(remeasured)).ceilings.value();
    for (const CeilingMember& member : ceiling_members)
        EXPECT_TRUE(c.*member.value > 0 || !member.is_on_every_device) << member.id;
    EXPECT_EQ(c.half_operations_per_second > 0, report.device.float16);
    EXPECT_EQ(c.byte_operations_per_second > 0, report.device.integer_dot);
    ASSERT_GE(c.latencies.size(), 8U);
    for (const LoadLatency& latency : c.latencies)
        EXPECT_GT(latency.ns, 0) << latency.footprint_bytes;
    EXPECT_EQ(report.uploaded_bytes, 400'000u);
    EXPECT_EQ(report.downloaded_bytes, 4 * report.launch.workgroup_count());
    EXPECT_EQ(report.operations, 100'000u);
    const Timings& t = report.timings;
    // A busy machine takes fewer samples of the quantities that a pass is compared with.
    const std::size_t all = std::min({t.host.samples.size(), t.wall.samples.size(), t.upload.samples.size(),
                                      t.kernel_in_wall.samples.size(), t.download.samples.size()});
    ASSERT_GT(all, 0U);
    for (std::size_t i = 0; i < all; ++i) {
        EXPECT_GT(t.host.samples.at(i), 0) << "the CPU adds the partial sums";
        EXPECT_GT(t.wall.samples.at(i), t.upload.samples.at(i) + t.kernel_in_wall.samples.at(i) +
                                            t.download.samples.at(i) + t.host.samples.at(i));
    }
    EXPECT_FALSE(report.cache.is_cold);
    EXPECT_EQ(report.cache.copies, 1u);
    EXPECT_GE(report.cache.working_set_bytes, 400'000u);
}

TEST_F(RunnerTest, ColdCacheRunsUseCopiesLargerThanTheCache) {
    GRIDSTRIDE_ONCE();
    for (const char* variant : {"grid_stride", "single_pass", "atomic_global"}) {
        Request r = request(variant, {{"elements", 1 << 20}}, 3);
        r.sampling.cache = Cache::cold;
        const Report report = run(std::move(r));
        ASSERT_EQ(report.status, Status::ok) << variant << ": " << report.message;
        EXPECT_EQ(report.compare.wrong_runs, 0u);
        ASSERT_TRUE(report.cache.is_cold) << variant;
        EXPECT_GT(report.cache.copies * report.cache.working_set_bytes, report.cache.cache_bytes);
        EXPECT_FALSE(report.cache.from_cache());
        EXPECT_THAT(report.notes, IsEmpty());
    }
}

TEST(KernelCache, RefusesMissingPushConstantsOfShippedKernels) {
    gpu::Device device;
    KernelCache kernels(device);
    Dispatch dispatch;
    dispatch.label = "fill";
    dispatch.kernel = "execution/fill";
    dispatch.bindings = {{}};
    EXPECT_THAT(message_of<std::runtime_error>([&] { kernels.get(dispatch); }), Mentions(4, "constants"));
    dispatch.push = {0};
    EXPECT_NO_THROW(kernels.get(dispatch));
}

TEST(KernelCache, LaunchWordsDescribeTheSlice) {
    // The order is that of launch.glsl: count, workgroup_count, columns, rows, grid_x, grid_y, total, first,
    // first_workgroup, fresh, last, reserved.
    EXPECT_THAT(make_launch_words({1000}, {8}, {256, 512, 2, 4, false}, false),
                ElementsAre(512, 8, 1000, 1, 8, 1, 1000, 256, 2, 0, 0, 0));
    EXPECT_THAT(make_launch_words({300, 200}, {19, 13}, {160, 40, 10, 3, true}, true),
                ElementsAre(40, 13, 300, 200, 19, 13, 200, 160, 10, 1, 1, 0));
    EXPECT_THAT(make_launch_words({30, 20, 10}, {4, 3, 2}, {5, 5, 1, 1, true}, true),
                ElementsAre(5, 2, 30, 20, 4, 3, 10, 5, 1, 1, 1, 0));
}

TEST(KernelCache, LaunchConstantsFollowTheWorkgroupSize) {
    Dispatch dispatch;
    dispatch.workgroup = {64};
    dispatch.constants = {7, 9};
    EXPECT_THAT(get_constants(dispatch), ElementsAre(64, 1, 1, 7, 9));
    dispatch.workgroup = {16, 8};
    EXPECT_THAT(get_constants(dispatch), ElementsAre(16, 8, 1, 7, 9));
}

TEST(PlanMemory, CopiesBuffersIntoEachSet) {
    gpu::Device device;
    gpu::Commands commands(device);
    Plan plan;
    plan.buffers = {{"in", ElementType::u32, {100}, false}, {"out", ElementType::u32, {7}, true}};
    PlanMemory memory(device, plan);
    EXPECT_EQ(memory.working_set_bytes(), 400u + 32u);
    // Twice a cache of 4 320 bytes is 20 sets of 432 bytes.
    EXPECT_EQ(memory.sets_exceeding(4320, device.limits()), 20u);
    Limits small = device.limits();
    small.memory_bytes = 0;
    EXPECT_EQ(memory.sets_exceeding(4320, small), 1u);

    constexpr std::uint64_t sets = 13;
    memory.allocate_sets(sets);
    gpu::Buffer copies(device, sets * 432, gpu::MemoryKind::download);
    commands.begin();
    const gpu::BoundRange first_in = memory.range(0), first_out = memory.range(1);
    commands.fill(*first_in.buffer, first_in.offset, 400, 0xAAAAAAAAu);
    commands.fill(*first_out.buffer, first_out.offset, 32, 0xBBBBBBBBu);
    commands.barrier(gpu::Ordering::all);
    memory.record_copies(commands);
    for (std::uint64_t set = 0; set < sets; ++set) {
        const gpu::BoundRange in = memory.range(0, set), out = memory.range(1, set);
        EXPECT_EQ(in.offset % device.limits().binding_alignment, 0u);
        EXPECT_EQ(out.offset % device.limits().binding_alignment, 0u);
        commands.copy(*in.buffer, in.offset, copies, set * 432, 400);
        commands.copy(*out.buffer, out.offset, copies, set * 432 + 400, 32);
    }
    commands.barrier(gpu::Ordering::all);
    ASSERT_TRUE(commands.submit_and_wait(patience));
    const auto* words = reinterpret_cast<const std::uint32_t*>(copies.mapped().data());
    for (std::uint64_t i = 0; i < sets * 108; ++i)
        ASSERT_EQ(words[i], i % 108 < 100 ? 0xAAAAAAAAu : 0xBBBBBBBBu) << "word " << i;
    EXPECT_THAT(gpu::take_validation_messages(), IsEmpty());
}

TEST_F(RunnerTest, MissingBarrierIsJudgedByTheActualResults) {
    const Report report = run(request(
        "tree_sequential", {{"elements", 65536}, {"workgroup_size", 256}, {"barriers", "one_missing"}}, 10));
    // The result may be right or wrong on this device; status, count and message must agree.
    EXPECT_EQ(report.status, report.compare.wrong_runs > 0 ? Status::wrong_on_purpose : Status::ok);
    EXPECT_EQ(report.message.empty(), report.compare.wrong_runs == 0);
    EXPECT_TRUE(report.is_measured());
    // The expected value is shown beside the actual one where they differ, and nowhere else.
    if (report.compare.wrong_runs == 0) {
        EXPECT_TRUE(report.expected.empty());
    }
    for (const NamedArray& right : report.expected) {
        const Array& got = get(report.outputs, right.name);
        ASSERT_EQ(got.count(), right.array->count()) << right.name;
        bool differ = false;
        for (std::size_t i = 0; i < got.count(); ++i)
            differ = differ || got.number(i) != right.array->number(i);
        EXPECT_TRUE(differ) << right.name;
        EXPECT_EQ(report.correct_values(right.name), right.array.get());
    }
    if (report.device.is_cpu) {
        EXPECT_GT(report.compare.wrong_runs, 0u)
            << "input that depends on the group shows it on the software driver";
    }
}

TEST_F(RunnerTest, SendsAnEarlyReport) {
    Request r = request("grid_stride");
    r.sampling.measure = true;
    r.sampling.quick_first_report = true;
    r.sampling.samples = 50;
    const std::uint64_t id = r.id;
    client_->submit(std::move(r));
    std::size_t progress = 0;
    for (;;) {
        const std::optional<Report> report = client_->wait(patience);
        ASSERT_TRUE(report);
        if (report->request != id) continue;
        if (report->is_final) break;
        if (progress++ == 0) {
            EXPECT_LT(report->timings.kernel.samples.size(), 10u);
        }
        EXPECT_EQ(report->status, Status::ok);
    }
    EXPECT_GE(progress, 1u);
}

TEST_F(RunnerTest, LatestRequestReplacesEarlierOnes) {
    std::uint64_t last = 0;
    for (int i = 0; i < 50; ++i) {
        Request r = request("tree_sequential", {{"workgroup_size", 1 + i}});
        r.sampling.measure = true;
        r.sampling.quick_first_report = true;
        last = r.id;
        client_->submit(std::move(r));
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::size_t answered = 0;
    for (;;) {
        const std::optional<Report> report = client_->wait(patience);
        ASSERT_TRUE(report);
        if (!report->is_final) continue;
        ++answered;
        if (report->request == last) break;
    }
    EXPECT_LT(answered, 50u) << "requests that were replaced before they started are never run";
    EXPECT_EQ(client_->poll(), std::nullopt);
}

TEST_F(RunnerTest, CancelEndsALongSeries) {
    Request r = request("tree_interleaved", {{"elements", 1 << 20}}, 100'000);
    r.sampling.quick_first_report = true;  // a first report announces that samples follow
    const std::uint64_t id = r.id;
    client_->submit(std::move(r));
    for (std::optional<Report> first; !first || first->request != id;)
        first = client_->wait(patience);
    client_->cancel();
    for (;;) {
        const std::optional<Report> report = client_->wait(patience);
        ASSERT_TRUE(report);
        if (report->request != id || !report->is_final) continue;
        EXPECT_EQ(report->status, Status::stopped);
        EXPECT_THAT(report->message, Mentions("stopped"));
        EXPECT_FALSE(report->timings.kernel.samples.empty()) << "measured samples are kept";
        break;
    }
    EXPECT_EQ(run(request("tree_sequential")).status, Status::ok) << "the lab still runs";
}

TEST(LabWithoutDevice, ReportsTheMissingDevice) {
    const auto client = start_lab({.device = "no such device", .program = program()});
    EXPECT_THROW(client->limits(), std::exception);
    EXPECT_FALSE(client->is_busy());
}

/// The judge and the validation layers must notice a barrier that a plan omits on purpose.
TEST(MissingBarrier, IsReportedBetweenLaunchesByValidation) {
    gpu::enable_validation();
    gpu::take_validation_messages();
    const Lesson& lesson = *find_lesson("reduction");
    Experiment experiment = default_experiment(lesson);
    experiment.variant = "tree_sequential";
    gpu::Device device;
    KernelCache kernels(device);
    const Input input = lesson.input(experiment.values);
    Control control;
    const auto run_once = [&](const Plan& plan) {
        Execution(kernels, plan, input, std::make_shared<PlanMemory>(device, plan)).run(control);
    };

    const Plan good = prepare(experiment, device.limits()).plan;
    run_once(good);
    EXPECT_THAT(gpu::take_validation_messages(), IsEmpty());

    Plan bad = good;
    for (Step& step : bad.steps)
        if (auto* dispatch = std::get_if<Dispatch>(&step)) dispatch->wait_for_previous = false;
    run_once(bad);
    const std::vector<std::string> messages = gpu::take_validation_messages();
    ASSERT_FALSE(messages.empty());
    EXPECT_THAT(messages.front(), HasSubstr("SYNC-HAZARD"));
}

}  // namespace gridstride::lab::runner_test
