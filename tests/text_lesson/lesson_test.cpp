// Tests lessons that are folders of text, without a device: what lesson.toml declares, and the error for each
// mistake.
#include "text_lesson/text_lesson.h"

#include <sys/stat.h>

#include <map>

#include "base/file.h"
#include "base/language.h"
#include "base/random.h"
#include "lesson/metrics.h"
#include "story/story_errors.h"
#include "test_includes.h"
#include "text_lesson/folder_checker.h"
#include "text_lesson/lesson_folder.h"
#include "text_lesson/lesson_folders.h"

namespace gridstride::text_lesson::lesson_test {

using testing_lessons::LessonFolder;
using testing_lessons::prepare_with;
using testing_lessons::replaced;

constexpr const char* parity = R"TOML(format = 1
title = "Parity"
noun = "numbers"
elements = 100
workgroup = [32]

[[parameter]]
id = "rounds"
label = "Rounds"
help = "Loop iterations of a number, at most."
default = 8
min = 1
max = 4096
scale = "log"

[[parameter]]
id = "order"
label = "Order"
choices = { shuffled = "shuffled", sorted = "sorted" }

[[parameter]]
id = "factor"
label = "Factor"
default = 0.5
min = 0
max = 2

[input.trips]
type = "u32"
[input.trips.by_order]
shuffled = "1 + integers(n, rounds)"
sorted = "sort(1 + integers(n, rounds))"

[output.results]
type = "u32"
shape = ["n"]

[output.halves]
type = "f32"
shape = ["divide_up(n, 2)", 2]
fill = 0

[[variant]]
id = "loop"
title = "A loop"
summary = "Each invocation loops."
kernel = "loop.comp"
expect.results = "trips * trips"
expect.halves = { value = "where(iota(n) < 100, float(trips) * factor, 0)", within = "1 ulp" }

[[exercise]]
id = "twice"
title = "Twice"
start = "loop.comp"
solution = "loop.comp"
expect.results = "2 * trips"
expect.halves = "float(trips)"

[[remark]]
parameter = "rounds"
when = "rounds > 1024"
severity = "caution"
text = "Many rounds."

[fact.largest]
label = "Largest"
value = "largest(results)"
)TOML";

constexpr const char* loop_kernel = R"(#extension GL_KHR_shader_subgroup_basic : enable
// factor is not named in code: /* rounds */
void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i < launch.count) results[i] = trips[i] * rounds + seed + launch.workgroup_count;
}
)";

TEST(TextLesson, ReadsTheDeclarationsOfTheFile) {
    const LessonFolder folder(parity, loop_kernel);
    const auto lesson = load_lesson(folder.path());
    EXPECT_EQ(lesson->id, "parity");
    EXPECT_EQ(lesson->title, "Parity");
    EXPECT_EQ(lesson->default_variant, "loop");
    EXPECT_EQ(lesson->version.size(), 16U);
    std::vector<std::string> ids;
    for (const Parameter& parameter : lesson->parameters)
        ids.push_back(parameter.id);
    EXPECT_THAT(ids, ElementsAre("elements", "workgroup_size", "workgroup_count", "seed", "rounds", "order",
                                 "factor"));
    const Parameter& rounds = *find(lesson->parameters, "rounds");
    EXPECT_EQ(rounds.default_value, Value(std::uint64_t{8}));
    EXPECT_EQ(rounds.maximum, 4096);
    EXPECT_EQ(rounds.scale, Scale::logarithmic);
    EXPECT_EQ(rounds.invalidates, Invalidates::input);
    EXPECT_EQ(find(lesson->parameters, "factor")->default_value, Value(0.5));
    EXPECT_EQ(find(lesson->parameters, "factor")->invalidates, Invalidates::reference);
    ASSERT_EQ(lesson->exercises.size(), 1U);
    EXPECT_EQ(lesson->exercises[0].solution, (folder.path() / "loop.comp").string());
}

TEST(TextLesson, GeneratesTheSameInputFromTheSameSeed) {
    const LessonFolder folder(parity, loop_kernel);
    const auto lesson = load_lesson(folder.path());
    const auto trips = [&](std::uint64_t seed, std::uint32_t order) {
        const PreparedExperiment run = prepare_with(*lesson, {{"seed", seed}, {"order", ChoiceIndex{order}}});
        const Input input = run.make_input();
        const auto numbers = get(input, "trips").as<std::uint32_t>();
        return std::vector<std::uint32_t>(numbers.begin(), numbers.end());
    };
    const std::vector<std::uint32_t> shuffled = trips(1, 0);
    EXPECT_EQ(shuffled.size(), 100U);
    EXPECT_THAT(shuffled, Each(AllOf(testing::Ge(1U), testing::Le(8U))));
    EXPECT_EQ(shuffled, trips(1, 0));
    EXPECT_NE(shuffled, trips(2, 0));
    std::vector<std::uint32_t> sorted = shuffled;
    std::ranges::sort(sorted);
    EXPECT_EQ(trips(1, 1), sorted);
}

