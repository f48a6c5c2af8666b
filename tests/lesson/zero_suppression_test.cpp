// Tests the zero suppression lesson without a GPU: its plans, and the outputs of its reference.

#include "lesson/building_blocks.h"
#include "lesson/zero_suppression_case.h"
#include "test_includes.h"

namespace gridstride::zero_suppression_test {

using namespace test;
using namespace test::zero_suppression;

Limits software_storing(bool storage16) {
    Limits limits = software_device();
    limits.storage16 = storage16;
    return limits;
}

/// Returns the FNV-1a hash of the bytes.
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
                        check(prepare_case(suppression(), values, variant, limits));
                    });
}

TEST(ZeroSuppression, InputIsReproducibleAndHasFourPulsesInNoise) {
    const Values values = values_of({});
    const Input input = suppression().input(values);
    const Array& array = get(input, "samples");
    const auto samples = array.as<std::int16_t>();
    ASSERT_EQ(samples.size(), 100000u);
    EXPECT_EQ(hash_of(array), 9179589738971420795u);

    // The maxima of the sine wave are at (pi / 2 + 2 pi k) / 23 of the input and have the height 210. Between
    // them is noise with a standard deviation of 3.
    for (int k = 0; k < 4; ++k) {
        const double top = (M_PI / 2 + 2 * M_PI * k) / 23 * 100000;
        EXPECT_NEAR(samples[static_cast<std::size_t>(top)], 210, 20);
    }
    double sum = 0, squares = 0;
    const std::size_t from = 15000, to = 25000;  // negative half of the sine, cut off: 3.45 to 5.75 radians
    for (std::size_t i = from; i < to; ++i) {
        sum += samples[i];
        squares += samples[i] * samples[i];
    }
    const double count = to - from;
    EXPECT_NEAR(sum / count, 0, 0.15);
    // Truncation toward zero reduces each magnitude by half a step on average.
    EXPECT_NEAR(std::sqrt(squares / count), 2.65, 0.15);
}

TEST(ZeroSuppression, SeedChangesTheNoise) {
    const Input one = suppression().input(values_of({.elements = 1001}));
    const Input other = suppression().input(values_of({.elements = 1001, .seed = 2}));
    EXPECT_NE(hash_of(get(one, "samples")), hash_of(get(other, "samples")));
    for (const std::uint64_t elements : {1u, 2u, 3u, 5u})
        EXPECT_EQ(get(suppression().input(values_of({.elements = elements})), "samples").count(), elements);
}

TEST(ZeroSuppression, RulesHandleTheThresholdAndTheLowestSample) {
    const std::vector<std::int16_t> samples = {14, 15, -14, -15, 0, 32767, -32768};
    const auto silenced = [&](std::uint64_t threshold, std::uint32_t rule) {
        return sample_numbers(exactly(reference_of(samples, threshold, rule, "packed"), "silenced"));
    };
    EXPECT_THAT(silenced(15, signed_value), ElementsAre(0, 15, 0, 0, 0, 32767, 0));
    EXPECT_THAT(silenced(15, magnitude), ElementsAre(0, 15, 0, -15, 0, 32767, -32768));
    EXPECT_THAT(silenced(32767, magnitude), ElementsAre(0, 0, 0, 0, 0, 32767, -32768));
    EXPECT_THAT(silenced(0, signed_value), ElementsAre(14, 15, 0, 0, 0, 32767, 0));
}

TEST(ZeroSuppression, CompactExpectsPositionsThenValuesInOrder) {
    const auto expected = reference_of({3, 20, -32768, 15, -20}, 15, magnitude, "compact");
    EXPECT_THAT(exactly(expected, "kept").as<std::int32_t>(), ElementsAre(1, 2, 3, 4, 20, -32768, 15, -20));
    EXPECT_THAT(exactly(expected, "kept_count").as<std::uint32_t>(), ElementsAre(4));
    const auto nothing = reference_of({3, -20}, 15, signed_value, "compact");
    EXPECT_EQ(exactly(nothing, "kept").count(), 0u);
    EXPECT_THAT(exactly(nothing, "kept_count").as<std::uint32_t>(), ElementsAre(0));
}

TEST(ZeroSuppression, CompactHostStepTrimsEitherElementType) {
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
        const Array compacted = made_by(*host, {positions, values, array_of<std::uint32_t>({2})});
        EXPECT_THAT(compacted.as<std::int32_t>(), ElementsAre(1, 5, -32768, 7));
    }
}

