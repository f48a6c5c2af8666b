// Tests the launches, arrays and conditions of lessons that are folders of text, without a device.
#include <bit>
#include <tuple>

#include "lesson/building_blocks.h"
#include "lesson/metrics.h"
#include "text_lesson/lesson_folder.h"

namespace gridstride::text_lesson::launches_test {

using testing_lessons::LessonFolder;
using testing_lessons::prepare_with;
using testing_lessons::replaced;

constexpr const char* sums = R"TOML(format = 1
title = "Sums"
elements = 1000
workgroup = [32]
baseline = "hypot(series, 3) * 2"
user_files = [".csv", ".npy"]

[[parameter]]
id = "size"
label = "Size"
choices = { small = "small", large = "large" }

[[parameter]]
id = "rounds"
label = "Rounds"
default = 3
min = 1
max = 2000

[input.numbers]
type = "i32"
[input.numbers.by_size]
small = "int(integers(n, 10)) - 5"
large = "int(integers(n, 100))"

[input.series]
type = "f32"
value = "float(iota(n))"

[input.weights]
type = "f32"
shape = [4]
file = "data/weights.csv"

[scratch.partial]
type = "i32"
shape = ["workgroup_count"]
fill = 7

[output.total]
type = "i32"
shape = [1]

[output.scaled]
type = "f32"
shape = ["n"]

[output.counts]
type = "u32"
shape = ["workgroup_count * workgroup_size"]
when = "size == large"

[[variant]]
id = "launches"
title = "Several launches"
outputs = ["total"]
submits = "each"
launches = [
  { kernel = "loop.comp", default_grid = "minimum(5, divide_up(n, workgroup_size))", iterations_once = 9 },
  { kernel = "twice.comp", domain = [64, 8], workgroup = [8, 4], repeat = "rounds" },
  { kernel = "total.comp", domain = ["workgroup_count"], workgroup = [32], grid = [1], reads = ["partial"] },
]
expect.total = "sum(numbers)"

[[variant]]
id = "scaled"
title = "Scaled"
kernel = "scaled.comp"
outputs = ["scaled", "counts"]
constants = ["rounds"]
sliced = ["numbers", "scaled"]
vec4 = ["scaled"]
wrong_on_purpose = "size == large"
expect.scaled = "float(numbers)"
expect.counts = "divide_up(n, workgroup_count * workgroup_size)"

[fact.total]
label = "Total"
value = "total"
)TOML";

struct SumsFolder : LessonFolder {
    explicit SumsFolder(const std::string& toml = sums)
        : LessonFolder(toml, "void main() { partial[gl_WorkGroupID.x] = numbers[0]; }") {
        write("twice.comp", "void main() { partial[0] += int(repetition + rounds); }");
        write("total.comp", "void main() { total[0] = partial[0]; }");
        write("scaled.comp",
              "#extension GL_KHR_shader_subgroup_ballot : enable\n"
              "void main() { scaled[0] = float(numbers[0] * rounds) * weights[0]; }");
        std::filesystem::create_directory(path() / "data");
        write("data/weights.csv", "1.5\n2\n3\n4\n5\n");
    }
};

const Dispatch& launch_of(const PreparedExperiment& run, std::size_t number) {
    for (const Step& step : run.plan.steps)
        if (const auto* launch = std::get_if<Dispatch>(&step); launch && number-- == 0) return *launch;
    throw std::out_of_range("no such launch");
}

std::size_t count_steps(const PreparedExperiment& run, auto is_kind) {
    return static_cast<std::size_t>(std::ranges::count_if(run.plan.steps, is_kind));
}

