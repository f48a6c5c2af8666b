// The interface between a lesson and the rest of the program. A lesson consists of constant tables and
// stateless functions, so it can be tested without a GPU, drawn without being run, and run without a window.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/language.h"
#include "launch/limits.h"
#include "launch/plan.h"
#include "launch/plan_builder.h"
#include "lesson/common_parameters.h"
#include "lesson/experiment.h"
#include "lesson/lesson_files.h"
#include "lesson/param.h"
#include "lesson/plot.h"
#include "lesson/remark.h"
#include "lesson/report.h"

namespace gridstride {

struct PreparedExperiment;
class Figures;

/// The computation of a lesson, and its reference. R is an experiment that is ready to run. If a member of a
/// variant's task is empty, the lesson's is used.
template <class R>
struct BasicTask {
    /// Adds the steps of the plan to the builder, which has the domain, the workgroup and the grid. R::plan
    /// is still empty.
    std::function<void(PlanBuilder& plan, const R& run)> plan;
    /// Replaces `plan` if the plan is not made by a builder, but from a tensor graph or a program. Throws
    /// ProgramError.
    std::function<Plan(const R& run)> make_plan;

    /// Adds remarks, which the window shows beside the controls. A refusal prevents the run. prepare() itself
    /// checks the declared ranges, the device's limits and how the grid fits the domain.
    std::function<void(Remarks& remarks, const R& run)> remarks;

    /// Computes the references by the definition, in plain C++ that is written to be read.
    std::function<std::vector<Expected>(const Input& input, const R& run)> reference;

    /// Returns the results of the run, which become the report's facts. There is at least one output.
    std::function<std::vector<Fact>(const R& run, const Outputs& outputs)> result;

    /// Adds the pictures in the order in which they are shown.
    std::function<void(Figures& figures, const R& run)> pictures;
};
using Task = BasicTask<PreparedExperiment>;

/// A task function that does nothing, for variants that must not use the lesson's.
struct NoOp {
    template <class Result, class... Arguments>
    operator std::function<Result(Arguments...)>() const {
        return [](Arguments...) { return Result(); };
    }
};
inline constexpr NoOp no_op;

struct VariantName {
    std::string id;       ///< snake_case
    std::string title;    ///< "Tree, neighbours first"
    std::string summary;  ///< one sentence
};

/// Optional properties of a variant. R is the argument of its task functions.
template <class R>
struct BasicVariantOptions {
    /// The file below shaders/ to show, such as "reduction/tree_interleaved.comp". In a lesson with programs
    /// it is the variant's program, for an exercise the starter. with_variants() sets it if it is empty. It
    /// stays empty if the plan generates the kernel: see Dispatch::source.
    std::string kernel = {};
    std::uint64_t per_invocation = 1;  ///< elements, along x, that an invocation processes in one pass
    bool uses_subgroups = false;       ///< needs subgroup arithmetic and ballots
    bool wrong_on_purpose = false;     ///< shows a mistake; may be wrong, and is never the best
    bool has_baseline = true;          ///< the lesson's CPU baseline computes the same
    /// For an exercise: the file of its solution. It is read only to show it on request, and to check that it
    /// is right and that the starter is wrong. Empty in a folder that was packed for students.
    std::string solution = {};
    BasicTask<R> task;  ///< replaces functions of the lesson's task
};

/// One way to compute the answer, or an exercise, for which students write the kernel.
struct Variant : VariantName, BasicVariantOptions<PreparedExperiment> {
    std::shared_ptr<const void> facts;  ///< the lesson's facts about it, see Run
};

/// Calls part(begin, end) for ranges that cover [0, count), and returns the sum of the results. On one thread
/// there is one range; on several, each range has `block` elements.
using SumRanges = double (*)(std::size_t count, std::size_t block,
                             const std::function<double(std::size_t, std::size_t)>& part);

/// A CPU implementation to compare times with, written to be fast with this program's compiler flags. It
/// computes the lesson's main answer and returns a number that depends on all of it, so that the compiler
/// cannot remove the work.
using Baseline = std::function<double(const Input& input, const Values& values, SumRanges sum_ranges)>;

struct BaselineThreads {
    const char* title;  ///< "one thread": for tr()
    SumRanges sum_ranges;
};
/// One thread, then all threads. The time of the first is the report's cpu_ns; the window shows both.
extern const std::array<BaselineThreads, 2> baseline_threads;

/// Thrown for a program with errors. Has a diagnostic for each faulty line, at most 100.
struct ProgramError : Refusal {
    explicit ProgramError(std::vector<Diagnostic> all);
    std::vector<Diagnostic> diagnostics;
};

/// The largest program. It is limited because each run in the history keeps the text of its program.
inline constexpr std::size_t max_program_bytes = std::size_t{64} << 10;
/// Returns the exception to throw for a program that exceeds max_program_bytes.
Refusal program_too_large(const std::string& name, std::uint64_t bytes);

struct Lesson;
struct AnalyzedTrace;

/// An experiment on a device, with its plan and its remarks.
struct PreparedExperiment {
    Experiment experiment;  ///< its element count is that of the user's input, if there is one
    const Lesson* lesson = nullptr;
    const Variant* variant = nullptr;
    Task task;  ///< the lesson's, with the variant's replacements
    Limits limits;
    /// In a lesson with programs: the user's own, or the variant's with the folder that it ships in.
    KernelSource program;
    Plan plan;  ///< empty if a value is out of its range or the program has errors
    /// In this order: ranges, device limits, memory, the launch, the lesson's own.
    std::vector<Remark> remarks;
    std::vector<Diagnostic> diagnostics;  ///< errors of the program by line; `remarks` has them too

