// Tests the lesson on quantization to int8 without a GPU: its scales and zero points, its reference, and the
// inputs that it refuses.

#include "launch/h200.h"
#include "lesson/lesson_case.h"
#include "test_includes.h"

namespace gridstride::quantise_int8_test {

using namespace test;

const Lesson& bytes_lesson() {
    return *find_lesson("quantise_int8");
}

Values settings(std::uint64_t columns, std::uint64_t rows, const Settings& others = {}) {
    Values values = values_with(bytes_lesson(), others);
    values.set("columns", columns);
    values.set("rows", rows);
    return values;
}

/// Returns the lesson's input with these weights.
Input input_of(std::uint64_t columns, const std::vector<float>& weights, const char* scheme) {
    UserData data{.numbers = array_of(weights), .width = static_cast<std::uint32_t>(columns)};
    return bytes_lesson().input_from_user(data,
                                          settings(columns, weights.size() / columns, {{"scheme", scheme}}));
}

std::vector<double> numbers_in(const Input& input, const char* name) {
    return sample_numbers(get(input, name));
}

constexpr const char* schemes[] = {"zero_point", "symmetric", "by_row"};

TEST(QuantiseInt8, RoundsTheScaleUpTo15Bits) {
    // The scale is 127 / 127 = 1, slightly enlarged and rounded up to the next number of 15 bits.
    EXPECT_THAT(numbers_in(input_of(2, {-127, 1}, "symmetric"), "steps"), ElementsAre(1 + 0x1p-14));
    EXPECT_THAT(numbers_in(input_of(2, {-127, 1, 0, 254}, "by_row"), "steps"),
                ElementsAre(1 + 0x1p-14, 2 + 0x1p-13));
    // The range is -100 to 155.
    const Input zero_point_input = input_of(2, {-100, 155}, "zero_point");
    EXPECT_THAT(numbers_in(zero_point_input, "steps"), ElementsAre(1 + 0x1p-14));
    EXPECT_THAT(numbers_in(zero_point_input, "zero_points"), ElementsAre(-28));
    EXPECT_THAT(numbers_in(zero_point_input, "bytes"), ElementsAre(-128, 127, 0, 0));
    // 0 is always representable.
    EXPECT_THAT(numbers_in(input_of(2, {50, 255}, "zero_point"), "zero_points"), ElementsAre(-128));
    EXPECT_THAT(numbers_in(input_of(2, {-50, -255}, "zero_point"), "zero_points"), ElementsAre(127));
}

TEST(QuantiseInt8, RoundsTiesToEven) {
    const float step = 1 + 0x1p-14F;
    for (const char* scheme : {"symmetric", "by_row"})
        EXPECT_THAT(numbers_in(input_of(8,
                                        {127, 0.5F * step, 1.5F * step, 2.5F * step, -0.5F * step,
                                         -1.5F * step, -2.5F * step, -0.0F},
                                        scheme),
                               "bytes"),
                    ElementsAre(127, 0, 2, 2, 0, -2, -2, 0))
            << scheme;
    // These numbers lie just beyond the midpoint between two steps, on either side.
    const float above = std::nextafter(0.5F * step, 1.0F), below = std::nextafter(1.5F * step, 1.0F);
    EXPECT_THAT(numbers_in(input_of(4, {127, above, below, -above}, "symmetric"), "bytes"),
                ElementsAre(127, 1, 1, -1));
}

TEST(QuantiseInt8, PadsRowsToWordsWithZeros) {
    EXPECT_THAT(numbers_in(input_of(3, {127, -127, 0, 1, 2, 127}, "by_row"), "bytes"),
                ElementsAre(127, -127, 0, 0, 1, 2, 127, 0));
    EXPECT_EQ(get(input_of(5, std::vector<float>(15, 1), "by_row"), "bytes").count(), 24u);
}

TEST(QuantiseInt8, ScaleIsNeverZero) {
    const float subnormal = std::numeric_limits<float>::denorm_min();
    for (const char* scheme : schemes) {
        for (const float number : {0.0F, -0.0F, subnormal, -subnormal, 1e-38F}) {
            const Input input = input_of(2, {number, number}, scheme);
            EXPECT_EQ(get(input, "steps").number(0), 0x1p-100) << scheme << " " << number;
            const double zero_point = get(input, "zero_points").number(0);
            EXPECT_THAT(numbers_in(input, "bytes"), ElementsAre(zero_point, zero_point, 0, 0));
        }
        for (const float number : {7.0F, -7.0F, 1e15F}) {
            const Input input = input_of(2, {number, number}, scheme);
            const double q = get(input, "bytes").number(0) - get(input, "zero_points").number(0);
            EXPECT_NEAR(q * get(input, "steps").number(0), number, 1e-4 * std::abs(number)) << scheme;
        }
    }
}

/// Tests numbers of all magnitudes, many of them next to a midpoint between two steps.
TEST(QuantiseInt8, ErrorIsAtMostHalfTheScale) {
    std::mt19937 random(20261125);
    std::uniform_real_distribution<float> unit(-1, 1);
    for (int round = 0; round < 400; ++round) {
        const float size = std::ldexp(1.0F, static_cast<int>(random() % 110) - 80);
        const float shift = round % 3 == 0 ? 0 : 2 * unit(random);
        std::vector<float> weights(40);
        for (float& weight : weights)
            weight = size * (unit(random) + shift);
        for (const char* scheme : schemes) {
            const float step = get(input_of(20, weights, scheme), "steps").as<float>()[0];
            std::vector<float> test_weights = weights;
            // The first row's range is unchanged, so its scale is too.
            for (std::size_t i = 0; i < 5; ++i) {
                const float middle = (0.5F + static_cast<float>(i)) * step;
                const float largest = *std::ranges::max_element(weights);
                if (largest > 6 * step)
                    test_weights.insert(test_weights.end(), {middle, std::nextafter(middle, 0.0F),
                                                             std::nextafter(middle, 2 * middle), 0.0F});
            }
            const std::uint64_t columns = 20;
            const Input input = input_of(columns, test_weights, scheme);
            for (std::size_t i = 0; i < test_weights.size(); ++i) {
                const std::size_t own = get(input, "steps").count() > 1 ? i / columns : 0;
                const double its_step = get(input, "steps").number(own),
                             back = (get(input, "bytes").number(i) - get(input, "zero_points").number(own)) *
                                    its_step;
                ASSERT_LE(std::abs(back - test_weights[i]), its_step / 2) << scheme << " " << test_weights[i];
                ASSERT_EQ(static_cast<float>(back), back) << "each place is an f32";
                ASSERT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(its_step)) & 0x1FFU, 0u);
            }
        }
    }
}

