// Tests the Gaussian lesson without a GPU: its plans, the tolerance of its reference, and its pictures.

#include "lesson/compute_report.h"
#include "lesson/lesson_case.h"
#include "test_includes.h"

namespace gridstride::gaussian_test {

using namespace test;

const Lesson& gaussian() {
    return *find_lesson("gaussian");
}

struct Setting {
    std::uint64_t elements = 1000;
    std::uint64_t size = 256;
    std::uint64_t grid = 0;
    double mean = 0;
    double sigma = 1;
};

Values values_of(const Setting& setting) {
    Values values = values_with(gaussian(), {setting.elements, setting.size, setting.grid});
    values.set("mean", setting.mean);
    values.set("sigma", setting.sigma);
    return values;
}

PreparedExperiment prepare_here(const Setting& setting, const std::string& variant = "vec4",
                                const Limits& limits = software_device()) {
    return prepare_case(gaussian(), values_of(setting), variant, limits);
}

bool refused(const Setting& setting, const char* variant, const Limits& limits = software_device()) {
    return !prepare_here(setting, variant, limits).is_valid();
}

std::string all_remarks(const Setting& setting, const char* variant = "vec4") {
    return remarks_on(prepare_here(setting, variant));
}

float f32_of(const std::vector<std::uint32_t>& push, std::size_t word) {
    return std::bit_cast<float>(push.at(word));
}
double f64_of(const std::vector<std::uint32_t>& push, std::size_t word) {
    return std::bit_cast<double>(push.at(word) | std::uint64_t{push.at(word + 1)} << 32);
}

TEST(Gaussian, DefaultsAreAMillionElementsOfTheStandardNormal) {
    const Values values(gaussian().parameters);
    EXPECT_EQ(values[key::elements], 1000000u);
    EXPECT_EQ(values[Key<double>{"mean"}], 0);
    EXPECT_EQ(values[Key<double>{"sigma"}], 1);
    std::vector<std::string> ids;
    for (const Variant& variant : gaussian().variants)
        ids.push_back(variant.id);
    EXPECT_THAT(ids, ElementsAre("per_element", "grid_stride", "vec4", "float64"));
}

TEST(Gaussian, InputIsUniformFromMinus3To3) {
    const Input input = gaussian().input(values_of({.elements = 1000000}));
    const auto x = get(input, "x").as<float>();
    double sum = 0, squares = 0;
    for (const float value : x) {
        ASSERT_TRUE(value >= -3 && value < 3) << value;
        sum += value;
        squares += double{value} * value;
    }
    EXPECT_NEAR(sum / 1e6, 0, 0.009);      // five standard errors
    EXPECT_NEAR(squares / 1e6, 3, 0.014);  // The variance is 36 / 12.
    // The largest number of the generator stays below 3.
    EXPECT_LT(static_cast<float>(-3 + 6 * (1 - 0x1p-24)), 3.0f);
    // The parameters of the Gaussian do not change the input, so the lab can reuse it.
    const Input other = gaussian().input(values_of({.elements = 1000000, .mean = 2, .sigma = 5}));
    EXPECT_TRUE(std::equal(x.begin(), x.end(), get(other, "x").as<float>().begin()));
}

TEST(Gaussian, PlansCoverTheElementsAndMoveEightBytesForEach) {
    const Launches launches = {{1, 3, 4, 5, 1000, 100003}, {1, 3, 96, 256, 1024}, {0, 1, 3, 65535}};
    const auto check = [](const std::string& variant, const Limits& limits, const Launch& launch) {
        const PreparedExperiment prepared =
            prepare_here({launch.elements, launch.size, launch.grid}, variant, limits);
        const Plan& plan = prepared.plan;
        expect_sound(prepared);
        const bool wide = variant == "vec4" || variant == "float64";
        EXPECT_EQ(plan.main().elements_per_workgroup(), launch.size * (wide ? 4 : 1));
        EXPECT_EQ(plan.min_bytes, 8 * launch.elements);
        EXPECT_EQ(plan.operations, launch.elements * (variant == "float64" ? 39 : 6));
        EXPECT_EQ(plan.main_output, "densities");
        EXPECT_EQ(plan.main().bindings.size(), 2u);
        for (const Binding& binding : plan.main().bindings)
            EXPECT_TRUE(binding.is_sliced);
    };
    for_each_launch(gaussian(), {software_device(), large_gpu()}, launches, check);
}

TEST(Gaussian, AutoGridCoversAllElementsOrFillsTheDevice) {
    const auto grid = [](const char* variant, std::uint64_t elements, const Limits& limits) {
        return test::requested_grid(gaussian(), values_of({.elements = elements}), variant, limits);
    };
    EXPECT_EQ(grid("per_element", 1000000, large_gpu()), 3907u);
    EXPECT_EQ(grid("per_element", 1 << 28, software_device()), 65535u);
    EXPECT_EQ(grid("grid_stride", 1000000, software_device()), 64u);
    EXPECT_EQ(grid("grid_stride", 1 << 28, large_gpu()), 132u * 64 / (256 / 32))
        << "as many workgroups as are resident";
    EXPECT_EQ(grid("vec4", 1 << 24, software_device()), 64u);
    EXPECT_EQ(grid("float64", 1 << 24, software_device()), 64u);
    EXPECT_EQ(grid("float64", 1 << 24, large_gpu()), (1u << 24) / (4 * 256));
    EXPECT_EQ(grid("vec4", 1000, large_gpu()), 1u);
    EXPECT_EQ(grid("vec4", 1 << 24, large_gpu()), (1u << 24) / (4 * 256)) << "one load each";
    EXPECT_EQ(grid("vec4", 1 << 28, large_gpu()), (1u << 28) / (4 * 256));
}

TEST(Gaussian, PushesParametersInTheKernelsPrecision) {
    const Setting setting{.mean = 0.1, .sigma = 0.7};
    const double peak = 1 / (0.7 * std::sqrt(2 * std::acos(-1.0)));
    const auto narrow = prepare_here(setting, "vec4", large_gpu()).plan.main().push;
    ASSERT_EQ(narrow.size(), 3u);
    EXPECT_EQ(f32_of(narrow, 0), 0.1f);
    EXPECT_EQ(f32_of(narrow, 1), static_cast<float>(1 / 0.7));
    EXPECT_EQ(f32_of(narrow, 2), static_cast<float>(peak));
    const auto wide = prepare_here(setting, "float64", large_gpu()).plan.main().push;
    ASSERT_EQ(wide.size(), 6u) << "the lab's own words end at a multiple of 8 bytes";
    EXPECT_EQ(f64_of(wide, 0), 0.1);
    EXPECT_EQ(f64_of(wide, 2), 1 / 0.7);
    EXPECT_DOUBLE_EQ(f64_of(wide, 4), peak);
}

TEST(Gaussian, RefusesInvalidSigmaAndMean) {
    for (const double sigma : {0.0, -1.0, 1e-30, 1e30, std::nan("")})
        EXPECT_TRUE(refused({.sigma = sigma}, "vec4")) << sigma;
    for (const double mean : {11.0, -1e9, std::numeric_limits<double>::infinity()})
        EXPECT_TRUE(refused({.mean = mean}, "vec4")) << mean;
    EXPECT_FALSE(refused({.mean = -10, .sigma = 0.001}, "vec4"));
    EXPECT_FALSE(refused({.mean = 10, .sigma = 1000}, "float64"));
}

TEST(Gaussian, RefusesFloat64WithoutDeviceSupport) {
    Limits limits = software_device();
    EXPECT_FALSE(refused({}, "float64", limits));
    limits.float64 = false;
    EXPECT_TRUE(refused({}, "float64", limits));
    EXPECT_FALSE(refused({}, "vec4", limits));
}

struct Judged {
    std::span<const float> x;
    Input input;
    std::vector<Expected> expected;

