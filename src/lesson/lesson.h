// The contract between a lesson and everything else. A lesson is constant tables and stateless functions: it
// can be tested without a GPU, drawn without being run, and run without a window.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "launch/limits.h"
#include "launch/plan.h"
#include "launch/plan_builder.h"
#include "lesson/common_parameters.h"
#include "lesson/experiment.h"
#include "lesson/param.h"
#include "lesson/plot.h"
#include "lesson/remark.h"
#include "lesson/report.h"

namespace gridstride {

struct Prepared;
class Figures;

/// What a lesson computes from R, an experiment that is ready to run, and what is right. Where a variant's
/// task leaves a member empty, the lesson's counts.
template <class R>
struct TaskOf {
    /// Writes the plan, from the builder's domain, workgroup and grid and the values; there is no R::plan
    /// yet.
    std::function<void(PlanBuilder& plan, const R& run)> plan;
    /// In its place, where a plan is made elsewhere than in a builder: of a graph of tensors, of a program.
    /// Throws WrongProgram.
    std::function<Plan(const R& run)> make;

    /// What to say beside the controls; refusals keep the run from starting. prepare() itself checks the
    /// declared ranges, the device's limits and how the grid fits the domain.
    std::function<void(Remarks& add, const R& run)> remarks;

    /// The definition, in plain C++, written for reading.
    std::function<std::vector<Expected>(const Input& input, const R& run)> reference;

    /// The answers of the run: the report's facts. There is one output at least.
    std::function<std::vector<Fact>(const R& run, const Outputs& outputs)> result;

    /// The pictures, in the order in which they are shown.
    std::function<void(Figures& add, const R& run)> pictures;
};
using Task = TaskOf<Prepared>;

/// A function of a task that does nothing: where the lesson has one and a variant has none.
struct Nothing {
    template <class Result, class... Arguments>
    operator std::function<Result(Arguments...)>() const {
        return [](Arguments...) { return Result(); };
    }
};
inline constexpr Nothing nothing;

struct VariantName {
    std::string id;       ///< snake_case, named by its idea
    std::string title;    ///< "Tree, neighbours first"
    std::string summary;  ///< one sentence
};

/// What is special about a variant, whose task computes from R.
template <class R>
struct OptionsOf {
    /// The shader to show, below shaders/: "reduction/tree_interleaved.comp"; in a lesson of programs, the
    /// variant's program; of an exercise the starter. Empty: what the plan's main launch was made of, see
    /// Dispatch::source. with_variants() fills it in.
    std::string kernel = {};
    std::uint64_t per_invocation = 1;  ///< elements, along x, that an invocation takes in one pass
    bool uses_subgroups = false;       ///< subgroup arithmetic and ballots
    bool wrong_on_purpose = false;     ///< shows a mistake: its answer may be wrong, and is never the best
    bool is_baselines_work = true;  ///< the lesson's CPU baseline computes the same, and is timed beside it
    /// Of an exercise: the shader that answers it. Never read but to show it on request, and to check that it
    /// is right and that the starter is not.
    std::string solution = {};
    TaskOf<R> task;  ///< what it has in place of the lesson's
};

/// One way to compute the answer; or an exercise, for which students write the kernel.
struct Variant : VariantName, OptionsOf<Prepared> {
    std::shared_ptr<const void> facts;  ///< the lesson's own facts of it: see Run
};

/// Calls part(begin, end) for ranges that cover [0, count), and returns the sum of what it returns: on one
/// thread a single range, on all of them ranges of `block`.
using InParts = double (*)(std::size_t count, std::size_t block,
                           const std::function<double(std::size_t, std::size_t)>& part);

/// A plain CPU implementation to compare times with, written to be fast with the app's own compiler flags.
/// Computes the lesson's main answer and returns a number that depends on all of it, so that the compiler
/// cannot leave the work out.
using Baseline = std::function<double(const Input& input, const Values& values, InParts in_parts)>;

/// How many threads a baseline runs on.
struct BaselineThreads {
    std::string_view title;  ///< "one thread"
    InParts in_parts;
};
/// One thread, then all: the first one's time is the report's cpu_ns; the window shows both.
extern const std::array<BaselineThreads, 2> baseline_threads;

/// A program is wrong: every wrong line at once, each with its sentence; of very many the first.
struct WrongProgram : Refusal {
    explicit WrongProgram(std::vector<Diagnostic> all);
    std::vector<Diagnostic> diagnostics;
};

/// More than this is no program that a person wrote. The runs that are kept hold the text of theirs.
inline constexpr std::size_t max_program_bytes = std::size_t{64} << 10;
/// To throw.
Refusal too_large_program(const std::string& name, std::uint64_t bytes);

struct Lesson;
struct TakenRecording;

/// An experiment on a device, made ready once for all who ask: its plan and what there is to say of it.
struct Prepared {
    Experiment experiment;  ///< the count of its elements is that of the user's input, if there is one
    const Lesson* lesson = nullptr;
    const Variant* variant = nullptr;
    Task task;  ///< the lesson's, with what the variant has in place of it
    Limits limits;
    /// In a lesson of programs: the person's own, or the variant's with the folder that it ships in.
    KernelSource program;
    Plan plan;  ///< empty when a value is out of its range, or the program is wrong
    /// Ranges, device limits, memory, the launch, then the lesson's own.
    std::vector<Remark> remarks;
    std::vector<Diagnostic> diagnostics;  ///< what is wrong with the program, line by line: refusals too

