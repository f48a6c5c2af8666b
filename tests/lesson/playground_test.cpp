// Tests the playground without a GPU: its statements, the errors of wrong programs, and the programs that
// ship. tests/text_lesson tests expressions.

#include "base/mutations.h"
#include "lesson/kernel_file.h"
#include "lesson/lesson_case.h"
#include "readers/npy.h"
#include "test_includes.h"

namespace gridstride::playground_test {

using namespace test;

const Lesson& playground() {
    return *find_lesson("playground");
}

PreparedExperiment asked_of(KernelSource program, const Settings& settings = {}) {
    Experiment experiment = default_experiment(playground());
    experiment.values = values_with(playground(), settings);
    experiment.kernel = std::move(program);
    return prepare(std::move(experiment), software_device());
}
/// Prepares a program; the text omits the two header lines.
PreparedExperiment prepare_here(const std::string& text, const Settings& settings = {}) {
    return asked_of({"gridstride playground 1\nmodel m\n" + text, "mine.playground", ""}, settings);
}

/// Returns the errors of a program as "3: sentence", one per line.
std::string wrong(const std::string& text, const Settings& settings = {}) {
    const PreparedExperiment of = prepare_here(text, settings);
    EXPECT_EQ(any_refusal(of.remarks), !of.diagnostics.empty()) << text;
    std::string all;
    for (const Diagnostic& one : of.diagnostics)
        all += fmt::format("{}{}: {}", all.empty() ? "" : "\n", one.line, one.text);
    return all;
}

/// Returns the reference of the first output.
std::vector<double> right(const std::string& text, const Settings& settings = {}) {
    const PreparedExperiment of = prepare_here(text, settings);
    require_valid(of);
    return sample_numbers(*of.task.reference(of.make_input(), of).front().reference);
}

const std::string six = "tensor a 2 x 3 fill ramp\n";  // 0 1 2, 3 4 5

TEST(Playground, UsesTheParameterNAndNotesIfItIsUnused) {
    EXPECT_THAT(right("tensor a 1 x n fill ramp\ny = reshape(a, n x 1) / n", {{"n", "4"}}),
                ElementsAre(0, 0.25, 0.5, 0.75));
    for (const auto& [line, notes] : {std::pair{"y = a + 1", 1}, {"y = a + n", 0}})
        EXPECT_EQ(std::ranges::count(prepare_here(six + line).remarks, "This program does not use n.",
                                     &Remark::text),
                  notes)
            << line;
}

TEST(Playground, AssigningANameAgainCreatesItsNextVersion) {
    EXPECT_THAT(right(six + "y = a + 1\ny = y * 2\ny = y - 1"), ElementsAre(1, 3, 5, 7, 9, 11));
    const PreparedExperiment of = prepare_here(six + "y = a + 1\nshow y\ny = y * 2\nshow y, y");
    const std::vector<Expected> all = of.task.reference(of.make_input(), of);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].output, "m.y");
    EXPECT_EQ(all[1].output, "m.y_v2");
    EXPECT_EQ(all[1].reference->number(5), 12);
}

TEST(Playground, OutputsAreTheShownSavedAndExpectedTensors) {
    const auto outputs = [](const std::string& lines) {
        const PreparedExperiment of = prepare_here(six + "y = a + 1\nz = y'\nw = z * 2\nv = y\n" + lines);
        std::string all;
        for (const Expected& one : of.task.reference(of.make_input(), of))
            all += one.output + " ";
        return all;
    };
    EXPECT_EQ(outputs(""), "m.y ") << "the last result, v, is another name of y";
    EXPECT_EQ(outputs("show y, w"), "m.y m.w ");
    EXPECT_EQ(outputs("show z"), "m.z ") << "a view is copied as an output";
    EXPECT_EQ(outputs("show a"), "m.a_shown ");
    EXPECT_EQ(outputs("show a, a, v, y"), "m.a_shown m.y ");
    EXPECT_EQ(outputs("save w as \"w.npy\"\nexpect y = a + 1 within 0"), "m.w m.y m.y ")
        << "and once more for its expect";
    EXPECT_EQ(prepare_here(six + "show a")
                  .task.reference(prepare_here(six).make_input(), prepare_here(six + "show a"))
                  .size(),
              1U);
}