    Judged(const Setting& setting, const char* variant) : input(gaussian().input(values_of(setting))) {
        x = get(input, "x").as<float>();
        expected = gaussian().task.reference(input, prepare_here(setting, variant, large_gpu()));
    }
    double reference(std::size_t i) const { return expected.at(0).reference->number(i); }
    double allowed(std::size_t i) const {
        const Expected& e = expected.at(0);
        return e.tolerance.absolute +
               e.tolerance.relative * (e.scale ? e.scale->number(i) : std::abs(reference(i)));
    }
};

TEST(Gaussian, ReferenceIsTheDefinitionInDouble) {
    const Judged judged({.elements = 1000, .mean = 0.3, .sigma = 0.7}, "vec4");
    ASSERT_EQ(judged.expected.size(), 1u);
    EXPECT_EQ(judged.expected[0].output, "densities");
    for (std::size_t i = 0; i < judged.x.size(); ++i) {
        const double d = judged.x[i] - 0.3;
        const double expected =
            std::exp(-d * d / (2 * 0.7 * 0.7)) / std::sqrt(2 * std::acos(-1.0) * 0.7 * 0.7);
        ASSERT_NEAR(judged.reference(i), expected, 1e-14);
    }
}

/// Computes as the kernel does, rounded to nearest, with an exp whose only error is its rounding.
float kernel_on_the_cpu(float x, double mean, double sigma) {
    const auto peak = static_cast<float>(1 / (sigma * std::sqrt(2 * std::acos(-1.0))));
    const float z = (x - static_cast<float>(mean)) * static_cast<float>(1 / sigma);
    return peak * static_cast<float>(std::exp(double{-0.5f * z * z}));
}

TEST(Gaussian, F32ErrorsAreWithinATightBound) {
    for (const double mean : {0.0, 0.1, -2.9, 3.7, -10.0, 10.0})
        for (const double sigma : {0.001, 0.0123, 0.1, 0.7, 1.0, 3.0, 1000.0}) {
            SCOPED_TRACE(fmt::format("mean {}, sigma {}", mean, sigma));
            const Judged judged({.elements = 100003, .mean = mean, .sigma = sigma}, "vec4");
            for (std::size_t i = 0; i < judged.x.size(); ++i) {
                const double reference = judged.reference(i);
                const double error = std::abs(kernel_on_the_cpu(judged.x[i], mean, sigma) - reference);
                ASSERT_TRUE(error <= judged.allowed(i)) << judged.x[i] << ": " << error;
                // The rounding of the mean must not widen the tolerance beyond 1 % of a density above 1e-30.
                if (reference > 1e-30) {
                    ASSERT_LT(judged.allowed(i), 0.01 * reference) << judged.x[i];
                }
            }
        }
    // At the peak of the default curve a few ulp are allowed; a wrong fifth digit is an error.
    const Judged judged({.elements = 100003}, "vec4");
    for (std::size_t i = 0; i < judged.x.size(); ++i)
        ASSERT_LT(judged.allowed(i), 5e-6 * judged.reference(i) + 1e-37);
}

TEST(Gaussian, Float64KernelMayRoundOnce) {
    const Judged judged({.elements = 1000, .mean = 0.1, .sigma = 0.7}, "float64");
    for (std::size_t i = 0; i < judged.x.size(); ++i)
        ASSERT_LT(judged.allowed(i), 1.01 * 0x1p-23 * judged.reference(i) + 1.2e-38);
}

TEST(Gaussian, BaselinesComputeEveryDensity) {
    const Values values = values_of({.elements = 100003, .mean = 0.5, .sigma = 0.8});
    const Input input = gaussian().input(values);
    const Judged judged({.elements = 100003, .mean = 0.5, .sigma = 0.8}, "vec4");
    double sum = 0;
    for (std::size_t i = 0; i < judged.x.size(); ++i)
        sum += judged.reference(i);
    EXPECT_THAT(baselines_of(gaussian(), input, values), Each(DoubleNear(sum, 1e-6 * sum)));
    // A smaller input after a larger one must not read what the larger one left.
    const Values few = values_of({.elements = 2, .mean = 0.5, .sigma = 0.8});
    EXPECT_THAT(baselines_of(gaussian(), gaussian().input(few), few), Each(testing::Lt(1)));
}

TEST(Gaussian, ResultIsThePeakAndTheEstimatedIntegral) {
    std::vector<float> densities(200001, 0.25f);
    densities.back() = 0.75f;
    const Outputs outputs = {{"densities", array_of(densities)}};
    const auto facts = facts_of(gaussian(), values_of({}), outputs);
    EXPECT_EQ(number_of(facts, "peak"), 0.75);
    EXPECT_NEAR(number_of(facts, "integral"), 6 * (0.25 * 200000 + 0.75) / 200001, 1e-12);
}

const Fact& fact_of(const std::vector<Fact>& facts, std::string_view id) {
    return *std::ranges::find_if(facts, [&](const Fact& fact) { return fact.id == id; });
}

TEST(Gaussian, IntegralHasAnUncertainty) {
    // One of n numbers is 1/2 above the others, so their variance is 1 / (4 n).
    std::vector<float> densities(200001, 0.25f);
    densities.back() = 0.75f;
    const auto facts = facts_of(gaussian(), values_of({}), {{"densities", array_of(densities)}});
    EXPECT_NEAR(fact_of(facts, "integral").uncertainty, 6 * 0.5 / 200001, 1e-15);
    EXPECT_EQ(fact_of(facts, "peak").uncertainty, 0) << "the peak is exact";
    const auto single_facts = facts_of(gaussian(), values_of({}), {{"densities", array_of<float>({0.25f})}});
    EXPECT_TRUE(std::isinf(fact_of(single_facts, "integral").uncertainty)) << "one sample gives no variance";
}

TEST(Gaussian, UncertaintyMatchesTheSpreadOverSeeds) {
    const double area = std::erf(3 / std::sqrt(2.0));
    constexpr int seeds = 400;
    double squares = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
        Values values = values_of({.elements = 1000});
        values.set("seed", static_cast<std::uint64_t>(seed));
        const Input input = gaussian().input(values);
        std::vector<float> densities;
        for (const float x : get(input, "x").as<float>())
            densities.push_back(kernel_on_the_cpu(x, 0, 1));
        const auto facts = facts_of(gaussian(), values, {{"densities", array_of(densities)}});
        const double off = (number_of(facts, "integral") - area) / fact_of(facts, "integral").uncertainty;
        squares += off * off;
    }
    EXPECT_NEAR(std::sqrt(squares / seeds), 1, 0.15);  // four standard errors
}

