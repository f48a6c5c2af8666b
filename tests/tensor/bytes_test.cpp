// Tests quantization in graphs without a device: the bytes, their error bounds, the graphs that are refused,
// and the memory that they need.

#include "base/units.h"
#include "graph/expected.h"
#include "tensor/labels.h"
#include "tensor/plan.h"
#include "test_includes.h"

namespace gridstride::tensor::bytes_test {

constexpr Scheme schemes[] = {Scheme::asymmetric, Scheme::symmetric, Scheme::per_row};

Input input(const std::vector<float>& numbers) {
    return {{"x", share(std::span<const float>(numbers))}};
}
std::vector<double> numbers_in(const ArrayRef& array) {
    std::vector<double> numbers(array->count());
    array->numbers(0, numbers);
    return numbers;
}

/// The bytes of a matrix, and the dequantized numbers.
struct Rounded {
    Expected bytes, numbers;
};
Rounded rounded(const Shape& shape, const std::vector<float>& x, Scheme scheme) {
    Graph graph;
    const Tensor q = quantise(graph.input("x", shape), scheme);
    graph.output("q", q);
    graph.output("y", dequantise(q));
    const std::vector<Expected> all = expected(graph, input(x));
    return {all[0], all[1]};
}

TEST(Quantise, RoundsToBytesAndDequantisesThem) {
    // The scale is 255 / 255 = 1, slightly enlarged and rounded up to the next number of 15 bits.
    constexpr double scale = 1 + 0x1p-14;
    const Rounded asymmetric = rounded({2, 2}, {-100, 155, 0, 50}, Scheme::asymmetric);
    EXPECT_EQ(asymmetric.bytes.reference->type(), ElementType::i8);
    // Each row is padded to a whole word.
    EXPECT_THAT(numbers_in(asymmetric.bytes.reference), ElementsAre(-128, 127, 0, 0, -28, 22, 0, 0));
    EXPECT_THAT(numbers_in(asymmetric.numbers.reference),
                ElementsAre(-100 * scale, 155 * scale, 0, 50 * scale));
    const std::vector<float> x = {-127, 1, 0, 254};
    EXPECT_THAT(numbers_in(rounded({2, 2}, x, Scheme::per_row).bytes.reference),
                ElementsAre(-127, 1, 0, 0, 0, 127, 0, 0));
    EXPECT_THAT(numbers_in(rounded({2, 2}, x, Scheme::symmetric).bytes.reference),
                ElementsAre(-63, 0, 0, 0, 0, 127, 0, 0));
}

TEST(Quantise, HasAnErrorOfAtMostHalfTheScale) {
    std::mt19937 random(20261125);
    std::normal_distribution<float> normal(0.3F, 1);
    std::vector<float> x(7 * 129);
    for (float& number : x)
        number = normal(random);
    const auto [smallest, largest] = std::ranges::minmax(x);
    for (const Scheme scheme : schemes) {
        const double scale = choose_quantization_params(scheme, smallest, largest).scale;
        const Rounded result = rounded({7, 129}, x, scheme);
        double most = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            most = std::max(most, std::abs(result.numbers.reference->number(i) - x[i]));
        EXPECT_LE(most, scale / 2);
        EXPECT_GT(most, 0.45 * scale);
        // Exact numbers give exact bytes and exact dequantized numbers.
        EXPECT_THAT(numbers_in(result.bytes.scale), Each(0));
        EXPECT_THAT(numbers_in(result.numbers.scale), Each(0));
    }
}

TEST(Quantise, MultipliesQuantizedMatrices) {
    // Both scales are 1 + 2^-14, and the dequantized numbers are not integers.
    const std::vector<float> w = {127, 2, -5.4F, 0, -127, 1}, x = {127, 3, 10.2F};
    constexpr double scale = 1 + 0x1p-14;
    for (const bool are_both : {false, true}) {
        Graph graph;
        const Tensor weights = quantise(graph.input("w", {2, 3}), Scheme::per_row),
                     vector = graph.input("x", {1, 3});
        graph.output("y",
                     matmul(are_both ? quantise(vector, Scheme::per_row) : vector, weights.transposed()));
        const Expected y = expected(graph, {{"w", share(std::span<const float>(w))},
                                            {"x", share(std::span<const float>(x))}})
                               .at(0);
        const double third = are_both ? 10 : double{10.2F}, steps = are_both ? scale * scale : scale;
        EXPECT_NEAR(y.reference->number(0), steps * (127 * 127 + 2 * 3 - 5 * third), 1e-9);
        EXPECT_NEAR(y.reference->number(1), steps * (-127 * 3 + third), 1e-9);
        // If both operands are bytes, the sum is a sum of integers, and the result is rounded only three
        // times.
        EXPECT_LT(y.scale->number(1), are_both ? 4e-7 * 371 : 1e-3);
        EXPECT_GT(y.scale->number(1), 0);
    }
}

// For numbers anywhere within their bounds, no byte's error may exceed the stated bound. With narrow bounds
// few bytes may have an error; with wide bounds some do.
TEST(Quantise, PropagatesTheBoundsOfItsOperand) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (const Scheme scheme : schemes)
        for (const double error : {1e-6, 1e-3, 0.02, 3.0}) {
            std::size_t bytes = 0, moved = 0, may_move = 0;
            for (int round = 0; round < 200; ++round) {
                std::vector<double> x(50), off(50);
                for (std::size_t i = 0; i < x.size(); ++i) {
                    x[i] = unit(random) + 0.4;
                    off[i] = static_cast<float>(x[i] + error * 0.99 * unit(random));
                }
                const auto [least, most] = std::ranges::minmax(x);
                const auto [min_off, max_off] = std::ranges::minmax(off);
                const BoundedQuantizationParams params = choose_quantization_params(
                    scheme, Bounded{std::min(least, 0.0), error}, Bounded{std::max(most, 0.0), error});
                const QuantizationParams there =
                    choose_quantization_params(scheme, static_cast<float>(std::min(min_off, 0.0)),
                                               static_cast<float>(std::max(max_off, 0.0)));
                EXPECT_LE(std::abs(there.scale - params.scale.value), params.scale.error);
                EXPECT_LE(std::abs(there.zero_point - params.zero_point.value), params.zero_point.error);
                for (std::size_t i = 0; i < x.size(); ++i) {
                    const Bounded q = quantize_to_byte({x[i], error}, params.scale, params.zero_point);
                    const std::int8_t q_there = quantize_to_byte(static_cast<float>(off[i]), there);
                    EXPECT_LE(std::abs(q_there - q.value), q.error) << x[i] << " " << error;
                    ++bytes;
                    moved += q_there != q.value;
                    may_move += q.error > 0;
                }
            }
            if (error < 1e-5) {
                EXPECT_LT(may_move * 50, bytes);
            }
            if (error > 1e-2) {
                EXPECT_GT(moved * 4, bytes);
            }
        }
}