TEST(Playground, PlanListsSavedFiles) {
    const Plan plan = prepare_here(six + "y = a + 1\nsave y as \"y.npy\"").plan;
    ASSERT_EQ(plan.files.size(), 1U);
    EXPECT_EQ(plan.files[0].array, "m.y");
    EXPECT_EQ(plan.files[0].file, "y.npy");
    EXPECT_THAT(plan.files[0].shape, ElementsAre(2, 3));
    EXPECT_EQ(plan.files[0].line, 5U);
    for (const auto& [lines, begin] : {std::pair{"save a as \"y.npy\"", "\"y.npy\" is"},
                                       {"save a as \"y.npy\"\nsave a as \"z.npy\"", "2 files are"}})
        EXPECT_EQ(std::ranges::count(prepare_here(six + lines).remarks,
                                     fmt::format("{} written only by \"gridstride playground FILE\".", begin),
                                     &Remark::text),
                  1);
    EXPECT_THAT(prepare_here("tensor b 4 fill ramp\nsave b as \"b.npy\"").plan.files[0].shape,
                ElementsAre(4));
    EXPECT_THAT(wrong(six + "y = a + 1\nsave y as \"y.csv\""), Mentions(5, "y.csv"));
}

TEST(Playground, ModelsNeedShareAndUseToReadTensors) {
    const std::string p = six + "p = a + 1\n", shared = p + "share p with other\nmodel other\n";
    EXPECT_THAT(wrong(p + "model other\ny = m.p * 2"), Mentions(6, "m.p"));
    EXPECT_THAT(wrong(shared + "y = m.p * 2"), Mentions(7, "m.p"));
    EXPECT_EQ(wrong(shared + "use m.p\ny = m.p * 2"), "");
    EXPECT_THAT(wrong(shared + "use m.p\nmodel m\np = p * 2\nmodel other\ny = m.p * 2"),
                Mentions(11, "m.p", 1, 2));
    EXPECT_THAT(wrong(shared + "use m.p\nm.p = m.p * 2"), Mentions(8, "m.p"));
    EXPECT_EQ(wrong(p + "share p with other to write\nmodel other\nuse m.p\nm.p = m.p * 2"), "");
    EXPECT_THAT(wrong(p + "share p with othr"), Mentions(5, "model"));
}

TEST(Playground, PlaceComesFromTheLineOrTheParameter) {
    const auto host_steps = [](const std::string& line, const char* place) {
        const PreparedExperiment of =
            prepare_here(six + line + "\nz = y + 1 on gpu", {{"place", place}, {"execution", "planned"}});
        require_valid(of);
        return std::ranges::count_if(of.plan.steps,
                                     [](const Step& step) { return std::holds_alternative<HostStep>(step); });
    };
    EXPECT_EQ(host_steps("y = a * 2", "written"), 0);
    EXPECT_EQ(host_steps("y = tanh(a * 2) on cpu", "written"), 2);
    EXPECT_EQ(host_steps("y = tanh(a * 2) on cpu", "gpu"), 0);
    EXPECT_EQ(host_steps("y = tanh(a * 2)", "cpu"), 2);
    EXPECT_EQ(host_steps("y = a on cpu", "written"), 1) << "an existing tensor is copied";
    EXPECT_THAT(wrong(six + "y = a * 2 on tpu"), Mentions(4, "place"));
    EXPECT_THAT(prepare_here(six + "y = a * 2 on cpu").remarks.front().text, Mentions("computed"));
    EXPECT_THAT(prepare_here(six + "y = a * 2", {{"place", "cpu"}}).remarks.front().text,
                Mentions("computed"));
}