TEST(Gaussian, RemarksDescribeUnusualCurves) {
    EXPECT_THAT(all_remarks({.mean = 10, .sigma = 0.1}), Mentions("outside the range"));
    EXPECT_THAT(all_remarks({.mean = 0.1}), HasSubstr("not an f32 number"));
    EXPECT_THAT(all_remarks({.mean = 0.1}, "float64"), Not(HasSubstr("not an f32 number")));
    EXPECT_THAT(all_remarks({.elements = 1000, .sigma = 0.01}), HasSubstr("rough"));
    EXPECT_THAT(all_remarks({}, "float64"), Mentions("elements"));
    EXPECT_THAT(all_remarks({}, "vec4"), Not(HasSubstr("are f32 in memory")));
}

TEST(Gaussian, MeanAndSigmaInvalidateOnlyTheReference) {
    for (const char* id : {"mean", "sigma"})
        EXPECT_EQ(find(gaussian().parameters, id)->invalidates, Invalidates::reference) << id;
}

Report report_of(const Setting& setting, const std::string& variant) {
    return finished_run(gaussian(), values_of(setting), variant);
}

std::vector<Plot> pictures_of(const Values& values, const std::string& variant,
                              const Report* report = nullptr,
                              const std::vector<const Report*>& history = {}) {
    const PreparedExperiment prepared = prepare_case(gaussian(), values, variant);
    return make_plots({prepared, report, history});
}

