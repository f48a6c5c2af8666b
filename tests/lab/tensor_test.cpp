// Tests graphs on a device: eager, planned and fused execution must match the definition.

#include "base/random.h"
#include "graph/expected.h"
#include "lab/device_case.h"
#include "lesson/building_blocks.h"
#include "tensor/plan.h"
#include "tensor/random_graph.h"
#include "test_includes.h"

namespace gridstride::lab::tensor_test {

using tensor::Execution;
using tensor::Graph;
using tensor::Tensor;

class TensorTest : public DeviceTest {
 protected:
    /// Runs the graph's plan twice, because the remains of one run must not affect the next.
    Plan expect_right(const Graph& graph, const Input& input, const std::vector<Expected>& expected,
                      const tensor::Options& options) {
        Plan plan = make_plan(graph, device_.limits(), options);
        EXPECT_EQ(find_plan_error(plan), "");
        const auto memory = memory_of(plan);
        EXPECT_EQ(memory->working_set_bytes(), device_bytes(plan));
        lab::Execution execution(kernels_, plan, input, memory);
        for (int pass = 0; pass < 2; ++pass) {
            execution.run(control_);
            DeviceTest::expect_right(expected, execution.outputs());
            EXPECT_EQ(execution.find_overwritten_output(control_), "");
        }
        return plan;
    }
    void expect_right_in_all_ways(const Graph& graph, const Input& input) {
        const std::vector<Expected> expected = tensor::expected(graph, input);
        for (const Execution execution : {Execution::eager, Execution::planned, Execution::fused})
            for (const bool in_place : {false, true}) {
                if (in_place && execution == Execution::eager) continue;
                SCOPED_TRACE(
                    fmt::format("execution {}{}", static_cast<int>(execution), in_place ? ", in place" : ""));
                expect_right(graph, input, expected, {.execution = execution, .is_in_place = in_place});
            }
    }
};

TEST_F(TensorTest, RandomGraphsAreCorrectInAllExecutionModes) {
    const auto graphs = static_cast<std::uint64_t>(sample_of_runs(1000, 36));
    for (std::uint64_t seed = 0; seed < graphs; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const tensor::RandomGraph drawn(seed, 5 + seed % 36);
        expect_right_in_all_ways(drawn.graph, drawn.input);
        if (HasFailure()) break;
    }
}

// With less memory than all tensors need together, tensors are evicted and reloaded.
TEST_F(TensorTest, RandomGraphsAreCorrectUnderAMemoryBudget) {
    std::size_t moved = 0;
    const auto graphs = static_cast<std::uint64_t>(sample_of(40, 16));
    for (std::uint64_t seed = 0; seed < graphs; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const tensor::RandomGraph drawn(seed, 5 + seed % 36);
        const std::vector<Expected> expected = tensor::expected(drawn.graph, drawn.input);
        for (const Execution execution : {Execution::planned, Execution::fused}) {
            tensor::Options options{.execution = execution, .is_in_place = seed % 2 == 1};
            const std::uint64_t all = device_bytes(make_plan(drawn.graph, device_.limits(), options));
            for (options.memory_bytes = all; options.memory_bytes > all / 4;
                 options.memory_bytes = options.memory_bytes * 3 / 4)
                try {
                    const Plan plan = expect_right(drawn.graph, drawn.input, expected, options);
                    EXPECT_LE(device_bytes(plan), options.memory_bytes);
                    moved += static_cast<std::size_t>(std::ranges::count_if(plan.steps, [](const Step& step) {
                        const auto* upload = std::get_if<Upload>(&step);
                        return upload && !upload->label.empty();
                    }));
                } catch (const Refusal&) {
                    break;  // a single step needs this much memory
                }
        }
        if (HasFailure()) break;
    }
    EXPECT_GT(moved, full() ? 20U : 4U);
}

NamedArray numbers(const char* name, std::size_t count) {
    Array all(ElementType::f32, count);
    fill_uniform_f32(all.as<float>(), 7, 0);
    return {name, share(std::move(all))};
}

// GLSL's own max and min may ignore a NaN.
TEST_F(TensorTest, KernelsReturnNaNIfAnOperandIsNaN) {
    constexpr float none = std::numeric_limits<float>::quiet_NaN(),
                    infinite = std::numeric_limits<float>::infinity();
    Graph graph;
    const Tensor a = graph.input("a", {2, 5}), b = graph.input("b", {2, 5});
    const Tensor top = maximum(a, b), low = minimum(a, b);
    graph.output("top", top);
    graph.output("low", low);
    graph.output("top_on_host", maximum(a, b).on(tensor::Processor::host));
    graph.output("length", hypot(a, b));
    graph.output("rows", tensor::largest(a, 1));
    graph.output("columns", tensor::largest(a, 0));
    graph.output("smallest_of_columns", tensor::smallest(a, 0));
    const Input input = {{"a", array_of<float>({1, none, none, -infinite, 5, 6, 7, 8, 9, 0})},
                         {"b", array_of<float>({none, 2, none, 4, infinite, 1, 2, 3, 4, 0})}};
    std::vector<Expected> expected = tensor::expected(graph, input);
    for (const Execution execution : {Execution::eager, Execution::planned, Execution::fused}) {
        const Outputs outputs = run(make_plan(graph, device_.limits(), {.execution = execution}), input);
        const auto nan_at = [&](const char* output) {
            std::string all;
            for (const float number : get(outputs, output).as<float>())
                all += std::isnan(number) ? 'N' : '.';
            return all;
        };
        for (const char* const output : {"top", "low", "top_on_host", "length"})
            EXPECT_EQ(nan_at(output), "NNN.......") << output;
        EXPECT_EQ(nan_at("rows"), "N.");
        EXPECT_EQ(nan_at("columns"), ".NN..");
        EXPECT_EQ(nan_at("smallest_of_columns"), ".NN..");
        EXPECT_EQ(get(outputs, "length").as<float>()[4], infinite);
        EXPECT_EQ(get(outputs, "length").as<float>()[9], 0);
        for (const Expected& one : expected) {
            const OutputComparison comparison = judge(one, outputs);
            // The maximum or minimum of two NaNs is NaN, as is hypot() of NaN, and the judge never accepts a
            // NaN.
            const bool has_own_nan = one.output == "top" || one.output == "low" ||
                                     one.output == "top_on_host" || one.output == "length";
            EXPECT_EQ(comparison.is_right, !has_own_nan) << one.output;
            if (has_own_nan) {
                EXPECT_EQ(comparison.first_mismatch->index, one.output == "length" ? 0U : 2U) << one.output;
            }
        }
    }
}

TEST_F(TensorTest, ArgmaxReturnsTheFirstIndex) {
    constexpr float none = std::numeric_limits<float>::quiet_NaN(),
                    infinite = std::numeric_limits<float>::infinity();
    Graph graph;
    const Tensor a = graph.input("a", {6, 4});
    graph.output("rows", tensor::argmax(a, 1));
    graph.output("columns", tensor::argmax(a, 0));
    const Input input = {{"a", array_of<float>({-3,        -1,        -1,        -2,        //
                                                0,         -0.0F,     0,         -1,        //
                                                -0.0F,     0,         0,         -1,        //
                                                -infinite, -infinite, -infinite, -3e38F,    //
                                                1,         infinite,  3e38F,     infinite,  //
                                                1,         none,      infinite,  none})}};
    for (const Execution execution : {Execution::eager, Execution::planned, Execution::fused}) {
        const Outputs outputs = run(make_plan(graph, device_.limits(), {.execution = execution}), input);
        EXPECT_THAT(get(outputs, "rows").as<std::uint32_t>(), testing::ElementsAre(1, 0, 0, 3, 1, 1));
        EXPECT_THAT(get(outputs, "columns").as<std::uint32_t>(), testing::ElementsAre(4, 5, 5, 5));
    }
}

// Numbers that are equal in exact arithmetic differ after rounding.
TEST_F(TensorTest, ArgmaxOfRoundedNumbersIsWithinItsBounds) {
    Graph graph;
    const Tensor x = graph.input("x", {50, 301});
    graph.output("y", tensor::argmax(exp(x + 1) / exp(x), 1));
    graph.output("z", tensor::argmax(tensor::softmax(x * 3), 1));
    graph.output("views", converted_to(tensor::argmax(tensor::softmax(x), 0).reshaped({7, 43}).transposed(),
                                       ElementType::f32));
    expect_right_in_all_ways(graph, {numbers("x", 50 * 301)});
}

// Checks tanh near 0 to the last digits. The judge cannot require this, because GLSL's own tanh may have a
// larger error.
TEST_F(TensorTest, TanhIsAccurateNearZero) {
    std::vector<float> small;
    for (float v = 1e-30F; v < 1000; v *= 1.07F) {
        small.push_back(v);
        small.push_back(-v);
    }
    Graph graph;
    graph.output("y", tanh(graph.input("x", {small.size()})));
    const Input input = {{"x", array_of(small)}};
    const Outputs outputs = run(make_plan(graph, device_.limits(), {}), input);
    for (std::size_t i = 0; i < small.size(); ++i) {
        const double right = std::tanh(double{small[i]});
        EXPECT_NEAR(get(outputs, "y").as<float>()[i], right, 1.2e-6 * std::abs(right)) << small[i];
    }
}

// Tests rows of scores with masks, which are added as in attention.
TEST_F(TensorTest, SoftmaxOfMaskedRowsIsCorrect) {
    const float masks[] = {-std::numeric_limits<float>::infinity(), -1e30F, -1e9F};
    for (const float mask : masks)
        for (const std::uint64_t columns : {5U, 64U, 1000U}) {
            SCOPED_TRACE(fmt::format("{} columns, mask {}", columns, mask));
            std::vector<float> added(7 * columns);
            for (std::size_t i = 0; i < added.size(); ++i)
                added[i] = i % columns != 2 && i * 7 % 5 < 3 ? mask : 0;
            Graph graph;
            const Tensor x = graph.input("x", {7, columns}), masked = graph.input("mask", {7, columns});
            graph.output("given", tensor::softmax(masked));
            graph.output("scores", tensor::softmax(x * 3 + masked));
            const Input input = {numbers("x", 7 * columns), {"mask", array_of(added)}};
            expect_right_in_all_ways(graph, input);
            for (const Expected& one : tensor::expected(graph, input))
                for (std::size_t i = 0; i < added.size(); ++i)
                    ASSERT_LT(one.scale->number(i), 1e-3 * one.reference->number(i) + 1e-30) << i;
        }
}

// Whole numbers use the same kernels, and their results are exact.
TEST_F(TensorTest, IntegerOperationsAreExact) {
    std::vector<std::int32_t> whole(3 * 1001);
    for (std::size_t i = 0; i < whole.size(); ++i)
        whole[i] = static_cast<std::int32_t>(i * 2'654'435'761U) / 1000;
    Graph graph;
    const Tensor a = graph.input("a", {3, 1001}, ElementType::i32);
    graph.output("y", where(greater(a, graph.number(5, ElementType::i32)), a * 3 - 1, -a));
    graph.output("s", sum(a.transposed(), 0));
    graph.output("m", tensor::largest(a, 0) - 7);
    graph.output("l", tensor::smallest(a, 1));
    graph.output("i", tensor::argmax(a, 1) * 3);
    graph.output("u", tensor::argmax(converted_to(a.transposed(), ElementType::u32), 1));
    graph.output("p", tensor::shift(tensor::pad(a, 0, 1, 0) + 3, 1, -5));
    const Tensor divisors = a.slice(0, 1, 1) * 2 + 1, words = converted_to(a, ElementType::u32);
    graph.output("quotients", a / divisors);
    graph.output("remainders", apply_elementwise(tensor::Op::mod, std::array{a, divisors}));
    graph.output(
        "wrapped",
        apply_elementwise(tensor::Op::mod, std::array{words * words, graph.number(1000, ElementType::u32)}));
    expect_right_in_all_ways(graph, {{"a", array_of(whole)}});
}

/// Numbers that are rounded, overflow or are subnormal as f16.
std::vector<float> awkward_for_halves(std::size_t count) {
    std::vector<float> x = {1 + 0x1p-11F, 1 + 0x3p-11F, -1 - 0x1p-11F, 65504,       65519.996F,
                            65520,        -1e6F,        3e38F,         0,           0x1p-14F,
                            0x1p-24F,     0x1p-25F,     0x3p-25F,      -0x1.8p-15F, 1e-30F,
                            2049,         -2051.5F,     0x1.ffep-15F};
    while (x.size() < count)
        x.push_back(static_cast<float>(std::sin(static_cast<double>(x.size()))) * 3);
    return x;
}

TEST_F(TensorTest, ConvertsToF16WithRoundingToNearest) {
    constexpr float none = std::numeric_limits<float>::quiet_NaN(),
                    infinite = std::numeric_limits<float>::infinity();
    std::vector<float> x = awkward_for_halves(7 * 33);
    Graph graph;
    const Tensor half = converted_to(graph.input("a", {7, 33}), ElementType::f16);
    EXPECT_EQ(half.type(), ElementType::f16);
    EXPECT_EQ((half + half).type(), ElementType::f32);
    EXPECT_EQ(half.transposed().reshaped({231}).type(), ElementType::f16);
    graph.output("y", half);
    graph.output("wide", converted_to(half, ElementType::f32));  // it reads `half` in a register
    const Input input = {{"a", array_of(x)}};
    expect_right_in_all_ways(graph, input);
    const Expected expected = tensor::expected(graph, input).at(0);
    const Outputs outputs = run(make_plan(graph, device_.limits(), {}), input);
    const auto y = get(outputs, "y").as<Half>();
    const auto wide = get(outputs, "wide").as<float>();
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::abs(x[i]) < 0x1p-14F) continue;  // a device may flush them
        const double right = nearest_f16(x[i]);
        EXPECT_EQ(static_cast<double>(y[i]), right) << x[i];
        EXPECT_EQ(static_cast<double>(wide[i]), right) << x[i];
        std::vector<Half> stored(y.begin(), y.end());
        stored[i] = std::isinf(right) ? Half(65472) : Half(right - std::copysign(2 * f16_ulp(right), right));
        EXPECT_FALSE(judge(expected, {{"y", array_of(stored)}}).is_right) << x[i];
        stored[i] = Half(NAN);
        EXPECT_FALSE(judge(expected, {{"y", array_of(stored)}}).is_right) << x[i];
        // A device that rounds down stores the largest number, and no other, for one that overflows.
        stored[i] = Half(std::copysign(65504, x[i]));
        EXPECT_EQ(judge(expected, {{"y", array_of(stored)}}).is_right, std::abs(x[i]) >= 65504) << x[i];
    }
    x[0] = none, x[1] = infinite, x[2] = -infinite;
    const Outputs special = run(make_plan(graph, device_.limits(), {}), {{"a", array_of(x)}});
    EXPECT_TRUE(std::isnan(static_cast<double>(get(special, "y").as<Half>()[0])));
    EXPECT_EQ(static_cast<double>(get(special, "y").as<Half>()[1]), infinite);
    EXPECT_EQ(static_cast<double>(get(special, "y").as<Half>()[2]), -infinite);
}

