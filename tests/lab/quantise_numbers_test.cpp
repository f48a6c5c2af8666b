// Tests quantization on the device with chosen weights: ties, the smallest and the largest numbers, and sums
// that nearly overflow 32 bits. The lab's judge checks the results.

#include "lab/device_case.h"

namespace gridstride::lab::quantise_numbers_test {

constexpr const char* scheme_ids[] = {"zero_point", "symmetric", "by_row"};

class QuantisedNumbers : public DeviceTest {
 protected:
    void SetUp() override { GRIDSTRIDE_ONCE(); }
    const Lesson& lesson_ = *find_lesson("quantise_int8");

    PreparedExperiment prepare_here(const std::string& variant, std::uint64_t columns, std::uint64_t rows,
                                    Settings others) {
        others.insert(others.end(), {{"columns", std::to_string(columns)}, {"rows", std::to_string(rows)}});
        return prepare_case(lesson_.id, variant, others);
    }

    Input input_of(const PreparedExperiment& prepared, const std::vector<float>& weights) {
        UserData data{
            .numbers = array_of(weights),
            .width = static_cast<std::uint32_t>(prepared.lesson->domain_extent(prepared.values()).x)};
        return lesson_.input_from_user(data, prepared.values());
    }

    /// Checks that every output matches the lesson's reference for these weights.
    Outputs expect_right(const PreparedExperiment& prepared, const Input& input) {
        const Outputs outputs = run(prepared.plan, input);
        DeviceTest::expect_right(prepared.task.reference(input, prepared), outputs);
        return outputs;
    }
};

std::vector<float> random_weights(std::uint64_t count, float mean, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(mean, 1);
    std::vector<float> weights(count);
    for (float& weight : weights)
        weight = normal(random);
    return weights;
}

TEST_F(QuantisedNumbers, AreCorrectForAnySizeLaunchAndVectorCount) {
    struct Size {
        std::uint64_t columns, rows;
    };
    // Without --full, the test runs every third combination or fewer, which still combines each size,
    // workgroup, grid and scheme with several of the others.
    const std::size_t every = full() ? 1 : is_sanitized ? 13 : 3;
    std::size_t next = 0;
    for (const auto& [columns, rows] : {Size{1, 1}, Size{37, 13}, Size{1001, 9}, Size{5, 300}})
        for (const char* workgroup : {"32x1", "96x1", "256x1", "24x8", "7x1"})
            for (const char* grid : {"auto", "1x1", "2x3"})
                for (const Variant& variant : lesson_.variants)
                    for (const char* scheme : scheme_ids) {
                        if (const std::size_t turn = next++; (turn + turn / every) % every != 0) continue;
                        SCOPED_TRACE(fmt::format("{} {}, {} rows of {}, {} of {}", variant.id, scheme, rows,
                                                 columns, grid, workgroup));
                        const PreparedExperiment prepared =
                            prepare_here(variant.id, columns, rows,
                                         {{"workgroup", workgroup},
                                          {"grid", grid},
                                          {"scheme", scheme},
                                          {"vectors", columns == 37 ? "3" : "1"}});
                        expect_right(prepared, input_of(prepared, random_weights(columns * rows, 0.5F, 1)));
                    }
}

/// The dot product uses the instruction if the device has it, and shifts otherwise. Sums are integers, so all
/// bits are equal.
TEST_F(QuantisedNumbers, GiveEqualProductsWithInstructionAndShifts) {
    if (!device_.limits().integer_dot)
        GTEST_SKIP() << "this device has no instruction for a dot product of four bytes";
    for (const char* scheme : scheme_ids) {
        std::vector<std::vector<float>> found;
        for (const char* dot : {"instruction", "shifts"}) {
            const PreparedExperiment prepared =
                prepare_here("int8", 1003, 17, {{"scheme", scheme}, {"dot", dot}, {"vectors", "8"}});
            const Outputs outputs =
                expect_right(prepared, input_of(prepared, random_weights(17 * 1003, 2, 5)));
            const auto y = get(outputs, "y").as<float>();
            found.emplace_back(y.begin(), y.end());
        }
        EXPECT_EQ(found[0], found[1]) << scheme;
    }
}

TEST_F(QuantisedNumbers, RoundTripTiesZerosAndExtremeValues) {
    const float step = 1 + 0x1p-14F, subnormal = std::numeric_limits<float>::denorm_min(),
                tiny = std::numeric_limits<float>::min();
    const auto near = [](float x) { return std::nextafter(x, 1e30F); };
    const std::vector<float> rows[] = {
        {127, 0.5F * step, 1.5F * step, -0.5F * step, -2.5F * step, -0.0F, 3.5F * step},
        {127, near(0.5F * step), -near(0.5F * step), near(1.5F * step), 125.5F * step, -126.5F * step, 1},
        {0, 0, 0, 0, 0, 0, 0},
        {-0.0F, -0.0F, 0, 0, -0.0F, 0, 0},
        {7, 7, 7, 7, 7, 7, 7},
        {-7, -7, -7, -7, -7, -7, -7},
        {subnormal, -subnormal, tiny, -tiny, 0, -0.0F, 2 * tiny},
        {1e15F, -1e15F, 1, -1, 5e14F, 1e-30F, 0},
        {1e15F, subnormal, 0, 1e-30F, 3, 1e14F, 7e12F},
        {-1e15F, -5, -1e13F, 0, 0, -3e14F, -1e12F},
        {1e-30F, -1e-30F, 3e-31F, 1e-32F, 0, 0, 0},
        {255, 0.5F * step, 1.5F * step, 254.5F * step, 253.5F * step, 200, 3},
        {-127.5F, 127.5F, 0.5F, -0.5F, 1, 126.5F, -126.5F},
    };
    std::vector<float> all;
    for (const std::vector<float>& row : rows)
        all.insert(all.end(), row.begin(), row.end());
    const std::uint64_t columns = rows[0].size();
    for (const char* scheme : scheme_ids) {
        SCOPED_TRACE(scheme);
        const PreparedExperiment prepared =
            prepare_here("round_trip", columns, std::size(rows), {{"scheme", scheme}});
        expect_right(prepared, input_of(prepared, all));
        // Each row is a matrix by itself, so that a scale per tensor and a scale per row are the same.
        for (const std::vector<float>& row : rows) {
            const PreparedExperiment alone = prepare_here("round_trip", columns, 1, {{"scheme", scheme}});
            expect_right(alone, input_of(alone, row));
        }
    }
}

/// In ranges of all sizes, a division with an error in the last bit would change a byte.
TEST_F(QuantisedNumbers, AreEqualDespiteTheRoundingOfDivisions) {
    constexpr std::uint64_t columns = 61, rows = 500;
    std::mt19937 random(7);
    std::uniform_real_distribution<float> unit(-1, 1);
    std::vector<float> weights(columns * rows);
    for (std::uint64_t row = 0; row < rows; ++row) {
        const float size = std::ldexp(1 + std::abs(unit(random)), static_cast<int>(random() % 90) - 45);
        for (std::uint64_t column = 0; column < columns; ++column)
            weights[row * columns + column] = size * unit(random);
    }
    // The numbers are the midpoints between each row's steps, and their neighbors.
    const PreparedExperiment prepared = prepare_here("round_trip", columns, rows, {{"scheme", "by_row"}});
    const Input first = input_of(prepared, weights);
    const auto steps = get(first, "steps").as<float>();
    for (std::uint64_t row = 0; row < rows; ++row)
        for (std::uint64_t column = 1; column < columns; ++column) {
            float& weight = weights[row * columns + column];
            const float middle = (std::floor(weight / steps[row]) + 0.5F) * steps[row];
            if (std::abs(middle) > 100 * steps[row]) continue;
            weight = column % 3 == 0 ? middle : std::nextafter(middle, column % 3 == 1 ? 1e30F : -1e30F);
        }
    expect_right(prepared, input_of(prepared, weights));
}

TEST_F(QuantisedNumbers, AccumulateUpToTheLimitOf32Bits) {
    constexpr std::uint64_t columns = 65'536;
    for (const char* scheme : scheme_ids)
        for (const float sign : {1.0F, -1.0F}) {
            const PreparedExperiment prepared = prepare_here("int8", columns, 2, {{"scheme", scheme}});
            Input input = input_of(prepared, std::vector<float>(2 * columns, 3 * sign));
            // Every number of x has the largest magnitude.
            Array x(ElementType::f32, columns), x_bytes(ElementType::i8, columns);
            std::ranges::fill(x_bytes.as<std::int8_t>(), std::int8_t{127});
            const float step = get(input, "x_steps").as<float>()[0];
            std::ranges::fill(x.as<float>(), 127 * step);
            const ArrayRef numbers = share(std::move(x)), bytes = share(std::move(x_bytes));
            for (NamedArray& one : input) {
                if (one.name == "x") one.array = numbers;
                if (one.name == "x_bytes") one.array = bytes;
            }
            const double exact = 3.0 * sign * 127 * step * columns;
            const Outputs outputs = expect_right(prepared, input);
            EXPECT_NEAR(get(outputs, "y").number(1), exact, 0.005 * std::abs(exact)) << scheme;
        }
}

TEST_F(QuantisedNumbers, DifferByAtMostHalfAStepOfTheScale) {
    const PreparedExperiment prepared = prepare_here("round_trip", 100, 20, {{"scheme", "symmetric"}});
    const Input input = input_of(prepared, random_weights(2000, 0, 3));
    Outputs outputs = run(prepared.plan, input);
    const std::vector<Expected> expected = prepared.task.reference(input, prepared);
    const Expected& restored = expected.back();
    ASSERT_EQ(restored.output, "restored");
    const OutputComparison comparison = judge(restored, outputs);
    EXPECT_TRUE(comparison.is_right);
    EXPECT_GT(comparison.max_scaled_error, 0.49) << "in steps: of 2 000 weights one is near a middle";
    EXPECT_LE(comparison.max_scaled_error, 0.5);
    // The next value but one is outside the tolerance.
    const auto& was = get(outputs, "restored").as<float>();
    std::vector<float> moved(was.begin(), was.end());
    moved[1234] +=
        get(input, "steps").as<float>()[0] * (moved[1234] > get(input, "weights").as<float>()[1234] ? 1 : -1);
    const OutputComparison wrong = judge(restored, {{"restored", array_of(moved)}});
    ASSERT_TRUE(wrong.first_mismatch);
    EXPECT_EQ(wrong.first_mismatch->index, 1234u);
    EXPECT_GT(wrong.max_scaled_error, 0.5);
}

}  // namespace gridstride::lab::quantise_numbers_test