void set_times(Report& report, double wall, double one_thread, double all_threads) {
    report.timings.kernel.samples = {wall / 2};
    report.timings.upload.samples = {wall / 8};
    report.timings.download.samples = {wall / 8};
    report.timings.wall.samples = {wall};
    report.timings.cpu.samples = {one_thread};
    report.timings.more_cpu = {{{all_threads}}};
}

TEST(Gaussian, CurveHasSamplesOnlyAfterARun) {
    const Values values = values_of({.elements = 100003, .mean = 1, .sigma = 0.001});
    const auto before = pictures_of(values, "vec4");
    const Series line = content_of<Figure>(before, "curve").series.at(0);
    EXPECT_NEAR(*std::ranges::max_element(line.y), 398.94, 0.01) << "a narrow peak is sampled";
    EXPECT_TRUE(std::ranges::is_sorted(line.x));
    EXPECT_EQ(plot_of(before, "ulp_error"), nullptr);

    Report report = report_of({.elements = 100003}, "vec4");
    report.input = gaussian().input(report.experiment.values);
    const auto x = get(report.input, "x").as<float>();
    std::vector<float> densities;
    for (const float one : x)
        densities.push_back(kernel_on_the_cpu(one, 0, 1));
    report.outputs = {{"densities", array_of(densities)}};
    set_times(report, 1000, 3000, 2000);
    const auto after = pictures_of(report.experiment.values, "vec4", &report);
    const std::vector<Series> curve = content_of<Figure>(after, "curve").series;
    ASSERT_EQ(curve.size(), 2u);
    EXPECT_GT(curve[1].x.size(), 25u);
    EXPECT_LE(curve[1].x.size(), 2000u);
    const Series bars = content_of<Figure>(after, "ulp_error").series.at(0);
    EXPECT_LT(bars.x.size(), 45u);
    EXPECT_NEAR(std::accumulate(bars.y.begin(), bars.y.end(), 0.0), 100, 1e-6);
    EXPECT_EQ(content_of<Figure>(after, "with_and_without_transfers").x.categories.size(), 4u);
}