TEST(Playground, ReadsInputFilesFromTheProgramsFolder) {
    const ScratchFolder folder;
    const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
    const Array array = Array::of(std::span<const float>(numbers));
    write_file(folder / "a.npy", format_npy(array, 3));
    write_file(folder / "c.npy", format_npy(array, std::vector<std::uint64_t>{1, 3, 2}));
    write_file(folder / "m.csv", "x,y\n1,2\n3,4\n5,6\n");
    const std::vector<std::int16_t> half_bits = {0x3C00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600};
    std::string half = format_npy(Array::of(std::span<const std::int16_t>(half_bits)), 3);
    write_file(folder / "half.npy", half.replace(half.find("<i2"), 3, "<f2"));
    const auto of = [&](const std::string& line) {
        return asked_of(
            {"gridstride playground 1\nmodel m\ntensor a " + line, "mine.playground", folder.path()});
    };
    for (const char* line : {"2 x 3 fill file \"a.npy\"", "6 fill file \"half.npy\"",
                             "1 x 3 x 2 fill file \"c.npy\"", "3 x 2 fill file \"m.csv\""})
        EXPECT_THAT(sample_numbers(*of(line).make_input().front().array), ElementsAre(1, 2, 3, 4, 5, 6))
            << line;
    EXPECT_THAT(of("2 x 3 fill file \"a.npy\"\ny = a + 1").plan.input_files, ElementsAre("a.npy"));
    EXPECT_THAT(message_of<Refusal>([&] { of("3 fill file \"m.csv\"").make_input(); }),
                Mentions("m.csv", 6, 2, "m.a", 3, 3));
    EXPECT_THAT(message_of<Refusal>([&] { of("2 x 4 fill file \"a.npy\"").make_input(); }),
                Mentions(3, "a.npy", 6, 3, "m.a", 2, 4, 8));
    for (const char* outside : {"../a.npy", "/a.npy", "b/../../a.npy"})
        EXPECT_THAT(of(fmt::format("6 fill ramp\nsave a as \"{}\"", outside)).diagnostics.at(0).text,
                    HasSubstr("is outside"))
            << outside;
}

TEST(Playground, AcceptsMinusInfinityAsAMaskInFiles) {
    const ScratchFolder folder;
    const auto prepare_with = [&](float masked) {
        const std::vector<float> numbers = {1, masked, 2, masked, masked, masked};
        write_file(folder / "a.npy", format_npy(Array::of(std::span<const float>(numbers)), 3));
        return asked_of(
            {"gridstride playground 1\nmodel m\ntensor a 2 x 3 fill file \"a.npy\"\ny = softmax(a)",
             "mine.playground", folder.path()});
    };
    const PreparedExperiment of = prepare_with(-HUGE_VALF);
    const Expected y = of.task.reference(of.make_input(), of).front();
    EXPECT_NEAR(y.reference->number(0), 1 / (1 + std::exp(1.0)), 1e-12);
    EXPECT_EQ(y.reference->number(1), 0);
    EXPECT_LT(y.scale->number(1), 1e-30);
    EXPECT_TRUE(std::isnan(y.reference->number(3))) << "never right";
    EXPECT_THAT(y.note, Mentions(2, "m.a"));
    for (const float no_mask : {HUGE_VALF, std::nanf("")})
        EXPECT_THAT(message_of<Refusal>([&] { prepare_with(no_mask).make_input(); }), Mentions("finite"));
}

/// Returns the notes of the outputs of a program over the rows 0 0, -inf -1e30, -inf -inf, -inf -inf; b is
/// unmasked.
std::vector<std::string> notes_of(const std::string& lines) {
    const ScratchFolder folder;
    constexpr float mask = -HUGE_VALF;
    const std::vector<float> numbers = {0, 0, mask, -1e30F, mask, mask, mask, mask};
    write_file(folder / "a.npy", format_npy(Array::of(std::span<const float>(numbers)), 2));
    const PreparedExperiment of =
        asked_of({"gridstride playground 1\nmodel m\ntensor a 4 x 2 fill file \"a.npy\"\ntensor b 4 x 2 fill "
                  "ramp\n" +
                      lines,
                  "mine.playground", folder.path()});
    require_valid(of);
    std::vector<std::string> notes;
    for (const Expected& one : of.task.reference(of.make_input(), of))
        notes.push_back(one.note);
    return notes;
}

TEST(Playground, NotesTheFirstCompletelyMaskedRow) {
    const auto names_row = [](int row, const char* tensor) { return test::Mentions("Row", row, tensor); };
    EXPECT_THAT(notes_of("y = softmax(a)"), ElementsAre(names_row(3, "m.a")));
    EXPECT_THAT(notes_of("y = softmax(b)"), ElementsAre(IsEmpty()));
    EXPECT_THAT(notes_of("y = a + 1"), ElementsAre(IsEmpty())) << "addition accepts -inf";
    EXPECT_THAT(notes_of("y = softmax(slice(a, 0, 0, 2))"), ElementsAre(IsEmpty()))
        << "the slice has no masked row";
    EXPECT_THAT(notes_of("y = softmax(a')"), ElementsAre(IsEmpty())) << "no column is completely masked";
    EXPECT_THAT(notes_of("p = softmax(a)\ny = p * 2 + 1"), ElementsAre(names_row(3, "m.a")))
        << "also if softmax is one of several operations";
    EXPECT_THAT(notes_of("p = softmax(a)\ny = sum(p, 1)\nz = p + 1\nw = b + 1\nshow z, y, p, w"),
                ElementsAre(names_row(3, "m.a"), IsEmpty(), IsEmpty(), IsEmpty()))
        << "only the first output has the note";
    EXPECT_THAT(notes_of("s = a * 2\ny = softmax(a)\nz = softmax(s)\nshow y, z"),
                ElementsAre(names_row(3, "m.a"), names_row(3, "m.s")));
    EXPECT_THAT(notes_of("y = softmax(a)\nexpect y = softmax(a) within 1e-3"),
                ElementsAre(names_row(3, "m.a"), IsEmpty()));
}