TEST(TextLessonLaunches, FollowTheDeclarationsOfTheVariant) {
    SumsFolder folder;
    ASSERT_THAT(folder.errors(), IsEmpty());
    const auto lesson = load_lesson(folder.path());
    const PreparedExperiment run = prepare_with(*lesson);
    ASSERT_TRUE(run.is_valid());
    EXPECT_EQ(count_steps(run, [](const Step& step) { return std::holds_alternative<Dispatch>(step); }), 5U);
    EXPECT_EQ(count_steps(run, [](const Step& step) { return std::holds_alternative<SubmitEnd>(step); }), 5U);
    EXPECT_EQ(count_steps(run, [](const Step& step) { return std::holds_alternative<Download>(step); }), 1U);

    const Dispatch& first = launch_of(run, 0);
    EXPECT_EQ(first.grid, Extent{5});
    EXPECT_EQ(first.iterations_once, 9U);
    EXPECT_EQ(first.file_source->name, "loop.comp");
    EXPECT_EQ(run.plan.buffers[first.bindings[1].buffer].name, "partial");
    EXPECT_EQ(run.plan.buffers[first.bindings[1].buffer].shape, Extent{5}) << "the resolved grid";
    EXPECT_TRUE(is_filled(run.plan, first.bindings[1].buffer));

    for (std::uint32_t i = 0; i < 3; ++i) {
        const Dispatch& again = launch_of(run, 1 + i);
        EXPECT_EQ(again.domain, (Extent{64, 8}));
        EXPECT_EQ(again.workgroup, (Extent{8, 4}));
        EXPECT_EQ(again.grid, (Extent{8, 2}));
        EXPECT_THAT(again.push, ElementsAre(3U, i)) << "rounds, and which repetition it is";
    }
    const Dispatch& last = launch_of(run, 4);
    EXPECT_EQ(last.domain, Extent{5});
    EXPECT_EQ(last.grid, Extent{1});
    EXPECT_EQ(last.bindings[1].access, Access::read) << "partial";
    EXPECT_EQ(last.bindings[0].access, Access::read_write) << "total";
}

TEST(TextLessonLaunches, KeepTheGridOfTheBench) {
    const auto lesson = load_lesson(SumsFolder().path());
    const PreparedExperiment run =
        prepare_with(*lesson, {{"workgroup_count", std::uint64_t{3}}, {"workgroup_size", std::uint64_t{64}}});
    EXPECT_EQ(run.plan.main().grid, Extent{3});
    EXPECT_EQ(run.plan.main().workgroup, Extent{64});
    EXPECT_EQ(launch_of(run, 4).domain, Extent{3});
    EXPECT_FALSE(prepare_with(*lesson, {{"rounds", std::uint64_t{2000}}}).is_valid())
        << "too many repetitions";
}

TEST(TextLessonLaunches, HaveConstantsAndSlicedArrays) {
    const auto lesson = load_lesson(SumsFolder().path());
    const PreparedExperiment run = prepare_with(*lesson, {{"size", ChoiceIndex{1}}}, "scaled");
    const Dispatch& launch = run.plan.main();
    EXPECT_THAT(launch.constants, ElementsAre(3U));
    EXPECT_THAT(launch.push, IsEmpty()) << "rounds is a constant";
    EXPECT_THAT(launch.source, HasSubstr("layout(constant_id = 3) const uint rounds = 1;"));
    EXPECT_THAT(launch.source, HasSubstr("{ vec4 scaled[]; };"));
    std::map<std::string, bool> is_sliced;
    for (const Binding& binding : launch.bindings)
        is_sliced[run.plan.buffers[binding.buffer].name] = binding.is_sliced;
    EXPECT_EQ(is_sliced, (std::map<std::string, bool>{
                             {"numbers", true}, {"weights", false}, {"scaled", true}, {"counts", false}}));
    EXPECT_TRUE(find_variant(*lesson, "scaled")->uses_subgroups);
    EXPECT_FALSE(find_variant(*lesson, "launches")->uses_subgroups);
}

TEST(TextLessonConditions, SelectOutputsAndVerdicts) {
    const auto lesson = load_lesson(SumsFolder().path());
    EXPECT_TRUE(lesson->reference_depends_on_launch);
    for (const std::uint32_t size : {0U, 1U}) {
        const PreparedExperiment run = prepare_with(*lesson, {{"size", ChoiceIndex{size}}}, "scaled");
        const std::vector<Expected> expected = run.task.reference(run.make_input(), run);
        EXPECT_EQ(expected.size(), size + 1U);
        EXPECT_EQ(count_steps(run, [](const Step& step) { return std::holds_alternative<Download>(step); }),
                  size + 1U);
        EXPECT_EQ(is_wrong_on_purpose(*lesson, run.experiment), size == 1);
        if (size == 1) {
            EXPECT_EQ(expected[1].reference->count(), 1024U);
            EXPECT_EQ(expected[1].reference->number(1000), 1) << "1000 elements, 1024 invocations";
        }
    }
    const PreparedExperiment run = prepare_with(*lesson, {}, "scaled");
    EXPECT_THAT(run.task.result(run, {}), IsEmpty()) << "a fact of an output that the variant does not have";
}

