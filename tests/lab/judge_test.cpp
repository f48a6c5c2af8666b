#include "lab/judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gridstride::lab {
namespace {

template <class T>
ArrayRef array(std::vector<T> values) {
    return std::make_shared<Array>(Array::of<T>(std::span<const T>(values)));
}

template <class T, class R>
Judgement compare(std::vector<T> gpu, std::vector<R> reference, Tolerance tolerance,
                  std::vector<double> scale = {}) {
    const Expected expected{"out", array(std::move(reference)), tolerance,
                            scale.empty() ? nullptr : array(std::move(scale))};
    return judge(expected, {{"out", array(std::move(gpu))}});
}

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr float inf_f = std::numeric_limits<float>::infinity();
constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();

TEST(Judge, ExactMeansExact) {
    EXPECT_TRUE((compare<std::uint32_t, std::uint32_t>({1, 2, 3}, {1, 2, 3}, {}).right));
    const Judgement wrong = compare<std::uint32_t, std::uint32_t>({1, 2, 3}, {1, 5, 4}, {});
    EXPECT_FALSE(wrong.right);
    ASSERT_TRUE(wrong.first_mismatch);
    EXPECT_EQ(wrong.first_mismatch->index, 1u);
    EXPECT_EQ(wrong.first_mismatch->gpu, 2);
    EXPECT_EQ(wrong.first_mismatch->reference, 5);
    EXPECT_EQ(wrong.max_abs_error, 3) << "over all elements, not up to the first";
}

TEST(Judge, NaNNeverPasses) {
    EXPECT_FALSE((compare<float, double>({nan_f}, {1.0}, {1e9, 1e9}).right));
    EXPECT_FALSE((compare<float, double>({1}, {std::nan("")}, {1e9, 1e9}).right));
    EXPECT_FALSE((compare<float, float>({nan_f}, {nan_f}, {}).right)) << "not even the same one";
    const Judgement wrong = compare<float, double>({0, nan_f, 0}, {0, 1, 0}, {});
    EXPECT_EQ(wrong.max_abs_error, inf) << "it is not right to the last digit";
    EXPECT_EQ(wrong.max_rel_error, inf);
    EXPECT_EQ((compare<float, double>({inf_f}, {inf}, {}).max_abs_error), 0);
}

TEST(Judge, AnInfinityPassesOnlyAsTheSame) {
    EXPECT_TRUE((compare<float, double>({inf_f}, {inf}, {}).right));
    EXPECT_FALSE((compare<float, double>({inf_f}, {-inf}, {1e9, 1e9}).right));
    EXPECT_FALSE((compare<float, double>({inf_f}, {1e30}, {1e38, 1}).right));
    EXPECT_FALSE((compare<float, double>({1}, {inf}, {1e38, 1}).right));
}

TEST(Judge, TheToleranceIsAbsolutePlusRelative) {
    EXPECT_TRUE((compare<float, double>({101}, {100}, {1, 0}).right));
    EXPECT_FALSE((compare<float, double>({102}, {100}, {1, 0}).right));
    EXPECT_TRUE((compare<float, double>({101}, {100}, {0, 0.01}).right));
    EXPECT_FALSE((compare<float, double>({101}, {100}, {0, 0.009}).right));
    EXPECT_TRUE((compare<float, double>({0.5F}, {0}, {0, 0.01}, {100}).right))
        << "relative to the given scale";
    EXPECT_FALSE((compare<float, double>({0.5F}, {0}, {0, 0.01}).right)) << "nothing is relative to zero";
}

TEST(Judge, AMissingOutputOrAnotherLengthIsAMismatch) {
    EXPECT_FALSE((compare<std::uint32_t, std::uint32_t>({1, 2}, {1, 2, 3}, {}).right));
    const Expected expected{"other", array<std::uint32_t>({1}), {}, nullptr};
    const Judgement missing = judge(expected, {{"out", array<std::uint32_t>({1})}});
    EXPECT_FALSE(missing.right);
    EXPECT_TRUE(missing.first_mismatch);
}

TEST(Judge, ALongOutputIsJudgedToItsEndAndTheFirstMismatchIsTheFirst) {
    // Long enough for several threads, and no multiple of what they take at once.
    constexpr std::size_t count = 1'000'003;
    std::vector<float> gpu(count);
    std::vector<double> wanted(count), scale(count, 100);
    for (std::size_t i = 0; i < count; ++i) {
        gpu[i] = static_cast<float>(i % 1000);
        wanted[i] = static_cast<double>(i % 1000);
    }
    EXPECT_TRUE(compare(gpu, wanted, {}).right);
    gpu[count - 1] += 8;
    const Judgement last = compare(gpu, wanted, {});
    ASSERT_TRUE(last.first_mismatch);
    EXPECT_EQ(last.first_mismatch->index, count - 1);
    EXPECT_EQ(last.max_abs_error, 8);
    EXPECT_TRUE(compare(gpu, wanted, {0, 0.08}, scale).right) << "each element by its own scale";
    scale[count - 1] = 99;
    EXPECT_FALSE(compare(gpu, wanted, {0, 0.08}, scale).right);
    gpu[count / 2] = nan_f;
    gpu[77'777] += 1;
    for (int i = 0; i < 20; ++i)
        ASSERT_EQ(compare(gpu, wanted, {}).first_mismatch->index, 77'777u) << "whichever thread is first";
}

TEST(Judge, PoisonPassesForNothing) {
    EXPECT_TRUE(std::isnan(std::bit_cast<float>(poison_word)));
    EXPECT_FALSE((compare<std::uint32_t, std::uint32_t>({poison_word}, {0}, {}).right));
}

TEST(Judge, AGuardWithOneChangedByteIsBroken) {
    std::vector<std::uint32_t> guard(guard_bytes / 4, guard_word);
    EXPECT_TRUE(guard_intact(std::as_bytes(std::span(guard))));
    for (const std::size_t at : {std::size_t{0}, guard.size() / 2, guard.size() - 1}) {
        std::vector<std::uint32_t> changed = guard;
        changed[at] ^= 1u << 24;
        EXPECT_FALSE(guard_intact(std::as_bytes(std::span(changed)))) << at;
    }
}

/// Of a matrix of three rows by two columns, of which the first row is compared number by number. The
/// products may be off by `doubt`.
Judgement judge_by_rows(std::vector<float> gpu, Tolerance tolerance = {}, double step = 0, double doubt = 0) {
    static const std::vector<double> right = {1, 2, 3, 4, 5, 6};
    const auto product = [](std::size_t row) { return 7 * right[2 * row] + 11 * right[2 * row + 1]; };
    Expected expected{"out", array<double>({product(0), product(1), product(2)}), {doubt, 0}};
    expected.by_rows =
        ByRows{array<double>({7, 11}), step, {0}, [=](std::uint64_t row) {
                   return Expected{"out", array<double>({right[2 * row], right[2 * row + 1]}), tolerance};
               }};
    return judge(expected, {{"out", array(std::move(gpu))}});
}

TEST(Judge, AMatrixIsJudgedByItsRowsProducts) {
    EXPECT_TRUE(judge_by_rows({1, 2, 3, 4, 5, 6}).right);
    const Judgement wrong = judge_by_rows({1, 2, 3, 4, 5, 7});
    EXPECT_FALSE(wrong.right);
    ASSERT_TRUE(wrong.first_mismatch);
    EXPECT_EQ(wrong.first_mismatch->index, 5u) << "the place in the matrix, not the row";
    EXPECT_EQ(wrong.first_mismatch->gpu, 7);
    EXPECT_EQ(wrong.first_mismatch->reference, 6);
    EXPECT_EQ(wrong.max_abs_error, 1);
}

TEST(Judge, OfAMatrixByRowsTheFirstWrongRowIsNamedAndNaNNeverPasses) {
    EXPECT_EQ(judge_by_rows({1, 2, 9, 4, 5, 9}).first_mismatch->index, 2u);
    EXPECT_EQ(judge_by_rows({1, 2, 3, nan_f, 5, 6}).first_mismatch->index, 3u);
    EXPECT_FALSE(judge_by_rows({1, 2, 3, inf_f, 5, 6}, {1e30, 1e30}, 0, 1e30).right);
    EXPECT_FALSE(judge_by_rows({1, 2, 3, 4}).right) << "another length";
    // 7 and 11 times these are what they should be together: the sampled row finds it all the same.
    EXPECT_FALSE(judge_by_rows({12, -5, 3, 4, 5, 6}).right);
    EXPECT_TRUE(judge_by_rows({1, 2, 14, -3, 5, 6}).right) << "the rare chance";
}

TEST(Judge, WhatAProductLeavesInDoubtIsDecidedNumberByNumber) {
    // The product is off, and each number within its tolerance.
    EXPECT_TRUE(judge_by_rows({1, 2, 3.25F, 4, 5, 6}, {0.5, 0}).right);
    EXPECT_FALSE(judge_by_rows({1, 2, 3.75F, 4, 5, 6}, {0.5, 0}).right);
    // What no exact result can be is found though it is lost in the product's sum.
    EXPECT_FALSE(judge_by_rows({1, 2, 3, 4, 5, 6.0000005F}, {}, 0.25, 1e-5).right);
    EXPECT_TRUE(judge_by_rows({1, 2, 3, 4, 5, 6}, {}, 0.25, 1e-5).right);
}

}  // namespace
}  // namespace gridstride::lab