TEST(Playground, RandomTensorsDifferAndFollowTheSeed) {
    const std::string two = "tensor a 100 fill random\ntensor b 100 fill random\ny = a + b";
    const Input one = prepare_here(two).make_input(), same = prepare_here(two).make_input(),
                other = prepare_here(two, {{"seed", "2"}}).make_input();
    EXPECT_EQ(sample_numbers(*one[0].array), sample_numbers(*same[0].array));
    EXPECT_NE(sample_numbers(*one[0].array), sample_numbers(*one[1].array));
    EXPECT_NE(sample_numbers(*one[0].array), sample_numbers(*other[0].array));
    for (const double number : sample_numbers(*one[0].array))
        ASSERT_LE(std::abs(number), 1);
}

TEST(Playground, ExpectIsComparedBesideTheOperationsDefinition) {
    const PreparedExperiment of = prepare_here(six + "y = (a + 1) * 2\nexpect y = 2 * a + 3 within 1e-3");
    require_valid(of);
    const std::vector<Expected> all = of.task.reference(of.make_input(), of);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].output, "m.y");
    EXPECT_THAT(sample_numbers(*all[0].reference), ElementsAre(2, 4, 6, 8, 10, 12));
    EXPECT_EQ(all[1].output, "m.y");
    EXPECT_THAT(sample_numbers(*all[1].reference), ElementsAre(3, 5, 7, 9, 11, 13));
    EXPECT_THAT(sample_numbers(*all[1].scale),
                Pointwise(DoubleNear(1e-12), {7e-3, 7e-3, 7e-3, 1.3e-2, 1.3e-2, 1.3e-2}));
    EXPECT_EQ(dispatches(of.plan).size(), 1U) << "the device does not compute the definition";
}

/// Returns the error that the judge would allow for each number of the first output that has an `expect`.
std::vector<double> allowed_by(const std::string& text) {
    const PreparedExperiment of = prepare_here(text);
    require_valid(of);
    for (const Expected& one : of.task.reference(of.make_input(), of))
        if (one.source.starts_with("the expectation within")) {
            std::vector<double> all = sample_numbers(*one.scale);
            for (double& number : all)
                number = one.tolerance.absolute + one.tolerance.relative * number;
            return all;
        }
    ADD_FAILURE() << "nothing is expected in\n" << text;
    return {};
}

TEST(Playground, WithinIsRelativeToTheRowMaximumOrTheTermsOfASum) {
    const auto near = [](std::vector<double> all) { return Pointwise(DoubleNear(1e-12), std::move(all)); };
    const auto allowed = [](const std::string& definition, const std::string& absolute = "") {
        return allowed_by(fmt::format("{0}y = {1}\nexpect y = {1} within 0.1{2}", six, definition, absolute));
    };
    EXPECT_THAT(allowed("a - 4"), near({0.4, 0.4, 0.4, 0.1, 0.1, 0.1}));
    EXPECT_THAT(allowed("a * 0"), near({0, 0, 0, 0, 0, 0})) << "rows of zeros are exact";
    EXPECT_EQ(allowed("a * 0")[0], 0);
    EXPECT_GT(allowed("exp(a * 0 - 100)")[0], 0x1p-126) << "a device may flush what is smaller to 0";
    EXPECT_THAT(allowed("a - 4", " absolute"), near({0.1, 0.1, 0.1, 0.1, 0.1, 0.1}));
    EXPECT_THAT(allowed("sum(a - 4, 1)"), near({0.9, 0.2}));
    EXPECT_THAT(allowed("sum(a - 4, 0)"), near({0.5, 0.3, 0.3}));
    EXPECT_THAT(allowed("(a - 2) @ a'"), near({0.1, 1, 0.8, 2.6}));
    EXPECT_THAT(allowed("((a - 2) @ a')'"), near({0.1, 0.8, 1, 2.6})) << "a view of a product";
    EXPECT_THAT(allowed("copy(sum(a - 4, 1))"), near({0.9, 0.2}));
    EXPECT_THAT(allowed("sum(a - 4, 1) * 1"), near({0.9, 0.9})) << "its last operation is not a sum";
    EXPECT_THAT(allowed("sum(sum(a - 4, 1), 0)"), near({0.9}));
    // A non-finite number is compared exactly, and does not widen the tolerance of its row.
    EXPECT_NEAR(allowed("log(a)")[1], 0.1 * std::log(2.0), 1e-12);
    EXPECT_THAT(allowed_by(six + "kernel k reads a writes y 2 x 3 { }\nexpect y = a - 4 within 0.1"),
                near({0.4, 0.4, 0.4, 0.1, 0.1, 0.1}));
}

