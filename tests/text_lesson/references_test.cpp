// Tests the reference kernels of lessons that are folders of text, without a device.
#include <bit>
#include <fstream>

#include "lesson/compute_report.h"
#include "text_lesson/lesson_folder.h"

namespace gridstride::text_lesson::references_test {

using testing_lessons::LessonFolder;
using testing_lessons::prepare_with;
using testing_lessons::replaced;

constexpr const char* squares = R"TOML(format = 1
title = "Squares"
elements = 100
workgroup = [32]

[[parameter]]
id = "offset"
label = "Offset"
default = 3
min = 1
max = 2000

[input.x]
type = "u32"
value = "iota(n)"

[output.whole]
type = "u32"

[output.real]
type = "f32"
shape = ["rows", 5]
when = "offset < 1000"

[[parameter]]
id = "rows"
label = "Rows"
default = 7
min = 1
max = 100

[[variant]]
id = "loop"
title = "A loop"
kernel = "loop.comp"
expect.whole = { kernel = "whole.comp" }
expect.real = { kernel = "real.comp", within = 0.5 }

[[variant]]
id = "again"
title = "Again"
kernel = "loop.comp"
expect.whole = { kernel = "whole.comp" }
expect.real = { kernel = "real.comp", within = "2 ulp" }

[[exercise]]
id = "twice"
title = "Twice"
start = "loop.comp"
solution = "loop.comp"
outputs = ["whole"]
expect.whole = { kernel = "whole.comp" }
)TOML";

struct SquaresFolder : LessonFolder {
    explicit SquaresFolder(const std::string& toml = squares)
        : LessonFolder(toml, "void main() { whole[0] = x[0]; real[0] = 1; }") {
        write("whole.comp",
              "void main() { whole[gl_GlobalInvocationID.x] = x[0] + more(); }\n"
              "#include \"more.glsl\"\n");
        write("more.glsl", "uint more() { return offset; }\n");
        write("real.comp", "void main() { real[gl_GlobalInvocationID.y * 5] = 1; }");
    }
};

std::vector<Expected> reference_of(const Lesson& lesson, const std::string& variant) {
    const PreparedExperiment run = prepare_with(lesson, {}, variant);
    return run.task.reference(run.make_input(), run);
}

TEST(References, AreHiddenVariantsWithAnInvocationPerElement) {
    const SquaresFolder folder;
    ASSERT_THAT(folder.errors(), IsEmpty());
    const auto lesson = load_lesson(folder.path());
    ASSERT_EQ(lesson->references.size(), 2U) << "the variants and the exercise share them";
    EXPECT_EQ(find_variant(*lesson, lesson->references[0].id), nullptr) << "nobody can select it";

    const PreparedExperiment whole =
        prepare_with(*lesson, {{"elements", std::uint64_t{1000}}, {"workgroup_count", std::uint64_t{2}}},
                     "whole of whole.comp");
    ASSERT_TRUE(whole.is_valid());
    const Dispatch& launch = whole.plan.main();
    EXPECT_EQ(launch.domain, Extent{1000});
    EXPECT_EQ(launch.workgroup, Extent{256});
    EXPECT_EQ(launch.grid, Extent{4}) << "whatever the grid of the bench is";
    EXPECT_THAT(launch.push, ElementsAre(3U)) << "the offset, which an included file names";
    EXPECT_TRUE(launch.has_untrusted_source());
    EXPECT_FALSE(whole.variant->has_baseline);
    EXPECT_THAT(whole.task.result(whole, {}), IsEmpty());

    const PreparedExperiment real = prepare_with(*lesson, {}, "real of real.comp");
    EXPECT_EQ(real.plan.main().domain, (Extent{5, 7}));
    EXPECT_EQ(real.plan.main().workgroup, (Extent{16, 16}));
    EXPECT_EQ(real.plan.main().grid, (Extent{1, 1}));
}

TEST(References, FitAGridOf65535ForMillionsOfElements) {
    const SquaresFolder folder;
    const auto lesson = load_lesson(folder.path());
    for (const std::uint64_t elements : {1U << 24, 1U << 25, 50'000'000U}) {
        const PreparedExperiment run = prepare_with(*lesson, {{"elements", elements}}, "whole of whole.comp");
        const Dispatch& launch = run.plan.main();
        EXPECT_LE(launch.grid.x, 65535U) << elements;
        EXPECT_LE(launch.workgroup.x, 1024U);
        EXPECT_GE(launch.grid.x * launch.workgroup.x, elements);
    }
}