TEST(TextLessonInputs, ComeFromFiles) {
    SumsFolder folder;
    const auto lesson = load_lesson(folder.path());
    const Input input = prepare_with(*lesson).make_input();
    EXPECT_THAT(get(input, "weights").as<float>(), ElementsAre(1.5F, 2.0F, 3.0F, 4.0F)) << "the first four";
    const std::string version = lesson->version;
    folder.write("data/weights.csv", "1.5\n2\n3\n4.5\n");
    EXPECT_NE(load_lesson(folder.path())->version, version);
    folder.write("data/weights.csv", "1.5\n2\n3\n");
    EXPECT_THAT(folder.errors(), ElementsAre(HasSubstr("has 3 numbers, but 4 are needed")));
    folder.write("data/weights.csv", "word\nanother\n");
    EXPECT_THAT(folder.errors(), Contains(StartsWith("33: ")));
    for (const char* const file : {"../weights.csv", "/etc/hostname", "data", "nothing.csv"})
        EXPECT_THAT(SumsFolder(replaced(sums, "data/weights.csv", file)).errors(),
                    Contains(StartsWith("33: ")))
            << file;
}

TEST(TextLessonInputs, ComeFromTheUser) {
    const auto lesson = load_lesson(SumsFolder().path());
    EXPECT_THAT(lesson->input_files, ElementsAre(".csv", ".npy"));
    const auto with_numbers = [&](std::vector<double> numbers) {
        Experiment experiment = default_experiment(*lesson);
        experiment.input.numbers = share(Array::of(std::span<const double>(numbers)));
        return prepare(*lesson, experiment, Limits{}).make_input();
    };
    const Input input = with_numbers({-3, 4, 5});
    EXPECT_THAT(get(input, "numbers").as<std::int32_t>(), ElementsAre(-3, 4, 5));
    EXPECT_EQ(get(input, "weights").count(), 4U);
    EXPECT_THROW(with_numbers({1.5}), Refusal);
    EXPECT_THROW(with_numbers({3e9}), Refusal);
    EXPECT_THROW(with_numbers({std::nan("")}), Refusal);
}

TEST(TextLessonLaunches, FindTheInterfaceOfAKernelThatDeclaresIt) {
    const auto lesson = load_lesson(SumsFolder().path());
    const auto run_own = [&](const std::string& text) {
        Experiment experiment = default_experiment(*lesson);
        experiment.variant = "scaled";
        experiment.kernel = KernelSource{text, "mine.comp", ""};
        Limits limits;
        limits.subgroup_arithmetic = limits.subgroup_ballot = true;
        return prepare(*lesson, experiment, limits);
    };
    const std::string declared =
        "#version 450\n"
        "#extension GL_GOOGLE_include_directive : require\n"
        "#define PARAMETERS uint rounds; uint seed;\n"
        "#include \"common/launch.glsl\"\n"
        "// layout(binding = 7) buffer Comment { uint numbers[]; };\n"
        "layout(std430, binding = 1) writeonly buffer Scaled { float out_values[]; };\n"
        "layout(std430, binding = 0) readonly buffer Any { int numbers[]; };\n"
        "void main() {}\n";
    const PreparedExperiment run = run_own(declared);
    ASSERT_TRUE(run.is_valid()) << run.remarks.back().text;
    const Dispatch& launch = run.plan.main();
    EXPECT_EQ(launch.source + launch.file_source->text, replaced(declared, "450\n", "450\n#line 1\n\n"));
    ASSERT_EQ(launch.bindings.size(), 2U);
    EXPECT_EQ(run.plan.buffers[launch.bindings[0].buffer].name, "numbers");
    EXPECT_EQ(run.plan.buffers[launch.bindings[1].buffer].name, "scaled");
    EXPECT_THAT(launch.push, ElementsAre(3U, 1U)) << "rounds and seed";
    EXPECT_THAT(run_own(replaced(declared, "uint rounds;", "uint parameter_rounds;")).plan.main().push,
                ElementsAre(3U, 1U));
    const auto refusals = [&](const std::string& from, const std::string& to) {
        std::string all;
        for (const Remark& remark : run_own(replaced(declared, from, to)).remarks)
            if (remark.severity == Severity::refusal) all += remark.text;
        return all;
    };
    EXPECT_THAT(refusals("Scaled {", "Other {"), HasSubstr("binds a buffer \"other\""));
    EXPECT_THAT(refusals("binding = 1", "binding = 2"), HasSubstr("has no binding 1"));
    EXPECT_THAT(refusals("uint seed", "uint seeds"), HasSubstr("has a parameter \"seeds\""));
}

