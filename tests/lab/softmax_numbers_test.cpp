// Tests rows of softmax with NaN, infinities and numbers that f32 arithmetic cannot process: they affect
// their own row only, and never produce an ordinary number. The lesson refuses such files, but the kernels
// must be correct all the same.

#include "lab/device_case.h"

namespace gridstride::lab::softmax_numbers_test {

constexpr float infinity = std::numeric_limits<float>::infinity(),
                nan = std::numeric_limits<float>::quiet_NaN(),
                subnormal = std::numeric_limits<float>::denorm_min(),
                largest = std::numeric_limits<float>::max();
constexpr std::uint64_t rows = 13;

class SoftmaxNumbers : public DeviceTest {
 protected:
    void SetUp() override { GRIDSTRIDE_ONCE(); }
    PreparedExperiment prepare_here(const std::string& variant, std::uint64_t columns,
                                    const std::string& team, const char* workgroup = "64x1") {
        return prepare_case("softmax", variant,
                            {{"columns", std::to_string(columns)},
                             {"rows", std::to_string(rows)},
                             {"team", team},
                             {"workgroup", workgroup}});
    }

    std::vector<float> outcome(const PreparedExperiment& prepared, const std::vector<float>& x) {
        const Outputs outputs = run(prepared.plan, {{"x", array_of(x)}});
        const auto numbers = outputs.front().array->as<float>();
        return {numbers.begin(), numbers.end()};
    }

    /// Judges all rows except those in `left_out`, with the lab's judge.
    OutputComparison judged(const PreparedExperiment& prepared, std::vector<float> x,
                            std::vector<float> found, const std::set<std::uint64_t>& left_out) {
        const std::uint64_t columns = x.size() / rows, each = found.size() / rows;
        for (const std::uint64_t row : left_out)
            for (std::uint64_t i = 0; i < columns; ++i)
                x[row * columns + i] = 1 + static_cast<float>(i % 3);
        const Input input = {{"x", array_of(x)}};
        const std::vector<Expected> expected = prepared.task.reference(input, prepared);
        for (const std::uint64_t row : left_out)
            for (std::uint64_t i = 0; i < each; ++i)
                found[row * each + i] =
                    static_cast<float>(expected.front().reference->number(row * each + i));
        return judge(expected.front(), {{expected.front().output, array_of(found)}});
    }

    static std::vector<float> ordinary(std::uint64_t columns) {
        std::vector<float> x(rows * columns);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<float>((i * 37) % 101) / 10 - 5;
        return x;
    }
};

/// Rows without a NaN or +infinity have a defined result, whatever else they contain.
TEST_F(SoftmaxNumbers, UndefinedRowsAreNaNAndOthersStayCorrect) {
    for (const std::uint64_t columns : {5U, 37U, 128U, 1000U, 1701U})
        for (const char* const team : {"subgroup", "workgroup"})
            for (const char* const variant :
                 {"three_passes", "two_passes", "one_pass", "several_workgroups"}) {
                SCOPED_TRACE(testing::Message() << variant << ", rows of " << columns << " by a " << team);
                std::vector<float> x = ordinary(columns);
                const auto at = [&](std::uint64_t row, std::uint64_t column) -> float& {
                    return x[row * columns + column % columns];
                };
                at(1, columns / 2) = nan;
                at(3, columns - 1) = infinity;
                at(4, 0) = -infinity;
                at(5, 2) = infinity;
                at(5, 3) = -infinity;
                for (std::uint64_t i = 0; i < columns; ++i) {
                    at(6, i) = -infinity;
                    at(7, i) = i == columns / 3 ? 2.0F : -infinity;
                    at(8, i) = i % 2 == 0 ? subnormal : -0.0F;
                    at(9, i) = i % 2 == 0 ? -largest : largest;
                    at(10, i) = -largest;
                    at(11, i) = i % 2 == 0 ? nan : -infinity;
                }
                const std::set<std::uint64_t> undefined = {1, 3, 5, 6, 11};
                const PreparedExperiment run = prepare_here(variant, columns, team);
                const std::vector<float> found = outcome(run, x);
                for (const std::uint64_t row : undefined)
                    for (std::uint64_t i = 0; i < columns; ++i)
                        ASSERT_TRUE(std::isnan(found[row * columns + i]))
                            << "row " << row << ", column " << i;
                EXPECT_EQ(found[4 * columns], 0.0F) << "masked";
                EXPECT_EQ(found[7 * columns + columns / 3], 1.0F) << "the only unmasked number";
                const OutputComparison all = judged(run, x, found, undefined);
                EXPECT_TRUE(all.is_right) << (all.first_mismatch ? all.first_mismatch->index / columns : 0);
                EXPECT_FALSE(judged(run, x, found, {1, 3, 5, 6}).is_right) << "NaN never passes";
            }
}

TEST_F(SoftmaxNumbers, NormsKeepNaNInItsRow) {
    for (const std::uint64_t columns : {37U, 1000U})
        for (const char* const team : {"subgroup", "workgroup"})
            for (const char* const variant : {"row_norm", "layer_norm", "no_maximum"}) {
                SCOPED_TRACE(testing::Message() << variant << ", rows of " << columns << " by a " << team);
                std::vector<float> x = ordinary(columns);
                x[columns + 2] = nan;
                x[8 * columns + columns - 1] = nan;
                const PreparedExperiment run = prepare_here(variant, columns, team);
                const std::vector<float> found = outcome(run, x);
                const std::uint64_t each = found.size() / rows;
                for (const std::uint64_t row : {std::uint64_t{1}, std::uint64_t{8}})
                    for (std::uint64_t i = 0; i < each; ++i)
                        ASSERT_TRUE(std::isnan(found[row * each + i])) << "row " << row << ", number " << i;
                EXPECT_TRUE(judged(run, x, found, {1, 8}).is_right);
            }
}

/// Covers the registers of the last round and of earlier rounds, and teams of any shape.
TEST_F(SoftmaxNumbers, AreCorrectForAnyWorkgroupShapeAndRowLength) {
    constexpr std::array workgroups = {"3x32", "9x4", "16x16", "1x1", "7x1", "24x2", "1x64"};
    constexpr std::array<std::uint64_t, 7> lengths = {1, 65, 4099, 2, 3, 63, 64};
    for (const char* const workgroup : std::span(workgroups).first(sample_of(7, 2)))
        for (const std::uint64_t columns : std::span(lengths).first(sample_of(7, 3)))
            for (const Variant& variant : find_lesson("softmax")->variants) {
                SCOPED_TRACE(testing::Message()
                             << variant.id << ", rows of " << columns << ", " << workgroup);
                const PreparedExperiment run = prepare_here(variant.id, columns, "auto", workgroup);
                const std::vector<float> x = ordinary(columns);
                EXPECT_TRUE(judged(run, x, outcome(run, x), {}).is_right);
            }
}

}  // namespace gridstride::lab::softmax_numbers_test
