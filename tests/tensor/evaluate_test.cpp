// Tests the definition of operations: known results, and useful error bounds.

#include "base/random.h"
#include "graph/expected.h"
#include "tensor/random_graph.h"
#include "test_includes.h"

namespace gridstride::tensor::evaluate_test {

NamedArray array(const char* name, const std::vector<float>& numbers) {
    return {name, array_of(numbers)};
}

std::vector<double> result_of(const Graph& graph, const Input& input) {
    const Expected all = expected(graph, input).at(0);
    const auto numbers = all.reference->as<double>();
    return {numbers.begin(), numbers.end()};
}

TEST(Evaluate, BroadcastsLikeNumPy) {
    Graph graph;
    const Tensor a = graph.input("a", {2, 3}), b = graph.input("b", {3}), c = graph.input("c", {2, 1});
    graph.output("y", a * b - c);
    EXPECT_THAT(
        result_of(graph, {array("a", {1, 2, 3, 4, 5, 6}), array("b", {10, 20, 30}), array("c", {1, 2})}),
        ElementsAre(9, 39, 89, 38, 98, 178));
}

TEST(Evaluate, ReducesAlongAnyAxisOfAnyView) {
    Graph graph;
    const Tensor a = graph.input("a", {2, 3});
    graph.output("columns", sum(a, 0));
    graph.output("rows", sum(a, 1));
    graph.output("turned", largest(a.transposed(), 0));
    graph.output("slice", mean(a.slice(1, 1, 2), 1));
    const std::vector<Expected> all = expected(graph, {array("a", {1, 2, 3, 4, 5, -6})});
    const auto numbers = [&](std::size_t i) {
        const auto span = all[i].reference->as<double>();
        return std::vector<double>(span.begin(), span.end());
    };
    EXPECT_THAT(numbers(0), ElementsAre(5, 7, -3));
    EXPECT_THAT(numbers(1), ElementsAre(6, 3));
    EXPECT_THAT(numbers(2), ElementsAre(3, 5));
    EXPECT_THAT(numbers(3), ElementsAre(2.5, -0.5));
}

TEST(Evaluate, ComputesProductsAndSoftmax) {
    Graph graph;
    const Tensor a = graph.input("a", {2, 2}), b = graph.input("b", {2, 2});
    graph.output("y", matmul(a, b.transposed()));
    EXPECT_THAT(result_of(graph, {array("a", {1, 2, 3, 4}), array("b", {5, 6, 7, 8})}),
                ElementsAre(17, 23, 39, 53));
    Graph shares;
    shares.output("y", softmax(shares.input("x", {1, 2})));
    const std::vector<double> y = result_of(shares, {array("x", {0, std::log(3.0F)})});
    EXPECT_NEAR(y[0], 0.25, 1e-7);
    EXPECT_NEAR(y[1], 0.75, 1e-7);
}

/// The sums of the products of `a` with each column of `b`, added in f32, where each sum is truncated.
std::vector<float> truncated_sums(const std::vector<float>& a, const std::vector<float>& b) {
    std::vector<float> sums(b.size() / a.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
        float& sum = sums[i % sums.size()];
        const double exact = double{sum} + double{a[i / sums.size()]} * b[i];
        sum = static_cast<float>(exact);
        if (std::abs(sum) > std::abs(exact)) sum = std::nextafter(sum, 0.0F);
    }
    return sums;
}

TEST(Evaluate, AllowsTruncatedSumsInF16Products) {
    constexpr std::size_t k = 1024, n = 8;
    std::vector<float> all(k + k * n);
    fill_uniform_f32(all, 5, 0);
    for (float& number : all)
        number = static_cast<float>(static_cast<double>(Half(0.5 + number)));
    const std::vector<float> a(all.begin(), all.begin() + k), b(all.begin() + k, all.end());
    const auto expected_of = [&](ElementType type) {
        Graph graph;
        graph.set_factor_type(type);
        graph.output("y", matmul(graph.input("a", {1, k}), graph.input("b", {k, n})));
        return expected(graph, {array("a", a), array("b", b)}).at(0);
    };
    const Expected f16 = expected_of(ElementType::f16), f32 = expected_of(ElementType::f32);
    const std::vector<float> sums = truncated_sums(a, b);
    for (std::size_t i = 0; i < n; ++i) {
        const double error = std::abs(sums[i] - f16.reference->as<double>()[i]);
        EXPECT_GT(error, 0);
        EXPECT_LE(error, f16.scale->as<double>()[i]);
        EXPECT_EQ(f16.reference->as<double>()[i], f32.reference->as<double>()[i]);
        EXPECT_NEAR(f16.scale->as<double>()[i] / f32.scale->as<double>()[i], 2, 0.01);
        // A sum that is rounded to f16 may have a larger error.
        EXPECT_GT(sums[i] * 0x1p-12, f16.scale->as<double>()[i]);
    }
}

TEST(Evaluate, RoundsFactorsToF16) {
    Graph graph;
    graph.set_factor_type(ElementType::f16);
    const Tensor a = graph.input("a", {1, 2}), b = graph.input("b", {2, 1}, ElementType::f16);
    graph.output("y", matmul(a, b));
    graph.output("batch", matmul(a.reshaped({1, 1, 2}).broadcast_to({2, 1, 2}),
                                 b.reshaped({1, 2, 1}).broadcast_to({2, 2, 1})));
    const std::vector<Half> halves = {Half(2.0), Half(1.0)};
    const std::vector<Expected> all =
        expected(graph, {array("a", {1 + 0x1p-12F, 1 + 0x1.8p-10F}), {"b", array_of(halves)}});
    // Halfway between two f16, the even one: 1 + 2^-9.
    for (const Expected& one : all)
        EXPECT_EQ(one.reference->as<double>()[0], 2 + 1 + 0x1p-9);
}

/// A kernel's sum has an error of up to n ulp of its terms. If both factors are such sums, the bound must be
/// larger than with one of them.
TEST(Evaluate, ProductBoundIncludesErrorsOfBothFactors) {
    const auto allowed = [](bool a_is_a_sum, bool b_is_a_sum) {
        Graph graph;
        const Tensor a = graph.input("a", {1, 1, 64}), b = graph.input("b", {1, 1, 64});
        const auto factor = [](const Tensor& x, bool is_a_sum) {
            return is_a_sum ? sum(x, 2) : x.slice(2, 0, 1).reshaped({1, 1});
        };
        graph.output("y", matmul(factor(a, a_is_a_sum), factor(b, b_is_a_sum)));
        const std::vector<float> ones(64, 1);
        const std::vector<float> numbers(64, 1.0F / 64);
        const Expected y = expected(graph, {array("a", a_is_a_sum ? numbers : ones),
                                            array("b", b_is_a_sum ? numbers : ones)})
                               .at(0);
        return y.scale->as<double>()[0];
    };
    const double none = allowed(false, false);
    EXPECT_GT(allowed(true, false), 4 * none);
    EXPECT_GT(allowed(false, true), 4 * none);
}

TEST(Evaluate, IntegersWrapAndAreExact) {
    Graph graph;
    const Tensor a = graph.input("a", {3}, ElementType::i32);
    graph.output("y", a * a + 1);
    const std::vector<std::int32_t> numbers = {7, 65536, -2'147'483'647};
    const Expected y = expected(graph, {{"a", array_of(numbers)}}).at(0);
    const auto out = y.reference->as<std::int32_t>();
    EXPECT_THAT(std::vector(out.begin(), out.end()), ElementsAre(50, 1, 2));
    EXPECT_EQ(y.tolerance.relative, 0);
}

// GLSL leaves the result open, and where() can leave it out.
TEST(Evaluate, IntegersDividedBy0AreOpen) {
    for (const bool is_selected : {false, true}) {
        Graph graph;
        const Tensor a = graph.input("a", {3}, ElementType::u32), b = graph.input("b", {3}, ElementType::u32);
        graph.output("y", is_selected ? where(b, a / b, a) : a / b);
        const std::vector<std::uint32_t> dividends = {7, 8, 9}, divisors = {2, 0, 3};
        const Expected y = expected(graph, {{"a", array_of(dividends)}, {"b", array_of(divisors)}}).at(0);
        EXPECT_EQ(y.reference->number(0), 3);
        EXPECT_EQ(y.reference->number(2), 3);
        if (is_selected) {
            EXPECT_EQ(y.reference->number(1), 8);
            EXPECT_EQ(y.scale, nullptr);
        } else {
            EXPECT_EQ(y.scale->number(0), 0);
            EXPECT_EQ(y.scale->number(1), std::numeric_limits<double>::infinity());
        }
    }
}

// One number is broadcast 2^23 times; its sum exceeds 2^53, the limit of exact integers in a double.
TEST(Evaluate, LargeIntegerSumsWrap) {
    Graph graph;
    const Tensor a = graph.input("a", {1}, ElementType::i32);
    graph.output("y", sum(a.broadcast_to({1 << 23}), 0));
    const std::vector<std::int32_t> number = {2'147'483'647};
    const Input input = {{"a", share(std::span<const std::int32_t>(number))}};
    EXPECT_THAT(expected(graph, input).at(0).reference->as<std::int32_t>(), ElementsAre(-8'388'608));
}

TEST(Evaluate, AllowsEitherResultIfOneOperandIsNaNWithANote) {
    Graph graph;
    const Tensor a = graph.input("a", {4}), b = graph.input("b", {4});
    graph.output("y", maximum(a, b));
    graph.output("z", minimum(a, b) * 2);
    graph.output("top", largest(a, 0));
    const std::vector<Expected> all =
        expected(graph, {array("a", {1, NAN, NAN, 3}), array("b", {NAN, 2, NAN, 4})});
    const auto nan_allowed = [&](std::size_t i) {
        const auto at = all[i].nan_allowed->as<std::uint8_t>();
        return std::vector<int>(at.begin(), at.end());
    };
    EXPECT_EQ(all[0].reference->number(0), 1);
    EXPECT_EQ(all[0].reference->number(1), 2);
    EXPECT_TRUE(std::isnan(all[0].reference->number(2))) << "both operands are NaN, so no result is correct";
    EXPECT_EQ(all[0].reference->number(3), 4);
    EXPECT_THAT(nan_allowed(0), ElementsAre(1, 1, 0, 0));
    EXPECT_THAT(all[0].note, Mentions(2, "NaN", "NaN"));
    EXPECT_EQ(all[1].reference->number(1), 4);
    EXPECT_THAT(nan_allowed(1), ElementsAre(1, 1, 0, 0));
    EXPECT_THAT(nan_allowed(2), ElementsAre(1));
    EXPECT_EQ(all[2].reference->number(0), 3);
    EXPECT_EQ(all[2].scale->number(0), 2) << "elements before the NaN may be ignored";
}

// The note appears once in each output computed from the row, and in no other output.
TEST(Evaluate, NotesAMaskedRowInEachOutputThatDependsOnIt) {
    Graph graph;
    const Tensor a = graph.input("a", {2, 2}), b = graph.input("b", {1, 2});
    const Tensor y = softmax(a), z = a * 2;
    graph.output("z", z);
    graph.output("y", y);
    graph.output("sums", sum(softmax(b), 1));
    graph.expect(z, a + a, 0);
    graph.expect(y, softmax(a) * 1, 1e-4);
    const Input input = {array("a", {1, 2, -HUGE_VALF, -HUGE_VALF}), array("b", {-HUGE_VALF, -HUGE_VALF})};
    const auto rows_of_a = HasSubstrs("Row 2", " a, "), row_of_b = HasSubstrs("Row 1", " b, ");
    const std::vector<Expected> all = expected(graph, input),
                                graph_expected = expected_by_graph(graph, input);
    ASSERT_EQ(all.size(), 5u);
    EXPECT_EQ(all[0].note, "");
    EXPECT_THAT(all[1].note, rows_of_a);
    EXPECT_THAT(all[2].note, row_of_b);
    EXPECT_EQ(all[3].note, "");
    EXPECT_EQ(all[4].note, "") << "y has the note already";
    ASSERT_EQ(graph_expected.size(), 2u);
    EXPECT_EQ(graph_expected[0].note, "");
    EXPECT_THAT(graph_expected[1].note, rows_of_a) << "the first output has no expect";
}

// The mask consists of computed numbers whose own errors are very large.
TEST(Evaluate, MaskedElementsDoNotWidenTheBounds) {
    for (const double mask : {-1e30, -3e38}) {
        Graph graph;
        const Tensor x = graph.input("x", {2, 3}), keep = graph.input("keep", {2, 3});
        graph.output("y", softmax(x + (keep - 1) * -mask));
        const Expected y =
            expected(graph, {array("x", {1, 2, 3, 4, 5, 6}), array("keep", {1, 1, 0, 0, 1, 0})}).at(0);
        const double e = std::exp(1.0);
        const std::vector<double> right = {1 / (1 + e), e / (1 + e), 0, 0, 1, 0};
        for (std::size_t i = 0; i < right.size(); ++i) {
            EXPECT_NEAR(y.reference->number(i), right[i], 1e-12);
            EXPECT_LT(y.scale->number(i), 2e-5);
        }
    }
}

// A bound larger than the error of a typical mistake would accept everything.
TEST(Evaluate, BoundsOfRandomGraphsAreSmall) {
    std::size_t numbers = 0, far = 0, views = 0, copies = 0, products = 0, wholes = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const RandomGraph drawn(seed, 5 + seed % 36);
        for (const Node& node : drawn.graph.nodes()) {
            copies += node.op == Op::copy;
            products += node.op == Op::matmul;
            for (const Source& source : node.sources)
                views += !source.view.is_whole();
        }
        for (const Expected& one : expected(drawn.graph, drawn.input)) {
            if (one.output == "whole" && !one.scale) {
                ++wholes;
                continue;
            }
            const auto value = one.reference->as<double>(), error = one.scale->as<double>();
            for (std::size_t i = 0; i < value.size(); ++i) {
                ASSERT_TRUE(std::isfinite(value[i])) << fmt::format("seed {}, {}", seed, one.output);
                ++numbers;
                far += !(error[i] < 1e-3);
            }
        }
    }
    EXPECT_LT(static_cast<double>(far), 0.01 * static_cast<double>(numbers));
    // The graphs must contain enough of what the test covers.
    EXPECT_GT(views, 500U);
    EXPECT_GT(copies, 50U);
    EXPECT_GT(products, 50U);
    EXPECT_GT(wholes, 50U);
}

// Nodes that only one other uses are computed along with it. As outputs they are not.
TEST(Evaluate, FusedNodesHaveTheSameResults) {
    const auto compute_last = [](bool is_each_an_output) {
        Graph graph;
        const Tensor x = graph.input("x", {3, 700});
        Tensor last = x;
        for (int i = 0; i < 70; ++i) {  // deeper than what is computed together
            const Tensor moved = i % 7 == 0 ? last.slice(1, 1, last.shape()[1] - 1) : last;
            last = i % 3 == 0 ? maximum(moved * 1.5, x.slice(1, 0, moved.shape()[1]) * -2)
                              : (moved - 0.25) / (sqrt(moved * moved) + x.slice(0, 1, 1).slice(1, 5, 1));
            if (is_each_an_output) graph.output(fmt::format("y{}", i), last);
        }
        graph.output("last", last);
        std::vector<float> numbers(3 * 700);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = static_cast<float>(i % 101) / 50 - 1;
        numbers[1000] = NAN;
        return expected(graph, {array("x", numbers)}).back();
    };
    const Expected fused = compute_last(false), alone = compute_last(true);
    EXPECT_THAT(fused.reference->as<double>(),
                Pointwise(testing::NanSensitiveDoubleEq(), alone.reference->as<double>()));
    EXPECT_THAT(fused.scale->as<double>(),
                Pointwise(testing::NanSensitiveDoubleEq(), alone.scale->as<double>()));
    ASSERT_TRUE(fused.nan_allowed && alone.nan_allowed);
    EXPECT_TRUE(std::ranges::equal(fused.nan_allowed->raw(), alone.nan_allowed->raw()));
}

// The bound must hold for float in place of double at each step, as a device computes.
TEST(Evaluate, BoundHoldsForFloatArithmetic) {
    Graph graph;
    const Tensor a = graph.input("a", {1000});
    graph.output("y", tanh(exp(a * 0.5) / hypot(a, graph.number(1))) - log(a * a + 1.0));
    std::vector<float> numbers(1000);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<float>(i) / 100 - 5;
    const Expected y = expected(graph, {array("a", numbers)}).at(0);
    double worst = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const float x = numbers[i];
        const float one = std::exp(x * 0.5F) / std::hypot(x, 1.0F);
        const float all = std::tanh(one) - std::log(x * x + 1.0F);
        const double off = std::abs(double{all} - y.reference->as<double>()[i]) / y.scale->as<double>()[i];
        EXPECT_LE(off, 1) << x;
        worst = std::max(worst, off);
    }
    EXPECT_GT(worst, 0.01);  // the bound must not be a hundred times too wide
}

}  // namespace gridstride::tensor::evaluate_test