// For every kind of name, the judge compares the numbers with the definition.
TEST(Playground, ExpectWorksForEveryKindOfName) {
    const std::string names =
        six +
        "tensor random 2 x 3 fill random\ny = a + 1\nalias = a\nalias_of_y = y\nview = a'\n"
        "part = slice(y, 1, 1, 2)\nline = reshape(a, 6)\nnumber = 3\ncopied = copy(a)\nhere = a * 2 on cpu\n"
        "moved = a on cpu\nq = quantise(a, by_row)\nback = dequantise(q)\n"
        "kernel k reads a writes made 2 x 3, other 6 { }\nof_kernel = made'\nagain = y * 2\nagain = again + "
        "1\n"
        "share y with other\nshow y\nmodel other\nuse m.y\ntheirs = m.y\n";
    for (const char* name : {"m.y", "theirs"})
        EXPECT_EQ(allowed_by(names + "expect " + name + " = m.y within 1 absolute").size(), 6U) << name;
    for (const std::string line :
         {"a = y - 1", "random = random", "y = a + 1", "alias = a", "alias_of_y = a + 1",
          "view = transpose(a, 0, 1)", "part = part", "line = reshape(a * 1, 6)", "copied = a",
          "here = a + a", "moved = a", "back = a", "made = a", "other = line * 1", "of_kernel = a'",
          "again = 2 * a + 3"})
        EXPECT_EQ(allowed_by(names + "model m\nexpect " + line + " within 1 absolute"),
                  std::vector<double>(line.starts_with("part") ? 4 : 6, 1.0))
            << line;
    EXPECT_THAT(allowed_by(names + "model m\nexpect number = 2 + 1 within 1 absolute"), ElementsAre(1));
    // The bytes include those that pad the last word of each row.
    EXPECT_EQ(allowed_by(names + "model m\nexpect q = quantise(a * 1, by_row) within 0").size(), 8U);
}

TEST(Playground, KernelsReadTheCurrentVersionOfATensor) {
    const PreparedExperiment of = prepare_here(
        six +
        "p = a + 1\np = p * 2\nkernel twice reads p, m.a writes q 2 x 3, r 6 workgroup 4 grid 2 {\n"
        "    void main() { q[0] = p[0] + m.a[1] + m.p[2] + v.p; }\n}\n"
        "expect q = p within 1e-4\nshow r");
    require_valid(of);
    const Dispatch* const launch = dispatches(of.plan).back();
    ASSERT_TRUE(launch->file_source);
    EXPECT_THAT(launch->file_source->text, HasSubstr("m_q[0] = m_p_v2[0] + m_a[1] + m_p_v2[2] + v.p;"));
    EXPECT_EQ(launch->file_source->name, "mine.playground");
    EXPECT_EQ(std::ranges::count(
                  launch->file_source->text.substr(0, launch->file_source->text.find("void main")), '\n'),
              6)
        << "line 7 of the file";
    EXPECT_EQ(launch->workgroup, Extent{4});
    EXPECT_EQ(launch->grid, Extent{2});
    const std::vector<Expected> all = of.task.reference(of.make_input(), of);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_THAT(sample_numbers(*all[0].reference), ElementsAre(2, 4, 6, 8, 10, 12));
    EXPECT_FALSE(all[1].reference) << "r has no expect";
}

TEST(Playground, KernelLaunchDefaultsToTheBench) {
    const auto launch_of = [](const char* shape) {
        const PreparedExperiment of =
            prepare_here(fmt::format("kernel k writes y {} {{ void main() {{}} }}", shape),
                         {{"workgroup", "8x4"}, {"grid", "3x2"}});
        require_valid(of);
        return *dispatches(of.plan).back();
    };
    EXPECT_EQ(launch_of("100").workgroup, Extent{32});
    EXPECT_EQ(launch_of("100").grid, Extent{6});
    EXPECT_EQ(launch_of("10 x 10").workgroup, (Extent{8, 4}));
    EXPECT_EQ(launch_of("10 x 10").grid, (Extent{3, 2}));
}