TEST(TextLesson, BindsTheBuffersThatTheKernelNames) {
    const LessonFolder folder(parity, loop_kernel);
    const auto lesson = load_lesson(folder.path());
    const PreparedExperiment run = prepare_with(*lesson, {{"seed", std::uint64_t{7}}});
    ASSERT_TRUE(run.is_valid());
    const Dispatch& launch = run.plan.main();
    std::vector<std::string> arrays;
    for (const Binding& binding : launch.bindings)
        arrays.push_back(run.plan.buffers[binding.buffer].name);
    EXPECT_THAT(arrays, ElementsAre("trips", "results", "halves"))
        << "outputs also if the kernel does not name them";
    EXPECT_THAT(launch.push, ElementsAre(7U, 8U)) << "seed and rounds, in the order of declaration";
    EXPECT_THAT(launch.source, HasSubstr("#define PARAMETERS uint parameter_seed; uint parameter_rounds;"));
    EXPECT_THAT(launch.source, HasSubstr("#extension GL_KHR_shader_subgroup_basic : enable"));
    EXPECT_THAT(launch.source, HasSubstr("{ uint trips[]; };"));
    EXPECT_THAT(launch.file_source->text, StartsWith("\n// factor"));
    EXPECT_EQ(launch.file_source->name, "loop.comp");
    EXPECT_EQ(run.plan.buffers[launch.bindings[1].buffer].output, true);
}

TEST(TextLesson, RunsTheUsersKernelInPlaceOfTheVariants) {
    const LessonFolder folder(parity, loop_kernel);
    const auto lesson = load_lesson(folder.path());
    Experiment experiment = default_experiment(*lesson);
    experiment.kernel = KernelSource{"void main() { halves[0] = factor; }", "mine.comp", ""};
    const PreparedExperiment run = prepare(*lesson, experiment, Limits{});
    EXPECT_EQ(run.plan.main().file_source->name, "mine.comp");
    EXPECT_THAT(run.plan.main().push, ElementsAre(std::bit_cast<std::uint32_t>(0.5F)));
    EXPECT_EQ(run.plan.main().bindings.size(), 2U)
        << "the outputs, and not the input, which it does not name";
}

TEST(TextLesson, ComputesReferencesFromExpressions) {
    const LessonFolder folder(parity, loop_kernel);
    const auto lesson = load_lesson(folder.path());
    const PreparedExperiment run = prepare_with(*lesson);
    const Input input = run.make_input();
    const auto trips = get(input, "trips").as<std::uint32_t>();
    const std::vector<Expected> expected = run.task.reference(input, run);
    ASSERT_EQ(expected.size(), 2U);
    EXPECT_EQ(expected[0].output, "results");
    const auto squares = expected[0].reference->as<std::uint32_t>();
    for (std::size_t i = 0; i < trips.size(); ++i)
        ASSERT_EQ(squares[i], trips[i] * trips[i]);
    EXPECT_EQ(expected[0].tolerance.relative, 0);
    EXPECT_EQ(expected[1].output, "halves");
    EXPECT_EQ(expected[1].reference->number(5), trips[5] * 0.5);
    EXPECT_EQ(expected[1].tolerance.relative, 0x1p-23);
    EXPECT_EQ(expected[1].tolerance.absolute, std::numeric_limits<float>::min());
}

TEST(TextLesson, ExpectsTheFirstElementsOfAnArray) {
    std::string toml = replaced(parity, "shape = [\"n\"]", "shape = [\"divide_up(n, 4)\"]");
    toml = replaced(toml, "\"trips * trips\"", "\"slice(trips, 0, 0, divide_up(n, 4))\"");
    const LessonFolder folder(replaced(toml, "\"2 * trips\"", "1"), loop_kernel);
    const auto lesson = load_lesson(folder.path());
    const PreparedExperiment run = prepare_with(*lesson);
    const Input input = run.make_input();
    const ArrayRef expected = run.task.reference(input, run).front().reference;
    EXPECT_EQ(expected->count(), divide_up(run.elements(), 4));
    EXPECT_EQ(expected->number(3), get(input, "trips").number(3));
}

