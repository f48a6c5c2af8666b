// Tests the histogram lesson without a GPU: its plans, the counts of its reference, and whether the kernels'
// way to find a bin, simulated here step by step, agrees with the definition.

#include "lesson/kernel_bins.h"
#include "lesson/lesson_case.h"
#include "lesson/metrics.h"
#include "test_includes.h"

namespace gridstride::histogram_test {

using namespace test;

const Lesson& histogram() {
    return *find_lesson("histogram");
}

struct Setting {
    std::uint64_t elements = 10000;
    std::uint64_t size = 256;
    std::uint64_t grid = 0;
    std::uint64_t bins = 10;
    double min = -4;
    double max = 4;
    double spread = 1;
};

Values values_of(const Setting& setting) {
    Values values = values_with(histogram(), {setting.elements, setting.size, setting.grid});
    values.set("bins", setting.bins);
    values.set("range_min", setting.min);
    values.set("range_max", setting.max);
    values.set("spread", setting.spread);
    return values;
}

Limits little_memory() {
    Limits limits = software_device();
    limits.max_shared_bytes = 1024;
    return limits;
}

struct Counted {
    std::vector<std::uint32_t> counts;
    std::uint32_t ignored = 0;
};
Counted count(const std::vector<float>& numbers, const Setting& setting,
              const std::string& variant = "atomic_global") {
    const PreparedExperiment prepared = prepare_case(histogram(), values_of(setting), variant);
    Counted counted;
    for (const Expected& expected : histogram().task.reference({{"values", array_of(numbers)}}, prepared)) {
        const auto found = expected.reference->as<std::uint32_t>();
        if (expected.output == "counts")
            counted.counts.assign(found.begin(), found.end());
        else
            counted.ignored = found[0];
    }
    return counted;
}

/// Returns numbers that are hard to bin: several floats on each side of every edge, tiny, huge, infinite and
/// NaN; and ordinary ones.
std::vector<float> hard_numbers(const Setting& setting, std::mt19937& random) {
    const float infinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> numbers = {nan,     -nan,   infinity, -infinity, 0.0f,     -0.0f,       1e-45f,
                                  -1e-45f, 1e-40f, -1e-40f,  3.4e38f,   -3.4e38f, 12582912.0f, -12582912.0f};
    const auto bins = static_cast<double>(setting.bins);
    for (std::uint64_t i = 0; i <= setting.bins; ++i) {
        const double edge = setting.min + static_cast<double>(i) * (setting.max - setting.min) / bins;
        float up = static_cast<float>(edge), down = up;
        for (int k = 0; k < 5; ++k) {
            numbers.push_back(up);
            numbers.push_back(down);
            up = std::nextafter(up, infinity);
            down = std::nextafter(down, -infinity);
        }
    }
    std::uniform_real_distribution<double> anywhere(setting.min, setting.max);
    for (int i = 0; i < 20000; ++i)
        numbers.push_back(static_cast<float>(anywhere(random)));
    return numbers;
}

/// Makes a report as the lab would, with counts of the caller's choice.
Report report_of(const Setting& setting, std::string variant, const std::vector<std::uint32_t>& counts,
                 std::uint32_t ignored) {
    Report report = finished_run(histogram(), values_of(setting), std::move(variant));
    const Values& values = report.experiment.values;
    report.input = histogram().input(values);
    report.outputs = {{"counts", array_of(counts)}, {"ignored", array_of<std::uint32_t>({ignored})}};
    report.result = facts_of(histogram(), values, report.outputs);
    return report;
}

TEST(Histogram, BinsAreHalfOpenAndIgnoreNumbersOutside) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    const Counted counted =
        count({0, 0.5f, 0.99999994f, 1, 2, 3.9999998f, 4, -0.0f, -1e-45f, nan, infinity, -infinity},
              {.bins = 4, .min = 0, .max = 4});
    EXPECT_THAT(counted.counts, ElementsAre(4, 1, 1, 1));
    EXPECT_EQ(counted.ignored, 5u);
}

TEST(Histogram, QuotientRoundedUpToTheCountIsInTheLastBin) {
    // 4 - 2^-22 + 4 rounds to 8, and 8 / 0.8f to 10.
    EXPECT_THAT(count({std::nextafter(4.0f, 0.0f)}, {}).counts, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 1));
}

