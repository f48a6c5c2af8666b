// Tests users' kernels in a graph on a device: correct, wrong and hostile ones.
#include <unistd.h>

#include "base/random.h"
#include "base/units.h"
#include "gpu/instance.h"
#include "graph/expected.h"
#include "lab/execution.h"
#include "lab/judge.h"
#include "lab/trace_recorder.h"
#include "lab/user_kernels.h"
#include "lesson/lesson.h"
#include "tensor/plan.h"
#include "tensor/random_graph.h"
#include "test_includes.h"

namespace gridstride::lab::graph_kernel_test {

using tensor::Graph;
using tensor::KernelOutput;
using tensor::result_of;
using tensor::Tensor;

NamedArray uniform(const char* name, std::size_t count, std::uint64_t seed) {
    Array all(ElementType::f32, count);
    fill_uniform_f32(all.as<float>(), seed, 0);
    for (float& number : all.as<float>())
        number -= 0.5F;
    return {name, share(std::move(all))};
}

tensor::UserKernel kernel_of(std::string text, const Extent& workgroup = {0}, const Extent& grid = {0}) {
    return {"mine", {std::move(text), "mine.program", ""}, 1, workgroup, grid};
}

class GraphKernel : public ::testing::Test {
 protected:
    static void SetUpTestSuite() {
        gpu::enable_validation();
        device_.emplace();
    }
    static void TearDownTestSuite() { device_.reset(); }
    void TearDown() override { EXPECT_THAT(gpu::take_validation_messages(), IsEmpty()); }

    /// Returns the plan after the lab has substituted the users' kernels; report_ holds the lab's messages.
    Plan make_planned(const Graph& graph, const tensor::Options& options = {}) {
        PreparedExperiment prepared;
        prepared.plan = make_plan(graph, device_->limits(), options);
        EXPECT_EQ(find_plan_error(prepared.plan), "");
        Plan plan = prepared.plan;
        report_ = {};
        own_.substitute_kernels(plan, prepared, /*is_graded=*/false, control_, report_);
        return plan;
    }
    Outputs run(const Plan& plan, const Input& input) {
        lab::Execution execution(own_.kernels(), plan, input,
                                 std::make_shared<PlanMemory>(own_.kernels().device(), plan));
        execution.run(control_);
        execution.run(control_);  // the first run's remains must not affect the second
        EXPECT_EQ(execution.find_overwritten_output(control_), "");
        return execution.outputs();
    }
    /// Returns the mismatch of the first wrong output; nullopt if all are correct.
    std::optional<Mismatch> wrong(const Graph& graph, const Input& input,
                                  const tensor::Options& options = {}) {
        const Outputs outputs = run(make_planned(graph, options), input);
        for (const Expected& one : tensor::expected(graph, input)) {
            EXPECT_TRUE(one.reference) << one.note;
            if (const OutputComparison comparison = judge(one, outputs); !comparison.is_right)
                return comparison.first_mismatch;
        }
        return std::nullopt;
    }
    void expect_right(const Graph& graph, const Input& input) {
        for (const auto execution :
             {tensor::Execution::eager, tensor::Execution::planned, tensor::Execution::fused}) {
            const std::optional<Mismatch> first = wrong(graph, input, {.execution = execution});
            EXPECT_FALSE(first) << first->output << " at " << first->index << ": " << first->gpu << " for "
                                << first->reference;
        }
    }
    /// Runs y = x over 1000 numbers with this main(), or with this text before it too.
    std::optional<Mismatch> copies_wrongly(const std::string& text, const Extent& workgroup = {0},
                                           const Extent& grid = {0}) {
        Graph graph;
        const Tensor x = graph.input("m.x", {1000});
        const Tensor y = result_of(graph, kernel_of(text, workgroup, grid), {x}, "m.y", {1000});
        graph.expect(y, x * 1, 0);
        graph.output("m.y", y);
        return wrong(graph, {uniform("m.x", 1000, 3)});
    }