TEST(Playground, ProgramInTheManualIsValid) {
    const std::string page = read_file(data_directory() / "manual" / "programs.md");
    const std::size_t first = page.find("```playground\n") + 14;
    const PreparedExperiment of =
        asked_of({page.substr(first, page.find("\n```", first) - first), "manual", ""});
    for (const Diagnostic& one : of.diagnostics)
        ADD_FAILURE() << one.line << ": " << one.text;
    EXPECT_TRUE(of.is_valid());
}

TEST(Playground, ReportsEachMistakeWithItsMessage) {
    struct Case {
        const char *line, *sentence;
    };
    for (const auto& [line, sentence] : {
             Case{"y = a +",
                  "4: Expected a tensor, a number or an opening bracket after \"+\", but the line ends."},
             {"tensor n 4 fill ramp",
              "4: n is the name of the parameter Size. Give the tensor another name."},
             {"n = a", "4: n is the name of the parameter Size."},
             {"kernel k writes n 3 { }", "4: n is the name of the parameter Size."},
             {"y = a a", "4: Expected the end of the line after \"a\", but found \"a\"."},
             {"y = b", "4: There is no tensor m.b."},
             {"y = b.c", "4: There is no tensor b.c."},
             {"y = a ? 1", "4: \"?\" is not a valid character here."},
             {"tensor b 2 × 3 fill ramp", "Write * between tensors, and x between extents."},
             {"a + 1", "4: Expected model, tensor,"},
             {"n = a + 1", "4: n is the name of the parameter Size."},
             {"y_ = a + 1", "4: \"m.y_\" cannot be the name of a tensor"},
             {"a = a' + 1", "4: m.a is 2 x 3 of f32, but m would write 3 x 2"},
             {"tensor a 3 fill ramp", "4: There are two tensors \"m.a\""},
             {"tensor b 0 x 3 fill ramp", "4: 0 is not an extent."},
             {"tensor b 3 fill zeros",
              "4: Expected ramp, random or file after \"fill\", but found \"zeros\"."},
             {"tensor b 3 fill file b.npy", "Expected the name of a file in quotes after"},
             {"tensor b 3 fill file \"b.npy", "4: A quoted name is not closed."},
             {"tensor b 99999 x 1000 fill ramp",
              "4: A ramp of 99 999 000 numbers is too long: f32 can count only up to 16 777 216."},
             {"tensor b 3", "4: Expected \"fill\" after \"3\", but the line ends."},
             {"model 7", "4: Expected the name of a model after \"model\", but found \"7\"."},
             {"show \"a\"", "4: Expected the name of a tensor after \"show\", but found the quoted \"a\""},
             {"show", "4: Expected the name of a tensor after \"show\", but the line ends."},
             {"expect a = a + 1", "4: Expected \"within\" after \"1\", but the line ends."},
             {"kernel k writes b 3 { }\nexpect b = b within 0",
              "5: The definition of m.b depends on m.b itself."},
             {"y = a + 1\nexpect y = a + 1 within 0\nexpect y = a + 1 within 0",
              "6: m.y already has an expect in line 5"},
             {"expect a = a within 0\nexpect a = a within 0", "5: m.a already has an expect in line 4"},
             {"q = quantise(a, by_row)\nz = q'\nexpect z = q' within 0", "6: A copy to be an output"},
             {"kernel k reads a writes z 2 x 3 { }\ny = z + 1\nexpect y = z + 1 within 0",
              "6: The expect of m.y depends on m.z, the output of kernel k, which no expect checks."},
             {"kernel k reads a writes z 2 x 3 { }\nexpect a = z within 0",
              "5: The expect of m.a depends on m.z"},
             {"y = a + 1\nexpect y = a + 1 within 0 relative",
              "5: Expected the end of the line after \"0\", but found \"relative\"."},
             {"y = a + 1\nexpect y = a @ a' within 0", "5: m.y is 2 x 3 of f32, but its definition is 2 x 2"},
             {"use c", "4: There is no tensor m.c."},
             {"model other\n\ncaf\xC3\xA9 = 1", "6: \"\xC3\xA9\" is not a valid character here"},
             {"model caf\xC3\xA9\ntensor b 3 fill ramp\nc = b + 1",
              "4: \"\xC3\xA9\" is not a valid character here"},
             {"model a_b\ntensor b 3 fill ramp\nc = b + 1", "4: "},
             {"save a as \"a.npy\"\nsave a as \"./a.npy\"",
              "5: \"./a.npy\" is already written in line 4, and this line writes it. Use another file."},
             {"tensor b 3 fill file \"b.npy\"\nsave a as \"b.npy\"",
              "5: \"b.npy\" is already read in line 4"},
             {"save a as \"b.npy\"\ntensor b 3 fill file \"b.npy\"",
              "5: \"b.npy\" is already written in line 4, and this line reads it."},
             {"kernel k reads a writes z 4\n\n    { void main() {} } z = z + 1 // and more",
              "6: Expected the end of the line after the } of a kernel, but found \"z = z + 1"},
             {"kernel k writes b 3", "4: Expected the kernel in { and } after \"3\", but the line ends."},
             {"kernel k writes b 3 { void main() {}", "4: This kernel is not closed. Close its { with a }."},
             {"kernel k reads a writes a 2 x 3 // in place\n\n{ }",
              "4: The kernel k uses the name m.a twice."},
             {"kernel k reads c writes b 3 { }", "4: There is no tensor m.c."},
             {"kernel k reads a { }", "4: Expected \"writes\" after \"a\", but the line ends."},
             {"kernel k writes b 3 workgroup 1 x 1 x 1 x 1 { }", "has at most 3, x first."},
         }) {
        const std::string message = wrong(six + line);
        EXPECT_THAT(message, HasSubstr(sentence)) << line;
        EXPECT_EQ(std::ranges::count(message, '\n'), 0) << line << "\n" << message;
    }
}

