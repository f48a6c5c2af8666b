// Tests the reduction lesson without a GPU: its plans, and the sums and tolerances of its reference.

#include "lesson/lesson_case.h"

namespace gridstride::reduction_test {

using namespace test;

const Lesson& reduction() {
    return *find_lesson("reduction");
}

enum : std::uint32_t { u32 = 0, f32 = 1, gpu = 0, cpu = 1, one_missing = 1 };

struct Setting {
    std::uint64_t elements = 1024;
    std::uint64_t size = 128;
    std::uint64_t grid = 0;
    std::uint32_t type = u32;
    std::uint32_t finish = gpu;
};

Values values_of(const Setting& setting) {
    Values values = values_with(reduction(), {setting.elements, setting.size, setting.grid});
    values.set("element_type", ChoiceIndex{setting.type});
    values.set("finish", ChoiceIndex{setting.finish});
    return values;
}

std::uint64_t tree_iterations(std::uint64_t size) {
    std::uint64_t rounds = 0;
    for (std::uint64_t values = size; values > 1; values = (values + 1) / 2)
        ++rounds;
    return rounds;
}

/// Counts the loop iterations of invocation 0 of workgroup 0, which runs the most, as the kernels loop.
std::uint64_t counted_iterations(const std::string& variant, const Dispatch& d, const Limits& limits) {
    const std::uint64_t size = d.workgroup_size(), tree = tree_iterations(size);
    if (variant == "atomic_global") return d.passes();
    if (variant.starts_with("tree_")) return d.passes() * (1 + tree);
    const std::uint64_t loading = variant == "grid_stride_plain" ? d.passes() : d.passes() / 4;
    if (variant == "subgroup") return loading + size;  // in the worst case, a subgroup has one invocation
    if (variant == "single_pass") {
        const std::uint64_t packed_per_pass = 16 * std::min<std::uint64_t>(size, limits.subgroup_size);
        return loading + size + (d.workgroup_count() + packed_per_pass - 1) / packed_per_pass;
    }
    return loading + tree;
}

const Launches launches = {
    {1, 2, 31, 32, 33, 1000, 1024, 100003}, {1, 3, 32, 96, 128, 1000, 1024}, {0, 1, 3, 65535}};

/// Calls check(variant's id, the prepared experiment).
template <class Check>
void for_each_plan(Check check) {
    const auto with_either_finish = [&](const std::string& variant, const Limits& limits,
                                        const Launch& launch) {
        for (const std::uint32_t finish : {gpu, cpu}) {
            SCOPED_TRACE(finish == gpu ? "finished by the GPU" : "finished by the CPU");
            const Values values = values_of({launch.elements, launch.size, launch.grid, u32, finish});
            check(variant, prepare_case(reduction(), values, variant, limits));
        }
    };
    for_each_launch(reduction(), {software_device(), large_gpu()}, launches, with_either_finish);
}

/// Prepares a run with the user's own numbers.
PreparedExperiment prepare_with(const std::vector<double>& numbers, const Setting& setting) {
    return prepare(reduction(),
                   {"reduction",
                    "tree_sequential",
                    values_of(setting),
                    {array_of(numbers), 0, "numbers.csv", ""},
                    std::nullopt},
                   software_device());
}

TEST(Reduction, DefaultsGiveTheDocumentedPartialSums) {
    const Values values(reduction().parameters);
    EXPECT_EQ(reduction().default_variant, "tree_sequential");
    const PreparedExperiment prepared = prepare_case(reduction(), values, "tree_sequential");
    EXPECT_EQ(prepared.plan.main().workgroup_count(), 8u);
    EXPECT_EQ(prepared.plan.min_bytes, 4096u);
    const auto expected = reduction().task.reference(reduction().input(values), prepared);
    EXPECT_THAT(expected_of(expected, "partial_sums")->reference->as<std::uint32_t>(),
                ElementsAre(8256, 24640, 41024, 57408, 73792, 90176, 106560, 122944));
    EXPECT_EQ(expected_of(expected, "total")->reference->as<std::uint32_t>()[0], 524800u);
}

TEST(Reduction, PlansNameTheirOutputsAndBindValidBuffers) {
    for_each_plan([](const std::string& variant, const PreparedExperiment& prepared) {
        const Plan& plan = prepared.plan;
        std::set<std::string> variants;
        for (const Step& step : plan.steps) {
            if (const auto* download = std::get_if<Download>(&step))
                variants.insert(plan.buffers.at(download->buffer).name);
            if (const auto* host = std::get_if<HostStep>(&step)) variants.insert(host->output);
        }
        EXPECT_THAT(variants, Contains("total"));
        EXPECT_EQ(variants.contains("partial_sums"), variant != "atomic_global");
        EXPECT_THAT(variants, Contains(plan.main_output));
        expect_sound(prepared);
        const auto sums = std::ranges::find_if(
            plan.buffers, [](const BufferSpec& buffer) { return buffer.name == "partial_sums"; });
        if (sums != plan.buffers.end()) {
            EXPECT_EQ(sums->elements(), plan.main().workgroup_count());
        }
    });
}

TEST(Reduction, PlansStateEnoughIterations) {
    for_each_plan([](const std::string& variant, const PreparedExperiment& prepared) {
        for (const Dispatch* dispatch : dispatches(prepared.plan)) {
            const bool is_main = dispatch == &prepared.plan.main();
            const std::uint64_t counted =
                is_main ? counted_iterations(variant, *dispatch, prepared.limits)
                        : dispatch->passes() + tree_iterations(dispatch->workgroup_size());
            EXPECT_GE(promised_iterations(*dispatch), counted) << dispatch->kernel;
        }
    });
}

TEST(Reduction, AutoGridFillsTheDevice) {
    const auto grid = [](const char* variant, std::uint64_t elements, const Limits& limits) {
        return test::requested_grid(reduction(), values_of({.elements = elements}), variant, limits);
    };
    EXPECT_EQ(grid("tree_sequential", 1 << 20, large_gpu()), 8192u);
    EXPECT_EQ(grid("tree_sequential", 1 << 24, software_device()), 65535u);
    EXPECT_EQ(grid("grid_stride", 1000, large_gpu()), 2u);
    EXPECT_EQ(grid("grid_stride_plain", 1000, large_gpu()), 8u)
        << "one element per load, so four times as many";
    EXPECT_EQ(grid("grid_stride_plain", 1 << 24, large_gpu()), 132u * 8);
    EXPECT_EQ(grid("grid_stride", 1 << 24, large_gpu()), 132u * 8);
    EXPECT_EQ(grid("grid_stride", 1 << 28, large_gpu()), 132u * 32);
    EXPECT_EQ(grid("grid_stride", 1 << 24, software_device()), 64u);
}

TEST(Reduction, SecondLaunchSumsAllPartialSumsInOneWorkgroup) {
    for_each_plan([](const std::string& variant, const PreparedExperiment& prepared) {
        const bool has_second = variant != "atomic_global" && variant != "single_pass" &&
                                std::get<ChoiceIndex>(prepared.values().at("finish")).index == gpu;
        const auto all = dispatches(prepared.plan);
        ASSERT_EQ(all.size(), has_second ? 2u : 1u);
        if (!has_second) return;
        EXPECT_EQ(all[1]->kernel, "common/finish.u32");
        EXPECT_EQ(all[1]->workgroup_count(), 1u);
        EXPECT_EQ(all[1]->elements(), prepared.plan.main().workgroup_count());
    });
}

TEST(Reduction, PartialSumsCoverTheTilesOfEachWorkgroup) {
    GRIDSTRIDE_ONCE();
    EXPECT_TRUE(reduction().reference_depends_on_launch);
    for_each_plan([](const std::string&, const PreparedExperiment& prepared) {
        const std::uint64_t n = prepared.values()[key::elements];
        const std::uint64_t tile = prepared.plan.main().elements_per_workgroup();
        const std::uint64_t groups = prepared.plan.main().workgroup_count();
        const Input input = reduction().input(prepared.values());
        const auto numbers = get(input, "numbers").as<std::uint32_t>();
        std::vector<std::uint32_t> sums(groups);
        std::uint64_t total = 0;
        for (std::uint64_t i = 0; i < n; ++i) {
            sums[(i / tile) % groups] += numbers[i];
            total += numbers[i];
        }

        const auto expected = reduction().task.reference(input, prepared);
        EXPECT_EQ(expected_of(expected, "total")->reference->as<std::uint32_t>()[0], total);
        if (const Expected* partial_sums = expected_of(expected, "partial_sums")) {
            const auto reference = partial_sums->reference->as<std::uint32_t>();
            EXPECT_TRUE(std::equal(reference.begin(), reference.end(), sums.begin(), sums.end()));
            EXPECT_EQ(partial_sums->tolerance.absolute, 0);
            EXPECT_EQ(partial_sums->tolerance.relative, 0);
        }
    });
}

TEST(Reduction, GeneratedIntegerSumsDoNotWrap) {
    const auto numbers_of = [](std::uint64_t count, std::uint64_t seed) {
        Values values = values_of({.elements = count});
        values.set("seed", seed);
        const Input input = reduction().input(values);
        const auto all = get(input, "numbers").as<std::uint32_t>();
        return std::vector<std::uint32_t>(all.begin(), all.end());
    };
    const auto longest = numbers_of(65'536, 1);
    EXPECT_EQ(longest.front(), 1u);
    EXPECT_EQ(std::accumulate(longest.begin(), longest.end(), std::uint64_t{0}), 2'147'516'416u);

    const auto small = numbers_of(65'537, 1);
    std::array<std::uint64_t, 4> counts{};
    for (const std::uint32_t number : small)
        ++counts.at(number);
    for (const std::uint64_t count : counts)
        EXPECT_NEAR(static_cast<double>(count), 16'384, 600);
    EXPECT_EQ(numbers_of(65'537, 1), small);
    EXPECT_NE(numbers_of(65'537, 2), small);
    EXPECT_LT(3 * (std::uint64_t{1} << 30), std::uint64_t{1} << 32);
}

TEST(Reduction, F32BoundGrowsWithTheChainOfAdditions) {
    const auto relative = [](const char* variant, Setting setting, const char* output = "partial_sums") {
        setting.type = f32;
        const PreparedExperiment prepared =
            prepare_case(reduction(), values_of(setting), variant, large_gpu());
        const auto expected = reduction().task.reference(reduction().input(prepared.values()), prepared);
        const Expected* sums = expected_of(expected, output);
        EXPECT_EQ(sums->reference->type(), ElementType::f64);
        EXPECT_EQ(sums->scale->count(), sums->reference->count());
        // For numbers from 0 to 1, the sum equals the sum of magnitudes.
        return sums->tolerance.relative * sums->scale->number(0) / sums->reference->number(0);
    };
    // One tile has 7 levels of the tree, one running total, and one addition for slices.
    EXPECT_NEAR(relative("tree_sequential", {.elements = 1024, .size = 128}), 9 * 0x1p-24, 1e-12);
    EXPECT_GT(relative("tree_sequential", {.elements = 100000, .size = 1, .grid = 1}), 99999 * 0x1p-24);
    EXPECT_LT(relative("tree_sequential", {.elements = 100000, .size = 128}), 1e-6);
    // One sum adds a thousand numbers in sequence; each of four independent sums would add about 250.
    EXPECT_NEAR(relative("grid_stride_plain", {.elements = 1000, .size = 1, .grid = 1}), 1001 * 0x1p-24,
                3e-7);
    EXPECT_LT(relative("grid_stride", {.elements = 1000, .size = 1, .grid = 1}), 300 * 0x1p-24);
    EXPECT_NEAR(relative("atomic_global", {.elements = 1000}, "total"), 999 * 0x1p-24, 1e-9);
    // A single number needs no addition, so it has no rounding error.
    EXPECT_LT(relative("tree_sequential", {.elements = 1, .size = 32}), 1e-15);
}

TEST(Reduction, CpuFinishAddsModulo2To32) {
    const Plan plan = plan_of(reduction(), values_of({.finish = cpu}), "tree_sequential");
    for (const Step& step : plan.steps) {
        const auto* host = std::get_if<HostStep>(&step);
        if (!host) continue;
        const Array total = made_by(*host, {array_of<std::uint32_t>({4294967295u, 2, 40})});
        EXPECT_EQ(total.as<std::uint32_t>()[0], 41u);
        return;
    }
    FAIL() << "there is no host step";
}

TEST(Reduction, OnlyTheFirstLaunchGetsTheMissingBarrierConstant) {
    Values values = values_of({});
    values.set("barriers", ChoiceIndex{one_missing});
    const Plan plan = plan_of(reduction(), values, "tree_sequential");
    const auto all = dispatches(plan);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_THAT(all[0]->constants, ElementsAre(0));
    EXPECT_THAT(all[1]->constants, IsEmpty());
}

TEST(Reduction, OnlyTheMissingBarrierIsWrongOnPurpose) {
    for (const Variant& variant : reduction().variants)
        EXPECT_FALSE(variant.wrong_on_purpose) << variant.id;
    for (const Parameter& parameter : reduction().parameters)
        for (const Parameter::Choice& choice : parameter.choices)
            EXPECT_EQ(choice.wrong_on_purpose, choice.id == "one_missing")
                << parameter.id << " " << choice.id;
    Values values = values_of({});
    for (const bool is_missing : {false, true}) {
        if (is_missing) values.set("barriers", ChoiceIndex{one_missing});
        const PreparedExperiment prepared = prepare_case(reduction(), values, "tree_sequential");
        EXPECT_EQ(is_wrong_on_purpose(reduction(), prepared.experiment), is_missing);
    }
}

TEST(Reduction, AtomicVariantUsesTheBuildForTheDevice) {
    const Values values = values_of({.type = f32});
    Limits limits = software_device();
    for (const char* build : {"f32_atomic", "f32"}) {
        EXPECT_EQ(plan_of(reduction(), values, "atomic_global", limits).main().kernel,
                  fmt::format("reduction/atomic_global.{}", build));
        limits.float32_atomic_add = false;
    }
}

TEST(Reduction, RefusesSubgroupVariantsWithoutDeviceSupport) {
    Limits limits = software_device();
    for (const bool has_arithmetic : {true, false}) {
        limits.subgroup_arithmetic = has_arithmetic;
        for (const char* variant : {"subgroup", "single_pass", "grid_stride"})
            EXPECT_EQ(prepare_case(reduction(), values_of({}), variant, limits).is_valid(),
                      has_arithmetic || variant == std::string("grid_stride"))
                << variant;
    }
}

TEST(Reduction, AcceptsUserNumbersOrNamesTheRowThatDoesNotFit) {
    const auto take = [](const std::vector<double>& numbers, std::uint32_t type) {
        const Values values = values_of({.elements = numbers.size(), .type = type});
        return reduction().input_from_user({array_of(numbers), 0, "numbers.csv", ""}, values);
    };
    EXPECT_THAT(get(take({1, 0, 4294967295.0}, u32), "numbers").as<std::uint32_t>(),
                ElementsAre(1, 0, 4294967295u));
    EXPECT_THAT(get(take({0.5, -3}, f32), "numbers").as<float>(), ElementsAre(0.5f, -3.0f));
    const auto refusal_of = [&](const std::vector<double>& numbers, std::uint32_t type) {
        return message_of<Refusal>([&] { take(numbers, type); });
    };
    EXPECT_THAT(refusal_of({1, 2.5}, u32), HasSubstrs("Row 2", "2.5", "element_type = f32"));
    EXPECT_THAT(refusal_of({-1}, u32), HasSubstr("Row 1"));
    EXPECT_THAT(refusal_of({4294967296.0}, u32), HasSubstr("Row 1"));
    EXPECT_THAT(refusal_of({std::nan("")}, u32), HasSubstr("Row 1"));
    EXPECT_THAT(refusal_of({1, 1e39}, f32), HasSubstr("Row 2"));
    EXPECT_THAT(refusal_of({std::nan("")}, f32), HasSubstr("Row 1"));
    EXPECT_THAT(refusal_of({3e38, -3e38}, f32), HasSubstr("Scale"));
}

TEST(Reduction, WarnsIfTheSumOfUserNumbersWraps) {
    const auto remarks_for = [](const std::vector<double>& numbers, std::uint32_t type) {
        return remarks_on(prepare_with(numbers, {.type = type}), {.beside = "element_type"});
    };
    EXPECT_THAT(remarks_for({4294967295.0, 0, 1}, u32), HasSubstr("modulo 2^32"));
    EXPECT_THAT(remarks_for(std::vector<double>(100'000, 42'950), u32), HasSubstr("modulo 2^32"));
    EXPECT_EQ(remarks_for({4294967294.0, 0, 1}, u32), "");
    EXPECT_THAT(remarks_for({4294967295.0, 0, 1}, f32), Not(HasSubstr("modulo")));
    // The sums of the lesson's own inputs fit 32 bits.
    for (const std::uint64_t elements : {65'536u, 92'682u, 1u << 20})
        EXPECT_EQ(remarks_on(prepare_case(reduction(), values_of({.elements = elements}), "tree_sequential"),
                             {.beside = "element_type"}),
                  "");
}

TEST(Reduction, ReportsTheTotalAndAtMost4096PartialSums) {
    const Outputs outputs = {{"total", array_of<std::uint32_t>({7})},
                             {"partial_sums", array_of(std::vector<std::uint32_t>(5000, 1))}};
    auto facts = facts_of(reduction(), values_of({}), outputs);
    EXPECT_EQ(number_of(facts, "total"), 7);
    EXPECT_EQ(number_of(facts, "partial_sums"), 4096);
    facts = facts_of(reduction(), values_of({}), {outputs[0]});
    EXPECT_EQ(number_of(facts, "partial_sums"), 0);
}

TEST(Reduction, PictureOutlinesExpectedPartialSumsOfAWrongRun) {
    const PreparedExperiment prepared =
        prepare_case(reduction(), values_of({.elements = 256}), "tree_sequential");
    Report report = finished_run(reduction(), prepared.values(), "tree_sequential");
    report.outputs = {{"partial_sums", array_of<std::uint32_t>({8256, 7})}};
    const auto series = [&] {
        const auto plots = make_plots({prepared, &report});
        const Plot* plot = plot_of(plots, "partial_sums");
        return plot ? std::get<Figure>(plot->content).series : std::vector<Series>();
    };
    ASSERT_EQ(series().size(), 1u);
    EXPECT_THAT(series()[0].y, ElementsAre(8256, 7));
    report.expected = {{"partial_sums", array_of<std::uint32_t>({8256, 24640})}};
    ASSERT_EQ(series().size(), 2u);
    EXPECT_EQ(series()[1].mark, Mark::outline_bars);
    EXPECT_THAT(series()[1].y, ElementsAre(8256, 24640));
}

TEST(Reduction, BaselinesSumAllElements) {
    const Values values = values_of({.elements = 1000});
    EXPECT_THAT(baselines_of(reduction(), reduction().input(values), values), Each(500500));
}

}  // namespace gridstride::reduction_test