TEST(Gaussian, ComputedReportDrawsNoDeviceResults) {
    const PreparedExperiment prepared = prepare_case(gaussian(), values_of({.elements = 100}), "vec4");
    const Report computed = compute_report(prepared);
    const auto plots = make_plots({prepared, &computed});
    EXPECT_EQ(content_of<Figure>(plots, "curve").series.size(), 1u) << "only the definition";
    EXPECT_EQ(plot_of(plots, "ulp_error"), nullptr);
    EXPECT_TRUE(plot_of(plots, "who"));
}

TEST(Gaussian, PicturesAcceptNaNResults) {
    Report report = report_of({.elements = 100}, "vec4");
    report.input = gaussian().input(report.experiment.values);
    const std::vector<float> nothing(100, std::numeric_limits<float>::quiet_NaN());
    report.outputs = {{"densities", array_of(nothing)}};
    EXPECT_NO_THROW(pictures_of(report.experiment.values, "vec4", &report));
}

TEST(Gaussian, PeakIsNaNIfAnyDensityIsNaN) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto peak_of = [](const std::vector<float>& densities) {
        return number_of(facts_of(gaussian(), values_of({}), {{"densities", array_of(densities)}}), "peak");
    };
    EXPECT_TRUE(std::isnan(peak_of(std::vector<float>(100'000, nan))));
    EXPECT_TRUE(std::isnan(peak_of({0.25f, nan, 0.5f}))) << "the value in place of the NaN is unknown";
    EXPECT_EQ(peak_of({0.25f, 0.5f}), 0.5);
    EXPECT_EQ(peak_of({-3, -2}), -2) << "the densities of a wrong kernel";
}

TEST(Gaussian, BreakEvenIsWhereTheGpuBecomesFaster) {
    // The GPU takes 1000 ns and 1 ns an element, and one thread takes 10 ns an element. The GPU never
    // overtakes all threads.
    std::vector<Report> reports;
    for (const std::uint64_t elements : {1000000, 1, 10, 1000, 100}) {
        reports.push_back(report_of({.elements = elements}, "vec4"));
        const auto n = static_cast<double>(elements);
        set_times(reports.back(), 1000 + n, 10 * n, 0.5 * n);
    }
    reports.push_back(report_of({.elements = 50}, "per_element"));
    set_times(reports.back(), 1, 10, 10);
    const auto break_even = [&](const char* variant) -> std::optional<Plot> {
        const auto plots = pictures_of(values_of({}), variant, nullptr, history_of(reports));
        const Plot* plot = plot_of(plots, "break_even");
        return plot ? std::optional(*plot) : std::nullopt;
    };
    const auto plot = break_even("vec4");
    ASSERT_TRUE(plot);
    const auto& drawn = std::get<Figure>(plot->content);
    ASSERT_EQ(drawn.series.size(), 4u);
    EXPECT_THAT(drawn.series[0].x, ElementsAre(1, 10, 100, 1000, 1000000));
    ASSERT_EQ(drawn.markers.size(), 1u);
    // The curves cross between 100 (1100 against 1000 ns) and 1000 (2000 against 10 000 ns).
    EXPECT_GT(drawn.markers[0].x, 100);
    EXPECT_LT(drawn.markers[0].x, 130);
    EXPECT_THAT(drawn.markers[0].label, HasSubstr("one thread"));
    EXPECT_THAT(plot->note, HasSubstr("does not overtake all threads"));
    EXPECT_FALSE(break_even("grid_stride"));
    EXPECT_THAT(break_even("per_element")->note, HasSubstr("other sizes"));

    set_times(reports[0], 2e7, 1e7, 5e5);  // at a million elements the GPU is slower again
    EXPECT_THAT(break_even("vec4")->note, Mentions("behind"));
    for (Report& report : reports)
        set_times(report, 1, 10, 10);
    EXPECT_THAT(break_even("vec4")->note, HasSubstr("always ahead of one thread"));
}

}  // namespace gridstride::gaussian_test