TEST(Playground, ReportsAllFaultyLinesWithoutFollowOnErrors) {
    EXPECT_THAT(wrong(six + "p = a +\nq = p * 2\nr = q @ q\ns = nothing\nshow s, r\nt = a + ?\nu = t + 1"),
                Mentions(4, "+", 7, "m.nothing", 9, "?"));
    std::string many = six;
    for (int i = 0; i < 150; ++i)
        many += "fnord\n";
    EXPECT_THAT(wrong(many), Mentions(0, 50)) << "further errors are counted";
}

TEST(Playground, FaultyLineHidesNoOtherError) {
    // A tensor has the name of a keyword.
    EXPECT_THAT(wrong("tensor x 3 fil ramp\ntensor b 3 x 0 fill ramp"),
                Mentions("3: ", "fil", "fill", "4: ", 0, 1, "2147483648"));
    const std::string faulty_program = six + "y = a +\n";
    const auto next = [&](const std::string& line) {
        const std::string all = wrong(faulty_program + line);
        return all.substr(std::min(all.find("\n5: "), all.size()));
    };
    for (const char* follows :
         {"z = y", "z = y' @ a on cpu", "z = sum(y, 7) + softmax(y)", "y = a", "use y", "share y with m",
          "kernel k reads y writes z 3 { }", "kernel k writes y 3 { }\nz = y + a'", "expect y = a within 0",
          "expect a = y within 0", "show y, a", "save y as \"y.npy\""})
        EXPECT_EQ(next(follows), "") << follows;
    for (const char* garbage :
         {"fnord y", "z = y +", "z = y' * (a", "u = 3 y", "z = sum(y 1)", "z = y + nothing", "z = tan(y)",
          "use y y", "share y with", "kernel k reads y writes z 0 { }", "expect y = a", "show y a", "save y",
          "tensor b 3 fill y", "z = y on tpu"})
        EXPECT_NE(next(garbage), "") << garbage;
    EXPECT_THAT(wrong(six + "kernel k writes z 3 x 3\nshow x, z"), Mentions(5, "m.x"));
}

