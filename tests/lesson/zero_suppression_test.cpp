// The zero suppression lesson without a GPU: what its plans promise, and what its reference says must come
// out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>

#include "lesson/lesson_case.h"
#include "lesson/stock.h"

namespace gridstride {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;

const Lesson& suppression() {
    return *find_lesson("zero_suppression");
}

enum : std::uint32_t { signed_value = 0, magnitude = 1 };

struct Setting {
    std::uint64_t elements = 100000;
    std::uint64_t size = 256;
    std::uint64_t grid = 0;
    std::uint64_t threshold = 15;
    std::uint32_t rule = signed_value;
    std::uint64_t seed = 1;
};

Values values_of(const Setting& setting) {
    Values values = values_with(suppression(), {setting.elements, setting.size, setting.grid});
    values.set("threshold", setting.threshold);
    values.set("rule", ChoiceIndex{setting.rule});
    values.set("seed", setting.seed);
    return values;
}

Limits software_storing(bool storage16) {
    Limits limits = software_device();
    limits.storage16 = storage16;
    return limits;
}

Input samples_of(const std::vector<std::int16_t>& samples) {
    return {{"samples", array_of(samples)}};
}

/// The reference of an output; everything in this lesson is exact.
const Array& exactly(const std::vector<Expected>& all, std::string_view output) {
    for (const Expected& expected : all) {
        EXPECT_EQ(expected.tolerance.absolute, 0);
        EXPECT_EQ(expected.tolerance.relative, 0);
    }
    const Expected* found = expected_of(all, output);
    if (!found) throw std::out_of_range(std::string(output));
    return *found->reference;
}

std::vector<Expected> reference_of(const std::vector<std::int16_t>& samples, std::uint64_t threshold,
                                   std::uint32_t rule, const char* variant) {
    const Values values = values_of({.elements = samples.size(), .threshold = threshold, .rule = rule});
    return suppression().reference(samples_of(samples),
                                   prepared(suppression(), values, variant, large_gpu()));
}

/// FNV-1a over the bytes.
std::uint64_t hash_of(const Array& array) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::byte byte : array.raw())
        hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
    return hash;
}

const Launches launches = {
    {1, 2, 7, 8, 9, 31, 33, 1000, 100003}, {1, 3, 32, 96, 256, 1000, 1024}, {0, 1, 3, 65535}};

template <class Check>
void for_each_plan(Check check) {
    for_each_launch(suppression(), {software_storing(false), software_storing(true), large_gpu()}, launches,
                    [&](const std::string& variant, const Limits& limits, const Launch& launch) {
                        SCOPED_TRACE(limits.storage16 ? "with 16-bit storage" : "without 16-bit storage");
                        const Values values = values_of({launch.elements, launch.size, launch.grid});
                        check(prepared(suppression(), values, variant, limits));
                    });
}

TEST(ZeroSuppression, TheInputIsFourPulsesInNoiseAndTheSameBytesEverywhere) {
    const Values values = values_of({});
    const Input input = suppression().input(values);
    const Array& array = get(input, "samples");
    const auto samples = array.as<std::int16_t>();
    ASSERT_EQ(samples.size(), 100000u);
    EXPECT_EQ(hash_of(array), 9179589738971420795u);

    // Tops of the sine wave at (pi / 2 + 2 pi k) / 23 of the whole, 210 high; between them noise of
    // deviation 3.
    for (int k = 0; k < 4; ++k) {
        const double top = (M_PI / 2 + 2 * M_PI * k) / 23 * 100000;
        EXPECT_NEAR(samples[static_cast<std::size_t>(top)], 210, 20);
    }
    double sum = 0, squares = 0;
    const std::size_t from = 15000, to = 25000;  // below the cut: 3.45 to 5.75 radians
    for (std::size_t i = from; i < to; ++i) {
        sum += samples[i];
        squares += samples[i] * samples[i];
    }
    const double count = to - from;
    EXPECT_NEAR(sum / count, 0, 0.15);
    // Truncation towards zero takes half a step off each magnitude.
    EXPECT_NEAR(std::sqrt(squares / count), 2.65, 0.15);
}