std::vector<Expected> expected_for(const std::string& variant, std::uint64_t columns,
                                   const std::vector<float>& weights, const std::vector<float>& x,
                                   const char* scheme) {
    Input input = input_of(columns, weights, scheme);
    // Quantizes the vector as the lesson would: as a matrix of one row.
    const Input x_input = input_of(columns, x, "by_row");
    std::vector<float> padded = x;
    padded.resize((columns + 3) / 4 * 4);
    for (NamedArray& one : input) {
        if (one.name == "x") one.array = array_of(padded);
        if (one.name == "x_bytes") one.array = find(x_input, "bytes") ? x_input.at(2).array : nullptr;
        if (one.name == "x_steps") one.array = x_input.at(3).array;
    }
    const PreparedExperiment prepared = prepare_case(
        bytes_lesson(), settings(columns, weights.size() / columns, {{"scheme", scheme}}), variant);
    require_valid(prepared);
    return prepared.task.reference(input, prepared);
}

TEST(QuantiseInt8, ProductsAreComparedWithTheByteAndTheF32Product) {
    const std::vector<float> weights = {3, -4, 0.5, 100, 1, 2}, x = {2, 1, -4};
    for (const char* scheme : schemes) {
        const std::vector<Expected> f32 = expected_for("f32", 3, weights, x, scheme);
        ASSERT_EQ(f32.size(), 1u);
        EXPECT_THAT(f32[0].reference->as<double>(), ElementsAre(0, 193));
        EXPECT_LT(f32[0].tolerance.relative * f32[0].scale->number(1), 1e-3);
        for (const char* variant : {"int8_weights", "int8"}) {
            const std::vector<Expected> all = expected_for(variant, 3, weights, x, scheme);
            ASSERT_EQ(all.size(), 2u);
            EXPECT_THAT(all[1].reference->as<double>(), ElementsAre(0, 193)) << variant;
            double off_at_all = 0;
            for (std::size_t row = 0; row < 2; ++row) {
                const double off = std::abs(all[0].reference->number(row) - all[1].reference->number(row));
                off_at_all += off;
                EXPECT_LE(off, all[1].scale->number(row)) << variant;
                EXPECT_LT(all[1].scale->number(row), 6)
                    << "the scale is 100 / 127, and the magnitudes of x add up to 7";
            }
            EXPECT_GT(off_at_all, 0) << variant << " rounds";
        }
    }
    // With one scale per row, the error of the row of small weights is small.
    EXPECT_LT(expected_for("int8", 3, weights, x, "by_row")[1].scale->number(0), 0.3);
    EXPECT_GT(expected_for("int8", 3, weights, x, "symmetric")[1].scale->number(0), 2);
}