TEST(References, BecomeExpectationsOnceTheirKernelHasRun) {
    const SquaresFolder folder;
    const auto lesson = load_lesson(folder.path());
    const std::vector<Expected> expected = reference_of(*lesson, "loop");
    ASSERT_EQ(expected.size(), 2U);
    EXPECT_EQ(expected[0].reference, nullptr) << "nothing computes it in this process";
    ASSERT_TRUE(expected[0].kernel && expected[1].kernel);
    EXPECT_EQ(expected[0].kernel->variant, "whole of whole.comp");

    std::vector<std::uint32_t> numbers(100, 4'000'000'001U);
    const Expected whole =
        expected[0].kernel->expect(share(Array::of(std::span<const std::uint32_t>(numbers))));
    EXPECT_FALSE(whole.kernel);
    EXPECT_EQ(whole.output, "whole");
    EXPECT_EQ(whole.reference->as<std::uint32_t>()[99], 4'000'000'001U);
    EXPECT_EQ(whole.tolerance.absolute, 0);
    EXPECT_EQ(whole.tolerance.relative, 0);
    EXPECT_EQ(whole.source, "the reference kernel");
    numbers.resize(99);
    EXPECT_THAT(
        [&] { expected[0].kernel->expect(share(Array::of(std::span<const std::uint32_t>(numbers)))); },
        testing::ThrowsMessage<Refusal>(HasSubstr("99 numbers, but whole has 100")));

    std::vector<float> reals(35, 1);
    reals[6] = -8;  // in the second row
    const ArrayRef computed = share(Array::of(std::span<const float>(reals)));
    const Expected scaled = expected[1].kernel->expect(computed);
    EXPECT_EQ(scaled.reference->number(6), -8);
    EXPECT_EQ(scaled.tolerance.relative * scaled.scale->number(4), 0.5) << "of the largest number of the row";
    EXPECT_EQ(scaled.tolerance.relative * scaled.scale->number(5), 4);
    const Expected ulp = reference_of(*lesson, "again")[1].kernel->expect(computed);
    EXPECT_EQ(ulp.tolerance.relative, 2 * 0x1p-23);
    EXPECT_EQ(ulp.reference->number(6), -8);
}

/// A product that takes too long is compared in some rows.
TEST(References, CompareOnlySomeRowsOfManyOperations) {
    const LessonFolder folder(R"TOML(format = 1
title = "Products"
elements = 100
workgroup = [32]

[input.x]
type = "f32"
value = "float(iota(n) % 7)"

[input.w]
type = "f32"
shape = [384, 384]
value = "reshape(float(iota(384 * 384) % 5), 384 x 384)"

[output.y]
type = "f32"
shape = ["n", 2]

[[variant]]
id = "loop"
title = "A loop"
expect.y = "(reshape(x, n x 1) + slice(w, 0, 0, 1)) @ w @ slice(w, 1, 0, 2)"
)TOML",
                              "void main() { y[0] = x[0] + w[0]; }");
    ASSERT_THAT(folder.errors(), IsEmpty());
    const auto lesson = load_lesson(folder.path());
    EXPECT_THAT(reference_of(*lesson, "loop")[0].rows, IsEmpty());
    constexpr std::uint64_t n = 120'000;
    const PreparedExperiment run =
        prepare_with(*lesson, {{"elements", n}, {"seed", std::uint64_t{12}}}, "loop");
    const Input input = run.make_input();
    const Expected some = run.task.reference(input, run).front();
    ASSERT_EQ(some.rows.size(), 64U);
    EXPECT_EQ(some.reference->count(), 2 * some.rows.size());
    EXPECT_THAT(some.note, AllOf(HasSubstr("64 of the"), HasSubstr("from row 12 in steps of")));
    EXPECT_EQ((some.rows[1] - some.rows[0]) % 2, 1U) << "an odd step visits all positions in a tile";
    EXPECT_LT(some.rows.back(), n);
    EXPECT_GT(some.rows.back(), n - 2 * (some.rows[1] - some.rows[0]));
    const auto x = get(input, "x").as<float>(), w = get(input, "w").as<float>();
    for (const std::size_t i : {std::size_t{0}, std::size_t{63}}) {
        double sum = 0;
        for (std::size_t p = 0; p < 384; ++p)
            for (std::size_t q = 0; q < 384; ++q)
                sum += (double{x[some.rows[i]]} + double{w[p]}) * double{w[p * 384 + q]} *
                       double{w[q * 384 + 1]};
        EXPECT_EQ(some.reference->number(2 * i + 1), sum) << i;
    }
}

TEST(References, AreNotComputedWithoutADevice) {
    const SquaresFolder folder;
    const auto lesson = load_lesson(folder.path());
    const Report report = compute_report(prepare_with(*lesson));
    EXPECT_EQ(report.input.size(), 1U);
    EXPECT_THAT(report.outputs, IsEmpty());
}

TEST(References, DependOnTheParametersOfTheKernel) {
    SquaresFolder folder;
    const auto invalidated = [&](std::string_view parameter) {
        return find(load_lesson(folder.path())->parameters, parameter)->invalidates;
    };
    EXPECT_EQ(invalidated("offset"), Invalidates::reference);
    EXPECT_EQ(invalidated("workgroup_size"), Invalidates::launch);
    EXPECT_FALSE(load_lesson(folder.path())->reference_depends_on_launch);
    const std::string version = load_lesson(folder.path())->version;
    folder.write("whole.comp", "void main() { whole[0] = workgroup_size; /* offset */ }");
    EXPECT_NE(load_lesson(folder.path())->version, version);
    EXPECT_TRUE(load_lesson(folder.path())->reference_depends_on_launch);
}

TEST(References, KeepTheLaunchOfTheVariantInShapes) {
    std::string toml = replaced(squares, "type = \"u32\"\n\n[output.real]",
                                "type = \"u32\"\nshape = [\"workgroup_count\"]\n\n[output.real]");
    const SquaresFolder folder(toml);
    ASSERT_THAT(folder.errors(), IsEmpty());
    const auto lesson = load_lesson(folder.path());
    const PreparedExperiment run =
        prepare_with(*lesson, {{"workgroup_count", std::uint64_t{300}}}, "whole of whole.comp");
    EXPECT_EQ(run.plan.main().domain, Extent{300});
    EXPECT_EQ(run.plan.main().grid, Extent{2});
    EXPECT_EQ(run.plan.buffers.at(run.plan.main().bindings.back().buffer).shape, Extent{300});
}

TEST(References, ReportEachMistakeWithItsLine) {
    struct Case {
        std::string from, to, error;
    };
    for (const Case& one : std::initializer_list<Case>{
             {"{ kernel = \"real.comp\", within = 0.5 }", "{ kernel = \"real.comp\" }",
              "37: real is f32, so its reference kernel needs a bound. Add within, such as expect.real = { "
              "kernel = \"real.comp\", within = 1e-5 }."},
             {"{ kernel = \"whole.comp\" }", "{ kernel = \"none.comp\" }", "36: "},
             {"{ kernel = \"whole.comp\" }", "{ kernel = \"../whole.comp\" }",
              "36: \"../whole.comp\" is outside"},
             {"{ kernel = \"whole.comp\" }", "{ kernel = \"real.comp\" }",
              "36: real.comp does not name whole, although it is the reference of whole. Write to whole."},
             {"{ kernel = \"whole.comp\" }", "{ kernel = \"whole.comp\", value = \"x\" }",
              "36: expect.whole has both value and kernel. Remove one."},
             {"{ kernel = \"whole.comp\" }", "{ kernl = \"whole.comp\" }", "36: "},
             {"expect.whole = { kernel", "expect.all = { kernel",
              "expect.all: loop has no output of this name"},
             {"within = 0.5", "within = -1", "37: within = \"-1\" is not a bound."}})
        EXPECT_THAT(SquaresFolder(replaced(squares, one.from, one.to)).errors(),
                    Contains(HasSubstr(one.error)))
            << one.to;
}

}  // namespace gridstride::text_lesson::references_test