TEST(Quantise, RejectsNaNAndInfinity) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        const Rounded result = rounded({1, 2}, {1, bad}, Scheme::symmetric);
        EXPECT_TRUE(std::isnan(result.bytes.scale->number(1)));
        EXPECT_TRUE(std::isnan(result.numbers.reference->number(1)));
    }
}

TEST(Quantise, RefusesUnsupportedOperations) {
    Graph graph;
    const Tensor x = graph.input("x", {4, 3}), whole = graph.input("n", {4, 3}, ElementType::i32);
    const Tensor q = quantise(x, Scheme::symmetric), per_row = quantise(x, Scheme::per_row);
    const auto refused = [](auto what) { return message_of<Refusal>(what); };
    EXPECT_THAT(refused([&] { quantise(whole, Scheme::per_row); }),
                HasSubstr("takes numbers of f32; these are i32"));
    EXPECT_THAT(refused([&] { quantise(q, Scheme::per_row); }), HasSubstr("these are i8"));
    EXPECT_THAT(refused([&] { quantise(x.reshaped({12}), Scheme::per_row); }), Mentions(12));
    EXPECT_THAT(refused([&] {
                    quantise(graph.input("long", {(1 << 20) + 1, 1}), Scheme::per_row);
                }),
                HasSubstrs("1048577 x 1", format_count(1 << 20) + " rows"));
    EXPECT_THAT(refused([&] { dequantise(x); }), HasSubstr("these are f32"));
    EXPECT_THAT(refused([&] { dequantise(q.transposed()); }), HasSubstr("transposed"));
    // Other operations on bytes are refused.
    for (const auto& message : {refused([&] { q + q; }), refused([&] { q + 1; }), refused([&] { x + q; }),
                                refused([&] { sum(q, 0); }), refused([&] { q.slice(0, 1, 1); }),
                                refused([&] { q.reshaped({12}); }), refused([&] {
                                    q.broadcast_to({2, 4, 3});
                                }),
                                refused([&] { graph.output("t", q.transposed()); })})
        EXPECT_THAT(message, Mentions("bytes"));
    EXPECT_THAT(refused([&] {
                    const KernelOutput y{.name = "y", .shape = {1}};
                    graph.run({.name = "cosine"}, std::array{q.named("q")}, std::span(&y, 1));
                }),
                HasSubstr("The kernel cosine does not work on bytes"));
    EXPECT_THAT(refused([&] { softmax(q); }), HasSubstr("these are i8"));
    EXPECT_THAT(refused([&] { graph.input("bytes", {4, 4}, ElementType::i8); }), HasSubstr("i8"));

    EXPECT_THAT(refused([&] { matmul(x, q); }), Mentions(4, 3, 4, 3));
    EXPECT_THAT(refused([&] { matmul(q, x.transposed()); }),
                Mentions("4 x 3 of i8 and 3 x 4 of f32", "second"));
    EXPECT_THAT(refused([&] { matmul(whole, q.transposed()); }), HasSubstr("4 x 3 of i32 and 3 x 4 of i8"));
    EXPECT_THAT(refused([&] { matmul(q, per_row.transposed()); }), Mentions("quantised"));
    EXPECT_THAT(
        refused([&] {
            matmul(per_row.transposed(), quantise(graph.input("w", {2, 4}), Scheme::per_row).transposed());
        }),
        HasSubstr("not transposed"));
    EXPECT_THAT(refused([&] { matmul(x.transposed(), q); }), HasSubstr("as transposed()"));
    const Tensor wide = quantise(graph.input("wide", {1, 65'537}), Scheme::per_row);
    EXPECT_THAT(refused([&] { matmul(wide, wide.transposed()); }),
                HasSubstr(format_count(1 << 16) + " columns"));
}

Limits able() {
    Limits limits;
    limits.subgroup_arithmetic = limits.subgroup_ballot = true;
    return limits;
}

TEST(Quantise, StoresOneByteAndComputesParametersInOneLaunch) {
    Graph graph;
    const Tensor x = graph.input("x", {64, 768}), w = graph.input("w", {100, 768});
    const Tensor q = quantise(w, Scheme::per_row).named("q");
    graph.output("y", matmul(x, q.transposed()));
    for (const Execution execution : {Execution::eager, Execution::planned, Execution::fused}) {
        std::vector<std::string> launches;
        const Plan plan = make_plan(graph, able(), {.execution = execution});
        EXPECT_EQ(find_plan_error(plan), "");
        for (const Step& one : plan.steps)
            if (const auto* launch = std::get_if<Dispatch>(&one)) launches.push_back(launch->label);
        EXPECT_THAT(launches,
                    ElementsAre("t1 = ranges(w)", "t2 to t3", "q = quantise(w)", "y = matmul(x, q)"));
        const auto bytes = [&](const char* name) {
            return std::ranges::find(plan.buffers, name, &BufferSpec::name)->bytes();
        };
        EXPECT_EQ(bytes("w"), 100U * 768 * 4);
        EXPECT_EQ(bytes("q"), 100U * 768);
        EXPECT_EQ(bytes("t2"), 100U * 4);
    }
    // Rows that do not fill whole words are padded.
    Graph odd;
    odd.output("q", quantise(odd.input("x", {3, 5}), Scheme::symmetric));
    EXPECT_EQ(odd.nodes()[odd.outputs()[0]].bytes(), 3U * 8);
    EXPECT_EQ(make_plan(odd, able(), {}).main_output_rows, 3U);

    EXPECT_THAT(message_of<Refusal>([&] { make_plan(odd, Limits{}, {}); }),
                HasSubstr("ranges needs subgroup arithmetic"));
}

// Scales are needed wherever bytes are, so the host uploads both together.
TEST(Quantise, HostUploadsBytesWithTheirParameters) {
    Graph graph;
    const Tensor q = quantise(graph.input("x", {4, 6}), Scheme::per_row).on(Processor::host).named("q");
    graph.output("y", dequantise(q));
    const Plan plan = make_plan(graph, able(), {});
    EXPECT_EQ(find_plan_error(plan), "");
    std::vector<std::string> steps;
    for (const Step& one : plan.steps) {
        if (const auto* up = std::get_if<Upload>(&one)) steps.push_back("up " + up->input);
        if (const auto* host = std::get_if<HostStep>(&one)) steps.push_back("host " + host->output);
        if (const auto* launch = std::get_if<Dispatch>(&one)) steps.push_back(launch->label);
    }
    EXPECT_THAT(steps, ElementsAre("host t1", "host t2", "host t3", "host q", "up q", "up t2", "up t3",
                                   "y = dequantise(q)"));
}

}  // namespace gridstride::tensor::bytes_test