    const Values& values() const { return experiment.values; }
    template <class T>
    decltype(auto) operator[](Key<T> key) const {
        return values()[key];
    }
    /// What a run is over: the domain's, or those of a program's main launch, which its text says.
    std::uint64_t elements() const;
    /// What goes into a run: the person's own numbers, what the program says, or the lesson's own. Throws
    /// Refusal when numbers do not fit.
    Input make_input() const;
    /// What takes the place of the variant's kernel; null: nothing does. A program is no kernel.
    const KernelSource* own_kernel() const;
    /// The file of the variant's kernel below shaders/; of one that was made, what stands for it.
    std::string kernel_file() const;
    bool valid() const { return !any_refusal(remarks); }  ///< it can be run
};

/// What a lesson's pictures are made from.
struct PictureInput {
    const Prepared& prepared;
    const Report* report =
        nullptr;  ///< null before the first run: what can be drawn from the values alone is drawn
    /// Every run of this lesson so far, oldest first, without inputs and outputs: for pictures of time
    /// against a parameter.
    std::span<const Report* const> history = {};
    const TakenRecording* recording = nullptr;  ///< of the same run; null: there is none
};

/// How a person is told of the text that they write in a lesson: of it, what is done, and what it does.
struct OwnText {
    std::string_view noun;
    std::string_view trying, tries, is_tried;  ///< "It is compiled when you pause."
    std::string_view passes, passed, fails;    ///< "Line 3 does not compile."
};
inline constexpr OwnText own_kernel{
    "kernel", "Compiling it, and running it", "compiles", "compiled", "compiles", "did", "does not compile"};
inline constexpr OwnText own_program{"program",    "Running it",   "tries",   "tried",
                                     "can be run", "could be run", "is wrong"};

struct Lesson {
    std::string id;     ///< the folder's name
    std::string title;  ///< "Reduction"
    /// Of a lesson that is made at run time: tells its states apart. The program's own have none.
    std::string version = {};
    std::vector<Parameter> parameters;  ///< common_parameters() first
    /// The parameters, one to three, that say what a launch runs over: x, y, z.
    std::vector<std::string> domain = {std::string(key::elements.id)};
    std::string noun = "elements";  ///< what the domain consists of, in the plural
    std::vector<Variant> variants;  ///< in story order
    std::string default_variant = {};
    std::vector<Variant> exercises = {};  ///< what students make: no list shows them