TEST(TextLessonBaseline, ComputesEachElement) {
    const auto lesson = load_lesson(SumsFolder().path());
    EXPECT_TRUE(find_variant(*lesson, "launches")->has_baseline);
    EXPECT_FALSE(find_variant(*lesson, "scaled")->has_baseline);
    for (const std::uint64_t elements : {1U, 1000U, 40001U}) {
        const PreparedExperiment run = prepare_with(*lesson, {{"elements", elements}});
        const Input input = run.make_input();
        const auto of = [](double x) { return 2 * std::sqrt(x * x + 9); };
        const double all = lesson->baseline(input, run.values(), baseline_threads[0].sum_ranges);
        EXPECT_NEAR(all, of(0) + of(static_cast<double>(elements - 1)), 0.01) << "the first and the last";
        const auto results = scratch_array(ElementType::f32, elements).as<float>();
        for (std::size_t i = 0; i < elements; ++i)
            ASSERT_NEAR(results[i], of(static_cast<double>(i)), 1e-5 * of(static_cast<double>(i))) << i;
        EXPECT_GT(lesson->baseline(input, run.values(), baseline_threads[1].sum_ranges), 0);
    }
}

TEST(TextLessonBaseline, SumsTheRowsOfAMatrixWhoseLastOneMayBeShorter) {
    for (const std::string length : {"n", "1", "7", "3000"}) {
        const SumsFolder folder(replaced(
            sums, "baseline = \"hypot(series, 3) * 2\"",
            fmt::format(
                "baseline = \"sqrt(sum(reshape(pad(series * series, 0, 0, rows * {0} - n), rows x {0}), 1)) "
                "+ 1\"\ndefine = {{ rows = \"divide_up(n, {0})\" }}",
                length)));
        const auto lesson = load_lesson(folder.path());
        for (const std::uint64_t elements : {1U, 7U, 5000U, 20001U}) {
            const PreparedExperiment run = prepare_with(*lesson, {{"elements", elements}});
            const Input input = run.make_input();
            lesson->baseline(input, run.values(), baseline_threads[0].sum_ranges);
            const std::uint64_t row = length == "n" ? elements : std::stoull(length),
                                rows = divide_up(elements, row);
            const auto results = scratch_array(ElementType::f32, rows).as<float>();
            for (std::uint64_t i = 0; i < rows; ++i) {
                double squares = 0;
                for (std::uint64_t k = i * row; k < std::min((i + 1) * row, elements); ++k)
                    squares += static_cast<double>(k) * static_cast<double>(k);
                ASSERT_NEAR(results[i], std::sqrt(squares) + 1, 1e-4 * (std::sqrt(squares) + 1))
                    << length << " " << elements << " " << i;
            }
        }
    }
}

constexpr const char* shared_keys = R"TOML(format = 1
title = "Shared keys"
elements = 8

[table.sizes]
type = "f32"
values = [0, 0.5, 1e30]

[input.x]
type = "f32"
value = "take(sizes, iota(n) % 3)"

[output.y]
type = "f32"

[output.z]
type = "u32"

[every_variant]
tile = ["2 * workgroup_size"]
expect.y = "x"

[[variant]]
id = "first"
title = "First"
kernel = "loop.comp"
expect.z = "iota(n)"

[[variant]]
id = "second"
title = "Second"
kernel = "loop.comp"
tile = ["4 * workgroup_size"]
expect.y = "x + 1"
expect.z = 1
)TOML";

TEST(TextLessonVariants, ShareKeys) {
    const LessonFolder folder(shared_keys, "void main() { y[0] = x[0]; z[0] = 1; }");
    ASSERT_THAT(folder.errors(), IsEmpty());
    const auto lesson = load_lesson(folder.path());
    for (const auto& [variant, tile, y, z] :
         {std::tuple("first", 2U, 0.0, 3.0), std::tuple("second", 4U, 1.0, 1.0)}) {
        const PreparedExperiment run = prepare_with(*lesson, {}, variant);
        EXPECT_EQ(run.plan.main().tile, Extent{tile * run.plan.main().workgroup_size()});
        const std::vector<Expected> expected = run.task.reference(run.make_input(), run);
        ASSERT_EQ(expected.size(), 2U);
        EXPECT_EQ(expected[0].reference->number(3), y) << variant;
        EXPECT_EQ(expected[1].reference->number(3), z) << variant;
    }
    EXPECT_THAT(LessonFolder(replaced(shared_keys, "tile = [\"2 * workgroup_size\"]", "tiles = [2]"),
                             "void main() { y[0] = x[0]; }")
                    .errors(),
                ElementsAre("20: [every_variant] has no key \"tiles\". Do you mean tile?"));
}

