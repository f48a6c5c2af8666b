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

}  // namespace
}  // namespace gridstride::lab