TEST(ZeroSuppression, TheSeedChoosesTheNoiseAndAnyCountOfSamplesHasItsOwnPulses) {
    const Input one = suppression().input(values_of({.elements = 1001}));
    const Input other = suppression().input(values_of({.elements = 1001, .seed = 2}));
    EXPECT_NE(hash_of(get(one, "samples")), hash_of(get(other, "samples")));
    for (const std::uint64_t elements : {1u, 2u, 3u, 5u})
        EXPECT_EQ(get(suppression().input(values_of({.elements = elements})), "samples").count(), elements);
}

TEST(ZeroSuppression, RulesTreatTheThresholdItselfAndTheLowestSampleRight) {
    const std::vector<std::int16_t> samples = {14, 15, -14, -15, 0, 32767, -32768};
    EXPECT_THAT(exactly(reference_of(samples, 15, signed_value, "packed"), "silenced").as<std::int16_t>(),
                ElementsAre(0, 15, 0, 0, 0, 32767, 0));
    EXPECT_THAT(exactly(reference_of(samples, 15, magnitude, "packed"), "silenced").as<std::int16_t>(),
                ElementsAre(0, 15, 0, -15, 0, 32767, -32768));
    EXPECT_THAT(exactly(reference_of(samples, 32767, magnitude, "packed"), "silenced").as<std::int16_t>(),
                ElementsAre(0, 0, 0, 0, 0, 32767, -32768));
    EXPECT_THAT(exactly(reference_of(samples, 0, signed_value, "packed"), "silenced").as<std::int16_t>(),
                ElementsAre(14, 15, 0, 0, 0, 32767, 0));
}

TEST(ZeroSuppression, CompactExpectsPositionsThenValuesInOrder) {
    const auto expected = reference_of({3, 20, -32768, 15, -20}, 15, magnitude, "compact");
    EXPECT_THAT(exactly(expected, "kept").as<std::int32_t>(), ElementsAre(1, 2, 3, 4, 20, -32768, 15, -20));
    EXPECT_THAT(exactly(expected, "kept_count").as<std::uint32_t>(), ElementsAre(4));
    const auto nothing = reference_of({3, -20}, 15, signed_value, "compact");
    EXPECT_EQ(exactly(nothing, "kept").count(), 0u);
    EXPECT_THAT(exactly(nothing, "kept_count").as<std::uint32_t>(), ElementsAre(0));
}

TEST(ZeroSuppression, TheHostStepOfCompactKeepsWhatIsUsedOfEitherKindOfValues) {
    for (const bool storage16 : {false, true}) {
        const Plan plan = plan_of(suppression(), values_of({}), "compact", software_storing(storage16));
        EXPECT_EQ(plan.main_output, "kept");
        EXPECT_EQ(plan.main_output_rows, 2u);
        const auto* host = std::get_if<HostStep>(&plan.steps.back());
        ASSERT_TRUE(host);
        EXPECT_EQ(host->output, "kept");
        EXPECT_THAT(host->reads, ElementsAre("positions", "values", "kept_count"));
        const ArrayRef positions = array_of<std::int32_t>({1, 5, 99, 99});
        const ArrayRef values =
            storage16 ? array_of<std::int16_t>({-32768, 7, 0, 0}) : array_of<std::int32_t>({-32768, 7, 0, 0});
        const Array kept = made_by(*host, {positions, values, array_of<std::uint32_t>({2})});
        EXPECT_THAT(kept.as<std::int32_t>(), ElementsAre(1, 5, -32768, 7));
    }
}

TEST(ZeroSuppression, PlansBindWhatIsThereAndFitTheDevice) {
    for_each_plan([](const Prepared& asked) {
        const bool compact = asked.variant->id == "compact";
        const std::uint64_t elements = asked.values()[key::elements];
        EXPECT_EQ(asked.plan.least_bytes, (compact ? 2 : 4) * elements);
        const auto all = dispatches(asked.plan);
        ASSERT_EQ(all.size(), compact ? 3u : 1u);
        expect_sound(asked);
        if (!compact) return;
        const Dispatch& main = asked.plan.main();
        EXPECT_EQ(all[1]->workgroup_count(), 1u);
        EXPECT_EQ(all[1]->elements(), divide_up(elements, 8 * main.workgroup_size()));
        EXPECT_EQ(all[2]->tile, main.tile) << "a tile is the same in the first and the last launch";
    });
}