TEST(TextLessonTables, AreKnownToExpressionsOnly) {
    const LessonFolder folder(shared_keys, "void main() { y[0] = x[0]; }");
    const Input input = prepare_with(*load_lesson(folder.path())).make_input();
    ASSERT_EQ(input.size(), 1U);
    EXPECT_THAT(get(input, "x").as<float>(), ElementsAre(0, 0.5F, 1e30F, 0, 0.5F, 1e30F, 0, 0.5F));
    const auto errors = [](const std::string& from, const std::string& to) {
        return LessonFolder(replaced(shared_keys, from, to), "void main() { y[0] = x[0]; }").errors();
    };
    EXPECT_THAT(errors("% 3)", "% 4)"), ElementsAre(HasSubstr("has the index 3, but x has 3 elements")));
    EXPECT_THAT(errors("iota(n) % 3", "float(iota(n))"),
                ElementsAre(HasSubstr("needs indices of u32, not f32")));
    EXPECT_THAT(errors("[0, 0.5, 1e30]", "[]"), Contains(HasSubstr("A table has values")));
    EXPECT_THAT(errors("[0, 0.5, 1e30]", "[0, \"a\"]"), Contains(HasSubstr("\"a\" is not a number.")));
    EXPECT_THAT(errors("\"f32\"\nvalues", "\"u32\"\nvalues"),
                Contains(HasSubstr("0.5 is not a whole number")));
}

TEST(TextLessonHalves, AreAccessedEightAtATime) {
    const std::string halves =
        replaced(shared_keys, "[input.x]\ntype = \"f32\"", "[input.x]\ntype = \"f16\"");
    const std::string toml =
        replaced(replaced(halves, "take(sizes, iota(n) % 3)", "f16(float(iota(n)))"), "expect.y = \"x\"",
                 "vec8 = \"x\"\nexpect.y = { value = \"float(x)\", within = \"n / 64\" }");
    const std::string include = "#include \"common/cooperative_matrix.glsl\"\n";
    const LessonFolder folder(replaced(toml, "expect.y = \"x + 1\"", "expect.y = \"float(x) + 1\""),
                              include + "void main() { y[0] = unpackHalf2x16(x[0].y).x; z[0] = 1; }");
    ASSERT_THAT(folder.errors(), IsEmpty());
    const auto lesson = load_lesson(folder.path());
    Limits limits;  // without storage16, which words do not need
    const std::string define = "#define HAS_MATRIX_UNITS";
    EXPECT_THAT(prepare(*lesson, default_experiment(*lesson), limits).plan.main().source,
                AllOf(HasSubstr("uvec4 x[]"), Not(HasSubstr(define))));
    const PreparedExperiment run = prepare(*lesson, default_experiment(*lesson), limits);
    const Expected expected = run.task.reference(run.make_input(), run).at(0);
    EXPECT_NEAR(expected.scale->number(1), 8.0 / 64 * 7, 1e-9) << "n / 64 of the largest";
    limits.cooperative_matrix = true;
    EXPECT_THAT(prepare(*lesson, default_experiment(*lesson), limits).plan.main().source, HasSubstr(define));
    EXPECT_THAT(LessonFolder(replaced(shared_keys, "expect.y = \"x\"", "vec8 = \"x\"\nexpect.y = \"x\""),
                             "void main() { y[0] = x[0].x; z[0] = 1; }")
                    .errors(),
                Contains(HasSubstrs("vec8", "x", "f32")));
}

TEST(TextLessonHalves, AreInputsAndOutputs) {
    std::string toml = replaced(shared_keys, "expect.y = \"x\"", "expect.y = \"f16(x * 3)\"");
    toml = replaced(toml, "[input.x]\ntype = \"f32\"", "[input.x]\ntype = \"f16\"");
    toml = replaced(toml, "[output.y]\ntype = \"f32\"", "[output.y]\ntype = \"f16\"");
    toml = replaced(toml, "take(sizes, iota(n) % 3)", "f16(float(iota(n)) / 3)");
    toml =
        replaced(toml, "expect.y = \"x + 1\"", "expect.y = { value = \"f16(x + 1)\", within = \"2 ulp\" }");
    const LessonFolder folder(toml, "void main() { y[0] = float16_t(float(x[0]) * 3); z[0] = 1; }");
    ASSERT_THAT(folder.errors(), IsEmpty());
    const auto lesson = load_lesson(folder.path());
    const PreparedExperiment refused = prepare_with(*lesson);
    ASSERT_FALSE(refused.is_valid());
    EXPECT_THAT(refused.remarks.back().text, HasSubstrs("x is f16", "storageBuffer16BitAccess"));
    Limits limits;
    limits.storage16 = true;
    const PreparedExperiment run = prepare(*lesson, default_experiment(*lesson), limits);
    EXPECT_THAT(run.plan.main().source,
                HasSubstrs("GL_EXT_shader_16bit_storage", "float16_t x[]", "uint z[]"));
    const Input input = run.make_input();
    EXPECT_EQ(static_cast<double>(get(input, "x").as<Half>()[1]), nearest_f16(1. / 3));
    const Expected expected = run.task.reference(input, run).at(0);
    EXPECT_EQ(expected.reference->number(1), nearest_f16(3 * nearest_f16(1. / 3)));
    EXPECT_EQ(expected.scale->number(3), f16_ulp(3)) << "a device may round 3 * 1 to either side";
    EXPECT_THAT(LessonFolder(replaced(toml, "f16(x * 3)", "x * 3"), "void main() { y[0] = x[0]; z[0] = 1; }")
                    .errors(),
                Contains(HasSubstr("is f32, but f16 is needed. Convert it: f16(")));
    EXPECT_THAT(
        LessonFolder(replaced(toml, "f16(x * 3)", "0.1"), "void main() { y[0] = x[0]; z[0] = 1; }").errors(),
        IsEmpty());
}

