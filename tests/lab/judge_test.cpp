#include "lab/judge.h"

#include "test_includes.h"

namespace gridstride::lab::judge_test {

template <class T>
ArrayRef array(std::vector<T> values) {
    return array_of(values);
}

template <class T, class R>
OutputComparison compare(std::vector<T> gpu, std::vector<R> reference, Tolerance tolerance,
                         std::vector<double> scale = {}) {
    const Expected expected{"out", array(std::move(reference)), tolerance,
                            scale.empty() ? nullptr : array(std::move(scale))};
    return judge(expected, {{"out", array(std::move(gpu))}});
}

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr float inf_f = std::numeric_limits<float>::infinity();
constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();

TEST(Judge, ZeroToleranceRequiresEquality) {
    EXPECT_TRUE((compare<std::uint32_t, std::uint32_t>({1, 2, 3}, {1, 2, 3}, {}).is_right));
    const OutputComparison wrong = compare<std::uint32_t, std::uint32_t>({1, 2, 3}, {1, 5, 4}, {});
    EXPECT_FALSE(wrong.is_right);
    ASSERT_TRUE(wrong.first_mismatch);
    EXPECT_EQ(wrong.first_mismatch->index, 1u);
    EXPECT_EQ(wrong.first_mismatch->gpu, 2);
    EXPECT_EQ(wrong.first_mismatch->reference, 5);
    EXPECT_EQ(wrong.max_abs_error, 3) << "over all elements, not up to the first";
}

TEST(Judge, RejectsNaN) {
    EXPECT_FALSE((compare<float, double>({nan_f}, {1.0}, {1e9, 1e9}).is_right));
    EXPECT_FALSE((compare<float, double>({1}, {std::nan("")}, {1e9, 1e9}).is_right));
    EXPECT_FALSE((compare<float, float>({nan_f}, {nan_f}, {}).is_right)) << "not even the same one";
    const OutputComparison wrong = compare<float, double>({0, nan_f, 0}, {0, 1, 0}, {});
    EXPECT_EQ(wrong.max_abs_error, inf) << "NaN counts as an infinite error";
    EXPECT_EQ(wrong.max_rel_error, inf);
    EXPECT_EQ((compare<float, double>({inf_f}, {inf}, {}).max_abs_error), 0);
}

TEST(Judge, AcceptsAnInfinityOnlyIfExpected) {
    EXPECT_TRUE((compare<float, double>({inf_f}, {inf}, {}).is_right));
    EXPECT_FALSE((compare<float, double>({inf_f}, {-inf}, {1e9, 1e9}).is_right));
    EXPECT_FALSE((compare<float, double>({inf_f}, {1e30}, {1e38, 1}).is_right));
    EXPECT_FALSE((compare<float, double>({1}, {inf}, {1e38, 1}).is_right));
}

TEST(Judge, AcceptsAnInfinityIfTheReferenceOverflowsF32) {
    EXPECT_TRUE((compare<float, double>({inf_f}, {1e39}, {1e9, 1e-6}).is_right));
    EXPECT_TRUE((compare<float, double>({-inf_f}, {-1e39}, {1e9, 1e-6}).is_right));
    EXPECT_FALSE((compare<float, double>({-inf_f}, {1e39}, {1e9, 1e-6}).is_right));
    EXPECT_FALSE((compare<float, double>({3.4e38F}, {1e39}, {1e9, 1e-6}).is_right));
    EXPECT_TRUE((compare<float, double>({inf_f}, {3.4e38}, {0, 0.01}).is_right))
        << "either is within the bound";
    EXPECT_FALSE((compare<float, double>({inf_f}, {3.3e38}, {0, 0.01}).is_right));
}

TEST(Judge, AcceptsWrittenNaNOnlyAtMarkedElements) {
    const auto right = [](std::vector<float> gpu) {
        Expected expected{"out", array<double>({1, 2, 3}), {0, 1e-6}};
        expected.nan_allowed = array<std::uint8_t>({0, 1, 0});
        return judge(expected, {{"out", array(std::move(gpu))}}).is_right;
    };
    EXPECT_TRUE(right({1, 2, 3}));
    EXPECT_TRUE(right({1, nan_f, 3}));
    EXPECT_FALSE(right({1, 2.1F, 3}));
    EXPECT_FALSE(right({nan_f, 2, 3}));
    EXPECT_FALSE(right({1, inf_f, 3}));
    EXPECT_FALSE(right({1, std::bit_cast<float>(poison_word), 3}));
}

TEST(Judge, TheToleranceIsAbsolutePlusRelative) {
    EXPECT_TRUE((compare<float, double>({101}, {100}, {1, 0}).is_right));
    EXPECT_FALSE((compare<float, double>({102}, {100}, {1, 0}).is_right));
    EXPECT_TRUE((compare<float, double>({101}, {100}, {0, 0.01}).is_right));
    EXPECT_FALSE((compare<float, double>({101}, {100}, {0, 0.009}).is_right));
    EXPECT_TRUE((compare<float, double>({0.5F}, {0}, {0, 0.01}, {100}).is_right))
        << "relative to the given scale";
    EXPECT_FALSE((compare<float, double>({0.5F}, {0}, {0, 0.01}).is_right)) << "nothing is relative to zero";
}

TEST(Judge, RejectsMissingOutputsAndWrongLengths) {
    EXPECT_FALSE((compare<std::uint32_t, std::uint32_t>({1, 2}, {1, 2, 3}, {}).is_right));
    const Expected expected{"other", array<std::uint32_t>({1}), {}, nullptr};
    const OutputComparison missing = judge(expected, {{"out", array<std::uint32_t>({1})}});
    EXPECT_FALSE(missing.is_right);
    EXPECT_TRUE(missing.first_mismatch);
}

TEST(Judge, ComparesLongOutputsCompletelyAndFindsTheFirstMismatch) {
    // The arrays need several threads, and are not a multiple of a thread's block.
    constexpr std::size_t count = 1'000'003;
    std::vector<float> gpu(count);
    std::vector<double> expected(count), scale(count, 100);
    for (std::size_t i = 0; i < count; ++i) {
        gpu[i] = static_cast<float>(i % 1000);
        expected[i] = static_cast<double>(i % 1000);
    }
    EXPECT_TRUE(compare(gpu, expected, {}).is_right);
    gpu[count - 1] += 8;
    const OutputComparison last = compare(gpu, expected, {});
    ASSERT_TRUE(last.first_mismatch);
    EXPECT_EQ(last.first_mismatch->index, count - 1);
    EXPECT_EQ(last.max_abs_error, 8);
    EXPECT_TRUE(compare(gpu, expected, {0, 0.08}, scale).is_right) << "each element by its own scale";
    scale[count - 1] = 99;
    EXPECT_FALSE(compare(gpu, expected, {0, 0.08}, scale).is_right);
    gpu[count / 2] = nan_f;
    gpu[77'777] += 1;
    for (int i = 0; i < 20; ++i)
        ASSERT_EQ(compare(gpu, expected, {}).first_mismatch->index, 77'777u) << "whichever thread is first";
}

TEST(Judge, RejectsTheFillWord) {
    EXPECT_TRUE(std::isnan(std::bit_cast<float>(poison_word)));
    EXPECT_FALSE((compare<std::uint32_t, std::uint32_t>({poison_word}, {0}, {}).is_right));
}

template <class T>
T fill_as(std::size_t piece = 0) {
    std::array<T, sizeof poison_word / std::min(sizeof(T), sizeof poison_word)> pieces;
    std::memcpy(pieces.data(), &poison_word, sizeof poison_word);
    return pieces[piece];
}

TEST(Judge, CountsElementsWithTheFillWordAsUnwritten) {
    const float fill = fill_as<float>();
    const OutputComparison half =
        compare<float, double>({1, 7, 3, fill, fill}, {1, 2, 3, 4, 5}, {1e9, 1e9}, {});
    EXPECT_FALSE(half.is_right);
    EXPECT_EQ(half.output.unwritten, 2u);
    EXPECT_EQ(half.output.wrong, 0u);
    ASSERT_TRUE(half.first_mismatch);
    EXPECT_TRUE(half.first_mismatch->is_unwritten);
    EXPECT_EQ(half.first_mismatch->index, 3u);
    EXPECT_TRUE(std::isnan(half.first_mismatch->gpu)) << "the fill word is not a result";
    EXPECT_EQ(half.max_abs_error, inf);

    const OutputComparison both =
        compare<std::uint32_t, std::uint32_t>({9, 2, poison_word, 9}, {1, 2, 3, 4}, {});
    EXPECT_EQ(both.output.unwritten, 1u);
    EXPECT_EQ(both.output.wrong, 2u);
    EXPECT_EQ(both.first_mismatch->index, 2u) << "an unwritten element is reported before a wrong one";
    ASSERT_TRUE(both.output.first_wrong);
    EXPECT_EQ(both.output.first_wrong->index, 0u);
}

TEST(Judge, AcceptsTheFillWordIfItIsExpected) {
    EXPECT_TRUE((compare<std::uint32_t, std::uint32_t>({poison_word}, {poison_word}, {}).is_right));
    const double as_number = poison_word;
    EXPECT_TRUE((compare<std::uint32_t, double>({poison_word}, {as_number + 1}, {2, 0}).is_right));
}

TEST(Judge, ComputedNaNCountsAsWritten) {
    // An arithmetic operation makes the signaling NaN of the fill word quiet.
    const float computed = fill_as<float>() + 1.0F;
    for (const float nan : {nan_f, -nan_f, computed}) {
        const OutputComparison wrong = compare<float, double>({nan}, {1}, {});
        EXPECT_EQ(wrong.output.unwritten, 0u);
        EXPECT_EQ(wrong.output.wrong, 1u);
        EXPECT_FALSE(wrong.first_mismatch->is_unwritten);
    }
}

TEST(Judge, FindsTheFillWordInElementsOfOtherWidths) {
    const auto i16 =
        compare<std::int16_t, std::int16_t>({fill_as<std::int16_t>(0), 5, fill_as<std::int16_t>(0),
                                             fill_as<std::int16_t>(1), fill_as<std::int16_t>(1)},
                                            {1, 5, 1, 1, 1}, {});
    EXPECT_EQ(i16.output.unwritten, 3u) << "each half of the fill word in its own position";
    EXPECT_EQ(i16.output.wrong, 1u);
    std::vector<std::int8_t> bytes, expected(10, 3);
    for (std::size_t i = 0; i < expected.size(); ++i)
        bytes.push_back(fill_as<std::int8_t>(i % 4));
    bytes[5] = 3;
    const auto i8 = compare(bytes, expected, {});
    EXPECT_EQ(i8.output.unwritten, 6u) << "no byte of a word that was written counts";
    EXPECT_EQ(i8.output.wrong, 3u);
    constexpr std::uint64_t word = poison_word;
    const auto u64 =
        compare<std::uint64_t, std::uint64_t>({word << 32 | word, word << 32, word, 4}, {1, 1, 1, 1}, {});
    EXPECT_EQ(u64.output.unwritten, 3u);
    EXPECT_EQ(u64.output.wrong, 1u);
}

TEST(Judge, ReportsTheToleranceOfTheElementWithTheLargestError) {
    // The errors are 0.5 of an allowed 1, and 0.25 of an allowed 0.3.
    const OutputComparison right = compare<float, double>({100.5F, 1.25F}, {100, 1}, {0, 0.01}, {100, 30});
    EXPECT_TRUE(right.is_right);
    EXPECT_EQ(right.max_abs_error, 0.5);
    EXPECT_EQ(right.allowed_abs_error, 1);
    EXPECT_EQ(right.max_rel_error, 0.25);
    EXPECT_EQ(right.allowed_rel_error, 0.3);
    // The largest error is within its tolerance; the report must give the tolerance of the element that is
    // wrong.
    const OutputComparison wrong = compare<float, double>({100.5F, 1.25F}, {100, 1}, {0, 0.01}, {100, 20});
    EXPECT_FALSE(wrong.is_right);
    EXPECT_EQ(wrong.max_abs_error, 0.5);
    EXPECT_EQ(wrong.allowed_abs_error, 0.2);
    EXPECT_EQ(wrong.first_mismatch->allowed, 0.2);
    const OutputComparison equal = compare<float, double>({1, 2}, {1, 2}, {0, 0.5});
    EXPECT_EQ(equal.max_abs_error, 0);
    EXPECT_EQ(equal.allowed_abs_error, 1) << "the largest tolerance among equal errors";
    EXPECT_EQ((compare<std::uint32_t, std::uint32_t>({1}, {1}, {}).allowed_abs_error), 0);
}

TEST(Judge, OneChangedByteBreaksTheGuard) {
    std::vector<std::uint32_t> guard(guard_bytes / 4, guard_word);
    EXPECT_TRUE(is_guard_intact(std::as_bytes(std::span(guard))));
    for (const std::size_t at : {std::size_t{0}, guard.size() / 2, guard.size() - 1}) {
        std::vector<std::uint32_t> changed = guard;
        changed[at] ^= 1u << 24;
        EXPECT_FALSE(is_guard_intact(std::as_bytes(std::span(changed)))) << at;
    }
}

/// Judges a matrix of three rows by two columns, whose first row is compared number by number. `doubt` is the
/// allowed error of the products.
OutputComparison judge_by_rows(std::vector<float> gpu, Tolerance tolerance = {}, double step = 0,
                               double doubt = 0) {
    static const std::vector<double> right = {1, 2, 3, 4, 5, 6};
    const auto product = [](std::size_t row) { return 7 * right[2 * row] + 11 * right[2 * row + 1]; };
    Expected expected{"out", array<double>({product(0), product(1), product(2)}), {doubt, 0}};
    expected.row_check = FreivaldsCheck{
        array<double>({7, 11}), step, {0}, [=](std::uint64_t row) {
            return Expected{"out", array<double>({right[2 * row], right[2 * row + 1]}), tolerance};
        }};
    return judge(expected, {{"out", array(std::move(gpu))}});
}

TEST(Judge, ComparesMatricesByRowProducts) {
    EXPECT_TRUE(judge_by_rows({1, 2, 3, 4, 5, 6}).is_right);
    const OutputComparison wrong = judge_by_rows({1, 2, 3, 4, 5, 7});
    EXPECT_FALSE(wrong.is_right);
    ASSERT_TRUE(wrong.first_mismatch);
    EXPECT_EQ(wrong.first_mismatch->index, 5u) << "the index in the matrix, not the row";
    EXPECT_EQ(wrong.first_mismatch->gpu, 7);
    EXPECT_EQ(wrong.first_mismatch->reference, 6);
    EXPECT_EQ(wrong.max_abs_error, 1);
}

TEST(Judge, RowComparisonFindsTheFirstWrongRowAndRejectsNaN) {
    EXPECT_EQ(judge_by_rows({1, 2, 9, 4, 5, 9}).first_mismatch->index, 2u);
    EXPECT_EQ(judge_by_rows({1, 2, 3, nan_f, 5, 6}).first_mismatch->index, 3u);
    EXPECT_FALSE(judge_by_rows({1, 2, 3, inf_f, 5, 6}, {1e30, 1e30}, 0, 1e30).is_right);
    EXPECT_FALSE(judge_by_rows({1, 2, 3, 4}).is_right) << "another length";
    // The errors cancel in the products with 7 and 11, but the number-by-number check of the sampled row
    // finds them.
    EXPECT_FALSE(judge_by_rows({12, -5, 3, 4, 5, 6}).is_right);
    EXPECT_TRUE(judge_by_rows({1, 2, 14, -3, 5, 6}).is_right) << "the rare chance";
}

TEST(Judge, RowComparisonCountsAllUnwrittenElements) {
    const float fill = fill_as<float>();
    const OutputComparison wrong = judge_by_rows({1, 2, fill, 4, fill, fill});
    EXPECT_EQ(wrong.output.unwritten, 3u);
    EXPECT_EQ(wrong.first_mismatch->index, 2u);
    EXPECT_TRUE(wrong.first_mismatch->is_unwritten);
    EXPECT_EQ(wrong.first_mismatch->reference, 3);
}

/// Judges the rows 1 and 3 of a matrix of five rows by two columns.
template <class T>
OutputComparison judge_some_rows(std::vector<T> found, Tolerance tolerance = {}) {
    Expected expected{"out", array<T>({3, 4, 7, 8}), tolerance};
    expected.rows = {1, 3};
    return judge(expected, {{"out", array(std::move(found))}});
}

TEST(Judge, ComparesOnlySelectedRows) {
    EXPECT_TRUE(judge_some_rows<float>({0, 0, 3, 4, 0, 0, 7, 8, 0, 0}).is_right);
    const OutputComparison wrong = judge_some_rows<float>({0, 0, 3, 4, 0, 0, 7, 9, 0, 0}, {0.5, 0});
    ASSERT_TRUE(wrong.first_mismatch);
    EXPECT_EQ(wrong.first_mismatch->index, 7u) << "the index in the matrix";
    EXPECT_EQ(wrong.first_mismatch->reference, 8);
    EXPECT_FALSE(wrong.output.all_compared);
    EXPECT_TRUE(judge_some_rows<float>({0, 0, 3, 4, 0, 0, 7, 8.25, 0, 0}, {0.5, 0}).is_right);
    EXPECT_FALSE(judge_some_rows<float>({0, 0, nan_f, 4, 0, 0, 7, 8, 0, 0}, {1e30, 0}).is_right);
    EXPECT_FALSE(judge_some_rows<float>({0, 0, 3, 4, 0, 0}).is_right) << "row 3 is missing";
}

TEST(Judge, FindsUnwrittenElementsInRowsThatAreNotCompared) {
    const float fill = fill_as<float>();
    const OutputComparison unwritten = judge_some_rows<float>({0, 0, 3, 4, 0, fill, fill, 8, 0, 0});
    EXPECT_EQ(unwritten.output.unwritten, 2u);
    ASSERT_TRUE(unwritten.first_mismatch);
    EXPECT_EQ(unwritten.first_mismatch->index, 5u);
    EXPECT_TRUE(unwritten.first_mismatch->is_unwritten);
    // A whole number may be equal to the fill word.
    EXPECT_TRUE(judge_some_rows<std::uint32_t>({poison_word, 0, 3, 4, 0, 0, 7, 8, 0, 0}).is_right);
}

/// Returns the comparison of one run with these outputs.
Comparison compared(std::vector<OutputComparison> comparisons, const Plan& plan = {}) {
    Comparison compare;
    set_outputs(compare, comparisons, plan);
    return compare;
}

template <class T, class R>
OutputComparison named(std::string name, std::vector<T> gpu, std::vector<R> reference,
                       Tolerance tolerance = {}) {
    const Expected expected{name, array(std::move(reference)), tolerance};
    return judge(expected, {{name, array(std::move(gpu))}});
}

TEST(Judge, CombinesTheVerdictsOfAllOutputs) {
    using U = std::uint32_t;
    const Comparison compare =
        compared({named<float, double>("a", {1.25F}, {1}, {0.5, 0}), named<U, U>("b", {1, 3}, {1, 2}),
                  named<U, U>("c", {poison_word}, {2})});
    EXPECT_EQ(compare.outputs.size(), 3u);
    EXPECT_TRUE(compare.outputs[0].is_right());
    ASSERT_TRUE(compare.first_mismatch);
    EXPECT_EQ(compare.first_mismatch->output, "c") << "an unwritten output is reported before a wrong one";
    EXPECT_TRUE(compare.has_unwritten());
    const Comparison right = compared({named<float, double>("a", {1.25F}, {1}, {0.5, 0})});
    EXPECT_EQ(right.allowed_abs_error, 0.5);
    EXPECT_FALSE(right.has_unwritten());
}

TEST(Judge, NamesTheUnwrittenSourceOfADerivedOutput) {
    using U = std::uint32_t;
    Plan plan;
    plan.steps = {HostStep{.label = "add", .output = "total", .work = {}, .reads = {"sums"}},
                  HostStep{.label = "count", .output = "count", .work = {}, .reads = {"numbers"}}};
    const Comparison compare = compared({named<U, U>("sums", {1, poison_word}, {1, 2}),
                                         named<U, U>("total", {77}, {3}), named<U, U>("count", {5}, {3})},
                                        plan);
    EXPECT_EQ(compare.outputs[1].unwritten_source, "sums");
    EXPECT_EQ(compare.outputs[2].unwritten_source, "") << "its own input is complete";
}

TEST(Judge, RowComparisonChecksDoubtfulRowsElementByElement) {
    // The product has an error, but each number is within its tolerance.
    EXPECT_TRUE(judge_by_rows({1, 2, 3.25F, 4, 5, 6}, {0.5, 0}).is_right);
    EXPECT_FALSE(judge_by_rows({1, 2, 3.75F, 4, 5, 6}, {0.5, 0}).is_right);
    // A value that no exact result can have is detected, though its error is too small to show in the
    // product.
    EXPECT_FALSE(judge_by_rows({1, 2, 3, 4, 5, 6.0000005F}, {}, 0.25, 1e-5).is_right);
    EXPECT_TRUE(judge_by_rows({1, 2, 3, 4, 5, 6}, {}, 0.25, 1e-5).is_right);
}

}  // namespace gridstride::lab::judge_test