TEST(QuantiseInt8, Int8ProductIsAnIntegerTimesBothScales) {
    // Each scale is 1 + 2^-14, and the bytes are those written here.
    const double step = 1 + 0x1p-14;
    const std::vector<Expected> all =
        expected_for("int8", 4, {127, -2, 3, 0, 5, 127, -127, 1}, {1, 10, 127, -3}, "symmetric");
    EXPECT_THAT(all[0].reference->as<double>(),
                ElementsAre((127 - 20 + 381) * step * step, (5 + 1270 - 16129 - 3) * step * step));
    for (std::size_t row = 0; row < 2; ++row)
        EXPECT_LT(all[0].scale->number(row), 1e-6 * std::abs(all[0].reference->number(row)));
}

TEST(QuantiseInt8, RestoredWeightsMayDifferByHalfTheScale) {
    const PreparedExperiment prepared =
        prepare_case(bytes_lesson(), settings(2, 2, {{"scheme", "by_row"}}), "round_trip");
    const std::vector<Expected> all =
        prepared.task.reference(input_of(2, {127, 0.3F, 254, -1}, "by_row"), prepared);
    const Expected* const restored = expected_of(all, "restored");
    ASSERT_NE(restored, nullptr);
    EXPECT_EQ(restored->tolerance.absolute, 0);
    EXPECT_EQ(restored->tolerance.relative, 0.5);
    EXPECT_THAT(restored->reference->as<float>(), ElementsAre(127, 0.3F, 254, -1)) << "the original weights";
    EXPECT_THAT(restored->scale->as<double>(),
                ElementsAre(1 + 0x1p-14, 1 + 0x1p-14, 2 + 0x1p-13, 2 + 0x1p-13));
    for (const char* exact : {"bytes", "steps", "zero_points"}) {
        ASSERT_NE(expected_of(all, exact), nullptr) << exact;
        EXPECT_EQ(expected_of(all, exact)->tolerance.relative, 0) << exact;
    }
}

std::string said_of(const std::string& variant, const Values& values, const Limits& limits,
                    Severity severity) {
    return remarks_on(prepare_case(bytes_lesson(), values, variant, limits), {severity});
}

TEST(QuantiseInt8, ReportsIntegerDotProductSupport) {
    Limits limits = large_gpu();
    const auto kernel = [&](const char* dot) {
        return plan_of(bytes_lesson(), settings(64, 4, {{"dot", dot}}), "int8", limits).main().kernel;
    };
    const auto find_remark = [&](const char* dot, Severity severity) {
        return said_of("int8", settings(64, 4, {{"dot", dot}}), limits, severity);
    };
    EXPECT_EQ(kernel("auto"), "quantise_int8/int8.shifts");
    EXPECT_EQ(find_remark("auto", Severity::refusal), "");
    EXPECT_EQ(find_remark("instruction", Severity::refusal),
              "This device has no instruction for the dot product of four bytes. Choose dot = shifts.\n");
    EXPECT_EQ(said_of("f32", settings(64, 4, {{"dot", "instruction"}}), limits, Severity::refusal), "");
    limits.integer_dot = true;
    EXPECT_EQ(kernel("auto"), "quantise_int8/int8.instruction");
    EXPECT_EQ(kernel("shifts"), "quantise_int8/int8.shifts");
    EXPECT_THAT(find_remark("auto", Severity::note), Mentions("accelerated"));
    limits.integer_dot_accelerated = true;
    EXPECT_THAT(find_remark("auto", Severity::note), HasSubstr("device reports as accelerated"));
    EXPECT_THAT(find_remark("shifts", Severity::note), Not(HasSubstr("accelerated")));
}