TEST(ZeroSuppression, LoopBoundsAreHonest) {
    for_each_plan([](const Prepared& asked) {
        for (const Dispatch* d : dispatches(asked.plan)) {
            const auto levels = static_cast<std::uint64_t>(std::bit_width(d->workgroup_size() - 1));
            // By the kernels' loops, of the invocation that has the most to do.
            std::uint64_t in_a_pass = 1;
            if (d->kernel.find("compact_count") != std::string::npos) in_a_pass = 1 + 4 + levels;
            if (d->kernel.find("compact_scan") != std::string::npos) in_a_pass = 1 + levels;
            if (d->kernel.find("compact_scatter") != std::string::npos) in_a_pass = 1 + 4 + levels + 8 + 8;
            EXPECT_GE(promised_iterations(*d), d->passes() * in_a_pass) << asked.variant->id;
        }
    });
}

TEST(ZeroSuppression, TheLaunchChangesNeitherInputNorReference) {
    EXPECT_FALSE(suppression().reference_depends_on_launch);
    for (const char* id : {"threshold", "rule"})
        EXPECT_EQ(find(suppression().parameters, id)->shapes, Shapes::reference) << id;
    const Input input = suppression().input(values_of({.elements = 1001}));
    for (const Variant& variant : suppression().variants) {
        const auto reference_with = [&](std::uint64_t size, std::uint64_t grid, const Limits& limits) {
            return suppression().reference(
                input, prepared(suppression(), values_of({.elements = 1001, .size = size, .grid = grid}),
                                variant.id, limits));
        };
        const auto one = reference_with(256, 0, software_storing(false));
        const auto other = reference_with(33, 3, large_gpu());
        ASSERT_EQ(one.size(), other.size()) << variant.id;
        for (std::size_t i = 0; i < one.size(); ++i) {
            EXPECT_EQ(one[i].output, other[i].output);
            EXPECT_EQ(hash_of(*one[i].reference), hash_of(*other[i].reference)) << one[i].output;
        }
    }
}

TEST(ZeroSuppression, NoVariantAndNoChoiceIsWrongOnPurpose) {
    Experiment experiment = default_experiment(suppression());
    for (const Variant& variant : suppression().variants)
        for (const std::uint32_t rule : {signed_value, magnitude}) {
            experiment.variant = variant.id;
            experiment.values.set("rule", ChoiceIndex{rule});
            EXPECT_FALSE(is_wrong_on_purpose(suppression(), experiment)) << variant.id;
        }
}

TEST(ZeroSuppression, TheBuildFollowsTheDevicesStorage) {
    const auto kernels = [](const char* variant, bool storage16) {
        std::vector<std::string> names;
        const Plan plan = plan_of(suppression(), values_of({}), variant, software_storing(storage16));
        for (const Dispatch* dispatch : dispatches(plan))
            names.push_back(dispatch->kernel);
        return names;
    };
    EXPECT_THAT(kernels("per_sample", true), ElementsAre("zero_suppression/per_sample.storage16"));
    EXPECT_THAT(kernels("per_sample", false), ElementsAre("zero_suppression/per_sample.words"));
    EXPECT_THAT(kernels("grid_stride", false), ElementsAre("zero_suppression/grid_stride.words"));
    EXPECT_EQ(kernels("packed", true), kernels("packed", false));
    EXPECT_THAT(kernels("compact", false),
                ElementsAre("zero_suppression/compact_count", "zero_suppression/compact_scan",
                            "zero_suppression/compact_scatter.words"));
    // A word of two samples for each invocation, where a single one cannot be stored.
    const auto tile = [](bool storage16) {
        return plan_of(suppression(), values_of({}), "per_sample", software_storing(storage16))
            .main()
            .elements_per_workgroup();
    };
    EXPECT_EQ(tile(true), 256u);
    EXPECT_EQ(tile(false), 512u);
}