TEST(TextLessonLaunches, FillAKeptArrayOnceUnlessAUserKernelRuns) {
    const std::string kept_scratch = "[scratch.kept]\ntype = \"u32\"\nshape = [1]\nkept = true\n",
                      kernel = "void main() { z[0] = atomicAdd(kept[0], 1); }";
    const auto toml = [](const std::string& scratch) {
        return replaced(shared_keys, "[output.z]", scratch + "[output.z]");
    };
    EXPECT_THAT(
        LessonFolder(toml(kept_scratch), kernel).errors(),
        ElementsAre(HasSubstr("kept needs fill, the word that the array has before the first launch.")));
    const LessonFolder folder(toml(kept_scratch + "fill = 0\n"), kernel);
    ASSERT_THAT(folder.errors(), IsEmpty());
    const auto lesson = load_lesson(folder.path());
    Experiment experiment = default_experiment(*lesson);
    const auto fill_time = [&] {
        for (const Step& step : prepare(*lesson, experiment, Limits{}).plan.steps)
            if (const auto* fill = std::get_if<Fill>(&step)) return fill->time;
        throw std::logic_error("nothing is filled");
    };
    EXPECT_EQ(fill_time(), Fill::Time::once);
    experiment.kernel = KernelSource{kernel, "mine.comp", ""};
    EXPECT_EQ(fill_time(), Fill::Time::in_run);
}

// The window evaluates the expressions when it loads a lesson.
TEST(TextLessonCosts, HaveALimit) {
    const auto errors = [](const std::string& value) {
        return LessonFolder(replaced(shared_keys, "expect.z = 1", "expect.z = \"" + value + "\""),
                            "void main() { y[0] = x[0]; }")
            .errors();
    };
    const auto is_over_limit = [](const std::string& cost) {
        return ElementsAre(AllOf(StartsWith("35: "), HasSubstrs(cost,
                                                                "at most 33\u2009"
                                                                "554\u2009"
                                                                "432")));
    };
    EXPECT_THAT(errors("sum(iota(1048576)) * 0 + 1"), IsEmpty());
    EXPECT_THAT(errors("sum(iota(268435456))"), is_over_limit("takes 268"));
    EXPECT_THAT(errors("sum(sort(iota(2097152)))"), is_over_limit("takes 48"));
    EXPECT_THAT(errors("sum(reshape(iota(8192), 8192 x 1) == iota(8192))"), is_over_limit("takes 134"));
    EXPECT_THAT(
        errors("uint(sum(reshape(uniform(1048576), 1024 x 1024) @ reshape(uniform(1048576), 1024 x 1024)))"),
        is_over_limit("takes 2\u2009"
                      "152"));
    // Each expression is cheap, but not all together.
    std::string all = "sum(iota(1048576))";
    for (int i = 0; i < 20; ++i)
        all += " + sum(iota(1048576))";
    EXPECT_THAT(errors(all), is_over_limit("takes 66"));
    EXPECT_THAT(errors("iota(2147483649)"), ElementsAre(HasSubstr("iota cannot generate 2")));
}