TEST(QuantiseInt8, LimitsColumnsSoThatSumsFit32Bits) {
    constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
    const double most = find(bytes_lesson().parameters, "columns")->maximum;
    EXPECT_EQ(most, 65'536);
    EXPECT_LE(static_cast<std::int64_t>(most) * 255 * 127, largest);
    EXPECT_THAT(said_of("int8", settings(65'537, 1), large_gpu(), Severity::refusal),
                Mentions(65537, 1, 65536));
    EXPECT_EQ(said_of("row_distances", settings(33'025, 1), large_gpu(), Severity::refusal), "");
    EXPECT_LE(std::int64_t{33'025} * 255 * 255, largest);
    EXPECT_GT(std::int64_t{33'026} * 255 * 255, largest);
    EXPECT_THAT(said_of("row_distances", settings(33'026, 1), large_gpu(), Severity::refusal),
                Mentions(33026, 33025));
}

TEST(QuantiseInt8, PlansFitTheDeviceLimits) {
    Limits llvmpipe = software_device();
    llvmpipe.binding_alignment = 16;
    for (const Limits& limits : {llvmpipe, large_gpu()})
        for (const Variant& variant : bytes_lesson().variants)
            for (const std::uint64_t columns : {1u, 37u, 1024u, 65'535u})
                for (const std::uint64_t rows : {1u, 37u, 70'000u})
                    for (const char* workgroup : {"1x1", "7x1", "3x32", "256x1", "32x32"})
                        for (const char* grid : {"auto", "1x1", "2x3"}) {
                            const bool is_slow =
                                columns > 1024 && (rows > 37 || std::string(workgroup) < "256x1");
                            if (is_slow) continue;
                            SCOPED_TRACE(fmt::format("{}, {} rows of {}, {} workgroups of {}", variant.id,
                                                     rows, columns, grid, workgroup));
                            const Values values = settings(
                                columns, rows, {{"workgroup", workgroup}, {"grid", grid}, {"vectors", "3"}});
                            const PreparedExperiment prepared =
                                prepare_case(bytes_lesson(), values, variant.id, limits);
                            ASSERT_NO_THROW(require_valid(prepared));
                            expect_sound(prepared);
                        }
}

TEST(QuantiseInt8, AssignsShortRowsToSubgroups) {
    const auto rows_at_once = [](std::uint64_t columns, const char* workgroup, const Limits& limits) {
        return plan_of(bytes_lesson(), settings(columns, 100, {{"workgroup", workgroup}}), "f32", limits)
            .main()
            .constants.at(0);
    };
    EXPECT_EQ(rows_at_once(8192, "256x1", large_gpu()), 8u);
    EXPECT_EQ(rows_at_once(8193, "256x1", large_gpu()), 1u);
    EXPECT_EQ(rows_at_once(1024, "96x1", large_gpu()), 3u);
    EXPECT_EQ(rows_at_once(1024, "24x8", large_gpu()), 1u) << "no whole subgroups along x";
    EXPECT_EQ(rows_at_once(65'536, "256x1", software_device()), 32u);
}

TEST(QuantiseInt8, CountsTheBytesOfWeightsAndScales) {
    const auto moved = [](const char* variant, const char* scheme) {
        return plan_of(bytes_lesson(), settings(1022, 100, {{"scheme", scheme}, {"vectors", "2"}}), variant)
            .min_bytes;
    };
    const std::uint64_t results = 2 * 4 * 100, weights = 1024 * 100;
    EXPECT_EQ(moved("f32", "by_row"), 4 * 1022 * 100 + 2 * 4 * 1024 + results);
    EXPECT_EQ(moved("int8_weights", "by_row"), weights + 400 + 2 * 4 * 1024 + results);
    EXPECT_EQ(moved("int8", "by_row"), weights + 400 + 2 * (1024 + 4) + results);
    EXPECT_EQ(moved("int8", "symmetric"), weights + 4 + 2 * (1024 + 4) + results);
    EXPECT_EQ(moved("int8", "zero_point"), weights + 8 + 2 * (1024 + 4) + results);
}

TEST(QuantiseInt8, ReportsUsedByteValuesAndSizes) {
    const Outputs outputs = {{"bytes", array_of<std::int8_t>({5, 7, 5, 0, -3, 7, 7, 0})},
                             {"steps", array_of<float>({0.5, 0.25})},
                             {"zero_points", array_of<std::int32_t>({0, 0})}};
    const std::vector<Fact> facts = facts_of(bytes_lesson(), settings(3, 2, {{"scheme", "by_row"}}), outputs);
    EXPECT_EQ(number_of(facts, "places"), 3) << "padding is not a weight";
    EXPECT_EQ(number_of(facts, "step"), 0.5);
    EXPECT_EQ(number_of(facts, "f32_bytes"), 24);
    EXPECT_EQ(number_of(facts, "int8_bytes"), 16);
    EXPECT_EQ(number_of(facts, "bytes_of_steps"), 8);
    const Outputs product = {{"y", array_of<float>({3, -4})}};
    EXPECT_EQ(number_of(facts_of(bytes_lesson(), settings(3, 2), product, "f32"), "size"), std::sqrt(12.5));
}

/// Returns the lesson's refusal of a file with these numbers, three to a row.
std::string said_of_file(const std::vector<double>& numbers) {
    const UserData data{.numbers = array_of(numbers), .width = 3};
    return message_of<Refusal>(
        [&] { bytes_lesson().input_from_user(data, settings(3, numbers.size() / 3)); });
}

TEST(QuantiseInt8, RefusesNonFiniteAndTooLargeWeightsWithTheirPlace) {
    EXPECT_EQ(said_of_file({1, -1e15, 1e15}), not_thrown);
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1.1e15, -1.1e15})
        EXPECT_THAT(said_of_file({1, 2, 3, 4, 5, bad}), Mentions("Row 2, column 3: ", "1e+15", "replace"));
}

TEST(QuantiseInt8, BaselinesAreCloseToTheReference) {
    const Values values = settings(1001, 7, {{"vectors", "2"}, {"mean", "3"}});
    const Input input = bytes_lesson().input(values);
    const PreparedExperiment prepared = prepare_case(bytes_lesson(), values, "f32");
    const std::vector<Expected> expected = prepared.task.reference(input, prepared);
    const std::vector<double> y = sample_numbers(*expected.front().reference);
    const double sum = std::accumulate(y.begin(), y.end(), 0.0);
    EXPECT_THAT(baselines_of(bytes_lesson(), input, values),
                Each(DoubleNear(sum, 1e-4 * std::abs(sum) + 0.1)));
}

std::vector<Plot> drawn(const Values& values, const char* variant) {
    const PreparedExperiment prepared = prepare_case(bytes_lesson(), values, variant);
    Report report = finished_run(bytes_lesson(), prepared.values(), variant);
    report.input = bytes_lesson().input(values);
    return make_plots({prepared, &report});
}

TEST(QuantiseInt8Pictures, HistogramOfByteValuesIncludesEveryWeight) {
    const std::vector<Plot> plots = drawn(settings(37, 50, {{"outlier", "50"}}), "round_trip");
    const auto figure = content_of<Figure>(plots, "places");
    ASSERT_EQ(figure.series.at(0).y.size(), 256u);
    EXPECT_EQ(std::accumulate(figure.series.at(0).y.begin(), figure.series.at(0).y.end(), 0.0), 37 * 50);
    ASSERT_EQ(figure.markers.size(), 1u);
    EXPECT_EQ(figure.markers[0].x, 127) << "the outlier has the last byte value";
    EXPECT_THAT(figure.markers[0].label, Mentions(50));
    EXPECT_EQ(figure.series.at(0).y.back(), 1);
}

TEST(QuantiseInt8Pictures, ErrorsAreWithinHalfTheScaleAndAnOutlierEnlargesOneScale) {
    const std::vector<Plot> plots = drawn(settings(64, 32, {{"outlier", "50"}, {"scheme", "by_row"}}), "f32");
    const auto weight_errors = content_of<Figure>(plots, "errors");
    for (const double error : weight_errors.series.at(0).y)
        ASSERT_LE(std::abs(error), 0.5);
    const auto steps = content_of<Figure>(plots, "steps");
    const std::vector<double>& y = steps.series.at(0).y;
    ASSERT_EQ(y.size(), 32u);
    EXPECT_EQ(std::ranges::max_element(y) - y.begin(), 16);
    EXPECT_EQ(y[16], steps.markers.at(0).x) << "the common scale is as large";
    EXPECT_LT(y[3], 0.2 * y[16]);
    const auto errors = content_of<Figure>(plots, "schemes").series.at(0).y;
    ASSERT_EQ(errors.size(), 3u);
    EXPECT_LT(errors[2], 0.5 * errors[1]) << "a scale per row leaves less error than one scale";
}

TEST(QuantiseInt8Pictures, WordsAddUpToTheFirstDotProduct) {
    const Values values = settings(8, 2, {{"scheme", "zero_point"}, {"mean", "4"}});
    const Input input = bytes_lesson().input(values);
    const std::vector<Plot> plots = drawn(values, "int8");
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < 8; ++i)
        sum +=
            static_cast<std::int64_t>((get(input, "bytes").number(i) - get(input, "zero_points").number(0)) *
                                      get(input, "x_bytes").number(i));
    EXPECT_EQ(content_of<Cells>(plots, "words").rows.back().cell_texts.back(), fmt::format("{}", sum));
}

}  // namespace gridstride::quantise_int8_test