TEST(ZeroSuppression, TheBenchSaysWhichStorageIsUsed) {
    for (const Variant& variant : suppression().variants)
        for (const bool storage16 : {false, true}) {
            const Prepared asked =
                prepared(suppression(), values_of({}), variant.id, software_storing(storage16));
            EXPECT_TRUE(std::any_of(asked.remarks.begin(), asked.remarks.end(), [](const Remark& remark) {
                return remark.severity == Severity::note && remark.text.find("16-bit") != std::string::npos;
            })) << variant.id;
        }
}

TEST(ZeroSuppression, TheBenchSaysWhatKeepsAnInvocationFromOneSample) {
    const auto says = [](const Setting& setting) {
        const Prepared asked = prepared(suppression(), values_of(setting), "per_sample");
        return std::any_of(asked.remarks.begin(), asked.remarks.end(), [](const Remark& remark) {
            return remark.parameter == key::workgroup_count.id &&
                   remark.text.find("One invocation for each sample would take more") != std::string::npos;
        });
    };
    EXPECT_TRUE(says({.elements = 1u << 25}));
    EXPECT_FALSE(says({}));
    EXPECT_FALSE(says({.grid = 1})) << "a grid that was asked for";
}

TEST(ZeroSuppression, CompactRefusesMoreThanOneBindingHoldsAndNamesTheLimit) {
    const Values values = values_of({.elements = (1u << 25) + 1});
    EXPECT_THAT(message_of<Refusal>([&] { require_valid(prepared(suppression(), values, "compact")); }),
                testing::AllOf(HasSubstr("maxStorageBufferRange"), HasSubstr("a position of 4 bytes")));
    EXPECT_NO_THROW(require_valid(prepared(suppression(), values_of({.elements = 1u << 25}), "compact")));
    EXPECT_NO_THROW(require_valid(prepared(suppression(), values, "packed")));
    EXPECT_NO_THROW(
        require_valid(prepared(suppression(), values_of({.elements = 1u << 28}), "compact", large_gpu())));
}

TEST(ZeroSuppression, AutoFillsTheDeviceAndOnAGpuMore) {
    const auto grid = [](const char* variant, std::uint64_t elements, const Limits& limits) {
        return plan_of(suppression(), values_of({.elements = elements}), variant, limits)
            .main()
            .workgroup_count();
    };
    EXPECT_EQ(grid("per_sample", 1 << 20, large_gpu()), 4096u);
    EXPECT_EQ(grid("per_sample", 1 << 25, software_device()), 65535u);
    EXPECT_EQ(grid("packed", 1000, large_gpu()), 1u);
    EXPECT_EQ(grid("packed", 1 << 24, large_gpu()), (1u << 24) / (8 * 256)) << "one load each";
    EXPECT_EQ(grid("packed", 1 << 28, large_gpu()), (1u << 28) / (8 * 256));
    EXPECT_EQ(grid("packed", 1 << 24, software_device()), 64u);
}

TEST(ZeroSuppression, ResultsCountWhatIsKeptWhateverTheVariantLeft) {
    const Outputs zeros = {{"silenced", array_of<std::int16_t>({0, 20, 0, 15})}};
    const auto by_zeros = suppression().result(values_of({.elements = 4}), zeros);
    const Outputs compact = {{"kept_count", array_of<std::uint32_t>({2})}};
    const auto by_count = suppression().result(values_of({.elements = 4}), compact);
    for (const auto& facts : {by_zeros, by_count}) {
        EXPECT_EQ(number_of(facts, "kept"), 2);
        EXPECT_EQ(number_of(facts, "suppressed"), 2);
        EXPECT_DOUBLE_EQ(number_of(facts, "compression_ratio"), 8.0 / (4 + 2 * 6));
    }
    // A sample of 0 survives the threshold 0.
    const Values all = values_of({.elements = 4, .threshold = 0, .rule = magnitude});
    EXPECT_EQ(number_of(suppression().result(all, zeros), "kept"), 4);
}