TEST(ZeroSuppression, PlansFitTheDeviceLimits) {
    for_each_plan([](const PreparedExperiment& prepared) {
        const bool compact = prepared.variant->id.starts_with("compact");
        const std::uint64_t elements = prepared.values()[key::elements];
        EXPECT_EQ(prepared.plan.min_bytes, (compact ? 2 : 4) * elements);
        const auto all = dispatches(prepared.plan);
        ASSERT_EQ(all.size(), compact ? 3u : 1u);
        if (prepared.is_valid()) expect_sound(prepared);
        if (!compact) return;
        const Dispatch& main = prepared.plan.main();
        EXPECT_EQ(all[1]->workgroup_count(), 1u);
        EXPECT_EQ(all[1]->elements(), divide_up(elements, main.tile.product()));
        EXPECT_EQ(all[2]->tile, main.tile) << "a tile is the same in the first and the last launch";
    });
}

TEST(ZeroSuppression, PlansStateEnoughIterations) {
    for_each_plan([](const PreparedExperiment& prepared) {
        for (const Dispatch* d : dispatches(prepared.plan)) {
            const auto levels = static_cast<std::uint64_t>(std::bit_width(d->workgroup_size() - 1));
            // The expected count follows the kernels' loops for the invocation that runs the most iterations.
            std::uint64_t per_pass = 1;
            if (d->kernel.find("registers_scatter") != std::string::npos) per_pass = 1 + 2 * (4 + 8) + 1;
            if (d->kernel.find("compact_count") != std::string::npos) per_pass = 1 + 4 + levels;
            if (d->kernel.find("compact_scan") != std::string::npos) per_pass = 1 + levels;
            if (d->kernel.find("compact_scatter") != std::string::npos) per_pass = 1 + 4 + levels + 8 + 8;
            EXPECT_GE(promised_iterations(*d), d->passes() * per_pass) << prepared.variant->id;
        }
    });
}

