#include "lesson/lesson.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/language.h"
#include "base/parallel_for.h"
#include "base/text.h"
#include "base/units.h"
#include "launch/slices.h"
#include "lesson/input_remarks.h"
#include "lesson/kernel_file.h"
#include "lesson/nouns.h"

namespace gridstride {

namespace {

struct Controls {
    std::string elements, workgroup, grid;
};
Controls get_controls(const Lesson& lesson) {
    const bool in_numbers = find(lesson.parameters, key::workgroup_size.id) != nullptr;
    return {lesson.domain.front(), std::string(in_numbers ? key::workgroup_size.id : key::workgroup.id),
            std::string(in_numbers ? key::workgroup_count.id : key::grid.id)};
}

void add_launch_remarks(const PreparedExperiment& prepared, const Controls& controls, Remarks& remarks) {
    const Dispatch& main = prepared.plan.main();
    const std::uint64_t size = main.workgroup_size();
    const std::uint64_t width = prepared.limits.subgroup_size;
    const std::uint64_t subgroups = divide_up(size, width);
    if (size % width != 0)
        remarks.add(Severity::caution, controls.workgroup,
                    tr("{} is not a multiple of {}: {} of the last subgroup's {} lanes are idle.", size,
                       width, subgroups * width - size, width));
    else
        remarks.add(Severity::note, controls.workgroup,
                    subgroups == 1 ? tr("One subgroup of {}. Every lane is used.", width)
                                   : tr("{} subgroups of {}. Every lane is used.", subgroups, width));

    const std::string& noun = prepared.lesson->noun;
    const std::uint64_t groups = main.workgroup_count();
    remarks.add(Severity::note, controls.grid,
                tr("{} for {}.", counted(size * groups, "invocation", "invocations"),
                   counted_plural(prepared.elements(), noun)));
    const Extent tiles = divide_up(main.domain, main.tile);
    std::uint64_t busy = 1;
    for (unsigned dimension = 0; dimension < 3; ++dimension)
        busy *= std::min(tiles.along(dimension), main.grid.along(dimension));
    if (busy < groups)
        remarks.add(
            Severity::caution, controls.grid,
            tr("{} of {} workgroups get no {}.", format_count(groups - busy), format_count(groups), noun));
    if (main.passes() > 1)
        remarks.add(Severity::note, controls.grid,
                    tr("{} of {}: each workgroup processes up to {}, one after another.",
                       counted(main.tiles(), "tile", "tiles"),
                       counted_plural(main.elements_per_workgroup(), noun), format_count(main.passes())));
    if (requested_grid(prepared.values()).x == 0 && main.passes() > 1 && prepared.limits.multiprocessors > 0)
        remarks.add(Severity::note, controls.grid,
                    tr("auto: enough workgroups to keep {} busy.",
                       counted(prepared.limits.multiprocessors, "multiprocessor", "multiprocessors")));
}

void add_plan_refusals(const PreparedExperiment& prepared, const Controls& controls, Remarks& remarks) {
    const Limits& limits = prepared.limits;
    const std::uint64_t bytes = device_bytes(prepared.plan);
    // Uploads and downloads use staging memory, which a software driver allocates from the same heap.
    constexpr std::uint64_t kept_for_staging = std::uint64_t{256} << 20;
    const std::uint64_t usable = limits.memory_bytes - std::min(limits.memory_bytes, kept_for_staging);
    if (bytes > usable)
        remarks.add(Severity::refusal, controls.elements,
                    tr("This needs {} of device memory; this device has {}. Give fewer {}.",
                       format_bytes_beside(bytes, usable), format_bytes_beside(usable, bytes),
                       prepared.lesson->noun));
    const auto refuse_extent = [&](const std::string& control, const Dispatch& launch, const Extent& extent,
                                   const Extent& max_extent, const char* name) {
        for (unsigned dimension = 0; dimension < 3; ++dimension)
            if (extent.along(dimension) > max_extent.along(dimension))
                remarks.add(Severity::refusal, control,
                            tr("\"{}\" needs {} along {}; this device allows {} ({}). Give a smaller value.",
                               launch.label, format_count(extent.along(dimension)), "xyz"[dimension],
                               format_count(max_extent.along(dimension)), name));
    };
    for (const Step& step : prepared.plan.steps) {
        const auto* dispatch = std::get_if<Dispatch>(&step);
        if (!dispatch) continue;
        if (dispatch->shared_bytes > limits.max_shared_bytes)
            remarks.add(
                Severity::refusal, controls.workgroup,
                tr("\"{}\" needs {} of workgroup memory; this device has {} "
                   "(maxComputeSharedMemorySize). Give a smaller workgroup.",
                   dispatch->label, format_bytes_beside(dispatch->shared_bytes, limits.max_shared_bytes),
                   format_bytes_beside(limits.max_shared_bytes, dispatch->shared_bytes)));
        refuse_extent(controls.workgroup, *dispatch, dispatch->workgroup,
                      {limits.max_workgroup_size, limits.max_workgroup.y, limits.max_workgroup.z},
                      "maxComputeWorkGroupSize");
        if (dispatch->workgroup.dimensions() > 1 && dispatch->workgroup_size() > limits.max_workgroup_size)
            remarks.add(
                Severity::refusal, controls.workgroup,
                tr("\"{}\" needs workgroups of {}, which are {} invocations; this device allows {} "
                   "(maxComputeWorkGroupInvocations). Give a smaller workgroup.",
                   dispatch->label, text_of(dispatch->workgroup), format_count(dispatch->workgroup_size()),
                   format_count(limits.max_workgroup_size)));
        refuse_extent(controls.grid, *dispatch, dispatch->grid, limits.max_grid, "maxComputeWorkGroupCount");
        if (const Slicing cut = slice(*dispatch, prepared.plan.buffers, limits); !cut.refusal.empty())
            remarks.add(Severity::refusal, controls.grid, cut.refusal);
        const std::uint64_t stride = dispatch->workgroup_count() * dispatch->elements_per_workgroup();
        if (stride > (std::uint64_t{1} << 31))
            remarks.add(
                Severity::refusal, controls.grid,
                tr("{} workgroups that process {} elements each are {} elements a pass; kernels index "
                   "with 32 bits and allow 2 147 483 648. Give fewer or smaller workgroups.",
                   format_count(dispatch->workgroup_count()),
                   format_count(dispatch->elements_per_workgroup()), format_count(stride)));
    }
}

/// Returns the variant's task, in which the lesson's functions replace empty ones.
Task merge_task(const Lesson& lesson, const Variant& variant) {
    Task task = variant.task;
    if (!task.plan && !task.make_plan) {
        task.plan = lesson.task.plan;
        task.make_plan = lesson.task.make_plan;
    }
    const auto complete = [](auto& function, const auto& lesson_function) {
        if (!function) function = lesson_function;
    };
    complete(task.remarks, lesson.task.remarks);
    complete(task.reference, lesson.task.reference);
    complete(task.result, lesson.task.result);
    complete(task.pictures, lesson.task.pictures);
    return task;
}

KernelSource load_program(const PreparedExperiment& prepared) {
    KernelSource program;
    try {
        program = prepared.experiment.kernel ? *prepared.experiment.kernel
                                             : read_shipped_kernel(prepared.variant->kernel);
    } catch (const FileError& error) {
        throw Refusal(error.what());
    }
    if (program.text.size() > max_program_bytes) throw program_too_large(program.name, program.text.size());
    return program;
}

Plan make_plan(PreparedExperiment& prepared) {
    const Task& task = prepared.task;
    if (prepared.lesson->has_programs()) prepared.program = load_program(prepared);
    if (task.make_plan) return task.make_plan(prepared);
    PlanBuilder builder(prepared.lesson->domain_extent(prepared.values()),
                        requested_workgroup(prepared.values()), requested_grid(prepared.values()),
                        prepared.variant->per_invocation, prepared.limits);
    task.plan(builder, prepared);
    return std::move(builder).build();
}

void check_experiment(PreparedExperiment& prepared) {
    const Controls controls = get_controls(*prepared.lesson);
    Remarks remarks;
    for (const Parameter& parameter : prepared.lesson->parameters)
        if (auto reason = refusal(parameter, prepared.values().at(parameter.id), prepared.limits))
            remarks.add(Severity::refusal, parameter.id, *reason);
    if (!any_refusal(remarks.all())) {
        try {
            prepared.plan = make_plan(prepared);
        } catch (const Refusal& refused) {
            // Each value is in range, but their combination or the program is not valid.
            if (const auto* wrong = dynamic_cast<const ProgramError*>(&refused))
                prepared.diagnostics = wrong->diagnostics;
            for (const std::string& reason : refused.reasons)
                remarks.refuse(reason);
            prepared.remarks = std::move(remarks).take();
            return;
        }
        if (const std::string problem = find_plan_error(prepared.plan); !problem.empty())
            throw std::logic_error(
                fmt::format("{} of {}: {}", prepared.variant->id, prepared.lesson->id, problem));
        add_launch_remarks(prepared, controls, remarks);
        add_plan_refusals(prepared, controls, remarks);
        if (prepared.variant->uses_subgroups &&
            !(prepared.limits.subgroup_arithmetic && prepared.limits.subgroup_ballot))
            remarks.refuse(
                tr("This device has no subgroup arithmetic or ballots in compute shaders. Choose another "
                   "variant, which uses workgroup memory instead."));
        if (const std::vector<SavedArray>& files = prepared.plan.files; !files.empty())
            remarks.note(tr("{} written only by \"gridstride {} FILE\".",
                            files.size() == 1 ? quote_text(files.front().file) + tr(" is")
                                              : counted(files.size(), "file", "files") + tr(" are"),
                            prepared.lesson->id));
        if (prepared.task.remarks) prepared.task.remarks(remarks, prepared);
    }
    prepared.remarks = std::move(remarks).take();
}

/// Keeps the first 100 diagnostics and counts the rest: a file that is not a program has thousands.
std::vector<Diagnostic> limit_diagnostics(std::vector<Diagnostic> all) {
    constexpr std::size_t max_errors = 100;
    if (all.size() <= max_errors + 1) return all;
    Diagnostic rest{DiagnosticLevel::error, all.front().file, 0,
                    tr("{} more lines have errors.", format_count(all.size() - max_errors))};
    all.resize(max_errors);
    all.push_back(std::move(rest));
    return all;
}

std::vector<std::string> format_diagnostics(const std::vector<Diagnostic>& diagnostics) {
    std::vector<std::string> sentences;
    for (const Diagnostic& one : diagnostics)
        sentences.push_back(one.line > 0 ? tr("Line {}: {}", one.line, one.text) : one.text);
    return sentences;
}

}  // namespace

Refusal program_too_large(const std::string& name, std::uint64_t bytes) {
    return Refusal(tr("{} has {} bytes; a program can have at most {}. Shorten it.", name,
                      format_count(bytes), format_count(max_program_bytes)));
}

ProgramError::ProgramError(std::vector<Diagnostic> all)
    : Refusal(format_diagnostics(limit_diagnostics(all))), diagnostics(limit_diagnostics(std::move(all))) {}

const std::array<BaselineThreads, 2> baseline_threads = {
    {{tr_later("one thread"),
      [](std::size_t count, std::size_t, const std::function<double(std::size_t, std::size_t)>& part) {
          return part(0, count);
      }},
     {tr_later("all threads"), &parallel_sum}}};

Extent Lesson::domain_extent(const Values& values) const {
    const auto along = [&](std::size_t dimension) {
        return dimension < domain.size() ? std::get<std::uint64_t>(values.at(domain[dimension])) : 0;
    };
    return {along(0), along(1), along(2)};
}

Values Lesson::values_affecting(Invalidates what, const Values& values) const {
    Values some;
    for (const Parameter& parameter : parameters)
        if (parameter.invalidates <= what) some.set(parameter.id, values.at(parameter.id));
    return some;
}

const Variant* find_variant(const Lesson& lesson, std::string_view id) {
    for (const Variant& variant : lesson.variants)
        if (variant.id == id) return &variant;
    return find_exercise(lesson, id);
}

const Variant* find_exercise(const Lesson& lesson, std::string_view id) {
    for (const Variant& exercise : lesson.exercises)
        if (exercise.id == id) return &exercise;
    return nullptr;
}

const Variant* find_reference(const Lesson& lesson, std::string_view id) {
    for (const Variant& reference : lesson.references)
        if (reference.id == id) return &reference;
    return nullptr;
}

std::set<std::string> list_kernel_files(const Lesson& lesson) {
    std::set<std::string> files;
    for (const auto* variants : {&lesson.variants, &lesson.exercises})
        for (const Variant& variant : *variants)
            files.insert({variant.kernel, variant.solution});
    files.erase("");
    return files;
}

std::string PreparedExperiment::kernel_file() const {
    if (!variant->kernel.empty() || plan.steps.empty()) return variant->kernel;
    return plan.main().kernel + ".comp";
}

std::uint64_t PreparedExperiment::elements() const {
    return lesson->has_programs() ? plan.main().elements() : lesson->domain_extent(values()).product();
}

Input PreparedExperiment::make_input() const {
    if (experiment.input.numbers) {
        Input input =
            lesson->input_from_user(experiment.input, lesson->values_affecting(Invalidates::input, values()));
        input.front().remarks = conversion_remarks(experiment.input, input.front().array->type());
        return input;
    }
    if (!lesson->has_programs()) return lesson->input(lesson->values_affecting(Invalidates::input, values()));
    try {
        return lesson->make_program_input(*this);
    } catch (const FileError& error) {
        // The program names a file that cannot be read, so this is an error of the program.
        throw ProgramError({{DiagnosticLevel::error, program.name, 0, error.what()}});
    }
}

const KernelSource* PreparedExperiment::user_kernel() const {
    return experiment.kernel && !lesson->has_programs() ? &*experiment.kernel : nullptr;
}

bool Lesson::is_domain_parameter(std::string_view parameter) const {
    return std::ranges::find(domain, parameter) != domain.end();
}

bool Lesson::is_set_by_input(std::string_view parameter) const {
    return std::ranges::find(parameters_set_by_input(), parameter) != parameters_set_by_input().end();
}

bool is_wrong_on_purpose(const Lesson& lesson, const Experiment& experiment) {
    if (experiment.kernel) return false;
    const Variant* const variant = find_variant(lesson, experiment.variant);
    if (variant && variant->wrong_on_purpose) return true;
    if (find_exercise(lesson, experiment.variant)) return false;
    if (variant && lesson.wrong_on_purpose && lesson.wrong_on_purpose(experiment.values, *variant))
        return true;
    return std::any_of(lesson.parameters.begin(), lesson.parameters.end(), [&](const Parameter& parameter) {
        const auto* choice = std::get_if<ChoiceIndex>(&experiment.values.at(parameter.id));
        return choice && choice->index < parameter.choices.size() &&
               parameter.choices[choice->index].wrong_on_purpose;
    });
}

KernelSource read_kernel_file(const Lesson& lesson, const std::string& file) {
    const std::string folder = (lesson.folder.empty() ? lesson.id : lesson.folder) + '/';
    if (lesson.files && file.starts_with(folder)) {
        const std::string path =
            std::filesystem::path(file.substr(folder.size())).lexically_normal().generic_string();
        if (const std::string* const text = lesson.files->find_text(path)) return {*text, path, {}};
    }
    return read_shipped_kernel(file);
}

bool same_expected_results(const Experiment& a, const Experiment& b) {
    return same_settings(a, b) && (!has_programs(a) || a.kernel == b.kernel);
}

bool has_programs(const Experiment& experiment) {
    const Lesson* const lesson = find_lesson(experiment);
    return lesson && lesson->has_programs();
}

Extent domain_extent(const Experiment& experiment) {
    const Lesson* const lesson = find_lesson(experiment);
    return lesson ? lesson->domain_extent(experiment.values) : Extent{0};
}

Experiment default_experiment(const Lesson& lesson) {
    return {lesson.id, lesson.default_variant, Values(lesson.parameters), {}, std::nullopt, lesson.version};
}

void apply_input_extent(const Lesson& lesson, Experiment& experiment) {
    if (!experiment.input.numbers) return;
    const std::uint64_t count = experiment.input.numbers->count(), width = experiment.input.width;
    const std::vector<std::string>& counts = lesson.parameters_set_by_input();
    if (counts.size() == 1) return experiment.values.set(counts.front(), count);
    // Numbers without a width are one row.
    experiment.values.set(counts[0], width > 0 ? width : count);
    experiment.values.set(counts[1], width > 0 ? count / width : 1);
}

PreparedExperiment prepare(const Lesson& lesson, Experiment experiment, const Limits& limits) {
    PreparedExperiment prepared;
    prepared.experiment = std::move(experiment);
    prepared.lesson = &lesson;
    prepared.variant = find_variant(lesson, prepared.experiment.variant);
    if (!prepared.variant) prepared.variant = find_reference(lesson, prepared.experiment.variant);
    prepared.limits = limits;
    if (!prepared.variant)
        throw Refusal(tr("{} has no variant named {}. \"gridstride list\" lists the variants.", lesson.id,
                         prepared.experiment.variant));
    if (prepared.experiment.input.numbers && !lesson.input_from_user)
        throw Refusal(tr("{} does not accept your own input. Leave out the input file.", lesson.id));
    prepared.task = merge_task(lesson, *prepared.variant);
    apply_input_extent(lesson, prepared.experiment);
    check_experiment(prepared);
    return prepared;
}

PreparedExperiment prepare(Experiment experiment, const Limits& limits) {
    const Lesson* const lesson = find_lesson(experiment);
    if (!lesson && find_lesson(experiment.lesson))
        throw Refusal(
            tr("{} has changed: its version \"{}\" no longer exists. Use the settings with the current "
               "version of the lesson, and run it again.",
               experiment.lesson, experiment.lesson_version));
    if (!lesson)
        throw Refusal(
            tr("There is no lesson named {}. \"gridstride list\" lists the lessons.", experiment.lesson));
    return prepare(*lesson, std::move(experiment), limits);
}

void set_default_shaders(Lesson& lesson) {
    if (lesson.default_variant.empty()) lesson.default_variant = lesson.variants.front().id;
    // A plan made by Task::make_plan generates its own kernels.
    if (lesson.task.make_plan && !lesson.has_programs()) return;
    const std::string extension = lesson.has_programs() ? lesson.id : "comp";
    const auto fill_in = [&](std::string& file, const std::string& name) {
        if (file.empty()) file = fmt::format("{}/{}.{}", lesson.id, name, extension);
    };
    for (Variant& variant : lesson.variants)
        fill_in(variant.kernel, variant.id);
    for (Variant& exercise : lesson.exercises) {
        fill_in(exercise.kernel, exercise.id + "_start");
        fill_in(exercise.solution, exercise.id);
    }
}

void require_valid(const PreparedExperiment& prepared) {
    if (!prepared.diagnostics.empty()) throw ProgramError(prepared.diagnostics);
    std::vector<std::string> reasons;
    for (const Remark& remark : prepared.remarks)
        if (remark.severity == Severity::refusal) reasons.push_back(remark.text);
    if (!reasons.empty()) throw Refusal(std::move(reasons));
}

}  // namespace gridstride