TEST(TextLessonLaunches, ReportMistakes) {
    const std::pair<const char*, std::pair<const char*, const char*>> cases[] = {
        {"constants = [\"rounds\"]",
         {"constants = [\"round\"]", "There is no parameter round, and no round in [define]."}},
        {"sliced = [\"numbers\", \"scaled\"]", {"sliced = [\"number\"]", "There is no array number."}},
        {"outputs = [\"total\"]", {"outputs = []", "outputs must name at least one output."}},
        {"outputs = [\"total\"]", {"outputs = [\"totals\"]", "There is no [output.totals]."}},
        {"repeat = \"rounds\"", {"repeat = \"rounds - 3\"", "\"rounds - 3\" is 0."}},
        {"workgroup = [8, 4]", {"workgroup = [8, 4, 2, 1]", "workgroup has one to three extents"}},
        {"workgroup = [8, 4]", {"workgroup = [0, 4]", "\"0\" is 0. It must be a whole number from 1"}},
        {"submits = \"each\"",
         {"submits = \"all\"", "submits = \"all\" is not known. Use one of one, each."}},
        {"kernel = \"twice.comp\"", {"kernel = \"thrice.comp\"", "thrice.comp"}},
        {"when = \"size == large\"", {"when = \"size == huge\"", "There is no array or parameter huge."}},
        {"wrong_on_purpose = \"size == large\"", {"wrong_on_purpose = \"size ==\"", "Expected a tensor"}},
        {"user_files = [\".csv\", \".npy\"]", {"user_files = [\".doc\"]", "user_files has \".doc\"."}},
        {"baseline = \"hypot(series, 3) * 2\"",
         {"baseline = \"sum(series)\"", "at most one sum, over the rows of a matrix"}},
        {"baseline = \"hypot(series, 3) * 2\"",
         {"baseline = \"sum(reshape(pad(series, 0, 1, 0), 1 x 65), 1)\"",
          "A baseline computes arrays of one size"}},
        {"baseline = \"hypot(series, 3) * 2\"", {"baseline = \"numbers + 1\"", "but numbers is i32"}},
        {"baseline = \"hypot(series, 3) * 2\"", {"baseline = \"series * weights\"", "shape"}},
        {"vec4 = [\"scaled\"]", {"vec4 = [\"scale\"]", "There is no array scale."}},
        {"id = \"size\"", {"id = \"grid_x\"", "grid_x is a reserved word"}},
    };
    for (const auto& [from, change] : cases)
        EXPECT_THAT(SumsFolder(replaced(sums, from, change.first)).errors(),
                    Contains(HasSubstr(change.second)))
            << from;
}

TEST(TextLessonLaunches, UnknownNamesListTheKnownOnes) {
    const auto errors = [](const char* from, const char* to) {
        return SumsFolder(replaced(sums, from, to)).errors();
    };
    EXPECT_THAT(errors("constants = [\"rounds\"]", "constants = [\"round\"]"),
                Contains(Mentions("round", "size")));
    EXPECT_THAT(errors("sliced = [\"numbers\", \"scaled\"]", "sliced = [\"number\"]"),
                Contains(Mentions("number", "numbers", "scaled", "total")));
    EXPECT_THAT(errors("outputs = [\"total\"]", "outputs = [\"totals\"]"),
                Contains(Mentions("totals", "total")));
}

constexpr const char* one_each = R"TOML(format = 1
title = "One each"
elements = 10
workgroup = [4]

[define]
beyond = "where(guarded, 0, maximum(grid_x * workgroup_x, n) - n)"
guarded = 1
noise = "integers(n, 1000)"

[input.x]
type = "u32"
value = "noise + 2 * noise"
padded = "n + beyond"
fill = 7

[output.y]
type = "u32"
padded = "n + beyond"
fill = 9

[output.z]
type = "f32"
fill = 0

[every_variant]
loops = false
wrong_on_purpose = "maximum(beyond > 0, grid_x * workgroup_x < n)"
expect = { y = "x + 1", z = 0 }

[[variant]]
id = "guarded"
title = "Guarded"
kernel = "loop.comp"

[[variant]]
id = "open"
title = "Open"
kernel = "loop.comp"
downloaded_early = ["z"]
define.guarded = 0

[[remark]]
when = "beyond > 0"
severity = "caution"
text = "{beyond} of {beyond + n} have no element, {1 / 3} each."

[fact.strange]
label = "Strange"
value = "sum(uint(y != 9)) - sum(uint(slice(y, 0, 0, n) != 9))"
when = "largest(y) > 9"
)TOML";
constexpr const char* one_each_kernel = "void main() { y[gl_GlobalInvocationID.x] = x[0] + 1; }";

std::string remarks_text(const PreparedExperiment& run) {
    std::string all;
    for (const Remark& remark : run.remarks)
        all += remark.text + '\n';
    return all;
}

std::uint64_t elements_of(const PreparedExperiment& run, const std::string& buffer) {
    return std::ranges::find(run.plan.buffers, buffer, &BufferSpec::name)->elements();
}