TEST(ZeroSuppression, ZerosThatSurviveAreCountedWhereTheOutputCannotTell) {
    const Plan plan = plan_of(suppression(), values_of({.threshold = 0}), "packed", large_gpu());
    const auto* host = std::get_if<HostStep>(&plan.steps.back());
    ASSERT_TRUE(host);
    EXPECT_EQ(host->output, "kept_count");
    EXPECT_EQ(made_by(*host, {array_of<std::int16_t>({0, -1, 5, 0, -32768})}).number(0), 3);
    const Plan usual = plan_of(suppression(), values_of({}), "packed", large_gpu());
    EXPECT_FALSE(std::holds_alternative<HostStep>(usual.steps.back()));
}

TEST(ZeroSuppression, BaselinesAgreeWithTheReference) {
    const std::vector<std::int16_t> edges = {-32768, -32767, -15, -14, -1, 0, 1, 14, 15, 32766, 32767};
    Input generated = suppression().input(values_of({.elements = 300001}));
    for (const Input& input : {samples_of(edges), generated})
        for (const std::uint32_t rule : {signed_value, magnitude})
            for (const std::uint64_t threshold : {0u, 1u, 2u, 15u, 32767u}) {
                const Values values = values_of(
                    {.elements = get(input, "samples").count(), .threshold = threshold, .rule = rule});
                const auto expected =
                    suppression().reference(input, prepared(suppression(), values, "packed", large_gpu()));
                const auto silenced = exactly(expected, "silenced").as<std::int16_t>();
                const auto not_zero = static_cast<double>(
                    silenced.size() -
                    static_cast<std::size_t>(std::count(silenced.begin(), silenced.end(), std::int16_t{0})));
                ASSERT_EQ(suppression().baselines.size(), 2u);
                for (const Baseline& baseline : suppression().baselines)
                    EXPECT_EQ(baseline.run(input, values), not_zero) << baseline.id << ' ' << threshold;
            }
}

TEST(ZeroSuppression, TakesTheUsersSamplesOrSaysWhichRowDoesNotFit) {
    const auto take = [](const auto& numbers) {
        const Values values = values_of({.elements = numbers.size()});
        const Input input = suppression().input_from_user(
            {.numbers = array_of(numbers), .name = "samples", .checksum = {}}, values);
        const auto samples = get(input, "samples").template as<std::int16_t>();
        return std::vector<std::int16_t>(samples.begin(), samples.end());
    };
    EXPECT_THAT(take(std::vector<double>{-32768, 0, 32767}), ElementsAre(-32768, 0, 32767));
    EXPECT_THAT(take(std::vector<std::int16_t>{-32768, 1}), ElementsAre(-32768, 1));
    EXPECT_THAT(take(std::vector<std::int32_t>{-5, 1}), ElementsAre(-5, 1));
    const auto refusal_of = [&](const std::vector<double>& numbers) {
        return message_of<Refusal>([&] { take(numbers); });
    };
    EXPECT_THAT(refusal_of({1, 2.5}), testing::AllOf(HasSubstr("Row 2"), HasSubstr("2.5")));
    EXPECT_THAT(refusal_of({32768}), HasSubstr("Row 1"));
    EXPECT_THAT(refusal_of({0, 0, -32769}), HasSubstr("Row 3"));
    EXPECT_THAT(refusal_of({std::nan("")}), HasSubstr("Row 1"));
}

/// A run whose outputs are right.
Report report_of(const Prepared& asked) {
    Report report = finished_run(suppression(), asked.values(), asked.variant->id, asked.limits);
    report.timings.kernel.samples = {1000};
    report.input = suppression().input(asked.values());
    for (const Expected& expected : suppression().reference(report.input, asked))
        report.outputs.push_back({expected.output, expected.reference});
    return report;
}

