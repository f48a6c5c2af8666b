// Tests users' kernels in a graph without a device: their declaration, plans and definition.

#include "graph/expected.h"
#include "launch/slices.h"
#include "tensor/labels.h"
#include "tensor/plan.h"
#include "tensor/random_graph.h"
#include "tensor/schedule.h"
#include "test_includes.h"

namespace gridstride::tensor::user_kernel_test {

constexpr std::string_view root_text =
    "void main() {\n"
    "    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += 4) pair.c[i] = sqrt(text.a[i]);\n"
    "}\n";

UserKernel root_kernel(std::string_view text = root_text) {
    return {.name = "root", .source = {std::string(text), "mine.txt", "/there"}};
}
/// Computes the square root of each number of text.a in a user's kernel.
struct RootGraph {
    explicit RootGraph(UserKernel kernel = root_kernel(), const Shape& shape = {3, 5}) {
        a = graph.input("text.a", shape);
        c = graph.run(std::move(kernel), std::array{*a}, std::array{KernelOutput{"pair.c", shape}}).front();
    }
    Dispatch launch(const Options& options = {}) const { return make_plan(graph, Limits{}, options).main(); }

    Graph graph;
    std::optional<Tensor> a, c;
};
Input roots_of(const std::vector<float>& numbers) {
    return {{"text.a", array_of(numbers)}};
}
std::string refused(const std::function<void()>& what) {
    return message_of<Refusal>(what);
}

TEST(UserKernelSource, DeclaresTensorsByIdentifiersOfEqualLength) {
    RootGraph all;
    all.graph.output("pair.c", *all.c);
    const Dispatch launch = all.launch();
    ASSERT_TRUE(launch.file_source);
    EXPECT_EQ(
        launch.file_source->text,
        "void main() {\n"
        "    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += 4) pair_c[i] = sqrt(text_a[i]);\n"
        "}\n");
    EXPECT_EQ(launch.file_source->name, "mine.txt");
    EXPECT_EQ(launch.file_source->folder, "/there");
    EXPECT_THAT(launch.source, HasSubstrs("binding = 0) buffer Binding0 { float text_a[]; };",
                                          "binding = 1) buffer Binding1 { float pair_c[]; };", "#line 1\n"));
    EXPECT_EQ(launch.label, "root");
}

TEST(UserKernelSource, ReplacesOnlyWholeNamesOfDeclaredTensors) {
    for (const auto& [written, meant] : std::vector<std::pair<std::string, std::string>>{
             {"text.a", "text_a"},
             {"(text.a)", "(text_a)"},
             {"text.a.length()", "text_a.length()"},
             {"text.a[0]+text.a[1]", "text_a[0]+text_a[1]"},
             {"text.ab", "text.ab"},
             {"mytext.a", "mytext.a"},
             {"v.text.a", "v.text.a"},
             {"text.b", "text.b"},
             {"text", "text"},
         }) {
        RootGraph all(root_kernel(written));
        all.graph.output("pair.c", *all.c);
        EXPECT_EQ(all.launch().file_source->text, meant);
    }
}

TEST(UserKernelSource, RenamesTensorsThatAreGlslKeywords) {
    Graph graph;
    const Tensor input = graph.input("input", {8});
    const Tensor out = result_of(graph, root_kernel("out[0] = input[0] + inputs;"), {input}, "out", {8});
    graph.output("out", out);
    const Dispatch launch = make_plan(graph, Limits{}, {}).main();
    EXPECT_EQ(launch.file_source->text, "the_out[0] = the_input[0] + inputs;");
    EXPECT_THAT(launch.source, HasSubstr("float the_input[]"));
}

TEST(UserKernelSource, KeepsFileLinesAndDeclaredNames) {
    UserKernel kernel = root_kernel("pair.c[0] = text.a[0];");
    kernel.first_line = 4;
    RootGraph all(kernel);
    all.a->named("other");
    all.graph.output("y", *all.c);
    const Dispatch launch = all.launch();
    EXPECT_EQ(launch.file_source->text, "\n\n\npair_c[0] = text_a[0];")
        << "the names at the time of the declaration";
    EXPECT_THAT(launch.source, Not(HasSubstr("other")));
}

struct Laid {
    Extent workgroup, grid;
    Shape shape;
    Extent workgroup_then, grid_then, domain;
};

// Only the kernel knows which invocation writes which element, so its launch is never sliced.
TEST(UserKernelLaunch, RunsInOneUnslicedPass) {
    for (const Laid& one : std::vector<Laid>{
             {{0}, {0}, {3, 5}, {256}, {1}, {15}},
             {{0}, {0}, {1'000'003}, {256}, {3907}, {1'000'003}},
             {{64}, {0}, {1000}, {64}, {16}, {1000}},
             {{64}, {3}, {1000}, {64}, {3}, {1000}},
             {{1}, {1}, {100'000'000}, {1}, {1}, {100'000'000}},
             {{1}, {65535}, {1}, {1}, {65535}, {1}},
             {{8, 8}, {0}, {100, 33}, {8, 8}, {5, 13}, {33, 100}},
             {{8, 8}, {0}, {7, 100, 33}, {8, 8}, {5, 88}, {33, 700}},
             {{8, 8}, {0}, {33}, {8, 8}, {5, 1}, {33, 1}},
             {{8, 8}, {0}, {}, {8, 8}, {1, 1}, {1, 1}},
             {{8, 4, 2}, {0}, {5, 6, 7}, {8, 4, 2}, {1, 2, 3}, {7, 6, 5}},
             {{64}, {2, 3}, {100, 33}, {64, 1}, {2, 3}, {33, 100}},
             {{0}, {2, 3}, {100, 33}, {16, 16}, {2, 3}, {33, 100}},
         }) {
        UserKernel kernel = root_kernel();
        kernel.workgroup = one.workgroup;
        kernel.grid = one.grid;
        RootGraph all(kernel, one.shape);
        all.graph.output("pair.c", *all.c);
        const Plan plan = make_plan(all.graph, Limits{}, {});
        SCOPED_TRACE(
            fmt::format("{} in {} of {}", text_of(one.shape), text_of(one.grid), text_of(one.workgroup)));
        EXPECT_EQ(find_plan_error(plan), "");
        const Dispatch& launch = plan.main();
        EXPECT_EQ(launch.workgroup, one.workgroup_then);
        EXPECT_EQ(launch.grid, one.grid_then);
        EXPECT_EQ(launch.domain, one.domain);
        Limits capped;
        capped.loop_iterations = 65'535;
        capped.max_binding_bytes = std::uint64_t{1} << 32;
        const Slicing cut = slice(launch, plan.buffers, capped);
        EXPECT_EQ(cut.refusal, "");
        EXPECT_EQ(cut.slices.size(), 1U);
        for (const Binding& binding : launch.bindings)
            EXPECT_FALSE(binding.is_sliced);
    }
}

// The kernel may have no loop, so with fewer workgroups than tiles it would skip elements.
TEST(UserKernelLaunch, AutoGridCoversEachTileDespiteTheBench) {
    UserKernel kernel = root_kernel();
    kernel.workgroup = {64};
    RootGraph all(kernel, {1000});
    all.graph.output("y", *all.c + 1);
    const Plan plan = make_plan(all.graph, Limits{}, {.workgroup_size = 64, .workgroup_count = 2});
    std::vector<Extent> grids;
    for (const Step& step : plan.steps)
        if (const auto* launch = std::get_if<Dispatch>(&step)) grids.push_back(launch->grid);
    EXPECT_THAT(grids, ElementsAre(Extent{16}, Extent{2}));
}

TEST(UserKernelLaunch, RefusesAnAutoGridBeyondTheDeviceLimit) {
    Limits limits;
    limits.max_grid = {40, 30, 20};
    const auto refusal = [&](const Extent& workgroup, const Shape& shape, const Extent& grid = {0}) {
        UserKernel kernel = root_kernel();
        kernel.workgroup = workgroup;
        kernel.grid = grid;
        RootGraph all(kernel, shape);
        all.graph.output("pair.c", *all.c);
        return refused([&] { make_plan(all.graph, limits, {}); });
    };
    EXPECT_EQ(refusal({256}, {40 * 256}), "(nothing was thrown)");
    EXPECT_THAT(refusal({256}, {40 * 256 + 1}), Mentions(41, 40, "maxComputeWorkGroupCount"));
    EXPECT_THAT(refusal({8, 8}, {31 * 8, 8}), Mentions(31, 30));
    EXPECT_THAT(refusal({8, 4, 2}, {42, 4, 8}), Mentions(21, 20));
    EXPECT_EQ(refusal({256}, {40 * 256 + 1}, {40}), "(nothing was thrown)");
}

TEST(UserKernelLaunch, RefusesMoreTensorsThanTheDeviceBinds) {
    Graph graph;
    std::vector<Tensor> many;
    for (int i = 0; i < 16; ++i)
        many.push_back(graph.input(fmt::format("x{}", i), {8}));
    graph.output("c", result_of(graph, root_kernel(), many, "c", {8}));
    EXPECT_THAT(refused([&] { make_plan(graph, Limits{}, {}); }),
                HasSubstrs("\"root\" binds 17 tensors", "16 at most"));
}

TEST(UserKernelLaunch, RefusesF16WithoutDeviceSupport) {
    Graph graph;
    const Tensor a = graph.input("a", {8}, ElementType::f16);
    graph.output("c", result_of(graph, root_kernel(), {a}, "c", {8}));
    EXPECT_THAT(refused([&] { make_plan(graph, Limits{}, {}); }),
                HasSubstrs("The kernel root reads or writes f16", "storageBuffer16BitAccess"));
    Limits limits;
    limits.storage16 = true;
    EXPECT_THAT(make_plan(graph, limits, {}).main().source,
                HasSubstrs("#extension GL_EXT_shader_16bit_storage", "float16_t a[]", "float c[]"));
    // The kernels of expressions use words.
    Graph expressions;
    const Tensor x = expressions.input("x", {8}, ElementType::f16);
    expressions.output("y", converted_to(x * 2, ElementType::f16));
    EXPECT_THAT(make_plan(expressions, Limits{}, {}).main().source,
                AllOf(HasSubstrs("uvec2 x[]", "uvec2 y_out[]", "from_halves(x[q])", "to_halves(y)"),
                      Not(HasSubstr("16bit_storage"))));
}

TEST(UserKernelLaunch, OutputsShareNoMemoryWithInputsOrEachOther) {
    Graph graph;
    const Tensor a = graph.input("a", {1000});
    const std::vector<Tensor> parts =
        graph.run(root_kernel(), std::array{exp(a).named("e")},
                  std::array{KernelOutput{"low", {1000}}, KernelOutput{"unread", {500}},
                             KernelOutput{"high", {1000}, ElementType::i32}});
    graph.output("y", tanh(parts[0]) * 2 - 1);
    graph.output("high", parts[2]);
    std::vector<std::string> labels;
    for (const Group& group : schedule(graph, true, 16))
        labels.push_back(label_of(graph, group));
    EXPECT_THAT(labels, ElementsAre("e = exp(a)", "root", "t2 to y"));
    const Plan plan = make_plan(graph, Limits{}, {});
    EXPECT_EQ(plan.operations, 0U) << "the kernel's operations are unknown";
    std::vector<Dispatch> launches;
    for (const Step& step : plan.steps)
        if (const auto* launch = std::get_if<Dispatch>(&step)) launches.push_back(*launch);
    ASSERT_EQ(launches.size(), 3U);
    ASSERT_EQ(launches[1].bindings.size(), 4U);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (const Binding& binding : launches[1].bindings) {
        const BufferSpec& buffer = plan.buffers[binding.buffer];
        ranges.emplace_back(*buffer.arena_offset, *buffer.arena_offset + buffer.bound_bytes());
    }
    for (std::size_t i = 0; i < ranges.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_TRUE(ranges[i].first >= ranges[j].second || ranges[j].first >= ranges[i].second)
                << i << " and " << j;
}

TEST(UserKernelLaunch, IsNotFused) {
    RootGraph all;
    all.graph.output("y", tanh(*all.c));
    std::vector<std::string> labels;
    for (const Group& group : schedule(all.graph, true, 16))
        labels.push_back(label_of(all.graph, group));
    EXPECT_THAT(labels, ElementsAre("root", "y = tanh(pair.c)"));
}

TEST(UserKernelLaunch, RunsWithoutInputs) {
    Graph graph;
    graph.output("c", result_of(graph, root_kernel(), {}, "c", {8}));
    EXPECT_EQ(make_plan(graph, Limits{}, {}).main().label, "root");
}

TEST(UserKernelName, AppearsInExpressions) {
    RootGraph all;
    EXPECT_EQ(expression_of(all.graph, all.c->source().node), "root(text.a)");
}

TEST(UserKernelRefusals, NameTheKernelAndTheTensor) {
    Graph graph, other;
    const Tensor a = graph.input("a", {4, 8});
    const std::array left{KernelOutput{"c", {8}, ElementType::f32}};
    const auto run = [&](const Tensor& read) { graph.run(root_kernel(), std::array{read}, left); };
    EXPECT_THAT(refused([&] { graph.run(root_kernel(), std::array{a}, {}); }),
                HasSubstr("root writes nothing"));
    EXPECT_THAT(refused([&] { run(a.transposed()); }), HasSubstr("a view"));
    EXPECT_THAT(refused([&] { run(a.slice(0, 0, 2)); }), HasSubstr("a view"));
    EXPECT_THAT(refused([&] { run(exp(a)); }), HasSubstr("no name"));
    EXPECT_THAT(refused([&] { run(graph.random({8}, 1).named("r")); }), HasSubstr("random"));
    EXPECT_THAT(refused([&] { run(other.input("b", {8})); }), HasSubstr("another graph"));
    EXPECT_THAT(refused([&] {
                    graph.run(root_kernel(), {}, std::array{KernelOutput{"a", {8}}});
                }),
                HasSubstr("two tensors \"a\""));
    EXPECT_THAT(refused([&] {
                    graph.run(root_kernel(), {}, std::array{KernelOutput{"", {8}}});
                }),
                HasSubstr("name"));
    EXPECT_THAT(refused([&] {
                    graph.run(root_kernel(), {}, std::array{KernelOutput{"c", {8}, ElementType::u8}});
                }),
                HasSubstr("f32, f16, i32 or u32"));
    RootGraph all;
    EXPECT_THAT(refused([&] { all.c->on(Processor::host); }), HasSubstrs("pair.c", "kernel root"));
}

TEST(UserKernelExpectation, DefinesTheReferenceAndPropagatesItsError) {
    RootGraph all;
    all.graph.output("y", *all.c * 2);
    all.graph.output("pair.c", *all.c);
    all.graph.expect(*all.c, sqrt(*all.a), 0.01);  // added after the operation that reads the result
    const std::vector<Expected> expected =
        tensor::expected(all.graph, roots_of({0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196}));
    ASSERT_EQ(expected.size(), 2U);
    for (const std::size_t i : {0U, 3U, 14U}) {
        const auto root = static_cast<double>(i), largest_of_row = i < 5 ? 4.0 : 14.0;
        EXPECT_DOUBLE_EQ(expected[1].reference->as<double>()[i], root);
        EXPECT_DOUBLE_EQ(expected[1].scale->as<double>()[i], 0.01 * largest_of_row);
        EXPECT_DOUBLE_EQ(expected[0].reference->as<double>()[i], 2 * root);
        EXPECT_NEAR(expected[0].scale->as<double>()[i], 0.02 * largest_of_row, 1e-4);
    }
}

TEST(UserKernelExpectation, DependentOutputsAreUnjudgedWithoutOne) {
    Graph graph;
    const Tensor a = graph.input("text.a", {2});
    const Tensor c = result_of(graph, root_kernel(), {a}, "c", {2});
    graph.output("known", a * 3);
    graph.output("y", tanh(c + a));
    graph.output("c", c);
    const std::vector<Expected> expected = tensor::expected(graph, roots_of({1, 2}));
    ASSERT_EQ(expected.size(), 3U);
    EXPECT_THAT(expected[0].reference->as<double>(), ElementsAre(3, 6));
    EXPECT_EQ(expected[0].note, "");
    EXPECT_EQ(expected[1].reference, nullptr);
    EXPECT_THAT(expected[1].note, Mentions("expect", "checks"));
    EXPECT_EQ(expected[2].reference, nullptr);
    EXPECT_THAT(expected[2].note, HasSubstr("so c is not judged"));
}

TEST(UserKernelExpectation, KnownNodesAreJudgedBesideUnknownOnes) {
    Graph graph;
    const Tensor a = graph.input("text.a", {2});
    const Tensor c = result_of(graph, root_kernel(), {a}, "c", {2}), twice = a * 2;
    graph.output("unknown", c + twice);
    graph.output("sum", sum(twice, 0));
    const std::vector<Expected> expected = tensor::expected(graph, roots_of({1, 2}));
    ASSERT_EQ(expected.size(), 2U);
    EXPECT_EQ(expected[0].reference, nullptr);
    EXPECT_THAT(expected[1].reference->as<double>(), ElementsAre(6));
}

TEST(UserKernelExpectation, AppliesToNodesThatDependOnUnknownOnes) {
    Graph graph;
    const Tensor a = graph.input("text.a", {2});
    const Tensor c = result_of(graph, root_kernel(), {a}, "c", {2});
    const Tensor y = c + 1, z = a * 2;
    graph.output("y", y);
    graph.output("z", z);
    graph.expect(y, a + 7, 0.5);
    graph.expect(z, c * 3, 0.5);
    const std::vector<Expected> expected = tensor::expected(graph, roots_of({1, 2}));
    ASSERT_EQ(expected.size(), 3U);
    EXPECT_EQ(expected[0].output, "z");
    EXPECT_EQ(expected[0].source, "");
    EXPECT_EQ(expected[1].output, "y") << "y is unknown, but its expected values are known";
    EXPECT_THAT(expected[1].reference->as<double>(), ElementsAre(8, 9));
    EXPECT_THAT(expected[1].source, Mentions("0.5", "expectation"));
    EXPECT_EQ(expected[2].reference, nullptr);
    EXPECT_THAT(expected[2].note, Mentions("expect", "checked"));
}

TEST(UserKernelExpectation, IsComputedWithoutTheOtherOutputs) {
    Graph graph;
    const Tensor a = graph.input("text.a", {2}), b = graph.input("b", {2});
    const Tensor c = result_of(graph, root_kernel(), {a}, "c", {2});
    const Tensor y = c + 1;
    graph.output("by_b", b * 2);
    graph.output("by_b_too", tanh(b));
    graph.output("c", c);
    graph.output("y", y);
    graph.expect(c, a * 3, 0.5);
    graph.expect(y, a + 7, 0.5);
    const std::vector<Expected> expected = expected_by_graph(graph, roots_of({1, 2}));  // the input has no b
    ASSERT_EQ(expected.size(), 2U);
    EXPECT_EQ(expected[0].output, "c");
    EXPECT_THAT(expected[0].reference->as<double>(), ElementsAre(3, 6));
    EXPECT_EQ(expected[1].output, "y");
    EXPECT_THAT(expected[1].reference->as<double>(), ElementsAre(8, 9));
}

TEST(UserKernelExpectation, EvaluatesChainsOfAnyLength) {
    Graph graph;
    Tensor x = graph.input("text.a", {2});
    for (int i = 0; i < 10'000; ++i) {
        const Tensor next = result_of(graph, root_kernel(), {x}, fmt::format("k{}", i), {2});
        graph.expect(next, x + 1, 0);
        x = next;
    }
    graph.output("y", x + 0);
    EXPECT_THAT(tensor::expected(graph, roots_of({1, 2}))[0].reference->as<double>(),
                ElementsAre(10'001, 10'002));
}

TEST(UserKernelExpectation, RefusesCycles) {
    RootGraph all;
    const Tensor c = *all.c;
    const Tensor d = result_of(all.graph, root_kernel(), {c}, "d", {3, 5});
    all.graph.output("y", tanh(d) + c);
    all.graph.expect(c, d * 2, 0);
    const Input input = roots_of(std::vector<float>(15, 2.0F));
    EXPECT_THAT(tensor::expected(all.graph, input)[0].note, HasSubstr("`expect` checks d"));
    all.graph.expect(d, c + 1, 0);
    EXPECT_THAT(refused([&] { tensor::expected(all.graph, input); }),
                AnyOf(HasSubstr("d depends on d itself"), Mentions("pair.c", "pair.c")));
}

TEST(UserKernelExpectation, RefusesInvalidDefinitions) {
    RootGraph all;
    const Tensor a = *all.a, c = *all.c;
    const auto expect = [&](const Tensor& result, const Tensor& definition, double within) {
        return refused([&] { all.graph.expect(result, definition, within); });
    };
    EXPECT_THAT(expect(c.transposed(), a.transposed(), 0), Mentions("pair.c", "Expect"));
    EXPECT_THAT(expect(c, sum(a, 0), 0), HasSubstrs("3 x 5", "5 of f32"));
    EXPECT_THAT(expect(c, a, -1), HasSubstr("within -1"));
    EXPECT_THAT(expect(c, a, NAN), HasSubstr("within nan"));
    EXPECT_THAT(expect(c, a, std::numeric_limits<double>::infinity()), HasSubstr("within inf"));
    Graph whole;
    const Tensor w = whole.input("w", {2}, ElementType::i32);
    const Tensor k = result_of(whole, root_kernel(), {w}, "k", {2}, ElementType::i32);
    EXPECT_THAT(refused([&] { whole.expect(k, w, 0.5); }), HasSubstr("exactly"));
}

}  // namespace gridstride::tensor::user_kernel_test