TEST(TextLessonLaunches, CoverOnlyElementsWithAnInvocationWithoutALoop) {
    const LessonFolder folder(one_each, one_each_kernel);
    ASSERT_THAT(folder.errors(), IsEmpty());
    const auto lesson = load_lesson(folder.path());
    for (const auto& [grid, domain, beyond] :
         {std::tuple(0U, 10U, 2U), std::tuple(2U, 8U, 0U), std::tuple(5U, 10U, 10U)})
        for (const std::string variant : {"guarded", "open"}) {
            SCOPED_TRACE(fmt::format("{} workgroups, {}", grid, variant));
            const PreparedExperiment run =
                prepare_with(*lesson, {{"workgroup_count", std::uint64_t{grid}}}, variant);
            EXPECT_EQ(run.plan.main().domain.product(), domain);
            const std::uint64_t padding = variant == "open" ? beyond : 0;
            EXPECT_EQ(elements_of(run, "x"), 10 + padding);
            EXPECT_EQ(elements_of(run, "y"), 10 + padding);
            EXPECT_EQ(elements_of(run, "z"), 10U);
            EXPECT_EQ(is_wrong_on_purpose(*lesson, run.experiment), padding > 0 || domain < 10);
            const auto expected = run.task.reference(run.make_input(), run);
            const auto right = expected[0].reference->as<std::uint32_t>();
            ASSERT_THAT(right, SizeIs(10 + padding));
            EXPECT_EQ(right[0], get(run.make_input(), "x").number(0) + 1);
            EXPECT_EQ(right[0] % 3, 1U) << "one name stands for the same random numbers";
            EXPECT_EQ(std::ranges::count(right.subspan(10), 9U), static_cast<std::ptrdiff_t>(padding));
            EXPECT_EQ(remarks_text(run).find(fmt::format("{} of {} have no element, 0.3333", padding,
                                                         10 + padding)) != std::string::npos,
                      padding > 0);
        }
}

TEST(TextLessonLaunches, CopyOutputsBackBeforeTheFirstOne) {
    const auto lesson = load_lesson(LessonFolder(one_each, one_each_kernel).path());
    std::vector<std::string> steps;
    const PreparedExperiment run = prepare_with(*lesson, {}, "open");
    for (const Step& step : run.plan.steps)
        if (const auto* download = std::get_if<Download>(&step))
            steps.push_back(run.plan.buffers[download->buffer].name);
        else if (std::holds_alternative<Dispatch>(step))
            steps.emplace_back("launch");
    EXPECT_THAT(steps, ElementsAre("z", "launch", "y"));
}

TEST(TextLessonFacts, HaveConditions) {
    const auto lesson = load_lesson(LessonFolder(one_each, one_each_kernel).path());
    const PreparedExperiment run = prepare_with(*lesson, {}, "open");
    std::vector<std::uint32_t> y(12, 9);
    const auto facts = [&] {
        return run.task.result(run, {{"y", share(std::span<const std::uint32_t>(y))}});
    };
    EXPECT_THAT(facts(), IsEmpty());
    y[11] = 10;
    ASSERT_THAT(facts(), SizeIs(1));
    EXPECT_EQ(std::get<std::uint64_t>(facts()[0].value), 1U) << "one of the two elements after the array";
}

TEST(TextLessonDefinitions, AreChecked) {
    const auto errors = [](const char* from, const char* to) {
        return LessonFolder(replaced(one_each, from, to), one_each_kernel).errors();
    };
    EXPECT_THAT(errors("guarded = 1", "guarded = \"1 - beyond\""),
                Contains(HasSubstr("The definition of beyond depends on beyond itself")));
    EXPECT_THAT(errors("define.guarded", "define.other"),
                Contains(HasSubstr("define.other replaces nothing")));
    EXPECT_THAT(errors("guarded = 1", "x = 1"), Contains(HasSubstr("There are two arrays or parameters x")));
    EXPECT_THAT(errors("fill = 9\n", ""), ElementsAre("19: padded needs fill, the word that must still be "
                                                      "behind the array after a run."));
    EXPECT_THAT(errors("\"n + beyond\"\nfill = 9", "\"n - 1\"\nfill = 9"),
                Contains(HasSubstr("padded to 9 elements, but the array has 10")));
    EXPECT_THAT(errors("{1 / 3}", "{1 / 3"), Contains(HasSubstr("has a brace that is not closed")));
    EXPECT_THAT(errors("{1 / 3}", "{third}"), Contains(HasSubstr("There is no array or parameter third")));
    EXPECT_THAT(errors("largest(y) > 9", "largest(q) > 9"), Contains(HasSubstr("no array or parameter q")));
    EXPECT_THAT(errors("[\"z\"]", "[\"x\"]"), Contains(HasSubstr("\"x\" is not an output of open")));
}

}  // namespace gridstride::text_lesson::launches_test