TEST(Histogram, DefaultsGiveTheDocumentedCounts) {
    const Values values = values_of({});
    const Input input = histogram().input(values);
    const auto numbers = get(input, "values").as<float>();
    const Counted counted = count({numbers.begin(), numbers.end()}, {});
    EXPECT_THAT(counted.counts, ElementsAre(6, 67, 472, 1535, 2890, 2955, 1568, 425, 67, 14));
    EXPECT_EQ(counted.ignored, 1u);
}

TEST(Histogram, SpreadScalesTheSameNumbers) {
    const Input narrow = histogram().input(values_of({.elements = 1000, .spread = 0.5}));
    const Input wide = histogram().input(values_of({.elements = 1000, .spread = 1}));
    for (std::size_t i = 0; i < 1000; ++i)
        EXPECT_EQ(2 * get(narrow, "values").as<float>()[i], get(wide, "values").as<float>()[i]);
}

TEST(Histogram, KernelArithmeticFindsTheBinOfTheDefinition) {
    std::mt19937 random(7);
    std::vector<Setting> settings = {
        {.bins = 4096, .min = 0, .max = 1},         {.bins = 1, .min = 0, .max = 1},
        {.bins = 4096, .min = 1e6, .max = 1e6 + 1}, {.bins = 7, .min = -1e30, .max = 1e30},
        {.bins = 4095, .min = 0, .max = 1e-26},     {.bins = 333, .min = -1e-3, .max = 5},
        {.bins = 10, .min = 1e-40, .max = 1},       {.bins = 3, .min = -1, .max = 0},
        {.bins = 6, .min = 0.1, .max = 0.7},
    };
    for (const std::uint64_t bins : {10, 256, 1024})
        settings.push_back({.bins = bins});
    for (int i = 0; i < 20; ++i) {
        std::normal_distribution<double> end(0,
                                             std::pow(10.0, std::uniform_real_distribution<>(-5, 5)(random)));
        double a = end(random), b = end(random);
        if (a > b) std::swap(a, b);
        settings.push_back({.bins = 1 + random() % 4096, .min = a, .max = b});
    }
    for (const Setting& setting : settings) {
        SCOPED_TRACE(fmt::format("{} bins from {} to {}", setting.bins, setting.min, setting.max));
        const std::vector<float> numbers = hard_numbers(setting, random);
        const Counted expected = count(numbers, setting);
        const Plan plan = plan_of(histogram(), values_of(setting), "atomic_shared", large_gpu());
        for (const int nudge : {0, -1, 1, -2, 2}) {
            KernelBins bin_of(plan.main().push, nudge);
            std::vector<std::uint32_t> counts(setting.bins + 1);
            for (const float x : numbers)
                ++counts[bin_of(x)];
            EXPECT_EQ(counts.back(), expected.ignored);
            counts.pop_back();
            EXPECT_EQ(counts, expected.counts);
            EXPECT_GT(bin_of.settled_exactly, 0u);
        }
    }
}

TEST(Histogram, FewNumbersNeedTheExactComparison) {
    const Values values = values_of({.elements = 100000, .bins = 1024});
    KernelBins bin_of(plan_of(histogram(), values, "atomic_shared", large_gpu()).main().push);
    const Input input = histogram().input(values);
    for (const float x : get(input, "values").as<float>())
        bin_of(x);
    EXPECT_LT(bin_of.settled_exactly, 300u);
}

const Launches launches = {{1, 33, 1000, 100003}, {1, 3, 96, 256, 1000, 1024}, {0, 1, 65535}};

template <class Check>
void for_each_plan(Check check) {
    const auto with_few_and_many_bins = [&](const std::string& variant, const Limits& limits,
                                            const Launch& launch) {
        for (const std::uint64_t bins : {1, 10, 256, 1000, 4096}) {
            SCOPED_TRACE(fmt::format("{} bins", bins));
            const Values values = values_of({launch.elements, launch.size, launch.grid, bins});
            check(variant, prepare_case(histogram(), values, variant, limits));
        }
    };
    for_each_launch(histogram(), {software_device(), large_gpu(), little_memory()}, launches,
                    with_few_and_many_bins);
}