TEST(TextLesson, ComputesFactsAndRemarks) {
    const LessonFolder folder(parity, loop_kernel);
    const auto lesson = load_lesson(folder.path());
    const PreparedExperiment run = prepare_with(*lesson, {{"rounds", std::uint64_t{2000}}});
    EXPECT_THAT(run.remarks, Contains(Remark{Severity::caution, "rounds", "Many rounds."}));
    EXPECT_THAT(prepare_with(*lesson).remarks, Not(Contains(testing::Field(&Remark::text, "Many rounds."))));
    const std::vector<std::uint32_t> results = {3, 4294967295, 5};
    const std::vector<Fact> facts =
        run.task.result(run, {{.name = "results", .array = share(Array::of(std::span(results)))}});
    ASSERT_EQ(facts.size(), 1U);
    EXPECT_EQ(std::get<std::uint64_t>(facts[0].value), 4294967295U);
}

TEST(TextLesson, DerivesWhatAParameterInvalidates) {
    const auto invalidated = [](const std::string& toml, std::string_view parameter) {
        const LessonFolder folder(toml, loop_kernel);
        return find(load_lesson(folder.path())->parameters, parameter)->invalidates;
    };
    EXPECT_EQ(invalidated(parity, "workgroup_size"), Invalidates::launch);
    const std::string per_workgroup =
        replaced(replaced(parity, "shape = [\"n\"]", "shape = [\"divide_up(n, workgroup_size)\"]"),
                 "\"trips * trips\"", "\"iota(divide_up(n, workgroup_size))\"");
    const std::string shapes = replaced(per_workgroup, "\"2 * trips\"", "1");
    EXPECT_EQ(invalidated(shapes, "workgroup_size"), Invalidates::reference) << "the reference depends on it";
    EXPECT_EQ(invalidated(replaced(parity, "1 + integers(n, rounds)", "integers(n, workgroup_size)"),
                          "workgroup_size"),
              Invalidates::input);
    EXPECT_THAT(
        LessonFolder(replaced(parity, "1 + integers(n, rounds)", "integers(n, workgroup_count)"), loop_kernel)
            .errors(),
        Contains(HasSubstr("workgroup_count is auto")));
}

TEST(TextLesson, HasDomainsOfTwoDimensions) {
    std::string toml =
        replaced(parity, "noun = \"numbers\"\n", "noun = \"pixels\"\ndomain = [\"width\", \"height\"]\n");
    toml = replaced(toml, "workgroup = [32]", "workgroup = [8, 4]");
    for (const char* const id : {"width", "height"})
        toml += fmt::format("[[parameter]]\nid = \"{}\"\nlabel = \"{}\"\ndefault = 10\nmin = 1\nmax = 100\n",
                            id, id);
    toml = replaced(toml, "shape = [\"n\"]", "shape = [\"height\", \"width\"]");
    const LessonFolder folder(toml, loop_kernel);
    ASSERT_THAT(folder.errors(), IsEmpty());
    const auto lesson = load_lesson(folder.path());
    const PreparedExperiment run = prepare_with(*lesson, {{"width", std::uint64_t{20}}});
    EXPECT_EQ(run.plan.main().domain, (Extent{20, 10}));
    EXPECT_EQ(run.plan.main().workgroup, (Extent{8, 4}));
    EXPECT_EQ(run.plan.buffers[run.plan.main().bindings[1].buffer].shape, (Extent{20, 10}));
}

/// Sets the language of texts, and the earlier one when it ends.
class WithLanguage {
 public:
    explicit WithLanguage(const std::string& code) { set_text_language(code); }
    ~WithLanguage() { set_text_language(earlier_); }

 private:
    std::string earlier_ = text_language();
};

const std::string bilingual_parity = replaced(
    replaced(replaced(replaced(parity, "title = \"Parity\"", "title = { fr = \"Parité\", en = \"Parity\" }"),
                      "label = \"Rounds\"", "label = { en = \"Rounds\", fr = \"Tours\" }"),
             "sorted = \"sorted\"", "sorted = { en = \"sorted\", fr = \"triés\" }"),
    "text = \"Many rounds.\"", "text = { en = \"Many rounds.\" }");

