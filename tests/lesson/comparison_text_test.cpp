#include "lesson/comparison_text.h"

#include "test_includes.h"

namespace gridstride::comparison_words_test {

Mismatch unwritten_at(std::string output, std::uint64_t index) {
    return {std::move(output), index, NAN, 5, {}, true};
}

/// Replaces the no-break spaces between groups of digits, as in "499 999", with ordinary ones.
std::string plain(std::string text) {
    constexpr std::string_view thin_space = "\u2009";
    for (std::size_t at = text.find(thin_space); at != std::string::npos; at = text.find(thin_space))
        text.replace(at, thin_space.size(), " ");
    return text;
}

std::string words(std::vector<OutputVerdict> outputs) {
    Comparison compare{.outputs = std::move(outputs), .judged_runs = 3, .wrong_runs = 3};
    return plain(describe_wrong_result(compare));
}

OutputVerdict unwritten(std::string output, std::uint64_t index, std::uint64_t count) {
    OutputVerdict one{.output = output, .unwritten = count};
    one.first_unwritten = unwritten_at(output, index);
    return one;
}
OutputVerdict wrong(std::string output, std::uint64_t count = 1) {
    OutputVerdict one{.output = output, .wrong = count};
    one.first_wrong = {output, 2, 7, 5};
    return one;
}
OutputVerdict right(std::string output) {
    return {.output = std::move(output)};
}

TEST(ComparisonText, FormatsErrorsWithAsManyDigitsAsDistinguishThem) {
    EXPECT_EQ(format_error(1.234e-7, 0), "1.23e-7");
    EXPECT_EQ(format_error(3e-12, 0), "3e-12");
    EXPECT_EQ(format_error(1e300, 0), "1e300");
    EXPECT_EQ(format_error(2.5e7, 0), "2.5e7");
    EXPECT_EQ(format_error(0.5, 0.5), "0.5");
    EXPECT_EQ(format_error(0, 1), "0");
    EXPECT_EQ(format_error(1.00002e-7, 1e-7), "1.00002e-7");
    EXPECT_EQ(format_error(1e-7, 1.00002e-7), "1e-7");
}

TEST(ComparisonText, ShowsAToleranceBelowTheFoundError) {
    EXPECT_EQ(describe_mismatch({.output = "y",
                                 .index = 5,
                                 .gpu = 3.0002,
                                 .reference = 3,
                                 .source = "x",
                                 .allowed = 0.000199999}),
              "y[5] is 3.0002, x says 3 ± 0.000199999");
}

TEST(ComparisonText, CountsUnwrittenElements) {
    EXPECT_EQ(words({unwritten("densities", 500'000, 500'000)}),
              "densities[500000] was never written (and 499 999 more).");
    EXPECT_EQ(words({unwritten("total", 0, 1)}), "total[0] was never written.");
}

TEST(ComparisonText, NamesWrongAndCorrectOutputsBesideUnwrittenOnes) {
    EXPECT_EQ(words({unwritten("y", 3, 2), wrong("z"), right("total")}),
              "y[3] was never written (and 1 more). z[2] is 7, the reference says 5. total is right.");
    OutputVerdict same = unwritten("y", 3, 2);
    same.wrong = 3;
    same.first_wrong = wrong("y").first_wrong;
    EXPECT_EQ(words({same}),
              "y[3] was never written (and 1 more). y[2] is 7, the reference says 5. 2 more of its elements "
              "differ.");
}

TEST(ComparisonText, DescribesTheMismatchOfEachOutput) {
    EXPECT_EQ(
        words({wrong("partial_sums", 2), right("total")}),
        "3 of 3 runs differ from the reference. First: partial_sums[2] is 7, the reference says 5. 1 more "
        "of its elements differs. total is right.");
    EXPECT_EQ(words({wrong("a"), wrong("b"), wrong("c"), wrong("d"), right("e"), right("f")}),
              "3 of 3 runs differ from the reference. First: a[2] is 7, the reference says 5. b[2] is 7, the "
              "reference says 5. c[2] is 7, the reference says 5. 1 more of the results differ. e and f are "
              "right.");
}

TEST(ComparisonText, OutputIsCorrectOnlyIfAllItsDefinitionsAgree) {
    EXPECT_EQ(words({right("y"), wrong("v"), right("v"), right("y")}),
              "3 of 3 runs differ from the reference. First: v[2] is 7, the reference says 5. y is right.");
}

TEST(ComparisonText, OmitsNumbersComputedFromUnwrittenData) {
    OutputVerdict total = wrong("total");
    total.first_wrong->gpu = 2141576877;
    total.unwritten_source = "partial_sums";
    EXPECT_EQ(words({unwritten("partial_sums", 7, 1), total}),
              "partial_sums[7] was never written. total is computed from partial_sums.");
}

TEST(ComparisonText, ShowsTheToleranceBesideTheReference) {
    EXPECT_EQ(describe_mismatch({"y", 5, 3.5, 3, {}, false, 2.5e-7}),
              "y[5] is 3.5, the reference says 3 ± 2.5e-7");
    EXPECT_EQ(describe_mismatch({"y", 5, 4, 3, {}, false, 0.0}), "y[5] is 4, the reference says 3");
}

TEST(ComparisonText, ReportsAnOutOfBoundsWriteFirst) {
    Comparison compare{.out_of_bounds_output = "y", .judged_runs = 1, .wrong_runs = 1};
    const std::string alone = describe_wrong_result(compare);
    EXPECT_EQ(alone.find("The kernel wrote outside the bounds of y."), 0u) << alone;
    compare.outputs = {wrong("y")};
    EXPECT_NE(describe_wrong_result(compare).find("y[2] is 7"), std::string::npos);
}

}  // namespace gridstride::comparison_words_test