TEST(Histogram, PlansFitTheDeviceLimits) {
    for_each_plan([](const std::string& variant, const PreparedExperiment& prepared) {
        const Plan& plan = prepared.plan;
        const std::uint64_t bins = prepared.values()[Key<std::uint64_t>{"bins"}];
        expect_sound(prepared);
        ASSERT_EQ(plan.buffers.size(), 3u);
        EXPECT_EQ(plan.main_output, "counts");
        EXPECT_EQ(plan.buffers[1].elements(), bins);
        EXPECT_EQ(plan.min_bytes, 4 * prepared.values()[key::elements]);
        const Dispatch& main = plan.main();
        EXPECT_EQ(main.kernel, "histogram/" + variant);
        EXPECT_EQ(main.push.size(), 8u);
        if (main.constants.empty()) {
            EXPECT_EQ(main.shared_bytes, 0u);
            return;
        }
        const std::uint64_t size = main.workgroup_size();
        const std::uint64_t words = main.constants[0], copies = main.constants[1];
        EXPECT_EQ(main.shared_bytes, 4 * (words + 1));
        EXPECT_TRUE(std::has_single_bit(copies));
        EXPECT_LE(copies, prepared.limits.subgroup_size);
        EXPECT_EQ(main.constants[2] == 1, words / copies >= bins);
        const std::uint64_t held = std::min(bins, words / copies);
        const std::uint64_t clearing = (held * copies + size - 1) / size;
        const std::uint64_t adding = (held + size - 1) / size * (1 + copies);
        EXPECT_GE(main.iterations_once, clearing + adding + 3) << "includes the last test of each loop";
    });
}

TEST(Histogram, CopiesFitWorkgroupMemoryAndTheSubgroup) {
    const auto copies = [](std::uint64_t bins, const Limits& limits, std::uint64_t size = 256) {
        const Values values = values_of({.size = size, .bins = bins});
        return plan_of(histogram(), values, "subgroup_replicas", limits).main().constants.at(1);
    };
    EXPECT_EQ(copies(10, large_gpu()), 32u);
    EXPECT_EQ(copies(256, large_gpu()), 32u);
    EXPECT_EQ(copies(1024, large_gpu()), 8u);
    EXPECT_EQ(copies(4096, large_gpu()), 2u);
    EXPECT_EQ(copies(10, software_device()), 8u);
    EXPECT_EQ(copies(4096, little_memory()), 1u);
    EXPECT_EQ(copies(10, large_gpu(), 3), 4u);
}

TEST(Histogram, AutoGridFillsTheDevice) {
    const auto grid = [](const char* variant, std::uint64_t elements, const Limits& limits,
                         std::uint64_t size = 256) {
        return test::requested_grid(histogram(), values_of({.elements = elements, .size = size}), variant,
                                    limits);
    };
    EXPECT_EQ(grid("atomic_global", 10000, large_gpu()), 40u);
    EXPECT_EQ(grid("atomic_shared", 10000, large_gpu()), 10u);
    EXPECT_EQ(grid("atomic_shared", 1 << 28, large_gpu()), 132u * 4);
    EXPECT_EQ(grid("subgroup_replicas", 1 << 28, large_gpu(), 1024), 132u);
    EXPECT_EQ(grid("subgroup_replicas", 1 << 24, software_device()), 64u);
    EXPECT_EQ(grid("race", 1 << 28, software_device()), 65535u);
}

TEST(Histogram, OnlyTheRaceIsWrongOnPurpose) {
    for (const Variant& variant : histogram().variants) {
        SCOPED_TRACE(variant.id);
        const PreparedExperiment prepared = prepare_case(histogram(), values_of({}), variant.id);
        EXPECT_EQ(variant.wrong_on_purpose, variant.id == "race");
        EXPECT_EQ(is_wrong_on_purpose(histogram(), prepared.experiment), variant.id == "race");
        EXPECT_EQ(test::count_of("\"wrong on purpose\"", remarks_on(prepared, {Severity::caution, ""})),
                  variant.id == "race" ? 1 : 0);
    }
}