TEST_F(TensorTest, AllKernelsAcceptF16Operands) {
    std::vector<Half> input_halves;
    for (const float number : awkward_for_halves(7 * 33))
        input_halves.emplace_back(std::abs(number) < 60'000 ? number : 1);
    Graph graph;
    const Tensor h = graph.input("h", {7, 33}, ElementType::f16);
    const auto rounded = [](const Tensor& x) { return converted_to(x, ElementType::f16); };
    const Tensor twice = rounded(h * 2);
    graph.output("twice", twice);
    graph.output("sums", sum(twice * h, 1));
    graph.output("view", h.transposed().reshaped({231}));
    graph.output("columns", rounded(sum(h, 0)));
    graph.output("largest", rounded(tensor::largest(h.transposed(), 0)) * 3);
    graph.output("index", tensor::argmax(h, 1));
    graph.output("shifted", tensor::shift(tensor::pad(h, 0, 1, 0), 1, -5));
    graph.output("product", rounded(matmul(h * 0.01, h.transposed()) + 1));
    graph.output("batches",
                 matmul(h.slice(1, 0, 32).reshaped({7, 4, 8}), h.slice(1, 1, 32).reshaped({7, 8, 4})));
    graph.output("probabilities", rounded(tensor::softmax(h.slice(1, 20, 9))));
    graph.output("on_host", rounded(exp(h * 0.001)).on(tensor::Processor::host));
    graph.output("bytes", tensor::dequantise(tensor::quantise(h, tensor::Scheme::per_row)));
    expect_right_in_all_ways(graph, {{"h", array_of(input_halves)}});
}

// Tests parts of a matrix whose rows may or may not start and end at multiples of four numbers. The elements
// outside the part are NaN.
TEST_F(TensorTest, ProductsOfSlicesReadNothingBeyondTheirEnds) {
    GRIDSTRIDE_ONCE();
    for (const std::uint64_t row : {16, 17, 20, 256})
        for (const std::uint64_t end : {1, 2, 3, 4, 6, 8, 11, 12, 130}) {
            if (end > row) continue;
            SCOPED_TRACE(fmt::format("{} of rows of {}", end, row));
            Graph graph;
            const Tensor x = graph.input("x", {row, row}), y = graph.input("y", {row, row});
            const Tensor few = y.slice(1, 0, end);
            graph.output("right", matmul(x, few));
            graph.output("left", matmul(few.transposed(), x));
            graph.output("deep", matmul(x.slice(1, 0, end), few.transposed()));
            graph.output("both", matmul(few, few.transposed()));
            Array partly(ElementType::f32, row * row);
            fill_uniform_f32(partly.as<float>(), 8, 0);
            for (std::size_t i = 0; i < row * row; ++i)
                if (i % row >= end) partly.as<float>()[i] = std::numeric_limits<float>::quiet_NaN();
            const Input input = {numbers("x", row * row), {"y", share(std::move(partly))}};
            expect_right(graph, input, tensor::expected(graph, input), {});
        }
}

// The requests to the device must match the lab's counts.
TEST_F(TensorTest, TimelineCountsSubmissionsAndBarriers) {
    Graph graph;
    graph.output("y", exp(exp(exp(graph.input("a", {1000}))).on(tensor::Processor::host)));
    const Plan plan = make_plan(graph, device_.limits(), {.execution = Execution::planned});
    const Input input = {numbers("a", 1000)};
    lab::Execution execution(kernels_, plan, input, memory_of(plan));
    for (int pass = 0; pass < 2; ++pass) {
        const PassTimes times = execution.run(control_);
        std::vector<std::string> steps;
        for (const StepTime& step : times.timeline)
            steps.push_back(fmt::format("{} {}", step.submission, step.barriers));
        // The first submission uploads, computes exp and downloads; then the CPU computes; then the second
        // submission does the same as the first.
        EXPECT_EQ(times.submissions, 2U);
        EXPECT_THAT(steps, ElementsAre("0 0", "0 1", "0 1", "0 0", "1 0", "1 1", "1 1"));
    }
}

// Kernels derive identifiers from names, and a tensor may have the name of such an identifier.
TEST_F(TensorTest, AcceptsTensorNamesThatGiveEqualIdentifiers) {
    Graph graph;
    const Tensor y = graph.input("y", {5, 7}), y_out = graph.input("y_out", {5, 7}),
                 y_at = graph.input("y_at", {7, 5}), y_2 = graph.input("y_2", {7, 5}),
                 out = graph.input("YBuffer", {5, 7}), sample = graph.input("sample", {5, 7}),
                 the = graph.input("the_sample", {5, 7});
    const Tensor all = y + y_out + out + sample * the + y_at.transposed() + y_2.transposed() +
                       y.slice(1, 0, 1) + y.reshaped({7, 5}).transposed();
    graph.output("z", all.named("z_out") + 1);
    graph.output("s", sum(all * y.slice(0, 1, 1), 0));
    Input input;
    for (const char* name : {"y", "y_out", "y_at", "y_2", "YBuffer", "sample", "the_sample"})
        input.push_back(numbers(name, 35));
    expect_right_in_all_ways(graph, input);
}

TEST_F(TensorTest, RunsWithAnyWorkgroupAndGrid) {
    GRIDSTRIDE_ONCE();
    Graph graph;
    const Tensor a = graph.input("a", {3, 100'003}), b = graph.input("b", {100'003});
    const Tensor y = exp(a * b) - 1;
    graph.output("y", y);
    graph.output("rows", sum(y, 1));
    graph.output("columns", sum(y, 0));
    graph.output("all", sqrt(sum(y.reshaped({300'009}), 0)));
    graph.output("largest", tensor::largest(a.transposed(), 0));
    graph.output("smallest", tensor::smallest(a, 1));
    graph.output("index", tensor::argmax(a, 1) + 1);
    graph.output("index_of_columns", tensor::argmax(a, 0));
    const Input input = {numbers("a", 300'009), numbers("b", 100'003)};
    const std::vector<Expected> expected = tensor::expected(graph, input);
    std::size_t next = 0;
    for (const std::uint64_t size : {1, 32, 96, 256, 1024})
        for (const std::uint64_t count : {0, 1, 3}) {
            if (next++ % 2 != 0 && !full()) continue;
            SCOPED_TRACE(fmt::format("{} workgroups of {}", count, size));
            expect_right(graph, input, expected, {.workgroup_size = size, .workgroup_count = count});
        }
}

TEST_F(TensorTest, RunsOneElementAndOddCounts) {
    GRIDSTRIDE_ONCE();
    for (const std::uint64_t count : {1, 2, 3, 4, 5, 1023, 1025, 3'000'001}) {
        SCOPED_TRACE(fmt::format("{} elements", count));
        Graph graph;
        const Tensor a = graph.input("a", {count});
        graph.output("y", a * 2 + 1);
        graph.output("s", sum(a, 0));
        graph.output("p", tensor::softmax(a.slice(0, 0, std::min<std::uint64_t>(count, 5000))));
        expect_right_in_all_ways(graph, {numbers("a", count)});
    }
}

TEST_F(TensorTest, FusesElementwiseOperationsIntoAProduct) {
    GRIDSTRIDE_ONCE();
    for (const std::uint64_t n : {1, 3, 64, 129}) {
        SCOPED_TRACE(fmt::format("{} columns", n));
        Graph graph;
        const Tensor a = graph.input("a", {67, 33}), b = graph.input("b", {n, 33}), c = graph.input("c", {n});
        const Tensor y = tanh((matmul(a, b.transposed()) + c) * 0.1) - graph.random({67, n}, 9);
        graph.output("y", where(greater(y, a.slice(1, 0, 1)), y, -y));
        const Input input = {numbers("a", 67 * 33), numbers("b", n * 33), numbers("c", n)};
        expect_right_in_all_ways(graph, input);
        EXPECT_EQ(make_plan(graph, device_.limits(), {}).steps.size(), 3U + 1U + 1U);
    }
}

// Sizes that are multiples of nothing, in up to four dimensions.
TEST_F(TensorTest, RunsOperationsAlongAnyAxis) {
    GRIDSTRIDE_ONCE();
    for (const tensor::Shape& shape : {tensor::Shape{1}, {13}, {7, 5}, {3, 1, 11}, {2, 3, 5, 7}})
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            SCOPED_TRACE(fmt::format("axis {} of {}", axis, tensor::text_of(shape)));
            Graph graph;
            const Tensor x = graph.input("x", shape);
            graph.output("probabilities", tensor::softmax(x, axis));
            graph.output("smallest", tensor::smallest(x, axis) * 2);
            graph.output("index", tensor::argmax(x, axis));
            graph.output("padded", sqrt(tensor::pad(x * 2, axis, 2, axis)));
            graph.output("edges", tensor::pad(x * 2, axis, axis + 1, 3, /*repeats_edge=*/true) + 1);
            graph.output("stencil", x - tensor::shift(x, axis, 1) + tensor::shift(x + 1, axis, -2) * x);
            graph.output("of_view", tensor::pad(x.transposed(axis, 0).slice(0, 0, 1), 0, 1, 0) * 2);
            graph.output("sums", tensor::sum(tensor::shift(x, axis, 3), axis) * 2);
            expect_right_in_all_ways(graph, {numbers("x", tensor::element_count(shape))});
        }
}

TEST_F(TensorTest, MultipliesBatchesOfMatrices) {
    GRIDSTRIDE_ONCE();
    struct Size {
        std::uint64_t batch, m, k, n;
    };
    for (const auto& [batch, m, k, n] :
         {Size{1, 1, 1, 1}, Size{3, 1, 7, 1}, Size{5, 13, 1, 3}, Size{7, 5, 33, 11}, Size{2, 3, 2'003, 2}}) {
        SCOPED_TRACE(fmt::format("{} times {} x {} and {} x {}", batch, m, k, k, n));
        Graph graph;
        const Tensor a = graph.input("a", {batch, m, k}), b = graph.input("b", {batch, k, n}),
                     c = graph.input("c", {n});
        const Tensor product = matmul(a, b), transposed_b = b.transposed(0, 1);
        graph.output("product", product);
        graph.output("tail", tanh(matmul(a * 2, b) * 0.1 + c) - graph.random({m, n}, 3));
        graph.output("transposed", matmul(b.transposed(1, 2), a.transposed(1, 2)));
        graph.output("squares", matmul(a, a.transposed(1, 2)));
        graph.output("matrix", matmul(a.reshaped({1, batch, m, k}), b.slice(0, 0, 1).reshaped({k, n})) + c);
        graph.output("by_matrix", matmul(a.slice(0, 0, 1).reshaped({m, k}), b));
        graph.output("by_head", matmul(transposed_b, transposed_b.transposed(1, 2)) * 0.5);
        graph.output("on_host", matmul(a, b).on(tensor::Processor::host));
        graph.expect(product, matmul(a, b), 1e-5);
        const Input input = {numbers("a", batch * m * k), numbers("b", batch * k * n), numbers("c", n)};
        expect_right_in_all_ways(graph, input);
    }
}

// A launch over more than one binding can hold runs in slices.
TEST_F(TensorTest, SlicesTensorsLargerThanABinding) {
    GRIDSTRIDE_ONCE();
    const std::uint64_t count = device_.limits().max_binding_bytes / sizeof(float) + 12'345;
    if (count > (std::uint64_t{1} << 26)) GTEST_SKIP() << "this device binds gigabytes";
    Graph graph;
    const Tensor a = graph.input("a", {count});
    graph.output("y", a * 2 - graph.random({count}, 3));
    const Input input = {numbers("a", count)};
    expect_right(graph, input, tensor::expected(graph, input), {});
}

// Shifted copies of one tensor are read in place, and no copy is stored.
TEST_F(TensorTest, FusesAStencilIntoOneLaunch) {
    Graph graph;
    const Tensor x = graph.input("x", {61, 67}), weights = graph.input("w", {67, 5});
    Tensor y = x * -4;
    for (const std::size_t axis : {0, 1})
        for (const int by : {-1, 1})
            y = y + tensor::shift(x, axis, by);
    graph.output("y", y);
    const Tensor product = matmul(x, weights);
    graph.output("z", product - tensor::shift(x.slice(1, 3, 5), 0, 2));
    const Input input = {numbers("x", 61 * 67), numbers("w", 67 * 5)};
    expect_right_in_all_ways(graph, input);
    EXPECT_EQ(std::ranges::count_if(make_plan(graph, device_.limits(), {}).steps,
                                    [](const Step& step) { return std::holds_alternative<Dispatch>(step); }),
              2);
}

TEST_F(TensorTest, RunsChainsOfAnyLength) {
    GRIDSTRIDE_ONCE();
    for (const std::size_t length : {1, 2, 7, 1000, sample_of_runs(10'000, 2000)}) {
        Graph graph;
        Tensor x = graph.input("x", {1000});
        for (std::size_t i = 0; i < length; ++i)
            x = i % 2 == 0 ? -x : minimum(x * 0.75, x + 0.5);
        graph.output("y", x);
        const Input input = {numbers("x", 1000)};
        if (length <= 100) {
            expect_right_in_all_ways(graph, input);
            continue;
        }
        // Eager execution of thousands of submissions takes too long; the long chains test memory that
        // tensors share.
        const std::vector<Expected> expected = tensor::expected(graph, input);
        for (const Execution execution : {Execution::planned, Execution::fused})
            expect_right(graph, input, expected, {.execution = execution});
    }
}

TEST_F(TensorTest, RunsNodesOnTheHost) {
    Graph graph;
    const Tensor a = graph.input("a", {33, 7}), b = graph.input("b", {7, 5});
    const Tensor there = exp(a).named("there");
    const Tensor here = (matmul(there, b).on(tensor::Processor::host) + 1).on(tensor::Processor::host);
    graph.output("y", here * 2);
    graph.output("z", tensor::softmax(here).on(tensor::Processor::host));
    graph.output("w", there + graph.random({33, 7}, 5));
    expect_right_in_all_ways(graph, {numbers("a", 33 * 7), numbers("b", 7 * 5)});
}

NamedArray normal_numbers(const char* name, std::uint64_t count, std::uint64_t seed) {
    return {name, share(normal_f32(count, seed, 0.2, 1))};
}

constexpr tensor::Scheme schemes[] = {tensor::Scheme::asymmetric, tensor::Scheme::symmetric,
                                      tensor::Scheme::per_row};

// Quantizing exact numbers gives exact bytes, and dequantizing gives exact numbers.
TEST_F(TensorTest, QuantizesAndDequantizes) {
    GRIDSTRIDE_ONCE();
    struct Size {
        std::uint64_t rows, columns;
    };
    for (const auto& [lines, columns] :
         {Size{1, 1}, Size{3, 5}, Size{7, 129}, Size{300, 4}, Size{64, 768}, Size{2, 10'001}, Size{5000, 3}})
        for (const tensor::Scheme scheme : schemes) {
            SCOPED_TRACE(fmt::format("{} x {}, scheme {}", lines, columns, static_cast<int>(scheme)));
            Graph graph;
            const Tensor q = quantise(graph.input("x", {lines, columns}), scheme);
            graph.output("q", q);
            graph.output("y", dequantise(q));
            graph.output("z", tanh(dequantise(q).transposed()));
            const Input input = {normal_numbers("x", lines * columns, lines)};
            for (const Expected& one : tensor::expected(graph, input))
                if (one.output != "z") {
                    for (const double error : one.scale->as<double>())
                        ASSERT_EQ(error, 0) << one.output;
                }
            expect_right_in_all_ways(graph, input);
        }
}

TEST_F(TensorTest, MultipliesQuantizedWeightsByAnyNumberOfVectors) {
    GRIDSTRIDE_ONCE();
    struct Size {
        std::uint64_t n, k;
    };
    std::size_t next = 0;
    for (const auto& [n, k] : {Size{1, 1}, Size{3, 5}, Size{7, 129}, Size{40, 260}, Size{100, 768}}) {
        ++next;  // so that each number of vectors meets each scheme
        for (const std::uint64_t m : {1, 8, 9, 20, 64, 100}) {
            const tensor::Scheme scheme = schemes[next++ % std::size(schemes)];
            SCOPED_TRACE(fmt::format("{} x {} by {} x {}, scheme {}", m, k, n, k, static_cast<int>(scheme)));
            Graph graph;
            const Tensor x = graph.input("x", {m, k}),
                         q = quantise(graph.input("w", {n, k}), scheme).transposed();
            graph.output("y", matmul(x, q));
            graph.output("z", matmul(quantise(x, tensor::Scheme::per_row), q));
            const Input input = {normal_numbers("x", m * k, 1), normal_numbers("w", n * k, 2)};
            expect_right_in_all_ways(graph, input);
        }
    }
}

/// With many vectors, tiles of both factors are multiplied. Sums are integers, so all bits are equal.
TEST_F(TensorTest, MultipliesTilesOfBytesEquallyWithAndWithoutTheInstruction) {
    if (!device_.limits().integer_dot) GTEST_SKIP() << "this device has no dot product of four bytes";
    for (const tensor::Scheme scheme : schemes) {
        Graph graph;
        graph.output("y", matmul(quantise(graph.input("x", {70, 301}), tensor::Scheme::per_row),
                                 quantise(graph.input("w", {45, 301}), scheme).transposed()));
        const Input input = {normal_numbers("x", 70 * 301, 1), normal_numbers("w", 45 * 301, 2)};
        std::vector<std::vector<float>> found;
        for (const bool has_instruction : {false, true}) {
            Limits limits = device_.limits();
            limits.integer_dot = has_instruction;
            const Plan plan = make_plan(graph, limits, {});
            EXPECT_TRUE(std::ranges::any_of(plan.steps, [&](const Step& step) {
                const auto* launch = std::get_if<Dispatch>(&step);
                return launch && launch->kernel == (has_instruction ? "quantise_int8/int8_tiles.instruction"
                                                                    : "quantise_int8/int8_tiles.shifts");
            }));
            const Outputs outputs = run(plan, input);
            DeviceTest::expect_right(tensor::expected(graph, input), outputs);
            const auto y = get(outputs, "y").as<float>();
            found.emplace_back(y.begin(), y.end());
        }
        EXPECT_EQ(found[0], found[1]);
    }
}

/// Adds two layers with quantized weights. The second layer's inputs are numbers that the device has rounded.
void add_network(Graph& graph, bool are_both) {
    const auto bytes = [&](const Tensor& x) { return are_both ? quantise(x, tensor::Scheme::per_row) : x; };
    const Tensor x = graph.input("x", {9, 30}), b = graph.input("b", {50});
    const Tensor w = quantise(graph.input("w", {50, 30}), tensor::Scheme::per_row),
                 v = quantise(graph.input("v", {7, 50}), tensor::Scheme::asymmetric);
    const Tensor hidden = tanh(matmul(bytes(x), w.transposed()) * 0.1 + b);
    graph.output("y", tensor::softmax(matmul(bytes(hidden), v.transposed()) * 0.1));
}
Input input_of_network() {
    return {normal_numbers("x", 9 * 30, 1), normal_numbers("b", 50, 2), normal_numbers("w", 50 * 30, 3),
            normal_numbers("v", 7 * 50, 4)};
}

TEST_F(TensorTest, RunsANetworkWithQuantizedWeights) {
    for (const bool are_both : {false, true}) {
        Graph graph;
        add_network(graph, are_both);
        expect_right_in_all_ways(graph, input_of_network());
    }
    // When fused, the operations after a product of bytes are one kernel.
    Graph graph;
    add_network(graph, false);
    const Plan plan = make_plan(graph, device_.limits(), {});
    EXPECT_EQ(std::ranges::count_if(plan.steps,
                                    [](const Step& step) { return std::holds_alternative<Dispatch>(step); }),
              3 + 3 + 1 + 1 + 1 + 1 + 1);
}

// If the device has rounded the numbers, some bytes may have either of two values; the others are judged
// exactly.
TEST_F(TensorTest, QuantizedRoundedNumbersAreJudgedByTheirBounds) {
    for (const tensor::Scheme scheme : schemes) {
        Graph graph;
        graph.output("q", quantise(tanh(exp(graph.input("x", {90, 1001}) * 0.7) - 1.5), scheme));
        const Input input = {normal_numbers("x", 90 * 1001, 6)};
        expect_right_in_all_ways(graph, input);
        const Expected q = tensor::expected(graph, input).at(0);
        const auto bytes = q.reference->as<std::int8_t>();
        const auto errors = q.scale->as<double>();
        std::size_t uncertain = 0;
        for (std::size_t i = 0; i < errors.size(); ++i) {
            ASSERT_LE(errors[i], 1);
            uncertain += errors[i] > 0;
        }
        EXPECT_GT(uncertain, 0U);
        EXPECT_LT(uncertain * 100, errors.size());
        // A byte changed by one is wrong exactly if the bound does not allow it.
        std::vector<std::int8_t> moved(bytes.begin(), bytes.end());
        const auto right = [&] {
            return judge(q, {{"q", share(std::span<const std::int8_t>(moved))}}).is_right;
        };
        const auto at = [&](bool is_certain) {
            return static_cast<std::size_t>(
                std::ranges::find_if(errors, [&](double error) { return (error == 0) == is_certain; }) -
                errors.begin());
        };
        for (const bool is_certain : {false, true}) {
            moved[at(is_certain)] += moved[at(is_certain)] > 0 ? -1 : 1;
            EXPECT_EQ(right(), !is_certain);
        }
    }
}

TEST_F(TensorTest, QuantizesOnTheHost) {
    for (const tensor::Scheme scheme : schemes) {
        Graph graph;
        const Tensor x = graph.input("x", {9, 31}), w = graph.input("w", {5, 31});
        const Tensor q = quantise(w, scheme).on(tensor::Processor::host);
        graph.output("q", q);
        graph.output("y", matmul(x, q.transposed()));
        graph.output(
            "z", matmul(quantise(x, tensor::Scheme::per_row), q.transposed()).on(tensor::Processor::host));
        graph.output("w_again", dequantise(quantise(w, scheme)).on(tensor::Processor::host));
        expect_right_in_all_ways(graph, {normal_numbers("x", 9 * 31, 1), normal_numbers("w", 5 * 31, 2)});
    }
}

}  // namespace gridstride::lab::tensor_test