    const Values& values() const { return experiment.values; }
    template <class T>
    decltype(auto) operator[](Key<T> key) const {
        return values()[key];
    }
    /// Returns the number of elements of the domain, or of the main launch of a program.
    std::uint64_t elements() const;
    /// Returns the input of the run: the user's numbers, what the program defines, or the lesson's own input.
    /// Throws Refusal if the numbers do not fit.
    Input make_input() const;
    /// Returns the user's kernel, which replaces the variant's, or null. A program is not a kernel.
    const KernelSource* user_kernel() const;
    /// Returns the file of the variant's kernel below shaders/, or the name of a generated kernel.
    std::string kernel_file() const;
    bool is_valid() const { return !any_refusal(remarks); }  ///< whether it can be run
};

struct PictureInput {
    const PreparedExperiment& prepared;
    /// Null before the first run; then only pictures that depend on the values alone are drawn.
    const Report* report = nullptr;
    /// Every earlier run of this lesson, oldest first, without inputs and outputs, for pictures of time
    /// against a parameter.
    std::span<const Report* const> history = {};
    const AnalyzedTrace* trace = nullptr;  ///< the trace of the same settings, or null
};

/// Phrases for the user's own kernel or program, for messages.
struct UserSource {
    std::string_view noun;
    std::string_view attempt_phrase, attempt_verb,
        attempt_participle;                                     ///< such as "It is compiled when you pause."
    std::string_view success_verb, success_past, failure_verb;  ///< such as "mine.comp does not compile."
};
inline UserSource user_kernel() {
    return {tr("kernel"), tr("Compiling and running it"), tr("compiles"), tr("compiled"), tr("compiles"),
            tr("did"),    tr("does not compile")};
}
inline UserSource user_program() {
    return {tr("program"),    tr("Running it"),   tr("tries"),       tr("tried"),
            tr("can be run"), tr("could be run"), tr("has an error")};
}

struct Lesson {
    std::string id;     ///< the folder's name
    std::string title;  ///< "Reduction"
    /// Identifies the state of a lesson that is created at run time. Empty for built-in lessons.
    std::string version = {};
    std::vector<Parameter> parameters;  ///< common_parameters() first
    /// The one to three parameters that define the extent of the domain along x, y and z.
    std::vector<std::string> domain = {std::string(key::elements.id)};
    std::string noun = "elements";  ///< what the domain consists of, plural
    std::vector<Variant> variants;  ///< in story order
    std::string default_variant = {};
    std::vector<Variant> exercises = {};  ///< what students solve; lists do not show them
    /// The kernels that compute references: see ReferenceKernel. No list shows them, and nobody can select
    /// them.
    std::vector<Variant> references = {};

    /// Generates the lesson's own input. It gets only the values that the input depends on
    /// (Invalidates::input), so the same seed gives the same bytes on every machine, whatever the launch.
    std::function<Input(const Values& values)> input = {};
    /// Replaces `input` in a lesson with programs. Plan, input and reference then follow from a text,
    /// PreparedExperiment::program, which ships as Variant::kernel and which the user edits like a kernel.
    /// The files that it reads with read_file_in_folder() are the plan's input_files. Throws ProgramError.
    std::function<Input(const PreparedExperiment& prepared)> make_program_input = {};
    /// The extensions of files that can replace the input: ".csv", ".npy", ".wav", ".png". Empty: none.
    std::vector<std::string> input_files = {};
    /// The parameters that such a file sets: the number of elements, or columns and rows of a file with two
    /// dimensions. Empty: the parameters of the domain.
    std::vector<std::string> input_extent = {};
    /// Converts the user's data to an input, whose first array has the user's numbers. `values` holds the
    /// values that the input depends on, including its size. Empty: the lesson accepts no files. Throws
    /// Refusal, which names the first number that does not fit and what to do.
    std::function<Input(const UserData& data, const Values& values)> input_from_user = {};