TEST(Histogram, AllVariantsShareOneExactReference) {
    EXPECT_FALSE(histogram().reference_depends_on_launch);
    const Setting setting{.bins = 37};
    const Input input = histogram().input(values_of(setting));
    const auto numbers = get(input, "values").as<float>();
    const Counted reference_counts = count({numbers.begin(), numbers.end()}, setting);
    for (const Variant& variant : histogram().variants) {
        SCOPED_TRACE(variant.id);
        const Counted counted = count({numbers.begin(), numbers.end()}, setting, variant.id);
        EXPECT_EQ(counted.counts, reference_counts.counts);
        EXPECT_EQ(counted.ignored, reference_counts.ignored);
        const auto all =
            histogram().task.reference(input, prepare_case(histogram(), values_of(setting), variant.id));
        ASSERT_EQ(all.size(), 2u);
        for (const Expected& expected : all) {
            EXPECT_EQ(expected.tolerance.relative, 0);
            EXPECT_EQ(expected.tolerance.absolute, 0);
        }
    }
}

TEST(Histogram, BinsAndRangeInvalidateOnlyTheReference) {
    for (const Parameter& parameter : histogram().parameters)
        if (parameter.id == "bins" || parameter.id.starts_with("range_")) {
            EXPECT_EQ(parameter.invalidates, Invalidates::reference) << parameter.id;
        }
    EXPECT_EQ(find(histogram().parameters, "spread")->invalidates, Invalidates::input);
}

TEST(Histogram, RemarksDescribeHowPrivateBinsFitTheDevice) {
    const auto said_beside = [](const char* parameter, const Setting& setting, const char* variant,
                                const Limits& limits = software_device()) {
        return remarks_on(prepare_case(histogram(), values_of(setting), variant, limits),
                          {.beside = parameter});
    };
    EXPECT_THAT(said_beside("bins", {}, "atomic_shared"), Mentions("bins"));
    EXPECT_THAT(said_beside("bins", {}, "subgroup_replicas"), Mentions(8, "copies"));
    EXPECT_THAT(said_beside("bins", {.bins = 200}, "subgroup_replicas", little_memory()), Mentions("copy"));
    EXPECT_THAT(said_beside("bins", {.bins = 1000}, "atomic_shared", little_memory()), Mentions("others"));
    EXPECT_EQ(said_beside("bins", {.bins = 1000}, "atomic_global", little_memory()), "");
    const Setting few_per_bin{.elements = 100000, .grid = 98, .bins = 4096};
    EXPECT_THAT(said_beside("workgroup_count", few_per_bin, "atomic_shared"), Mentions("fewer bins"));
    EXPECT_THAT(said_beside("workgroup_count", few_per_bin, "atomic_global"), Mentions("numbers"));
}

TEST(Histogram, ReportsLostCounts) {
    const Report report = report_of({.elements = 100, .bins = 3}, "race", {10, 50, 20}, 5);
    EXPECT_EQ(metric(report, "lost"), 15);
    EXPECT_EQ(metric(report, "ignored"), 5);
    EXPECT_EQ(metric(report, "counts"), 3);
    EXPECT_EQ(metric(report_of({.elements = 10, .bins = 1}, "race", {11}, 0), "lost"), 0);
}

TEST(Histogram, AcceptsAnyF32NumbersOfTheUser) {
    const std::vector<double> user_numbers = {0.1, HUGE_VAL, std::nan(""), -3};
    const UserData data{array_of(user_numbers), 2, "numbers.csv", "sum"};
    const Input input = histogram().input_from_user(data, values_of({.elements = 4}));
    const auto numbers = get(input, "values").as<float>();
    EXPECT_EQ(numbers[0], 0.1f);
    EXPECT_TRUE(std::isinf(numbers[1]));
    EXPECT_TRUE(std::isnan(numbers[2]));
    EXPECT_EQ(input[0].width, 2u);
    const std::vector<double> too_large = {0.1, 1e300, 0, 0};
    EXPECT_THAT(message_of<Refusal>(
                    [&] { histogram().input_from_user({array_of(too_large)}, values_of({.elements = 4})); }),
                HasSubstr("Row 2: 1e+300"))
        << "the number overflows f32";
}