TEST(TextLesson, HasTextsInTheCurrentLanguage) {
    LessonFolder folder(bilingual_parity, loop_kernel);
    folder.write("story.fr.md", "# Parité\n");
    const auto texts = [&](const std::string& language) {
        const WithLanguage with(language);
        const auto lesson = load_lesson(folder.path());
        const Parameter& order = *find(lesson->parameters, "order");
        EXPECT_THAT(prepare_with(*lesson, {{"rounds", std::uint64_t{2000}}}).remarks,
                    Contains(Remark{Severity::caution, "rounds", "Many rounds."}))
            << "the English text, where the language has none";
        return std::vector<std::string>{lesson->title, find(lesson->parameters, "rounds")->label,
                                        order.choices[0].label, order.choices[1].label};
    };
    EXPECT_THAT(texts("en"), ElementsAre("Parity", "Rounds", "shuffled", "sorted"));
    EXPECT_THAT(texts("fr"), ElementsAre("Parité", "Tours", "shuffled", "triés"));
    EXPECT_THAT(texts("de"), texts("en"));
}

TEST(TextLesson, ReportsMistakesInTextsOfSeveralLanguages) {
    EXPECT_THAT(
        LessonFolder(bilingual_parity, loop_kernel).errors(),
        Contains("2: title of lesson.toml has the language fr, but there is no story.fr.md. Use one of "
                 "en, or add that story."));
    const auto errors_of = [](const std::string& title) {
        LessonFolder folder(replaced(parity, "\"Parity\"", title), loop_kernel);
        folder.write("story.fr.md", "# Parité\n");
        return folder.errors();
    };
    EXPECT_THAT(errors_of("{ fr = \"Parité\" }"),
                ElementsAre("2: title of lesson.toml has no English text. Add en = \"…\"."));
    EXPECT_THAT(errors_of("{ en = \"Parity\", fr = 3 }"),
                ElementsAre("2: title of lesson.toml must have a text in quotes for fr."));
    EXPECT_THAT(
        errors_of("{ en = \"Parity\", FR = \"Parité\" }"),
        ElementsAre(StartsWith("2: title of lesson.toml has the language FR, but there is no story.FR.md. "
                               "Use one of en, fr,")));
    for (const char* title : {"\"Par\\u001bity\"", "\"Par\\nity\"", "{ en = \"Par\\u202eity\" }"})
        EXPECT_THAT(errors_of(title),
                    ElementsAre(AllOf(StartsWith("2: title of lesson.toml has a control character"),
                                      HasSubstr("\"Par?ity\""))));
    EXPECT_THAT(
        LessonFolder(replaced(parity, "id = \"rounds\"", "id = { en = \"rounds\" }"), loop_kernel).errors(),
        Contains(StartsWith("8: id of [[parameter]] must be a text in quotes.")));
}