    /// Returns the part of a parameter's declared range in which its values have different effects on this
    /// input. Sliders and suggested sweeps use it. Empty, or nullopt: the whole declared range.
    std::function<std::optional<ValueRange>(std::string_view parameter, const Input& input)> effective_range =
        {};

    Task task;
    /// True if the reference also depends on the workgroup and the grid, as with a result per workgroup.
    bool reference_depends_on_launch = false;
    /// False if all variants, except exercises, have the same reference, which is then computed once.
    bool reference_depends_on_variant = true;
    /// Returns true if the variant's result is wrong on purpose at these values. Variant::wrong_on_purpose
    /// applies to all values. Empty: never.
    std::function<bool(const Values& values, const Variant& variant)> wrong_on_purpose = {};

    /// Gets only the values that the input or the reference depends on. Empty: the lesson has no baseline.
    Baseline baseline = {};

    /// The folder of the stories. Empty: the one that ships, lessons/ID.
    std::string folder = {};
    std::shared_ptr<const LessonFiles> files = {};  ///< of a lesson of text; null for others

    bool has_programs() const { return make_program_input != nullptr; }
    /// Returns the values of the parameters whose Parameter::invalidates is `what` or comes before it.
    Values values_affecting(Invalidates what, const Values& values) const;
    UserSource user_source() const { return has_programs() ? user_program() : user_kernel(); }
    Extent domain_extent(const Values& values) const;
    bool is_domain_parameter(std::string_view parameter) const;
    const std::vector<std::string>& parameters_set_by_input() const {
        return input_extent.empty() ? domain : input_extent;
    }
    bool is_set_by_input(std::string_view parameter) const;
};

/// Finds a variant or an exercise. Returns null if the id is unknown.
const Variant* find_variant(const Lesson& lesson, std::string_view id);
const Variant* find_exercise(const Lesson& lesson, std::string_view id);   ///< null if unknown
const Variant* find_reference(const Lesson& lesson, std::string_view id);  ///< null if unknown
/// Returns the kernels of variants, the starters and the solutions, named as Variant::kernel.
std::set<std::string> list_kernel_files(const Lesson& lesson);
/// Returns the text of such a file: of a lesson of text as it was when the lesson was loaded. Throws
/// FileError.
KernelSource read_kernel_file(const Lesson& lesson, const std::string& file);

// The registry of lessons, which lessons/registry.cpp implements.

/// Returns the newest version of every lesson, sorted by id. course() has the order of the course.
std::vector<const Lesson*> all_lessons();

/// Returns the newest version, or null if the id is unknown. Pointers from this function and all_lessons()
/// stay valid until the process ends: replaced versions are kept, so that their reports stay readable.
const Lesson* find_lesson(std::string_view id);
/// Returns the version that the experiment belongs to, or null if it is unknown.
const Lesson* find_lesson(const Experiment& experiment);
/// Counts the calls of register_lesson().
std::uint64_t lesson_revision();

/// Adds a lesson, or a newer version of one. A version that the registry has becomes the newest again. Throws
/// std::invalid_argument for a second built-in lesson with the same id.
void register_lesson(std::shared_ptr<const Lesson> lesson);
/// Takes a lesson out of all_lessons() and find_lesson(id) until a version of it is registered again.
void withdraw_lesson(const std::string& id);

/// Returns the lessons that ship. CMake generates this function from the folders under lessons/.
std::vector<std::shared_ptr<const Lesson>> built_in_lessons();

/// Returns true if both experiments must give the same results. User kernels are ignored; programs are
/// compared, because a program defines its results.
bool same_expected_results(const Experiment& a, const Experiment& b);

/// Returns true if Experiment::kernel is a program, not a kernel.
bool has_programs(const Experiment& experiment);

/// Returns the extent of the experiment's domain; 0 elements if its lesson is unknown.
Extent domain_extent(const Experiment& experiment);

/// Returns the default variant of the lesson with all parameters at their defaults.
Experiment default_experiment(const Lesson& lesson);

/// Returns true if the variant, the launch or a choice makes the lesson's own kernel wrong on purpose. Always
/// false for user kernels and exercises, which must be right.
bool is_wrong_on_purpose(const Lesson& lesson, const Experiment& experiment);

/// Sets the parameters in Lesson::parameters_set_by_input() to the size of the user's input, if there is one.
void apply_input_extent(const Lesson& lesson, Experiment& experiment);

/// Checks an experiment, whose variant may be one of Lesson::references, and makes its plan. Throws Refusal
/// if the lesson or the variant is unknown.
PreparedExperiment prepare(Experiment experiment, const Limits& limits);
/// Does the same for a lesson that need not be registered.
PreparedExperiment prepare(const Lesson& lesson, Experiment experiment, const Limits& limits);

/// Throws Refusal with all reasons if the experiment cannot be run, or ProgramError if its program has
/// errors.
void require_valid(const PreparedExperiment& prepared);

/// Sets the default variant, and the kernel files of variants and exercises that are empty: see
/// with_variants().
void set_default_shaders(Lesson& lesson);

/// The argument of a lesson's functions: an experiment on a device, and the lesson's facts about its variant.
template <class Facts>
struct Run {
    const PreparedExperiment& prepared;
    const Values& values;
    const Variant& variant;
    const Facts& facts;
    const Limits& limits;
    const Plan& plan;  ///< has no steps if a value is out of its range