TEST(Histogram, RefusesEmptyRangesAndCautionsAboutEmptyBins) {
    const auto refusal_of = [](const Setting& setting) {
        return test::refusal_of(prepare_case(histogram(), values_of(setting), "atomic_shared"));
    };
    EXPECT_TRUE(prepare_case(histogram(), values_of({}), "atomic_shared").is_valid());
    EXPECT_THAT(refusal_of({.min = 4, .max = 4}), HasSubstr("not below"));
    EXPECT_THAT(refusal_of({.min = 5, .max = -5}), HasSubstr("not below"));
    EXPECT_THAT(refusal_of({.min = 1, .max = 1 + 1e-9}), HasSubstr("same f32"));
    EXPECT_THAT(refusal_of({.bins = 4096, .min = 0, .max = 1e-28}), HasSubstr("fewer bins"));
    const PreparedExperiment finer_than_f32 =
        prepare_case(histogram(), values_of({.bins = 4096, .min = 1e6, .max = 1e6 + 1}), "atomic_shared");
    EXPECT_TRUE(finer_than_f32.is_valid());
    EXPECT_THAT(remarks_on(finer_than_f32, {Severity::caution, "bins"}), HasSubstr("some bins stay empty"));
}

TEST(Histogram, BaselinesMatchTheReference) {
    const Setting setting{.elements = 200001, .bins = 37};
    const Values values = values_of(setting);
    const Input input = histogram().input(values);
    const auto numbers = get(input, "values").as<float>();
    const Counted counted = count({numbers.begin(), numbers.end()}, setting);
    double expected = 0;
    for (std::size_t i = 0; i < counted.counts.size(); ++i)
        expected += static_cast<double>(i + 1) * counted.counts[i];
    EXPECT_THAT(baselines_of(histogram(), input, values), Each(expected));
}

TEST(Histogram, RacePictureShowsLostCountsPerBin) {
    const Setting setting{.elements = 1000, .bins = 2};
    const Input input = histogram().input(values_of(setting));
    const auto numbers = get(input, "values").as<float>();
    const Counted truth = count({numbers.begin(), numbers.end()}, setting);
    Report report = report_of(setting, "race", {truth.counts[0] - 7, truth.counts[1]}, truth.ignored);
    report.status = Status::wrong_on_purpose;
    report.expected = {{"counts", array_of(truth.counts)}};
    const PreparedExperiment prepared = prepare(histogram(), report.experiment, report.device);
    const auto plots = make_plots({prepared, &report});
    EXPECT_THAT(content_of<Figure>(plots, "lost").series.at(0).y, ElementsAre(7, 0));
    const Series counts = content_of<Figure>(plots, "counts").series.at(1);
    EXPECT_THAT(counts.y, ElementsAre(truth.counts[0], truth.counts[1]));
    EXPECT_THAT(counts.x, ElementsAre(-2, 2));
}

TEST(Histogram, OutlinesOfACorrectRunAreItsCounts) {
    const Report report = report_of({.elements = 10, .bins = 2}, "atomic_shared", {4, 5}, 1);
    const PreparedExperiment prepared = prepare(histogram(), report.experiment, report.device);
    const auto plots = make_plots({prepared, &report});
    EXPECT_FALSE(plot_of(plots, "lost"));
    for (const int series : {0, 1})
        EXPECT_THAT(content_of<Figure>(plots, "counts").series.at(series).y, ElementsAre(4, 5));
    EXPECT_THAT(plot_of(plots, "counts")->note, Mentions(1, 10));
}

/// Sums the bars of each series of a picture before a run; returns nothing if the picture is missing.
std::vector<double> totals_of(const PreparedExperiment& prepared, const char* picture) {
    const auto plots = make_plots({prepared});
    std::vector<double> totals;
    if (plot_of(plots, picture))
        for (const Series& series : content_of<Figure>(plots, picture).series)
            totals.push_back(std::accumulate(series.y.begin(), series.y.end(), 0.0));
    return totals;
}

