// Tests the hidden layer lesson without a GPU: its plans, its reference, and the errors of its formulas.

#include "base/bounded.h"
#include "lesson/lesson_case.h"
#include "test_includes.h"

namespace gridstride::hidden_layer_test {

using namespace test;

const Lesson& layer() {
    return *find_lesson("hidden_layer");
}

struct Setting {
    std::uint64_t elements = 1000;
    std::uint64_t size = 256;
    std::uint64_t grid = 0;
    double gain = 1;
    std::uint32_t formula = 0;
};

Values values_of(const Setting& setting) {
    Values values = values_with(layer(), {setting.elements, setting.size, setting.grid});
    values.set("gain", setting.gain);
    values.set("formula", ChoiceIndex{setting.formula});
    return values;
}

/// Returns one letter per step: U(p), K(ernel), D(own), and | at the end of a submission.
std::string shape(const Plan& plan) {
    std::string letters;
    for (const Step& step : plan.steps) {
        if (std::holds_alternative<Upload>(step)) letters += 'U';
        if (std::holds_alternative<Dispatch>(step)) letters += 'K';
        if (std::holds_alternative<Download>(step)) letters += 'D';
        if (std::holds_alternative<SubmitEnd>(step)) letters += '|';
    }
    return letters;
}

TEST(HiddenLayer, VariantsDifferInTransfersAndSubmissions) {
    const auto of = [](const char* variant) {
        return shape(plan_of(layer(), values_of({}), variant, large_gpu()));
    };
    EXPECT_EQ(of("round_trips"), "UKD|UUKD|UKD");
    EXPECT_EQ(of("resident"), "UUK|K|K|D");
    EXPECT_EQ(of("one_submit"), "UUKKKD");
    EXPECT_EQ(of("fused"), "UUKD");
}

TEST(HiddenLayer, WrittenBuffersAreBoundLast) {
    for (const Variant& variant : layer().variants) {
        const Plan plan = plan_of(layer(), values_of({}), variant.id, large_gpu());
        for (const Dispatch* d : dispatches(plan))
            for (std::size_t i = 0; i < d->bindings.size(); ++i)
                EXPECT_EQ(d->bindings[i].access != Access::read, i + 1 == d->bindings.size()) << d->kernel;
    }
}

TEST(HiddenLayer, RoundTripsUploadDownloadedData) {
    const Plan plan = plan_of(layer(), values_of({}), "round_trips", large_gpu());
    std::vector<std::string> known = {"greyscales", "weights"};
    for (const Step& step : plan.steps) {
        if (const auto* upload = std::get_if<Upload>(&step)) {
            EXPECT_THAT(known, Contains(upload->input));
        }
        if (const auto* download = std::get_if<Download>(&step))
            known.push_back(plan.buffers[download->buffer].name);
    }
}

TEST(HiddenLayer, PlansAreValidForOddSizesWithEnoughIterations) {
    const Launches launches = {{1, 2, 3, 5, 1000, 100003}, {1, 3, 96, 256, 1000, 1024}, {0, 1, 3, 65535}};
    const auto check = [](const std::string& variant, const Limits& limits, const Launch& launch) {
        const PreparedExperiment prepared =
            prepare_case(layer(), values_of({launch.elements, launch.size, launch.grid}), variant, limits);
        EXPECT_NO_THROW(require_valid(prepared));
        const Plan& plan = prepared.plan;
        expect_sound(prepared);
        EXPECT_EQ(plan.min_bytes, 12 * launch.elements);
        EXPECT_EQ(plan.main_output, "activations");
        for (const Dispatch* d : dispatches(plan)) {
            EXPECT_EQ(d->elements(), launch.elements);
            EXPECT_EQ(d->elements_per_workgroup(), 4 * launch.size);
            EXPECT_EQ(d->grid, plan.main().grid);
            // The expected count follows the kernels' loops for invocation 0, which runs the most iterations.
            const std::uint64_t stride = d->workgroup_count() * launch.size;
            const std::uint64_t quads = (launch.elements + 3) / 4;
            const std::uint64_t rounds = (quads + stride - 1) / stride;
            const std::uint64_t unrolled =
                d->kernel.ends_with("weigh") || d->kernel.ends_with("fused") ? 2 : 4;
            EXPECT_GE(promised_iterations(*d), rounds / unrolled + rounds % unrolled);
            for (const Binding& binding : d->bindings)
                EXPECT_TRUE(binding.is_sliced);
        }
    };
    for_each_launch(layer(), {software_device(), large_gpu()}, launches, check);
}

TEST(HiddenLayer, HundredMillionElementsFitASoftwareDevice) {
    const auto fits = [](std::uint64_t elements, const std::string& variant, const Limits& limits) {
        return prepare_case(layer(), values_of({.elements = elements}), variant, limits).is_valid();
    };
    for (const Variant& variant : layer().variants)
        EXPECT_TRUE(fits(100'000'000, variant.id, software_device())) << variant.id;
    EXPECT_FALSE(fits(1u << 28, "fused", software_device()));
    EXPECT_TRUE(fits(1u << 28, "fused", large_gpu()));
    EXPECT_FALSE(fits((1u << 28) + 1, "fused", large_gpu()));
}

TEST(HiddenLayer, AutoGridIsOneLoadOnAGpuAndFewPassesInSoftware) {
    const auto grid = [](std::uint64_t elements, const Limits& limits) {
        return plan_of(layer(), values_of({.elements = elements}), "fused", limits).main().workgroup_count();
    };
    EXPECT_EQ(grid(1000, large_gpu()), 1u);
    EXPECT_EQ(grid(1u << 28, large_gpu()), (1u << 28) / (4 * 256)) << "one load each";
    EXPECT_EQ(grid(60'000, software_device()), 59u);
    EXPECT_EQ(grid(1'000'000, software_device()), 245u);
    EXPECT_EQ(grid(100'000'000, software_device()), 24415u);
}

TEST(HiddenLayer, OnlyActivatingKernelsGetGainAndFormula) {
    for (const Variant& variant : layer().variants) {
        const Plan plan = plan_of(layer(), values_of({.gain = 2.5, .formula = 1}), variant.id, large_gpu());
        for (const Dispatch* d : dispatches(plan)) {
            if (d->kernel == "hidden_layer/activate" || d->kernel == "hidden_layer/fused") {
                EXPECT_THAT(d->constants, ElementsAre(1));
                EXPECT_THAT(d->push, ElementsAre(std::bit_cast<std::uint32_t>(2.5f)));
            } else {
                EXPECT_TRUE(d->constants.empty() && d->push.empty());
            }
        }
    }
}

TEST(HiddenLayer, OnlyTheUnstableFormulaIsWrongOnPurpose) {
    for (const Variant& variant : layer().variants)
        for (const std::uint32_t formula : {0, 1})
            EXPECT_EQ(is_wrong_on_purpose(layer(), {.lesson = layer().id,
                                                    .variant = variant.id,
                                                    .values = values_of({.formula = formula}),
                                                    .input = {},
                                                    .kernel = {}}),
                      formula == 1)
                << variant.id;
}

std::string remarks_on(const Setting& setting, const Limits& limits = large_gpu(),
                       const std::string& variant = "fused") {
    return test::remarks_on(prepare_case(layer(), values_of(setting), variant, limits));
}

TEST(HiddenLayer, RemarksCountBytesDispatchesAndIdleInvocations) {
    const Setting large = {.elements = 40'000'000};
    EXPECT_THAT(remarks_on(large, software_device()), Mentions(12, "can bind", "runs as 2 dispatches"));
    EXPECT_THAT(remarks_on(large, large_gpu(), "resident"),
                AllOf(Mentions(28, 12), Not(Mentions("can bind"))));
    EXPECT_THAT(remarks_on({.elements = 1000, .grid = 3}), Mentions(2, 3, "pixels"));
    EXPECT_THAT(remarks_on({.elements = 1'000'000, .grid = 100}), Mentions(32, 132));
}

TEST(HiddenLayer, RemarksWarnOfTheUnstableFormula) {
    EXPECT_THAT(remarks_on({.gain = 1000, .formula = 1}), Mentions("infinity"));
    EXPECT_THAT(remarks_on({.gain = 1, .formula = 1}), Not(Mentions("infinity")));
    EXPECT_THAT(remarks_on({.gain = 1000}), Not(Mentions("infinity")));
}

TEST(HiddenLayer, InputsAreTwoArraysOfF32) {
    const Input input = layer().input(values_of({.elements = 200'000}));
    ASSERT_EQ(input.size(), 2u);
    EXPECT_EQ(input[0].name, "greyscales");
    EXPECT_EQ(input[1].name, "weights");
    const auto greys = input[0].array->as<float>();
    const auto weights = input[1].array->as<float>();
    ASSERT_EQ(greys.size(), 200'000u);
    ASSERT_EQ(weights.size(), greys.size());
    for (const float grey : greys)
        ASSERT_TRUE(grey >= 0 && grey <= 254 && grey == std::floor(grey)) << grey;
    EXPECT_EQ(*std::ranges::min_element(greys), 0);
    EXPECT_EQ(*std::ranges::max_element(greys), 254);
    const double n = 200'000;
    EXPECT_NEAR(std::accumulate(greys.begin(), greys.end(), 0.0) / n, 127, 1);
    const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / n;
    double squares = 0;
    for (const float w : weights)
        squares += (w - mean) * (w - mean);
    EXPECT_NEAR(mean, 0.5, 0.002);
    EXPECT_NEAR(std::sqrt(squares / n), 0.1, 0.002);
}

TEST(HiddenLayer, ReferenceIsTheDefinition) {
    const Values values = values_of({.elements = 500, .gain = 3});
    const Input input = layer().input(values);
    const auto expected = layer().task.reference(input, prepare_case(layer(), values, "fused"));
    ASSERT_EQ(expected.size(), 1u);
    EXPECT_EQ(expected[0].output, "activations");
    const auto reference = expected[0].reference->as<float>();
    const auto greys = input[0].array->as<float>();
    const auto weights = input[1].array->as<float>();
    for (std::size_t i = 0; i < 500; ++i) {
        const double v = 3 * (greys[i] / 255.0 * weights[i]);
        const double definition = (std::exp(v) - std::exp(-v)) / (std::exp(v) + std::exp(-v));
        EXPECT_NEAR(reference[i], definition, 1e-7 * definition + 1e-15);
    }
}

// These are the kernels' formulas, in f32 as in shaders/hidden_layer/layer.glsl, with the C library's exp,
// which is more accurate than a device's must be.
float stable(float v) {
    const float q = std::exp(-2.0f * std::abs(v));
    const float far = std::copysign(1.0f, v) * (1.0f - q) / (1.0f + q);
    const float s = v * v;
    float p = -5.70498872745e-3f * s + 2.06390887954e-2f;
    p = p * s - 5.37397155531e-2f;
    p = p * s + 1.33314422036e-1f;
    p = p * s - 3.33332819422e-1f;
    const float near = v + v * (s * p);
    return std::abs(v) < 0.625f ? near : far;
}

float as_written(float v) {
    return (std::exp(v) - std::exp(-v)) / (std::exp(v) + std::exp(-v));
}

double relative_error(float computed, float v) {
    const double right = std::tanh(static_cast<double>(v));
    return std::abs(computed - right) / std::abs(right);
}

/// Returns the bound of the relative error of tanh(v) for an exact v.
double relative_bound(float v) {
    const Bounded right = tanh(Bounded{v});
    return right.error / std::abs(right.value);
}

TEST(HiddenLayer, StableFormulaIsWithinTheBound) {
    double worst = 0;
    for (float v = 1e-30f; v < 1e30f; v *= 1.001f)
        worst = std::max({worst, relative_error(stable(v), v), relative_error(-stable(-v), v)});
    EXPECT_LT(worst, 4 * 0x1p-23);
    for (float v = 0.01f; v < 1e30f; v *= 1.001f)
        ASSERT_LT(relative_error(stable(v), v), relative_bound(v) / 2) << v;
    EXPECT_EQ(stable(0), 0);
    EXPECT_EQ(stable(1000), 1);
    EXPECT_EQ(stable(-1000), -1);
}

TEST(HiddenLayer, UnstableFormulaOverflowsAndLosesDigitsNearZero) {
    EXPECT_TRUE(std::isnan(as_written(90)));
    EXPECT_GT(relative_error(as_written(0.001f), 0.001f), 100 * relative_error(stable(0.001f), 0.001f));
    for (float v = 1e-10f; v < 88; v *= 1.01f)
        ASSERT_LT(relative_error(as_written(v), v), relative_bound(v)) << v;
}

// The tolerance must not exceed the error that the specification allows for GLSL's own tanh.
TEST(HiddenLayer, BoundIsNoWiderThanTheSpecificationAllows) {
    const Values values = values_of({.elements = 10'000});
    const Expected expected =
        layer().task.reference(layer().input(values), prepare_case(layer(), values, "fused"))[0];
    for (std::size_t i = 0; i < 10'000; ++i)
        ASSERT_LT(expected.tolerance.relative * expected.scale->number(i), 2e-6);
    EXPECT_EQ(expected.tolerance.absolute, 0);
}

TEST(HiddenLayer, BaselinesMatchTheReference) {
    for (const double gain : {1.0, 20.0, 1000.0}) {
        const Values values = values_of({.elements = 100'003, .gain = gain});
        const Input input = layer().input(values);
        const auto reference = layer().task.reference(input, prepare_case(layer(), values, "fused"));
        const auto right = reference[0].reference->as<float>();
        const double sum = std::accumulate(right.begin(), right.end(), 0.0);
        EXPECT_THAT(baselines_of(layer(), input, values), Each(DoubleNear(sum, 1e-6 * sum)))
            << "at gain " << gain;
    }
}

const UserData picture{array_of<std::uint8_t>({0, 255, 7, 8, 9, 10}), 3, "a.png", ""};

TEST(HiddenLayer, AcceptsAPictureWithItsWidth) {
    const Input input = layer().input_from_user(picture, values_of({.elements = 6}));
    ASSERT_EQ(input.size(), 2u);
    EXPECT_EQ(input[0].width, 3u);
    EXPECT_THAT(input[0].array->as<float>(), ElementsAre(0, 255, 7, 8, 9, 10));
    EXPECT_EQ(input[1].width, 0u);
    EXPECT_EQ(input[1].array->count(), 6u);
}

TEST(HiddenLayer, RefusalNamesTheFirstNonFiniteNumber) {
    const UserData numbers{array_of<double>({1, -3.5, std::nan(""), 4}), 0, "a.csv", ""};
    EXPECT_THAT(message_of<Refusal>([&] { layer().input_from_user(numbers, values_of({.elements = 4})); }),
                HasSubstrs("Row 3", "nan"));
}

Outputs outputs_of(const std::vector<float>& activations) {
    return {{"activations", array_of(activations)}};
}

TEST(HiddenLayer, ReportsMeanMinimumMaximumAndNaNCount) {
    auto facts = facts_of(layer(), values_of({}), outputs_of({0.5f, -0.25f, 0.75f, 0}));
    EXPECT_EQ(number_of(facts, "mean"), 0.25);
    EXPECT_EQ(number_of(facts, "min"), -0.25);
    EXPECT_EQ(number_of(facts, "max"), 0.75);
    EXPECT_EQ(number_of(facts, "not_numbers"), 0);
    facts = facts_of(layer(), values_of({}), outputs_of({0.5f, NAN, NAN}));
    EXPECT_TRUE(std::isnan(number_of(facts, "mean")) && std::isnan(number_of(facts, "max")));
    EXPECT_EQ(number_of(facts, "not_numbers"), 2);
}

TEST(HiddenLayer, BytesPictureFollowsThePlans) {
    const PreparedExperiment prepared = prepare_case(layer(), values_of({}), "fused", large_gpu());
    const auto plots = make_plots({prepared});
    const auto figure = content_of<Figure>(plots, "bytes");
    EXPECT_EQ(plot_of(plots, "bytes")->origin, Origin::computed);
    EXPECT_THAT(figure.x.categories, ElementsAre("round_trips", "resident", "one_submit", "fused"));
    EXPECT_THAT(figure.series[0].y, ElementsAre(16, 8, 8, 8));
    EXPECT_THAT(figure.series[1].y, ElementsAre(28, 28, 28, 12));
    EXPECT_THAT(figure.series[2].y, ElementsAre(12, 4, 4, 4));
}

TEST(HiddenLayer, TripsPictureFollowsThePlans) {
    const PreparedExperiment prepared = prepare_case(layer(), values_of({}), "fused", large_gpu());
    const auto plots = make_plots({prepared});
    std::vector<std::string> shapes, notes;
    for (const Cells::Row& row : content_of<Cells>(plots, "trips").rows) {
        shapes.emplace_back();
        for (const std::uint8_t kind : row.kinds)
            shapes.back() += "UKD|"[kind];
        notes.push_back(row.note);
    }
    EXPECT_EQ(plot_of(plots, "trips")->origin, Origin::computed);
    EXPECT_THAT(shapes, ElementsAre("UKD|UUKD|UKD", "UUK|K|K|D", "UUKKKD", "UUKD"));
    EXPECT_THAT(notes, ElementsAre("7 transfers, 3 submissions", "3 transfers, 4 submissions",
                                   "3 transfers, 1 submission", "3 transfers, 1 submission"));
}

TEST(HiddenLayer, CurveExtendsToTheGain) {
    for (const double gain : {0.0, 1.0, 1000.0}) {
        const PreparedExperiment prepared =
            prepare_case(layer(), values_of({.gain = gain, .formula = 1}), "fused", large_gpu());
        const Series series = content_of<Figure>(make_plots({prepared}), "tanh").series.back();
        EXPECT_NEAR(series.x.back(), std::max(3.0, gain), 1e-9);
        for (std::size_t i = 0; i < series.x.size(); ++i)
            EXPECT_EQ(series.y[i], std::tanh(series.x[i])) << "the curve is exact for either formula";
    }
}

Report report_of(const Values& values, const std::string& variant, double wall_ns) {
    Report report = finished_run(layer(), values, variant);
    report.timings.wall.samples = {wall_ns};
    report.timeline = {{Phase::upload, "greyscales", 10, 20},  {Phase::upload, "greyscales", 30, 20},
                       {Phase::kernel, "normalise", 60, 5},    {Phase::download, "activations", 65, 5},
                       {Phase::upload, "activations", 80, 5},  {Phase::kernel, "activate", 90, 5},
                       {Phase::download, "activations", 95, 5}};
    return report;
}

TEST(HiddenLayer, TimelineShowsTheLatestRunPerVariantForTheseValues) {
    const Values values = values_of({});
    const Report old = report_of(values, "round_trips", 900);
    const Report other = report_of(values_of({.elements = 7}), "fused", 800);
    Report file_report = report_of(values, "one_submit", 700);
    file_report.experiment.input = {nullptr, 0, "a.csv", "1234"};
    const Report fused = report_of(values, "fused", 300);
    const Report recent = report_of(values, "round_trips", 500);
    const std::vector<const Report*> history = {&old, &other, &file_report, &fused, &recent};
    const PreparedExperiment prepared = prepare_case(layer(), values, "fused", large_gpu());
    const auto plots = make_plots({prepared, nullptr, history});
    const auto timeline = content_of<Timeline>(plots, "timeline");
    ASSERT_EQ(timeline.rows.size(), 2u);
    EXPECT_EQ(timeline.rows[0].label, "round_trips");
    EXPECT_EQ(timeline.rows[0].end_ns, 500);
    EXPECT_EQ(timeline.rows[1].label, "fused");
    EXPECT_EQ(timeline.rows[1].end_ns, 300);
    std::vector<std::string> labels;
    for (const Timeline::Bar& bar : timeline.rows[0].bars)
        labels.push_back(bar.label);
    EXPECT_THAT(labels, ElementsAre("upload greyscales", "normalise", "download values", "upload values",
                                    "activate", "download activations"));
    EXPECT_EQ(timeline.rows[0].bars[0].duration_ns, 40) << "pieces of one copy are one bar";
    EXPECT_THAT(plot_of(plots, "timeline")->note, HasSubstr("resident, one_submit"));
}

TEST(HiddenLayer, PicturesAreShownOnlyForPictureInputs) {
    const Values values = values_of({.elements = 12});
    Report report = report_of(values, "fused", 300);
    const auto give = [&](std::uint32_t width) {
        const UserData own{array_of<std::uint8_t>({0, 255, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}), width,
                           "a.npy", ""};
        report.input = layer().input_from_user(own, values);
    };
    give(3);
    report.outputs = outputs_of({0, 0.5f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    const PreparedExperiment prepared = prepare_case(layer(), values, "fused", report.device);
    const PictureInput input{prepared, &report};
    const auto picture_plots = make_plots(input);
    const auto pictures = content_of<Cells>(picture_plots, "picture").numbers;
    ASSERT_EQ(pictures.size(), 2u);
    EXPECT_EQ(pictures[1].width, 3u);
    EXPECT_EQ(pictures[1].high, 0.5);
    for (const char* id : {"activations", "error", "bytes", "timeline"})
        EXPECT_TRUE(plot_of(picture_plots, id)) << id;
    for (const std::uint32_t width : {0, 1, 2, 6, 12}) {
        give(width);
        EXPECT_FALSE(plot_of(make_plots(input), "picture")) << "in rows of " << width;
    }
    report.input = layer().input(values);
    EXPECT_FALSE(plot_of(make_plots(input), "picture"));
}

}  // namespace gridstride::hidden_layer_test