TEST(Playground, RequiresTheHeaderLineAndAModel) {
    const auto first = [](const std::string& text) {
        const PreparedExperiment of = asked_of({text, "mine.playground", ""});
        EXPECT_FALSE(of.is_valid());
        EXPECT_EQ(of.diagnostics.size(), 1U) << text;
        return of.diagnostics.empty() ? "" : of.diagnostics.front().text;
    };
    const char* const header = "The first line of a program must be \"gridstride playground 1\". Add it.";
    for (const char* text :
         {"", "\n\n", "// nothing", "model m\ntensor a 3 fill ramp", "gridstride\nplayground 1"})
        EXPECT_EQ(first(text), header) << text;
    EXPECT_THAT(first("gridstride playground 2\nmodel m"), Mentions(1, "language"));
    EXPECT_THAT(first("gridstride playground 1"), Mentions("model a", "tensor e 4 x 3 fill random"));
    EXPECT_THAT(first("gridstride playground 1\ntensor a 3 fill ramp"), Mentions("belongs"));
    EXPECT_EQ(first(std::string(10000, '\x80')), header);
    EXPECT_EQ(first(std::string(10000, '{') + "\"\n?\n?"), header);
    const PreparedExperiment noise =
        asked_of({std::string(std::size_t{4} << 20, '?'), "mine.playground", ""});
    EXPECT_FALSE(noise.is_valid());
    EXPECT_THAT(noise.remarks.front().text, Mentions("mine.playground", 4194304, 65536));
}

// A damaged program either gets error messages or is valid; no exception or crash may occur.
TEST(Playground, DamagedProgramsAreRefusedWithMessages) {
    std::vector<std::string> seeds;
    for (const Variant& variant : playground().variants)
        seeds.push_back(read_file(data_directory() / "shaders" / variant.kernel));
    std::mt19937 random(20261125);
    int whole = 0;
    const int all = sample_of(20'000, 2'000);
    for (int i = 0; i < all; ++i) {
        const std::string text = mutated(seeds[static_cast<std::size_t>(i) % seeds.size()], random);
        const PreparedExperiment of = asked_of({text, "mine.playground", ""});
        whole += of.is_valid() ? 1 : 0;
        for (const Diagnostic& one : of.diagnostics) {
            ASSERT_EQ(one.text.back(), '.') << text;
            ASSERT_LT(one.text.size(), 800U) << one.text;
            ASSERT_GE(one.line, 1U);
        }
    }
    EXPECT_GT(whole, all / 100);
    EXPECT_LT(whole, all * 99 / 100);
}

TEST(Playground, ExerciseIsJudgedWithTheInputOfItsText) {
    const auto expected_in = [](const char* variant, std::string text) {
        Experiment experiment = default_experiment(playground());
        experiment.variant = variant;
        experiment.kernel = KernelSource{std::move(text), "mine.playground", ""};
        const PreparedExperiment of = prepare(std::move(experiment), software_device());
        require_valid(of);
        return of.task.reference(of.make_input(), of);
    };
    const auto right_in = [&](const char* variant, const std::string& text) {
        return sample_numbers(*expected_in(variant, text).front().reference);
    };
    const std::string solution = read_shipped_kernel("playground/lean.playground").text;
    const std::string table = "tensor table 32 x 16 fill random\n", e = "tensor e n x 32 fill random\n";
    const auto with = [&](const std::string& in_place_of, const std::string& lines) {
        std::string text = solution;
        return text.replace(text.find(in_place_of), in_place_of.size(), lines);
    };
    // In another order each tensor is filled with other numbers.
    const std::string turned = with(table + e, e + table);
    EXPECT_EQ(right_in("lean", turned), right_in("chain", turned));
    EXPECT_NE(right_in("lean", turned), right_in("lean", solution));
    EXPECT_NO_THROW(expected_in("lean", with(e, e + "tensor f 2 fill ramp\n")));
    EXPECT_THAT(message_of<Refusal>([&] { expected_in("lean", with(e, "tensor e n x 32 fill ramp\n")); }),
                Mentions("words.e", 256, 32));
    // The program's own `expect` statements are checked in addition.
    const std::vector<Expected> all = expected_in("lean", solution + "expect score = score * 0 within 0\n");
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].source, "");
    EXPECT_THAT(all[1].source, Mentions(0, "expectation"));
    EXPECT_EQ(all[1].reference->number(0), 0);
}

TEST(Playground, ShippedProgramsHaveValidPlans) {
    for (const Limits& limits : {software_device(), large_gpu()})
        for (const Variant& variant : playground().variants)
            for (const char* execution : {"eager", "planned", "fused"})
                for (const char* in_place : {"no", "yes"}) {
                    const Values values =
                        values_with(playground(), {{"execution", execution}, {"in_place", in_place}});
                    const PreparedExperiment of = prepare_case(playground(), values, variant.id, limits);
                    require_valid(of);
                    ASSERT_EQ(find_plan_error(of.plan), "");
                }
}

}  // namespace gridstride::playground_test