TEST(Histogram, FirstPictureShowsOnlyTheFirstNumbers) {
    const PreparedExperiment prepared =
        prepare_case(histogram(), values_of({.elements = 1000000, .min = -100, .max = 100}), "atomic_shared");
    EXPECT_THAT(totals_of(prepared, "first_numbers"), ElementsAre(1000));
    EXPECT_EQ(plot_of(make_plots({prepared}), "first_numbers")->origin, Origin::computed);
    const PreparedExperiment few =
        prepare_case(histogram(), values_of({.elements = 7, .min = -100, .max = 100}), "race");
    EXPECT_THAT(totals_of(few, "first_numbers"), ElementsAre(7));
}

TEST(Histogram, PrivateCountsPictureUsesTheFirstTileOfEachWorkgroup) {
    const Setting setting{.elements = 100000, .size = 64, .min = -100, .max = 100};
    const auto own = [](const Setting& of, const char* variant) {
        return totals_of(prepare_case(histogram(), values_of(of), variant, large_gpu()), "own_counts");
    };
    EXPECT_THAT(own(setting, "atomic_shared"), ElementsAre(256, 256, 256, 256));
    EXPECT_THAT(own({.elements = 300, .size = 64, .min = -100, .max = 100}, "subgroup_replicas"),
                ElementsAre(256, 44));
    EXPECT_THAT(own(setting, "atomic_global"), ElementsAre()) << "the variant has no private counts";
}

TEST(Histogram, WorkgroupMemoryPictureShowsCopiesAndTheLimit) {
    const PreparedExperiment prepared = prepare_case(histogram(), values_of({}), "race", large_gpu());
    const auto series = content_of<Figure>(make_plots({prepared}), "workgroup_memory").series;
    ASSERT_EQ(series.size(), 3u);
    EXPECT_EQ(series[0].label, "atomic_shared");
    EXPECT_EQ(series[0].x.back(), 4096);
    EXPECT_EQ(series[0].y.back(), 4096 * 4);
    EXPECT_EQ(series[1].label, "subgroup_replicas");
    EXPECT_EQ(series[1].y.front(), 32 * 4) << "a copy for each lane";
    EXPECT_EQ(series[1].y.back(), 2 * 4096 * 4);
    EXPECT_THAT(series[2].y, ElementsAre(49152, 49152));
}

/// Returns the line of atomic_shared in this picture of runs; nullopt if there is none.
std::optional<Series> line_of(const std::vector<Report>& runs, const char* plot) {
    const std::vector<const Report*> history = history_of(runs);
    const PreparedExperiment bench = prepare_case(histogram(), values_of({}), "race");
    const auto plots = make_plots({bench, nullptr, history});
    if (!plot_of(plots, plot)) return std::nullopt;
    const auto series = content_of<Figure>(plots, plot).series;
    EXPECT_EQ(series.size(), 1u);
    return series.at(0);
}

Report timed(const Setting& setting, double kernel_ns, std::uint64_t grid = 40) {
    Report report = report_of(setting, "atomic_shared", std::vector<std::uint32_t>(setting.bins), 0);
    report.timings.kernel.samples = {kernel_ns};
    report.launch.grid = {grid};
    return report;
}

TEST(Histogram, ComparesTimesOnlyOfRunsThatDifferInOneParameter) {
    const std::vector<Report> runs = {timed({.spread = 1}, 100, 10),  timed({.spread = 0.1}, 10, 10),
                                      timed({.spread = 0.01}, 1, 10), timed({.size = 32, .spread = 0.5}, 5),
                                      timed({.bins = 64}, 30),        timed({.bins = 1000}, 20),
                                      timed({.grid = 4}, 400, 4)};
    const auto expect = [&](const char* plot, std::vector<double> x, std::vector<double> y) {
        const auto line = line_of(runs, plot);
        ASSERT_TRUE(line) << plot;
        EXPECT_EQ(line->x, x) << plot;
        EXPECT_EQ(line->y, y) << plot;
    };
    expect("time_against_spread", {0.01, 0.1, 1}, {1, 10, 100});
    expect("time_against_bins", {10, 64, 1000}, {100, 30, 20});
    expect("time_against_workgroups", {4, 10}, {400, 100});
    EXPECT_FALSE(line_of({runs[0]}, "time_against_bins")) << "one run does not make a line";
}

}  // namespace gridstride::histogram_test