TEST(ZeroSuppression, LaunchChangesNoReference) {
    EXPECT_FALSE(suppression().reference_depends_on_launch);
    for (const char* id : {"threshold", "rule"})
        EXPECT_EQ(find(suppression().parameters, id)->invalidates, Invalidates::reference) << id;
    const Input input = suppression().input(values_of({.elements = 1001}));
    for (const Variant& variant : suppression().variants) {
        const auto reference_with = [&](std::uint64_t size, std::uint64_t grid, const Limits& limits) {
            const PreparedExperiment run = prepare_case(
                suppression(), values_of({.elements = 1001, .size = size, .grid = grid}), variant.id, limits);
            return run.task.reference(input, run);
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

TEST(ZeroSuppression, BuildFollowsTheStorageSupportOfTheDevice) {
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
    // If a device cannot store single samples, each invocation processes a word of two.
    const auto tile = [](bool storage16) {
        return plan_of(suppression(), values_of({}), "per_sample", software_storing(storage16))
            .main()
            .elements_per_workgroup();
    };
    EXPECT_EQ(tile(true), 256u);
    EXPECT_EQ(tile(false), 512u);
}

TEST(ZeroSuppression, RemarksNameTheStorage) {
    for (const Variant& variant : suppression().variants)
        for (const bool storage16 : {false, true}) {
            const PreparedExperiment prepared =
                prepare_case(suppression(), values_of({}), variant.id, software_storing(storage16));
            EXPECT_THAT(remarks_on(prepared, {Severity::note}), HasSubstr("16-bit")) << variant.id;
        }
}

TEST(ZeroSuppression, RemarkExplainsWhyInvocationsHandleSeveralSamples) {
    const auto remarks_for = [](const Setting& setting) {
        return remarks_on(prepare_case(suppression(), values_of(setting), "per_sample"),
                          {.beside = "workgroup_count"});
    };
    const auto says_so = HasSubstr("One invocation for each sample would take more");
    EXPECT_THAT(remarks_for({.elements = 1u << 25}), says_so);
    EXPECT_THAT(remarks_for({}), Not(says_so));
    EXPECT_THAT(remarks_for({.grid = 1}), Not(says_so)) << "the user set the grid";
}

TEST(ZeroSuppression, CompactRefusesMoreElementsThanABindingHolds) {
    const auto refusal_of = [](std::uint64_t elements, const char* variant,
                               const Limits& limits = software_device()) {
        return test::refusal_of(
            prepare_case(suppression(), values_of({.elements = elements}), variant, limits));
    };
    EXPECT_THAT(refusal_of((1u << 25) + 1, "compact"), Mentions("maxStorageBufferRange", 4, "position"));
    EXPECT_EQ(refusal_of(1u << 25, "compact"), not_thrown);
    EXPECT_EQ(refusal_of((1u << 25) + 1, "packed"), not_thrown);
    EXPECT_EQ(refusal_of(1u << 28, "compact", large_gpu()), not_thrown);
}

TEST(ZeroSuppression, AutoGridFillsTheDevice) {
    const auto grid = [](const char* variant, std::uint64_t elements, const Limits& limits) {
        return test::requested_grid(suppression(), values_of({.elements = elements}), variant, limits);
    };
    EXPECT_EQ(grid("per_sample", 1 << 20, large_gpu()), 4096u);
    EXPECT_EQ(grid("per_sample", 1 << 25, software_device()), 65535u);
    EXPECT_EQ(grid("packed", 1000, large_gpu()), 1u);
    EXPECT_EQ(grid("packed", 1 << 24, large_gpu()), (1u << 24) / (8 * 256)) << "one load each";
    EXPECT_EQ(grid("packed", 1 << 28, large_gpu()), (1u << 28) / (8 * 256));
    EXPECT_EQ(grid("packed", 1 << 24, software_device()), 64u);
}

TEST(ZeroSuppression, ReportsKeptSamplesForEveryVariant) {
    const Outputs zeros = {{"silenced", array_of<std::int16_t>({0, 20, 0, 15})}};
    const auto zero_facts = facts_of(suppression(), values_of({.elements = 4}), zeros);
    const Outputs compact = {{"kept_count", array_of<std::uint32_t>({2})}};
    const auto count_facts = facts_of(suppression(), values_of({.elements = 4}), compact);
    for (const auto& facts : {zero_facts, count_facts}) {
        EXPECT_EQ(number_of(facts, "kept"), 2);
        EXPECT_EQ(number_of(facts, "suppressed"), 2);
        EXPECT_DOUBLE_EQ(number_of(facts, "compression_ratio"), 8.0 / (4 + 2 * 6));
    }
    // A sample of 0 passes the threshold 0.
    const Values all = values_of({.elements = 4, .threshold = 0, .rule = magnitude});
    EXPECT_EQ(number_of(facts_of(suppression(), all, zeros), "kept"), 4);
}

TEST(ZeroSuppression, HostStepCountsSurvivingZerosAtThresholdZero) {
    const Plan plan = plan_of(suppression(), values_of({.threshold = 0}), "packed", large_gpu());
    const auto* host = std::get_if<HostStep>(&plan.steps.back());
    ASSERT_TRUE(host);
    EXPECT_EQ(host->output, "kept_count");
    EXPECT_EQ(made_by(*host, {array_of<std::int16_t>({0, -1, 5, 0, -32768})}).number(0), 3);
    const Plan usual = plan_of(suppression(), values_of({}), "packed", large_gpu());
    EXPECT_FALSE(std::holds_alternative<HostStep>(usual.steps.back()));
}

TEST(ZeroSuppression, BaselinesMatchTheReference) {
    const std::vector<std::int16_t> edges = {-32768, -32767, -15, -14, -1, 0, 1, 14, 15, 32766, 32767};
    Input generated = suppression().input(values_of({.elements = 300001}));
    for (const Input& input : {samples_of(edges), generated})
        for (const std::uint32_t rule : {signed_value, magnitude})
            for (const std::uint64_t threshold : {0u, 1u, 2u, 15u, 32767u}) {
                const Values values = values_of(
                    {.elements = get(input, "samples").count(), .threshold = threshold, .rule = rule});
                const auto expected = suppression().task.reference(
                    input, prepare_case(suppression(), values, "packed", large_gpu()));
                const auto silenced = exactly(expected, "silenced").as<std::int16_t>();
                const auto not_zero = static_cast<double>(
                    std::ranges::count_if(silenced, [](std::int16_t sample) { return sample != 0; }));
                EXPECT_THAT(baselines_of(suppression(), input, values), Each(not_zero)) << threshold;
            }
}

TEST(ZeroSuppression, AcceptsUserSamplesOrNamesTheRowThatDoesNotFit) {
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
    EXPECT_THAT(refusal_of({1, 2.5}), HasSubstrs("Row 2", "2.5"));
    EXPECT_THAT(refusal_of({32768}), HasSubstr("Row 1"));
    EXPECT_THAT(refusal_of({0, 0, -32769}), HasSubstr("Row 3"));
    EXPECT_THAT(refusal_of({std::nan("")}), HasSubstr("Row 1"));
}

}  // namespace gridstride::zero_suppression_test