TEST(TextLesson, ReportsEachMistakeWithItsLine) {
    struct Case {
        std::string from, to;
        std::vector<std::string> errors;  ///< the beginning of each
    };
    for (const Case& one : std::initializer_list<Case>{
             {"title = \"Parity\"",
              "titel = \"Parity\"",
              {"1: lesson.toml has no title.", "2: lesson.toml has no key \"titel\". Do you mean title?"}},
             {"format = 1", "format = 2", {"1: format of lesson.toml must be a whole number from 1 to 1."}},
             {"title = \"Parity\"",
              "title = 3",
              {"2: title of lesson.toml must be a text in quotes, or one for each language"}},
             {"title = \"Parity\"", "title = \"Parity", {"2: TOML syntax:"}},
             {"id = \"rounds\"",
              "id = \"sample\"",
              {"8: sample is a reserved word of kernels or expressions. Choose another id.",
               "31: In the expression"}},
             {"id = \"rounds\"", "id = \"Rounds\"", {"8: \"Rounds\" is not an id."}},
             {"default = 8", "default = 5000", {"11: default = 5000 is not between min = 1 and max = 4096."}},
             {"scale = \"log\"",
              "scale = \"loud\"",
              {"14: scale = \"loud\" is not known. Use one of linear, log, powers_of_two."}},
             {"shuffled = \"1 + integers(n, rounds)\"\n",
              "",
              {"30: by_order has no expression for the choice shuffled."}},
             {"\"sort(1 + integers(n, rounds))\"", "\"sort(1 + integers(n))\"", {"32: In the expression"}},
             {"\"sort(1 + integers(n, rounds))\"",
              "\"uniform(n)\"",
              {"32: The expression \"uniform(n)\" is f32, but u32 is needed. Convert it: uint(…)."}},
             {"\"sort(1 + integers(n, rounds))\"",
              "\"integers(7, rounds)\"",
              {"32: The expression \"integers(7, rounds)\" has the shape 7, but the array has 64 where n is "
               "64. "
               "Change one of them."}},
             {"type = \"u32\"\nshape",
              "type = \"u64\"\nshape",
              {"35: type = \"u64\" is not known. Use one of f32, f16, u32, i32."}},
             {"shape = [\"n\"]", "shape = []", {"36: shape has one to three extents"}},
             {"id = \"rounds\"", "id = \"samples\"", {"8: A parameter cannot have the id samples"}},
             {"id = \"factor\"", "id = \"seed\"", {"22: "}},
             {"kernel = \"loop.comp\"", "kernel = \"lop.comp\"", {"47: "}},
             {"kernel = \"loop.comp\"",
              "kernel = \"../loop.comp\"",
              {"47: \"../loop.comp\" is outside the lesson's folder"}},
             {"kernel = \"loop.comp\"",
              "kernel = \"/etc/passwd\"",
              {"47: \"/etc/passwd\" is outside the lesson's folder"}},
             {"expect.results = \"trips * trips\"\n", "", {"4", "4"}},
             {"expect.results = \"trips * trips\"",
              "expect.results = \"trips * trip\"",
              {"48: In the expression \"trips * trip\": There is no array or parameter trip."}},
             {"expect.results = \"trips * trips\"", "expect.result = \"trips\"", {"4", "4"}},
             {"within = \"1 ulp\"", "within = \"one ulp\"", {"49: within = \"one ulp\" is not a bound."}},
             {"when = \"rounds > 1024\"",
              "when = \"rounds >\"",
              {"61: In the expression \"rounds >\": Expected a tensor"}},
             {"severity = \"caution\"", "severity = \"loud\"", {"62: severity = \"loud\" is not known."}},
             {"id = \"twice\"",
              "id = \"loop\"",
              {"52: There are two variants or exercises loop. Rename one."}},
             {"[fact.largest]",
              "[[picture]]\nid = \"a\"\ntitle = \"A\"\nkind = \"atomics\"\nof = \"sums\"\n[fact.largest]",
              {"69: There is no array \"sums\"."}},
             {"[fact.largest]",
              "[[picture]]\nid = \"a\"\ntitle = \"A\"\nkind = \"lanes\"\ny_scale = \"log\"\n[fact.largest]",
              {"69: Only bars, line and scatter have a y_scale"}},
         }) {
        const LessonFolder folder(replaced(parity, one.from, one.to), loop_kernel);
        const std::vector<std::string> errors = folder.errors();
        EXPECT_FALSE(errors.empty()) << one.from << " -> " << one.to;
        for (std::size_t i = 0; i < std::min(errors.size(), one.errors.size()); ++i)
            EXPECT_THAT(errors[i], StartsWith(one.errors[i])) << one.from << " -> " << one.to;
    }
    EXPECT_THAT(LessonFolder(parity, "void main() {}").errors(),
                Contains(HasSubstr("loop.comp names no output of the lesson")));
}

TEST(TextLesson, ReportsAMistakeOnceWhereItIs) {
    const auto errors_of = [](const std::string& toml) { return LessonFolder(toml, loop_kernel).errors(); };
    const auto with = [](const std::string& tables) {
        return replaced(parity, "[fact.largest]", tables + "\n[fact.largest]");
    };
    EXPECT_THAT(errors_of(replaced(parity, "type = \"u32\"\nshape", "type = \"u64\"\nshape")),
                ElementsAre("35: type = \"u64\" is not known. Use one of f32, f16, u32, i32."));
    EXPECT_THAT(errors_of(with("[[picture]]\nid = \"a\"\ntitle = \"A\"\nkind = \"lane\"")),
                ElementsAre(StartsWith("68: kind = \"lane\" is not known.")));
    for (const std::string array : {"input.t1", "output.t1", "table.t1"})
        EXPECT_THAT(errors_of(with("[" + array + "]\ntype = \"f32\"\n" +
                                   (array == "input.t1"   ? "value = \"uniform(n)\""
                                    : array == "table.t1" ? "values = [1]"
                                                          : ""))),
                    Contains(StartsWith("66: \"t1\" cannot be the name of a tensor")).Times(1))
            << array;
    EXPECT_THAT(errors_of(with("[input.t1]\ntype = \"f32\"\nvalue = \"uniform(n)\"")), SizeIs(1));
    // A definition, which two expectations use.
    const std::string defined =
        replaced(replaced(parity, "[input.trips]", "[define]\nmany = \"trips * nothing\"\n[input.trips]"),
                 "\"trips * trips\"", "\"2 * many\"");
    EXPECT_THAT(errors_of(replaced(defined, "\"2 * trips\"", "\"many\"")),
                ElementsAre("29: In the expression \"trips * nothing\": There is no array or parameter "
                            "nothing. Line 50 uses it."));
    // A launch, on which everything of its variant depends.
    const auto with_launch = [&](const std::string& line) {
        return errors_of(
            replaced(parity, "kernel = \"loop.comp\"\n", "kernel = \"loop.comp\"\n" + line + "\n"));
    };
    EXPECT_THAT(with_launch("tile = [\"nothing\"]"),
                ElementsAre(AllOf(StartsWith("47: "), HasSubstr("There is no array or parameter nothing"))));
    for (const std::string line : {"tile = [32, 32]", "grid = [2, 2]"})
        EXPECT_THAT(
            with_launch(line),
            ElementsAre(AllOf(StartsWith("47: "), HasSubstr("Give domain, tile, grid and workgroup the "
                                                            "same number of extents."))))
            << line;
    EXPECT_THAT(
        with_launch("launches = [{ kernel = \"loop.comp\" }, { kernel = \"loop.comp\", tile = [32, 2] }]"),
        Contains(HasSubstr("the same number of extents")));
    // What costs too much once.
    EXPECT_THAT(errors_of(replaced(parity, "\"trips * trips\"", "\"trips + sum(integers(100000000, 9))\"")),
                ElementsAre(AllOf(StartsWith("48: "), HasSubstr("Use fewer elements, or extents that"))));
    // The shape of an output, on which expectations and facts depend.
    EXPECT_THAT(
        errors_of(replaced(parity, "shape = [\"n\"]", "shape = [\"sum(iota(n))\"]")),
        ElementsAre(AllOf(StartsWith("36: "), HasSubstr("This depends on an array, but only numbers"))));
}