    /// The lesson's own input. It is given the values that shape it alone (Invalidates::input), so the same
    /// seed gives the same bytes on every machine whatever the launch.
    std::function<Input(const Values& values)> input = {};
    /// In its place, of a lesson of programs: what runs is written in a text, Prepared::program, that ships
    /// as Variant::kernel and that a person edits as a kernel. Plan, input and reference follow from it.
    /// The files that it reads, by read_within(), are the plan's input_files. Throws WrongProgram.
    std::function<Input(const Prepared& prepared)> input_of_program = {};
    /// The endings of files that can take its place: ".csv", ".npy", ".wav", ".png". Empty: none can.
    std::vector<std::string> input_files = {};
    /// The parameters that such a file sets: the count of its numbers, or the columns and rows of what has
    /// two dimensions. Empty: the domain.
    std::vector<std::string> input_extent = {};
    /// The user's data as input, their numbers first; the values, those that shape the input, say how large
    /// it is. Empty: the lesson takes none. Throws Refusal naming the first number that does not fit and what
    /// to do.
    std::function<Input(const UserData& data, const Values& values)> input_from_user = {};

    /// The values of a parameter, within its declared range, that differ in what they do to this input: where
    /// its slider goes and what a sweep is suggested over. Empty, or nullopt: all that is declared.
    std::function<std::optional<ValueRange>(std::string_view parameter, const Input& input)> range_of = {};

    Task task;
    /// Beside the input, the variant and the values that shape it, the reference depends on the workgroup and
    /// the grid: a result for each workgroup.
    bool reference_depends_on_launch = false;
    /// False: all variants, exercises left aside, are to find the same, so it is computed once for them.
    bool reference_depends_on_variant = true;
    /// This launch makes the variant's answer wrong, to show how: what Variant::wrong_on_purpose says of all
    /// launches. Empty: none does.
    std::function<bool(const Values& values, const Variant& variant)> wrong_on_purpose = {};

    /// Given the values that shape the input or the reference alone. Empty: there is none.
    Baseline baseline = {};

    bool has_programs() const { return input_of_program != nullptr; }
    /// Those values that a function of the lesson may depend on: what these parameters, and those whose
    /// change goes further, invalidate.
    Values values_up_to(Invalidates what, const Values& values) const;
    const OwnText& own_text() const { return has_programs() ? own_program : own_kernel; }
    Extent domain_of(const Values& values) const;
    bool is_domain(std::string_view parameter) const;
    const std::vector<std::string>& extent_of_input() const {
        return input_extent.empty() ? domain : input_extent;
    }
    bool is_set_by_input(std::string_view parameter) const;
};

/// Exercises too. Null when unknown.
const Variant* find_variant(const Lesson& lesson, std::string_view id);
const Variant* find_exercise(const Lesson& lesson, std::string_view id);  ///< null when unknown

// The lessons that this process knows: lessons/registry.cpp.

/// Every lesson by id, in its newest version; course() has them in the order in which they are offered.
std::vector<const Lesson*> all_lessons();

/// The newest version; null when unknown. What this and all_lessons() return lives as long as the process: a
/// version that was replaced is kept, so that its reports stay readable.
const Lesson* find_lesson(std::string_view id);
/// The version that the experiment is of; null: this process does not know it.
const Lesson* find_lesson(const Experiment& experiment);

/// Adds a lesson, or a newer version of one. Throws std::invalid_argument where one of the same id and
/// version is there: its reports would be taken for those of another.
void register_lesson(std::shared_ptr<const Lesson> lesson);

/// The lessons that the program is built with. Generated by CMake from the folders under lessons/.
std::vector<const Lesson*> built_in_lessons();

/// It asks for the same answers, whichever kernels are to find them: a program says itself what is asked.
bool same_question(const Experiment& a, const Experiment& b);

/// Experiment::kernel is a program.
bool has_programs(const Experiment& experiment);

/// What the experiment's launch runs over; 0 elements for a lesson that is not there.
Extent domain_of(const Experiment& experiment);

/// The lesson at its defaults.
Experiment default_experiment(const Lesson& lesson);

/// The variant, the launch or one of the choices makes the answer of the lesson's own kernel wrong, to show
/// how. A user's kernel, and what is made in an exercise, is to be right whatever these are.
bool is_wrong_on_purpose(const Lesson& lesson, const Experiment& experiment);

/// Where the user gave an input, it says how many elements there are.
void take_count_of_input(const Lesson& lesson, Experiment& experiment);

/// Examines an experiment and makes its plan. Throws Refusal for a lesson or variant that is not there.
Prepared prepare(Experiment experiment, const Limits& limits);
/// The same of a lesson that need not be in the course.
Prepared prepare(const Lesson& lesson, Experiment experiment, const Limits& limits);

/// Throws Refusal with every reason at once if it cannot be run, WrongProgram where that is the program.
void require_valid(const Prepared& prepared);

/// Names the shaders of variants and exercises that leave them out, and the default variant: see
/// with_variants().
void name_shaders(Lesson& lesson);

/// What the functions of a lesson are called with: an experiment on a device, and the facts of its variant.
template <class Facts>
struct Run {
    const Prepared& prepared;
    const Values& values;
    const Variant& variant;
    const Facts& facts;
    const Limits& limits;
    const Plan& plan;  ///< without steps where a value is out of its range