TEST(ZeroSuppression, PicturesShowBeforeAfterAndWhatWasRemoved) {
    for (const Setting& setting :
         {Setting{}, Setting{.elements = 1}, Setting{.elements = 250000, .rule = magnitude},
          Setting{.threshold = 32767}})
        for (const Variant& variant : suppression().variants) {
            SCOPED_TRACE(variant.id);
            const Prepared asked = prepared(suppression(), values_of(setting), variant.id);
            const Report report = report_of(asked);
            const auto plots = suppression().pictures({asked, &report});
            const Plot* waveform = plot_of(plots, "waveform");
            ASSERT_TRUE(waveform);
            const auto& series = std::get<Figure>(waveform->content).series;
            EXPECT_EQ(series.at(0).y_array.get(), report.input.at(0).array.get()) << "raw, never copied";
            const Plot* removed = plot_of(plots, "removed");
            ASSERT_TRUE(removed);
            const auto samples = get(report.input, "samples").as<std::int16_t>();
            std::vector<double> gone;
            for (const std::int16_t sample : samples) {
                const int size = setting.rule == magnitude ? std::abs(sample) : sample;
                gone.push_back(size >= static_cast<int>(setting.threshold) ? 0 : sample);
            }
            const auto& drawn = std::get<Figure>(removed->content).series.at(0).y_array;
            ASSERT_TRUE(drawn);
            EXPECT_EQ(numbers_of(*drawn), gone);
            const Plot* amplitudes = plot_of(plots, "amplitudes");
            ASSERT_TRUE(amplitudes);
            double counted = 0;
            for (const Series& bars : std::get<Figure>(amplitudes->content).series)
                counted = std::accumulate(bars.y.begin(), bars.y.end(), counted);
            EXPECT_EQ(counted, static_cast<double>(samples.size() > 100000 ? (samples.size() + 2) / 3
                                                                           : samples.size()));
            EXPECT_TRUE(plot_of(plots, "who"));
        }
}

TEST(ZeroSuppression, PicturesBeforeARun) {
    const Prepared asked = prepared(suppression(), values_of({}), "packed");
    const auto before = suppression().pictures({asked});
    std::vector<std::string> ids;
    for (const Plot& plot : before) {
        ids.push_back(plot.id);
        EXPECT_EQ(plot.origin, Origin::computed) << plot.id;
    }
    EXPECT_THAT(ids, ElementsAre("who", "bytes", "rule"));
    const Prepared compact = prepared(suppression(), values_of({}), "compact");
    EXPECT_TRUE(plot_of(suppression().pictures({compact}), "scan"));
    const Prepared out_of_range = prepared(suppression(), values_of({.size = 0}), "packed");
    EXPECT_TRUE(suppression().pictures({out_of_range}).empty());
}

TEST(ZeroSuppression, TheRecordingIsShownWithoutWhatBecomesOfIt) {
    const Prepared asked = prepared(suppression(), values_of({}), "per_sample");
    const Report report = report_of(asked);
    const auto plots = suppression().pictures({asked, &report});
    const Plot* recording = plot_of(plots, "recording");
    ASSERT_TRUE(recording);
    const auto& series = std::get<Figure>(recording->content).series;
    EXPECT_EQ(series.at(0).y_array.get(), report.input.at(0).array.get());
    const ArrayRef& silenced = report.outputs.at(0).array;
    for (const Series& one : series)
        EXPECT_NE(one.y_array.get(), silenced.get()) << "it would answer how many survive";
}

/// The height of a curve of steps at x: at a step, what it has behind it.
double height_at(const Series& line, double x) {
    double y = line.y.front();
    for (std::size_t i = 0; i + 1 < line.x.size() && line.x[i] <= x; ++i) {
        const double width = line.x[i + 1] - line.x[i];
        y = width > 0 ? std::lerp(line.y[i], line.y[i + 1], std::min((x - line.x[i]) / width, 1.0))
                      : line.y[i + 1];
    }
    return y;
}

TEST(ZeroSuppression, TheThresholdGoesAsFarAsTheSamplesAndIsDraggedInEveryPictureThatHasIt) {
    const auto highest = [](const std::vector<std::int16_t>& samples) {
        return suppression().range_of("threshold", samples_of(samples))->high;
    };
    EXPECT_EQ(highest({3, -20, 7}), 21);
    EXPECT_EQ(highest({0}), 1);
    EXPECT_EQ(highest({-32768}), 32767) << "what may be asked for at most";
    EXPECT_FALSE(suppression().range_of("elements", samples_of({3})));

    const Prepared asked = prepared(suppression(), values_of({.rule = magnitude}), "packed");
    const Report report = report_of(asked);
    const auto plots = suppression().pictures({asked, &report});
    for (const char* id : {"recording", "waveform", "amplitudes"}) {
        const auto& markers = std::get<Figure>(plot_of(plots, id)->content).markers;
        ASSERT_EQ(markers.size(), 2u) << id;
        EXPECT_EQ(markers[0].x, 15) << id;
        EXPECT_EQ(markers[0].parameter, "threshold") << id;
        EXPECT_EQ(markers[1].x, -15) << id;
        EXPECT_EQ(markers[1].parameter, "") << id << ": there is no negative threshold";
    }
}