TEST(TextLesson, RefusesExpectationsThatDecideNothing) {
    const auto errors_of = [](const std::string& expected) {
        return LessonFolder(replaced(parity, "\"float(trips)\"", '"' + expected + '"'), loop_kernel).errors();
    };
    for (const auto& [expected, number] :
         std::map<std::string, std::string>{{"float(trips) / (n - n)", "Element 0 is inf"},
                                            {"factor / float(iota(n) - 2)", "Element 2 is inf"},
                                            {"float(trips - trips) / (n - n)", "Element 0 is NaN"},
                                            {"sqrt(factor - float(trips))", "is NaN"},
                                            {"log(-float(trips))", "Element 0 is NaN"}})
        EXPECT_THAT(errors_of(expected), ElementsAre(AllOf(StartsWith("57: "), HasSubstr(number),
                                                           HasSubstr("by which no result can be judged"))))
            << expected;
    EXPECT_THAT(errors_of("float(trips / (iota(n) - 2))"),
                ElementsAre(HasSubstr("Element 2 accepts any result")));
    EXPECT_THAT(errors_of("where(iota(n) == 2, 0, factor / float(iota(n) - 2))"), IsEmpty());
    const auto errors_of_integers = [](const std::string& expected) {
        return LessonFolder(replaced(parity, "\"2 * trips\"", '"' + expected + '"'), loop_kernel).errors();
    };
    EXPECT_THAT(errors_of_integers("trips / (iota(n) - 2)"),
                ElementsAre(AllOf(StartsWith("56: "), HasSubstr("Element 2 accepts any result"))));
    EXPECT_THAT(errors_of_integers("trips % iota(n)"),
                ElementsAre(HasSubstr("Element 0 accepts any result")));
    EXPECT_THAT(errors_of_integers("1 + trips % iota(n)"),
                ElementsAre(HasSubstr("or of a number divided by 0")));
    EXPECT_THAT(errors_of_integers("1 + where(iota(n) == 0, 0, trips % iota(n))"), IsEmpty());
}

TEST(TextLesson, HasALimitOnItsDataFiles) {
    constexpr std::size_t limit = 60;  // a message carries 64 arrays
    for (const std::size_t count : {limit, limit + 2}) {
        std::string toml = parity;
        for (std::size_t i = 0; i < count; ++i)
            toml += fmt::format("[table.part{}]\ntype = \"f32\"\nfile = \"x.csv\"\n", i);
        LessonFolder folder(toml, loop_kernel);
        folder.write("x.csv", "1\n2\n");
        if (count == limit)
            EXPECT_THAT(folder.errors(), IsEmpty());
        else
            EXPECT_THAT(folder.errors(),
                        ElementsAre(HasSubstr("\"x.csv\" is data file 61, and a lesson can have 60.")));
    }
}