    explicit Run(const Prepared& of)
        : prepared(of),
          values(of.values()),
          variant(*of.variant),
          facts(facts_of(variant)),
          limits(of.limits),
          plan(of.plan) {}

    template <class T>
    decltype(auto) operator[](Key<T> key) const {
        return values[key];
    }
    /// The parameter has the value that its declaration says.
    bool is_default(std::string_view parameter) const {
        return values.at(parameter) == find(prepared.lesson->parameters, parameter)->default_value;
    }
    Extent workgroup() const { return workgroup_of(values); }
    /// Of the variant: its kernel's name, as PlanBuilder::launch() takes it.
    std::string kernel() const { return variant.kernel.substr(0, variant.kernel.rfind('.')); }
    /// The lesson's, exercises left aside.
    const std::vector<Variant>& variants() const { return prepared.lesson->variants; }
    static const Facts& facts_of(const Variant& variant) {
        return *static_cast<const Facts*>(variant.facts.get());
    }
};

/// A variant or an exercise of a lesson, with the lesson's own facts of it, and what its task has in place of
/// the lesson's.
template <class Facts>
struct Row {
    VariantName name;
    Facts facts;
    OptionsOf<Run<Facts>> options;
};

/// The task for any run, from one that knows the facts.
template <class Facts>
Task without_facts(const TaskOf<Run<Facts>>& task) {
    Task made;
    if (task.plan)
        made.plan = [f = task.plan](PlanBuilder& plan, const Prepared& run) { f(plan, Run<Facts>(run)); };
    if (task.make) made.make = [f = task.make](const Prepared& run) { return f(Run<Facts>(run)); };
    if (task.remarks)
        made.remarks = [f = task.remarks](Remarks& add, const Prepared& run) { f(add, Run<Facts>(run)); };
    if (task.reference)
        made.reference = [f = task.reference](const Input& input, const Prepared& run) {
            return f(input, Run<Facts>(run));
        };
    if (task.result)
        made.result = [f = task.result](const Prepared& run, const Outputs& outputs) {
            return f(Run<Facts>(run), outputs);
        };
    if (task.pictures)
        made.pictures = [f = task.pictures](Figures& add, const Prepared& run) { f(add, Run<Facts>(run)); };
    return made;
}

/// The lesson with these variants, the first of which is the default, and exercises. A row's kernel, unless
/// it is said, is "<lesson>/<variant>.comp", an exercise's starter "<lesson>/<exercise>_start.comp" and its
/// solution "<lesson>/<exercise>.comp"; those of a lesson of programs end with ".<lesson>".
template <class Facts>
Lesson with_variants(Lesson lesson, const TaskOf<Run<Facts>>& task, const std::vector<Row<Facts>>& variants,
                     const std::vector<Row<Facts>>& exercises = {}) {
    lesson.task = without_facts(task);
    const auto add = [](std::vector<Variant>& all, const Row<Facts>& row) {
        const auto& of = row.options;
        all.push_back({row.name,
                       {of.kernel, of.per_invocation, of.uses_subgroups, of.wrong_on_purpose,
                        of.is_baselines_work, of.solution, without_facts(of.task)},
                       std::make_shared<const Facts>(row.facts)});
    };
    for (const Row<Facts>& row : variants)
        add(lesson.variants, row);
    for (const Row<Facts>& row : exercises)
        add(lesson.exercises, row);
    name_shaders(lesson);
    return lesson;
}

}  // namespace gridstride