TEST(ZeroSuppression, TheRuleIsDrawnAsItIsDefined) {
    const Prepared asked = prepared(suppression(), values_of({.threshold = 5}), "packed");
    const auto plots = suppression().pictures({asked});
    const Plot* rule = plot_of(plots, "rule");
    ASSERT_TRUE(rule);
    for (const Series& line : std::get<Figure>(rule->content).series)
        for (std::int16_t sample = -9; sample <= 9; ++sample) {
            if (sample == -5) continue;  // the step itself
            const auto made =
                reference_of({sample}, 5, line.label == "signed" ? signed_value : magnitude, "packed");
            EXPECT_DOUBLE_EQ(height_at(line, sample), exactly(made, "silenced").number(0))
                << line.label << ' ' << sample;
        }
}

TEST(ZeroSuppression, ThePictureOfBytesCountsWhatFits) {
    const Prepared asked = prepared(suppression(), values_of({}), "packed");
    const auto plots = suppression().pictures({asked});
    const auto& cells = std::get<Cells>(plot_of(plots, "bytes")->content);
    // How often the kind changes: samples of 2 bytes, words of 4, loads of 16, survivors of 4 and 2.
    std::vector<int> changes;
    for (const Cells::Row& row : cells.rows) {
        EXPECT_EQ(row.kinds.size(), 32u);
        int count = 0;
        for (std::size_t i = 1; i < row.kinds.size(); ++i)
            count += row.kinds[i] != row.kinds[i - 1];
        changes.push_back(count);
    }
    EXPECT_THAT(changes, ElementsAre(15, 7, 1, 10));
}

TEST(ZeroSuppression, ThePrefixSumIsDrawnAsItRuns) {
    const Prepared asked = prepared(suppression(), values_of({.size = 40}), "compact");
    const auto plots = suppression().pictures({asked});
    const auto& cells = std::get<Cells>(plot_of(plots, "scan")->content);
    ASSERT_EQ(cells.rows.size(), 6u) << "1, 2, 4, 8, 16, 32 to the left";
    // By the rows, from numbers that tell who is in a sum: each bit is one invocation's.
    std::vector<std::uint64_t> sums(40);
    for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] = std::uint64_t{1} << i;
    std::size_t distance = 1;
    for (const Cells::Row& row : cells.rows) {
        const auto before = sums;
        for (std::size_t i = 0; i < sums.size(); ++i)
            if (row.kinds.at(i) == 0) sums[i] += before.at(i - distance);
        distance *= 2;
    }
    for (std::size_t i = 0; i < sums.size(); ++i)
        EXPECT_EQ(sums[i], (std::uint64_t{2} << i) - 1) << i;
}

TEST(ZeroSuppression, TheCompactionPictureMovesSurvivorsTogether) {
    const Prepared asked = prepared(suppression(), values_of({}), "compact");
    const Report report = report_of(asked);
    const auto plots = suppression().pictures({asked, &report});
    const Plot* picture = plot_of(plots, "compaction");
    ASSERT_TRUE(picture);
    const auto& lanes = std::get<Cells>(picture->content).rows;
    ASSERT_EQ(lanes.size(), 2u);
    const auto before = std::count(lanes[0].kinds.begin(), lanes[0].kinds.end(), 1);
    EXPECT_GE(before, 16);
    EXPECT_LT(before, 64);
    const auto& after = lanes[1].kinds;
    EXPECT_EQ(std::count(after.begin(), after.begin() + before, 1), before);
    EXPECT_EQ(std::count(after.begin(), after.end(), 1), before);
}

}  // namespace
}  // namespace gridstride