/// Deletes, repeats or replaces parts of a text.
std::string mutate(std::string text, std::uint32_t number) {
    std::vector<std::uint32_t> words(16);
    fill_random_u32(words, number, 0);
    const std::size_t changes = 1 + words[0] % 3;
    for (std::size_t i = 0; i < changes; ++i) {
        const std::size_t at = words[4 * i + 1] % text.size(), length = 1 + words[4 * i + 2] % 12;
        constexpr std::string_view replacements = "\"[]{}=.,()*-0\n\\\xff";
        switch (words[4 * i + 3] % 3) {
            case 0:
                text.erase(at, length);
                break;
            case 1:
                text.insert(at, text.substr(words[4 * i + 4] % text.size(), length));
                break;
            default:
                text[at] = replacements[words[4 * i + 4] % replacements.size()];
        }
    }
    return text;
}

TEST(TextLesson, AVariantWithoutIdIsOneError) {
    // Neither is the default name of its kernel an error, nor is its id.
    const LessonFolder folder(
        replaced(replaced(parity, "id = \"loop\"\n", ""), "kernel = \"loop.comp\"\n", ""), loop_kernel);
    EXPECT_THAT(folder.errors(), ElementsAre(HasSubstr("has no id. Add a line id = ")));
}

constexpr const char* parity_story = R"(---
chapter: 9 Your own
place: 1
question: What is parity?
minutes: 5
picture: occupancy
---
# Parity
## One each
<!-- id: one_each -->
A [kernel](term:kernel) with `code`, **strong** words and a list:

- one
- two

```set
rounds = 16
show: rounds
```

```kernel loop.comp
```

## A question
<!-- id: question -->

```predict
id: how_many
question: How many?
value: elements
guess: numbers | within 0
near: 1000 | No.
after: {value}.
```
)";

TEST(TextLesson, SurvivesMutantsOfItsFiles) {
    LessonFolder folder(std::string(parity) + "[input.weights]\ntype = \"f32\"\nfile = \"weights.csv\"\n",
                        loop_kernel);
    std::string numbers;
    for (int i = 0; i < 100; ++i)
        numbers += fmt::format("{}\n", 0.5 * i);
    folder.write("weights.csv", numbers);
    folder.write("story.en.md", parity_story);
    const CheckedFolder valid = check_folder(folder.path());
    ASSERT_THAT(valid.errors, IsEmpty());
    const std::uint32_t count = static_cast<std::uint32_t>(sample_of(5000, 150));
    for (const std::string file : {"lesson.toml", "loop.comp", "weights.csv", "story.en.md"}) {
        const std::string text = read_file(folder.path() / file);
        std::size_t loaded = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            folder.write(file, mutate(text, i));
            // Compiling takes most of the time.
            if (i % 50 == 0) {
                loaded += check_folder(folder.path()).errors.empty() ? 1 : 0;
                continue;
            }
            try {
                if (file == "story.en.md")
                    find_story_errors(*valid.lesson, read_story_file(folder.path() / file));
                else
                    load_lesson(folder.path());
                ++loaded;
            } catch (const Refusal&) {
            } catch (const FileError&) {
            } catch (const StoryError&) {
            }
        }
        EXPECT_GT(loaded, 0U) << file;
        EXPECT_LT(loaded, count) << file;
        folder.write(file, text);
    }
}

/// They have launches in two dimensions, tiles, conditions and several kernels.
TEST(TextLesson, ShippedLessonsSurviveMutants) {
    const auto count = static_cast<std::uint32_t>(sample_of(400, 4));
    for (const auto& shipped : find_lesson_folders(GRIDSTRIDE_SOURCE_DIR "/lessons")) {
        const ScratchFolder scratch;
        const auto folder = scratch / shipped.filename();
        std::filesystem::copy(shipped, folder, std::filesystem::copy_options::recursive);
        const std::string text = read_file(folder / "lesson.toml");
        for (std::uint32_t i = 0; i < count; ++i) {
            std::ofstream(folder / "lesson.toml") << mutate(text, i);
            EXPECT_NO_THROW(check_folder(folder)) << shipped << " mutant " << i;
        }
    }
}