    explicit Run(const PreparedExperiment& of)
        : prepared(of),
          values(of.values()),
          variant(*of.variant),
          facts(get_facts(variant)),
          limits(of.limits),
          plan(of.plan) {}

    template <class T>
    decltype(auto) operator[](Key<T> key) const {
        return values[key];
    }
    /// Returns true if the parameter has its default value.
    bool is_default(std::string_view parameter) const {
        return values.at(parameter) == find(prepared.lesson->parameters, parameter)->default_value;
    }
    Extent workgroup() const { return requested_workgroup(values); }
    /// Returns when an array is filled that each run leaves as the next one needs it. A user's kernel always
    /// finds it filled: one that remembers could skip its work.
    Fill::Time fill_time_of_kept_array() const {
        return prepared.user_kernel() ? Fill::Time::in_run : Fill::Time::once;
    }
    /// Returns the name of the variant's kernel for PlanBuilder::launch(), without an extension.
    std::string kernel() const { return variant.kernel.substr(0, variant.kernel.rfind('.')); }
    /// Returns the lesson's variants without its exercises.
    const std::vector<Variant>& variants() const { return prepared.lesson->variants; }
    static const Facts& get_facts(const Variant& variant) {
        return *static_cast<const Facts*>(variant.facts.get());
    }
};

/// A variant or exercise of a lesson with the lesson's facts about it, in a table of the lesson.
template <class Facts>
struct Row {
    VariantName name;
    Facts facts;
    BasicVariantOptions<Run<Facts>> options;
};

/// Converts a task whose functions take Run<Facts> to one whose functions take PreparedExperiment.
template <class Facts>
Task erase_facts(const BasicTask<Run<Facts>>& task) {
    Task erased_task;
    if (task.plan)
        erased_task.plan = [f = task.plan](PlanBuilder& plan, const PreparedExperiment& run) {
            f(plan, Run<Facts>(run));
        };
    if (task.make_plan)
        erased_task.make_plan = [f = task.make_plan](const PreparedExperiment& run) {
            return f(Run<Facts>(run));
        };
    if (task.remarks)
        erased_task.remarks = [f = task.remarks](Remarks& remarks, const PreparedExperiment& run) {
            f(remarks, Run<Facts>(run));
        };
    if (task.reference)
        erased_task.reference = [f = task.reference](const Input& input, const PreparedExperiment& run) {
            return f(input, Run<Facts>(run));
        };
    if (task.result)
        erased_task.result = [f = task.result](const PreparedExperiment& run, const Outputs& outputs) {
            return f(Run<Facts>(run), outputs);
        };
    if (task.pictures)
        erased_task.pictures = [f = task.pictures](Figures& figures, const PreparedExperiment& run) {
            f(figures, Run<Facts>(run));
        };
    return erased_task;
}

/// Returns the lesson with these rows, all with the same task. The first variant is the default. If a row
/// names no file, a variant's kernel is "<lesson>/<variant>.comp", an exercise's starter
/// "<lesson>/<exercise>_start.comp" and its solution "<lesson>/<exercise>.comp". In a lesson with programs
/// the extension is ".<lesson>".
template <class Facts>
Lesson with_variants(Lesson lesson, const BasicTask<Run<Facts>>& task,
                     const std::vector<Row<Facts>>& variants, const std::vector<Row<Facts>>& exercises = {},
                     const std::vector<Row<Facts>>& references = {}) {
    lesson.task = erase_facts(task);
    const auto add = [](std::vector<Variant>& all, const Row<Facts>& row) {
        const auto& of = row.options;
        all.push_back({row.name,
                       {of.kernel, of.per_invocation, of.uses_subgroups, of.wrong_on_purpose, of.has_baseline,
                        of.solution, erase_facts(of.task)},
                       std::make_shared<const Facts>(row.facts)});
    };
    for (const Row<Facts>& row : variants)
        add(lesson.variants, row);
    for (const Row<Facts>& row : exercises)
        add(lesson.exercises, row);
    for (const Row<Facts>& row : references)
        add(lesson.references, row);
    set_default_shaders(lesson);
    return lesson;
}

}  // namespace gridstride