    static std::optional<gpu::Device> device_;
    UserKernels own_{*device_, program()};
    Control control_;
    Report report_;
};
std::optional<gpu::Device> GraphKernel::device_;

constexpr const char* cosine_kernel =
    "// Each row of text with each row of image.\n"
    "void main() {\n"
    "    for (uint row = gl_GlobalInvocationID.y; row < rows; row += gl_NumWorkGroups.y * "
    "gl_WorkGroupSize.y)\n"
    "        for (uint i = gl_GlobalInvocationID.x; i < columns;\n"
    "             i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {\n"
    "            float both = 0, a = 0, b = 0;\n"
    "            for (uint k = 0; k < width; ++k) {\n"
    "                const float x = text.p[row * width + k], y = image.p[i * width + k];\n"
    "                both += x * y; a += x * x; b += y * y;\n"
    "            }\n"
    "            pair.s[row * columns + i] = both / sqrt(a * b);\n"
    "        }\n"
    "}\n";

TEST_F(GraphKernel, RunsATwoDimensionalKernelFollowedByOtherNodes) {
    GRIDSTRIDE_ONCE();
    struct Size {
        std::uint64_t rows, columns, width;
    };
    for (const auto& [rows, columns, width] : {Size{1, 1, 1}, {3, 5, 7}, {128, 197, 33}, {17, 64, 128}})
        for (const auto& [workgroup, grid] : std::vector<std::pair<Extent, Extent>>{
                 {{8, 8}, {0}}, {{8, 8}, {1, 1}}, {{1, 1}, {3, 2}}, {{5, 3}, {40, 40}}, {{16, 4}, {2, 1}}}) {
            // A driver that ends an invocation's loops early needs more invocations.
            const std::uint64_t invocations =
                workgroup.product() * std::max<std::uint64_t>(grid.product(), 1);
            if (rows * columns * width / invocations > 30'000) continue;
            SCOPED_TRACE(fmt::format("{} x {} of {}, {} of {}", rows, columns, width, text_of(grid),
                                     text_of(workgroup)));
            Graph graph;
            const Tensor text = graph.input("text.p", {rows, width}),
                         image = graph.input("image.p", {columns, width});
            const std::string sizes =
                fmt::format("const uint rows = {}, columns = {}, width = {};\n", rows, columns, width);
            tensor::UserKernel kernel = kernel_of(sizes + cosine_kernel, workgroup, grid);
            const Tensor s = result_of(graph, kernel, {text, image}, "pair.s", {rows, columns});
            const Tensor norms = sqrt(sum(text * text, 1)).reshaped({rows, 1}) *
                                 sqrt(sum(image * image, 1)).reshaped({1, columns});
            graph.expect(s, matmul(text, image.transposed()) / norms, 1e-4);
            graph.output("pair.s", s);
            graph.output("y", tanh(s * 3) - 1);
            graph.output("best", tensor::largest(s, 1));
            expect_right(graph, {uniform("text.p", rows * width, 1), uniform("image.p", columns * width, 2)});
        }
}

TEST_F(GraphKernel, LeavesOutputsOfDifferentTypes) {
    Graph graph;
    const Tensor x = graph.input("x", {1003});
    const std::vector<Tensor> all = graph.run(
        kernel_of("void main() {\n"
                  "    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += gl_NumWorkGroups.x * "
                  "gl_WorkGroupSize.x) {\n"
                  "        root[i] = sqrt(abs(x[i]));\n"
                  "        m.sign[i] = x[i] < 0 ? -1 : 1;\n"
                  "        if (i % 2 == 0) half_of[i / 2] = x[i];\n"
                  "    }\n}\n",
                  {96}, {2}),
        std::array{x},
        std::array{KernelOutput{"root", {1003}}, KernelOutput{"m.sign", {1003}, ElementType::i32},
                   KernelOutput{"half_of", {502}}});
    graph.expect(all[0], sqrt(maximum(x, -x)), 1e-5);
    graph.expect(all[2], x.slice(0, 0, 502) * 0 + graph.input("evens", {502}), 0);
    graph.output("root", all[0]);
    graph.output("y", all[2] * 2);
    Input input = {uniform("x", 1003, 5)};
    std::vector<float> evens;
    for (std::size_t i = 0; i < 1003; i += 2)
        evens.push_back(input[0].array->as<float>()[i]);
    input.push_back({"evens", array_of(evens)});
    expect_right(graph, input);

    graph.output("m.sign", all[1]);
    const Outputs outputs = run(make_planned(graph), input);
    const std::vector<Expected> expected = tensor::expected(graph, input);
    EXPECT_EQ(expected[2].reference, nullptr);
    EXPECT_THAT(expected[2].note, Mentions("m.sign", "judged"));
    EXPECT_TRUE(judge(expected[2], outputs).is_right) << "there is no other reference";
    for (std::size_t i = 0; i < 1003; ++i)
        ASSERT_EQ(get(outputs, "m.sign").as<std::int32_t>()[i], input[0].array->as<float>()[i] < 0 ? -1 : 1)
            << i;
}

// Kernels derive identifiers from names, and also have identifiers of their own.
TEST_F(GraphKernel, AcceptsTensorNamesThatGiveEqualIdentifiers) {
    for (const std::vector<const char*>& names :
         std::vector<std::vector<const char*>>{{"m.a", "M.a", "Binding0", "Binding1"},
                                               {"gl.x", "GL.core_profile", "VULKAN", "GRIDSTRIDE_LAUNCH"},
                                               {"atomic.uint", "dmat2x3", "isampler2DArray", "noperspective"},
                                               {"parts.of_it", "the.parts_of_it", "Parts", "uintBitsToFloat"},
                                               {"place.in_r4", "place.in_t1", "the.place_in_t1", "r"},
                                               {"a.at", "a", "a_2", "the_a_at"},
                                               {"a.offset", "a.stride1", "a.extent1", "a"},
                                               {"place.in_a", "place.in_a_2", "a_2_at", "a"}}) {
        SCOPED_TRACE(names[0]);
        Graph graph;
        std::vector<Tensor> all;
        Input input;
        for (const char* const name : names) {
            all.push_back(graph.input(name, {48, 48}));
            input.push_back(uniform(name, 48 * 48, 3 + input.size()));
        }
        const Tensor noise = graph.random({50, 48}, 9).slice(0, 2, 48);
        Tensor y = noise;
        for (const Tensor& one : all)
            y = y + one * one.transposed() + one.slice(0, 3, 1);
        graph.output("out", tanh(y));
        graph.output("s",
                     sum(all[1].reshaped({48 * 48}), 0) * all[0].slice(0, 5, 1).slice(1, 7, 1).reshaped({1}));
        graph.output("p", matmul(all[0], all[1]) * all[2].transposed() + noise - all[3].slice(0, 0, 1));
        EXPECT_FALSE(wrong(graph, input, {.workgroup_size = 8})) << "the sum in two launches";

        std::string text =
            "void main() {\n    const uint i = gl_GlobalInvocationID.x;\n"
            "    if (i < launch.count) own_made[i] = ";
        for (const char* const name : names)
            text += fmt::format("{}[i] + ", name);
        const Tensor result = result_of(graph, kernel_of(text + "0.0;\n}\n"), all, "own_made", {48, 48});
        graph.expect(result, all[0] + all[1] + all[2] + all[3], 1e-5);
        graph.output("own_made", result);
        EXPECT_FALSE(wrong(graph, input, {.execution = tensor::Execution::planned}));
    }
}

constexpr const char* copy_kernel =
    "void main() {\n"
    "    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += gl_NumWorkGroups.x * "
    "gl_WorkGroupSize.x)\n"
    "        m.y[i] = m.x[i];\n"
    "}\n";

TEST_F(GraphKernel, RunsWithAnyWorkgroupAndGrid) {
    for (const auto& [workgroup, grid] : std::vector<std::pair<Extent, Extent>>{
             {{0}, {0}}, {{1}, {1}}, {{1}, {65535}}, {{1024}, {0}}, {{96}, {3}}, {{256}, {5000}}}) {
        EXPECT_FALSE(copies_wrongly(copy_kernel, workgroup, grid))
            << text_of(workgroup) << " " << text_of(grid);
        EXPECT_THAT(report_.notes, Contains(HasSubstr("clamped")));
        EXPECT_THAT(report_.diagnostics, IsEmpty());
    }
}

// The output is judged like any other. Elements that the kernel does not write keep the fill pattern, which
// is a NaN.
TEST_F(GraphKernel, ReportsWrongAndUnwrittenOutputs) {
    const std::optional<Mismatch> off = copies_wrongly(
        "void main() { if (gl_GlobalInvocationID.x < 1000) m.y[gl_GlobalInvocationID.x] = 1.5; }");
    ASSERT_TRUE(off);
    EXPECT_EQ(off->gpu, 1.5);
    const std::optional<Mismatch> short_of = copies_wrongly(
        "void main() { const uint i = gl_GlobalInvocationID.x; if (i < 999) m.y[i] = m.x[i]; }");
    ASSERT_TRUE(short_of);
    EXPECT_EQ(short_of->index, 999U);
    EXPECT_TRUE(std::isnan(short_of->gpu));
    EXPECT_TRUE(copies_wrongly(
        "void main() { const uint i = gl_GlobalInvocationID.x; m.y[i] = m.x[i] / 0.0 * 0.0; }"));
}

TEST_F(GraphKernel, SurvivesOutOfBoundsIndices) {
    const std::optional<Mismatch> beyond = copies_wrongly(
        "void main() { const uint i = gl_GlobalInvocationID.x; m.y[i * 1000000] = m.x[i + 5000000]; "
        "m.y[int(i) - 100000] = 2.0; }");
    ASSERT_TRUE(beyond);
    EXPECT_FALSE(copies_wrongly(copy_kernel)) << "the device still works";
}

TEST_F(GraphKernel, CompileErrorsNameLinesOfTheProgramFile) {
    tensor::UserKernel kernel = kernel_of("void main() {\n    m.y[0] = m.x[0];\n    m.y[1] = missing;\n}\n");
    kernel.first_line = 40;
    Graph graph;
    const Tensor x = graph.input("m.x", {8});
    graph.output("m.y", result_of(graph, kernel, {x}, "m.y", {8}));
    EXPECT_THAT(message_of<std::runtime_error>([&] { make_planned(graph); }), Mentions(42));
    ASSERT_EQ(report_.diagnostics.size(), 1U);
    EXPECT_EQ(report_.diagnostics[0].file, "mine.program");
    EXPECT_EQ(report_.diagnostics[0].line, 42U);
}

TEST_F(GraphKernel, ReportsErrorsOfAllKernels) {
    const auto lines = [&](const char* first, const char* second) {
        Graph graph;
        const Tensor x = graph.input("m.x", {8});
        tensor::UserKernel kernel = kernel_of(first), other = kernel_of(second);
        kernel.first_line = 10;
        other.first_line = 20;
        graph.output("m.y", result_of(graph, kernel, {x}, "m.y", {8}));
        graph.output("m.z", result_of(graph, other, {x}, "m.z", {8}));
        std::vector<std::uint32_t> found;
        try {
            make_planned(graph);
        } catch (const ProgramError& wrong) {
            report_.diagnostics = wrong.diagnostics;
        } catch (const Refusal&) {
        }
        for (const Diagnostic& one : std::exchange(report_.diagnostics, {}))
            if (one.level == DiagnosticLevel::error) found.push_back(one.line);
        return found;
    };
    EXPECT_THAT(lines("void main() {\n    foo();\n    m.y[1] = missing;\n}\n",
                      "void main() {\n    bar();\n    m.z[0] = m.x[0];\n}\n"),
                ElementsAre(11, 12, 21));
    const char* const writes_its_input = "void main() {\n    m.y[0] = 1;\n    m.x[0] = 2;\n}\n";
    EXPECT_THAT(lines(writes_its_input, "void main() {\n    bar();\n}\n"), ElementsAre(12, 21));
    EXPECT_THAT(lines("void main() {\n    bar();\n}\n", "void main() {\n    m.x[0] = 2;\n}\n"),
                ElementsAre(11, 21));
}

TEST_F(GraphKernel, ErrorsWithoutALineNameTheKernelsFirstLine) {
    const auto refusal = [&](const char* text) {
        tensor::UserKernel kernel = kernel_of(text);
        kernel.first_line = 40;
        Graph graph;
        const Tensor x = graph.input("m.x", {8});
        graph.output("m.y", result_of(graph, kernel, {x}, "m.y", {8}));
        return message_of<Refusal>([&] { make_planned(graph); });
    };
    EXPECT_THAT(refusal("\n    void mian() { m.y[0] = m.x[0]; }\n"), Mentions(41));
    EXPECT_THAT(refusal("shared float s[1000000]; void main() { s[0] = 1; m.y[0] = s[0] + m.x[0]; }"),
                Mentions(40, 4000000));
    EXPECT_THAT(refusal("void main() { float s[1000000]; s[launch.count] = 1; m.y[0] = s[3] + m.x[0]; }"),
                Mentions(40));
}

TEST_F(GraphKernel, CompileErrorNamesAnUndeclaredTensor) {
    Graph graph;
    const Tensor x = graph.input("m.x", {8});
    graph.input("n.z", {8});
    graph.output("m.y", result_of(graph, kernel_of("void main() {\n    m.y[0] = m.x[0] + n.z[0];\n}\n"), {x},
                                  "m.y", {8}));
    EXPECT_THAT(message_of<std::runtime_error>([&] { make_planned(graph); }), Mentions(2, "n.z"));
}

TEST_F(GraphKernel, RefusesStoresToATensorDeclaredAsRead) {
    for (const auto& [text, line] : std::vector<std::pair<const char*, int>>{
             {"void main() {\n    m.y[0] = 1;\n    m.x[0] = 2;\n}\n", 3},
             {"void set(uint i) {\n    m.x[i] = 2;\n}\nvoid main() { m.y[0] = 1; set(1); }\n", 2},
             {"void set(out float to) { to = 2; }\nvoid main() {\n    m.y[0] = 1;\n    set(m.x[2]);\n}\n", 4},
             {"void main() { m.y[0] = 1;\n    m.x[gl_LocalInvocationIndex] += 2;\n}\n", 2}}) {
        EXPECT_EQ(
            message_of<Refusal>([&] { copies_wrongly(text); }),
            fmt::format("Line {}: The kernel mine writes m.x, which it declares as read. Add it to what it "
                        "writes, or write elsewhere.",
                        line));
    }
    Graph graph;
    const Tensor n = graph.input("n", {8}, ElementType::i32);
    graph.output(
        "c", result_of(graph, kernel_of("void main() {\n    atomicAdd(n[0], 1);\n    c[0] = 1;\n}\n"), {n},
                       "c", {8}, ElementType::i32));
    EXPECT_THAT(message_of<Refusal>([&] { make_planned(graph); }),
                HasSubstr("Line 2: The kernel mine writes n,"));
}

TEST_F(GraphKernel, NotesAnOutputWithoutAnyStore) {
    EXPECT_TRUE(copies_wrongly("void main() {}\n"));
    EXPECT_THAT(report_.notes, Contains(Mentions("mine", "m.y", "never")));
    EXPECT_FALSE(copies_wrongly(copy_kernel));
    EXPECT_THAT(report_.notes, Not(Contains(HasSubstr("never"))));
}

/// Ends this process, because its device never finishes; the exit status is 3 if the run was aborted.
[[noreturn]] void run_an_endless_one() {
    Graph graph;
    const Tensor x = graph.input("m.x", {1000});
    const char* const text = "void main() { uint n = 1; while (n != 0) { n |= 1; m.y[0] += m.x[0]; } }";
    // A driver may end an invocation's loops itself, so there are more invocations than anyone would wait
    // for.
    const Tensor y = result_of(graph, kernel_of(text, {256}, {65535, 128}), {x}, "m.y", {1000});
    graph.output("m.y", y);
    const gpu::Device device;
    UserKernels own(device, program());
    PreparedExperiment prepared;
    prepared.plan = make_plan(graph, device.limits(), {});
    Plan plan = prepared.plan;
    Control control;
    Report report;
    if (!own.substitute_kernels(plan, prepared, /*is_graded=*/false, control, report).has_loops) _exit(1);
    const Input input = {uniform("m.x", 1000, 3)};
    lab::Execution execution(own.kernels(), plan, input,
                             std::make_shared<PlanMemory>(own.kernels().device(), plan));
    control.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    try {
        execution.run(control);
    } catch (const RunAborted&) {
        _exit(3);
    }
    _exit(1);
}

TEST(GraphKernelDeathTest, EndlessKernelEndsWithTheRun) {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(run_an_endless_one(), ::testing::ExitedWithCode(3), "");
}

TEST_F(GraphKernel, RunsMoreKernelsThanTheCacheHolds) {
    Graph graph;
    Tensor x = graph.input("x", {100});
    for (int i = 0; i < 15; ++i) {
        const std::string word = fmt::format("k{}", i), before = i == 0 ? "x" : fmt::format("k{}", i - 1);
        const Tensor next =
            result_of(graph,
                      kernel_of(fmt::format(
                          "void main() {{ const uint i = gl_GlobalInvocationID.x; {}[i] = {}[i] + {}; }}",
                          word, before, i)),
                      {x}, word, {100});
        graph.expect(next, x + i, 1e-5);
        x = next;
    }
    graph.output("y", x * 1);
    EXPECT_FALSE(wrong(graph, {uniform("x", 100, 3)}));
}

// The lab checks a graph's requests like those of a lesson's plan, before anything runs.
TEST(GraphKernelLimits, ApplyToWorkgroupsGridsAndBindings) {
    static Extent workgroup, grid;
    Lesson lesson = *find_lesson("tensor_graph");
    lesson.task.remarks = no_op;
    lesson.task.make_plan = [](const PreparedExperiment& prepared) {
        Graph graph;
        const Tensor x = graph.input("m.x", {40'000'000});
        graph.output("m.y", result_of(graph, kernel_of(copy_kernel, workgroup, grid), {x}, "m.y", {1000}));
        return make_plan(graph, prepared.limits, {});
    };
    const auto refusals = [&](const Extent& of, const Extent& many, const Limits& limits) {
        workgroup = of;
        grid = many;
        std::vector<std::string> all;
        for (const Remark& remark : prepare(lesson, default_experiment(lesson), limits).remarks)
            if (remark.severity == Severity::refusal) all.push_back(remark.text);
        return all;
    };
    Limits limits;
    limits.max_binding_bytes = std::uint64_t{1} << 30;
    EXPECT_THAT(refusals({32, 32}, {0}, limits), IsEmpty());
    EXPECT_THAT(refusals({64, 32}, {0}, limits),
                ElementsAre(AllOf(Mentions("mine", "64x32"), HasSubstr(format_count(1024)))));
    EXPECT_THAT(refusals({2048}, {0}, limits), ElementsAre(HasSubstr("along x")));
    EXPECT_THAT(refusals({8, 8, 65}, {0}, limits), Contains(HasSubstr("along z")));
    EXPECT_THAT(refusals({1}, {65536}, limits), ElementsAre(HasSubstr("maxComputeWorkGroupCount")));
    EXPECT_THAT(refusals({1}, {65535}, limits), IsEmpty());
    limits.max_binding_bytes = 128 << 20;
    EXPECT_THAT(refusals({256}, {0}, limits), ElementsAre(HasSubstrs("\"mine\" binds", "of m.x")));
}

TEST_F(GraphKernel, RunsOnTheRobustDeviceOnly) {
    Graph graph;
    const Tensor x = graph.input("m.x", {1000});
    graph.output("m.y", result_of(graph, kernel_of(copy_kernel), {x}, "m.y", {1000}));
    const Plan plan = make_plan(graph, device_->limits(), {});
    KernelCache ours(*device_);
    EXPECT_THROW(ours.get(plan.main()), std::logic_error)
        << "user source must not be compiled in this process";
    make_planned(graph);
    EXPECT_TRUE(own_.kernels().device().is_robust());
}

TEST_F(GraphKernel, TraceNamesLinesAndTensors) {
    Graph graph;
    const Tensor x = graph.input("m.x", {64});
    tensor::UserKernel kernel = kernel_of(
        "void main() {\n    const uint i = gl_GlobalInvocationID.x;\n"
        "    const float seen = m.x[i];\n    m.y[i] = seen;\n}\n",
        {32});
    kernel.first_line = 11;
    graph.output("m.y", result_of(graph, kernel, {x}, "m.y", {64}));
    PreparedExperiment prepared;
    prepared.plan = make_plan(graph, device_->limits(), {});
    const Plan launched = make_planned(graph);
    const TraceOptions options;
    TraceRecorder recorder(launched, options, device_->limits());
    const auto& launch = std::get<Dispatch>(prepared.plan.steps[recorder.step()]);
    const UserKernels::InstrumentedKernel instrumented_kernel =
        own_.instrument(launch, recorder.binding(), shader::CountedLoops::none, prepared, control_);
    EXPECT_EQ(instrumented_kernel.title, "mine.program");
    ASSERT_EQ(instrumented_kernel.sites.size(), 2U);
    for (const trace::Site& site : instrumented_kernel.sites) {
        EXPECT_EQ(site.file, "mine.program");
        EXPECT_EQ(site.line, site.kind == trace::SiteKind::load ? 13U : 14U) << site.variable;
    }
    const Plan plan =
        recorder.plan(instrumented_kernel.kernel, instrumented_kernel.sites, instrumented_kernel.title);
    const Input input = recorder.input({uniform("m.x", 64, 3)});
    lab::Execution execution(own_.kernels(), plan, input,
                             std::make_shared<PlanMemory>(own_.kernels().device(), plan));
    execution.run(control_);
    const trace::Trace trace = recorder.make_empty_trace("");
    EXPECT_EQ(trace.source, launch.file_source->text);
    EXPECT_EQ(trace.buffers.at(0).name, "m.x");
    EXPECT_TRUE(std::ranges::equal(get(execution.outputs(), "m.y").as<float>(), input[0].array->as<float>()))
        << "instrumentation must not change the results";
}

}  // namespace gridstride::lab::graph_kernel_test