TEST(TextLesson, RefusesFilesOutsideTheFolder) {
    const ScratchFolder elsewhere;
    std::ofstream(elsewhere / "loop.comp") << loop_kernel;
    std::ofstream(elsewhere / "notes.md") << "# Notes\n";
    LessonFolder folder(replaced(parity, "kernel = \"loop.comp\"", "kernel = \"inner/loop.comp\""),
                        loop_kernel);
    const auto inner = folder.path() / "inner";
    std::filesystem::create_directory_symlink(folder.path(), inner);
    EXPECT_THAT(folder.errors(), IsEmpty()) << "a link that stays inside";
    std::filesystem::remove(inner);
    std::filesystem::create_directory_symlink(elsewhere.path(), inner);
    EXPECT_THAT(folder.errors(), Contains(Mentions("47: ", "inner/loop.comp", "leads out")));
    std::filesystem::remove(inner);
    std::filesystem::create_directory(inner);
    ASSERT_EQ(mkfifo((inner / "loop.comp").c_str(), 0600), 0);
    EXPECT_THAT(folder.errors(), Contains(Mentions("47: ", "inner/loop.comp", "pipe")));
    std::filesystem::remove(inner / "loop.comp");
    std::ofstream(inner / "loop.comp") << loop_kernel;
    EXPECT_THAT(folder.errors(), IsEmpty());
    std::filesystem::create_symlink(elsewhere / "notes.md", folder.path() / "story.en.md");
    EXPECT_THAT(folder.errors(), ElementsAre(Mentions("story.en.md", "leads out")));
}

TEST(TextLesson, LimitsTheDataOfAllFilesTogether) {
    LessonFolder folder(std::string(parity) +
                            "[input.a]\ntype = \"f32\"\nfile = \"a.csv\"\n"
                            "[input.b]\ntype = \"f32\"\nfile = \"b.csv\"\n",
                        loop_kernel);
    const auto write_numbers = [&](const std::string& name) {
        std::string numbers;
        for (int i = 0; i < 100; ++i)
            numbers += fmt::format("{}\n", i);
        folder.write(name, numbers);
    };
    write_numbers("a.csv");
    write_numbers("b.csv");
    EXPECT_THAT(folder.errors(), IsEmpty());
    std::filesystem::resize_file(folder.path() / "b.csv", std::uintmax_t{300} << 20);
    EXPECT_THAT(folder.errors(), ElementsAre(Mentions("b.csv", 300, 256)));
}

// The folder is gone; kernels, included files and data are still there.
TEST(TextLesson, CanBeRebuiltFromItsSavedFiles) {
    std::shared_ptr<const Lesson> lesson;
    std::filesystem::path path;
    {
        LessonFolder folder(std::string(parity) + "[input.weights]\ntype = \"f32\"\nfile = \"weights.csv\"\n",
                            "#include \"inner/square.glsl\"\nvoid main() { results[0] = square(trips[0]); }");
        path = folder.path();
        std::filesystem::create_directory(path / "inner");
        folder.write("inner/square.glsl",
                     "#include \"product.glsl\"\nuint square(uint x) { return x * rounds; }");
        folder.write("inner/product.glsl", "uint product(uint x, uint y) { return x * y; }");
        std::string numbers;
        for (int i = 0; i < 100; ++i)
            numbers += "0.5\n";
        folder.write("weights.csv", numbers);
        folder.write("story.en.md", "# Story\n");
        lesson = load_lesson(path);
        folder.write("story.en.md", "# Another story\n");
        EXPECT_EQ(load_lesson(path)->version, lesson->version) << "no result depends on the story";
        folder.write("inner/product.glsl", "");
        EXPECT_NE(load_lesson(path)->version, lesson->version);
    }
    ASSERT_FALSE(std::filesystem::exists(path));
    const auto again = remake_lesson(path, *lesson->files);
    EXPECT_EQ(again->version, lesson->version);
    const PreparedExperiment run = prepare_with(*again);
    EXPECT_TRUE(run.is_valid());
    const KernelSource& kernel = run.plan.main().file_source.value();
    ASSERT_EQ(kernel.lesson_files.size(), 2U);
    EXPECT_EQ(kernel.lesson_files.back().first, "inner/product.glsl");
    EXPECT_EQ(run.plan.main().push.size(), 1U) << "an included file names a parameter";
    EXPECT_EQ(again->files->data, lesson->files->data) << "numbers are shared, not copied";
    EXPECT_THAT(read_kernel_file(*again, again->variants[0].kernel).text, HasSubstr("square"));
}

TEST(TextLesson, RefusesAFolderWithoutALesson) {
    const ScratchFolder empty;
    EXPECT_THROW(load_lesson(empty.path()), FileError);
}

// A start does not check them.
TEST(TextLesson, ShippedLessonsHaveNoMistakes) {
    for (const std::filesystem::path& folder : find_lesson_folders(GRIDSTRIDE_SOURCE_DIR "/lessons"))
        EXPECT_NO_THROW(load_lesson(folder)) << folder;
}

}  // namespace gridstride::text_lesson::lesson_test
