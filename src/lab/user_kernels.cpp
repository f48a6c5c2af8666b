#include "lab/user_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <ranges>
#include <set>

#include "base/elapsed.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "lab/plan_memory.h"
#include "lesson/kernel_file.h"
#include "shader/code_digest.h"
#include "shader/compile_isolated.h"
#include "shader/kernel_store.h"

namespace gridstride::lab {

namespace {

namespace fs = std::filesystem;

constexpr const char* clamping_note =
    "Indices of this kernel are clamped to its arrays: an index beyond the end reads or writes the last "
    "element.";

fs::path shaders_folder() {
    return data_directory() / "shaders";
}

/// Returns the defines of a build: from the build lines of the user's kernel or, if it has none, of the
/// shipped one.
shader::Defines defines_for(const std::string& build, const KernelSource& source, const std::string& file) {
    std::vector<shader::Build> builds = shader::parse_builds(source.text);
    const bool has_none = builds.size() == 1 && builds.front().name.empty();
    if (has_none && !build.empty()) builds = shader::parse_builds(read_file(kernel_path(file)));
    for (const shader::Build& candidate : builds)
        if (candidate.name == build) return candidate.defines;
    throw std::runtime_error(fmt::format(
        "These settings need the build \"{}\" of the kernel, but yours has {}. Add a line \"// [build {}] "
        "NAME=VALUE\", or remove all such lines to use the lesson's builds.",
        build, join(builds | std::views::transform(&shader::Build::name), ", "), build));
}

/// Returns whether this launch of a plan that replaces shipped kernels by the user's runs the user's. A
/// lesson of text puts it into its plan by itself.
bool runs_replacement(const Dispatch& launch, const PreparedExperiment& prepared) {
    return prepared.user_kernel() &&
           (!launch.has_untrusted_source() || launch.file_source->name == prepared.user_kernel()->name);
}

std::string sentence(std::string text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\n'))
        text.pop_back();
    if (!text.empty() && text.back() != '.') text += '.';
    return text;
}

std::string first_error(const std::vector<Diagnostic>& diagnostics, const std::string& name) {
    const auto is_error = [](const Diagnostic& d) { return d.level == DiagnosticLevel::error; };
    const auto first = std::find_if(diagnostics.begin(), diagnostics.end(), is_error);
    if (first == diagnostics.end()) return "The kernel does not compile, and the compiler does not say why.";
    std::string text = sentence(first->text);
    if (first->line > 0)
        text = first->file == name ? fmt::format("Line {}: {}", first->line, text)
                                   : fmt::format("{}, line {}: {}", first->file, first->line, text);
    const auto errors = std::count_if(diagnostics.begin(), diagnostics.end(), is_error);
    if (errors > 1) text += fmt::format(" There are {} errors in all.", errors);
    return text;
}

/// Returns the line of the file at which a plan's own kernel begins.
std::uint32_t find_first_line(const Dispatch& launch) {
    const std::string& text = launch.file_source->text;
    const std::size_t begin = std::min(text.find_first_not_of(" \t\n"), text.size());
    return static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + std::ptrdiff_t(begin), '\n')) +
           1;
}

/// Improves a diagnostic of a plan's own kernel: adds the kernel's name if the compiler gives no line, and
/// explains an undeclared identifier as an undeclared tensor.
void explain_diagnostic(Diagnostic& diagnosis, const Dispatch& launch) {
    if (diagnosis.line == 0) {
        diagnosis.line = find_first_line(launch);
        diagnosis.text = fmt::format("in the kernel {}, {}", launch.label, diagnosis.text);
    }
    constexpr std::string_view ending = "' : undeclared identifier";
    if (diagnosis.file != launch.file_source->name || !diagnosis.text.starts_with("'") ||
        !diagnosis.text.ends_with(ending))
        return;
    std::string name = diagnosis.text.substr(1, diagnosis.text.size() - 1 - ending.size());
    const std::vector<std::string_view> lines = split(launch.file_source->text, '\n');
    const std::string_view line =
        diagnosis.line > 0 && diagnosis.line <= lines.size() ? lines[diagnosis.line - 1] : "";
    // Extends "text" to "text.b".
    std::size_t end = line.find(name + ".");
    if (end != std::string_view::npos) {
        end += name.size() + 1;
        name += '.';
        while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_'))
            name += line[end++];
    }
    diagnosis.text = fmt::format("{} is neither declared nor an array that the kernel {} reads or writes",
                                 name, launch.label);
}

void check_declared_accesses(const Plan& plan, const Dispatch& launch,
                             const shader::KernelRequirements& needs, Report& report) {
    std::vector<Diagnostic> errors_found;
    for (std::size_t i = 0; i < launch.bindings.size(); ++i) {
        const std::string& tensor = plan.buffers[launch.bindings[i].buffer].name;
        const auto writes = std::ranges::find_if(needs.bindings, [&](const shader::BindingRequirement& need) {
            return need.binding == i && need.is_written;
        });
        const bool is_written = writes != needs.bindings.end();
        if (launch.bindings[i].access == Access::read && is_written)
            errors_found.push_back(
                {.file = writes->write_file.empty() ? launch.file_source->name : writes->write_file,
                 .line = writes->write_line,
                 .text = fmt::format("The kernel {} writes {}, which it declares as read. Add "
                                     "it to what it writes, or write elsewhere.",
                                     launch.label, tensor)});
        if (launch.bindings[i].access == Access::write && !is_written)
            report.notes.push_back(
                fmt::format("The kernel {} declares that it writes {} but never does: its contents are "
                            "undefined.",
                            launch.label, tensor));
    }
    if (!errors_found.empty()) throw ProgramError(std::move(errors_found));
}

/// Calls admit() for a plan's own kernel. Refusals become errors of its program.
shader::KernelRequirements admit_user_kernel(const std::vector<std::uint32_t>& spirv,
                                             const LaunchInterface& interface, const Dispatch& launch,
                                             const Limits& device) {
    try {
        return admit(spirv, interface, device, nullptr, "The kernel " + launch.label);
    } catch (const Refusal& refused) {
        std::vector<Diagnostic> errors_found;
        for (const std::string& reason : refused.reasons)
            errors_found.push_back(
                {.file = launch.file_source->name, .line = find_first_line(launch), .text = reason});
        throw ProgramError(std::move(errors_found));
    }
}

/// Clamping uses the declared length. If the buffer is shorter, the robust device stops accesses beyond its
/// end.
void note_large_buffers(const Plan& plan, const Dispatch& dispatch, const shader::KernelRequirements& needs,
                        Report& report) {
    for (const shader::BindingRequirement& need : needs.bindings) {
        const BufferSpec& buffer = plan.buffers[dispatch.bindings[need.binding].buffer];
        const std::uint64_t bound = buffer.bound_bytes();
        if (need.bytes <= bound) continue;
        std::string note = fmt::format(
            "Your kernel declares {} bytes at binding {}, but the buffer that is bound there has {}. Reads "
            "beyond its end return undefined values, and what your kernel writes there reaches no other "
            "buffer. Declare the array without a length, so that its indices are clamped to the buffer.",
            format_count(need.bytes), need.binding, format_count(bound));
        if (std::find(report.notes.begin(), report.notes.end(), note) == report.notes.end())
            report.notes.push_back(std::move(note));
    }
}

/// Returns the files that a kernel of the lesson includes in any of its builds, directly or indirectly.
std::vector<std::string> list_includes(const Lesson& lesson, const std::string& file) {
    std::vector<std::string> all;
    const KernelSource kernel = read_kernel_file(lesson, file);
    std::vector<fs::path> folders = {shaders_folder()};
    if (!kernel.folder.empty()) folders.insert(folders.begin(), kernel.folder);
    for (const shader::Build& build : shader::parse_builds(kernel.text))
        std::ranges::move(shader::compile(kernel.text, kernel.name, build.defines, folders,
                                          lesson.files ? lesson.files->texts : TextFiles())
                              .includes,
                          std::back_inserter(all));
    return all;
}

/// Returns the line of a text that includes a file of this name; 0 if only an included file does.
std::uint32_t find_include_line(const std::string& text, const std::string& file_name) {
    std::uint32_t number = 0;
    for (const std::string_view line : split(text, '\n')) {
        ++number;
        if (trim(line).starts_with("#") && line.find("include") != std::string_view::npos &&
            line.find(file_name) != std::string_view::npos)
            return number;
    }
    return 0;
}

/// Returns an error for each file that an exercise's answer must not include. See Request::is_graded.
std::vector<Diagnostic> find_forbidden_includes(const Lesson& lesson, const Variant& exercise,
                                                const KernelSource& source,
                                                const std::vector<std::string>& includes) {
    const fs::path shaders = fs::weakly_canonical(shaders_folder());
    std::optional<std::vector<std::string>> starter_includes;
    std::vector<Diagnostic> refused;
    for (const fs::path file : includes) {  // canonical; relative to the folder of a lesson of text
        const fs::path shipped = file.is_relative() ? file : file.lexically_relative(shaders);
        const bool ships = *shipped.begin() != "..";
        const bool is_kernel = file.extension() == ".comp";
        if (!is_kernel && (!ships || *shipped.begin() == "common")) continue;
        if (!starter_includes && exercise.kernel.ends_with(".comp"))
            starter_includes = list_includes(lesson, exercise.kernel);
        if (!is_kernel && starter_includes &&
            std::ranges::find(*starter_includes, file.string()) != starter_includes->end())
            continue;
        const std::string name = (ships ? shipped : file.filename()).generic_string();
        refused.push_back(
            {.file = source.name,
             .line = find_include_line(source.text, file.filename().string()),
             .text = is_kernel ? fmt::format("an exercise's answer must not include {}: a .comp file is a "
                                             "whole kernel. Write the kernel yourself",
                                             name)
                               : fmt::format("an exercise's answer must not include {}, which its starter "
                                             "does not include. Use shaders/common/, what the starter "
                                             "includes, and .glsl files of your own",
                                             name)});
    }
    return refused;
}

/// Instrumentation adds code to every memory access, and the driver's compile time grows with the square of
/// that: for this many the software driver (Mesa 22.3) takes about a minute on one core.
constexpr std::uint64_t max_traced_sites_on_cpu = 256;

/// Branches are traced only below this limit, because they are not worth a minute of compiling: with them
/// the driver took 9 to 38 s for kernels of the matrix product.
constexpr std::uint64_t max_sites_with_branches_on_cpu = 64;

bool is_traceable(const shader::InstrumentedKernel& kernel, const Limits& device,
                  std::uint64_t max_sites = max_traced_sites_on_cpu) {
    return !device.is_cpu || kernel.inlined_sites <= max_sites;
}

/// Throws std::runtime_error if the driver would compile the instrumented kernel for minutes.
void require_traceable(const shader::InstrumentedKernel& kernel, const Limits& device) {
    if (is_traceable(kernel, device)) return;
    throw std::runtime_error(
        fmt::format("This kernel is too large to be traced on {}, whose driver would compile it for minutes: "
                    "it has {} memory accesses and barriers (those of a function count once for each call), "
                    "and the limit is {}. Write repeated code as a loop, or remove parts.",
                    device.device_name, format_count(kernel.inlined_sites), max_traced_sites_on_cpu));
}

/// Returns the whole source of a launch with a kernel file.
KernelSource join_source(const Dispatch& launch) {
    KernelSource source = *launch.file_source;
    source.text = launch.source + source.text;
    return source;
}

}  // namespace

std::string loop_note(const Limits& device) {
    return fmt::format(
        "This device's driver silently ends the loops of an invocation after {} iterations, all its loops "
        "counted together, and your kernel loops that long, so its result here does not show whether it is "
        "right. Divide the work among more invocations, or run it on another device.",
        format_count(device.loop_iterations));
}

bool UserKernels::move_to_front(const CompileKey& key) {
    const auto known = std::find_if(cache_.begin(), cache_.end(), [&](const CompiledKernel& c) {
        return c.key == key && c.include_times == modification_times(c.output.compiled.includes);
    });
    if (known != cache_.end()) std::rotate(cache_.begin(), known, known + 1);
    return known != cache_.end();
}

void UserKernels::compile(std::vector<CompileKey> keys, const Control& control) {
    std::erase_if(keys, [&](const CompileKey& key) { return move_to_front(key); });
    if (keys.empty()) return;
    std::vector<shader::CompileJob> jobs;
    for (const auto& [source, defines, instrumentation, is_graded] : keys) {
        jobs.push_back({source.text, source.name, defines, {}, is_graded, source.lesson_files});
        if (!source.folder.empty()) jobs.back().include_roots.push_back(source.folder);
        jobs.back().include_roots.push_back(shaders_folder().string());
    }
    shader::CompileLimits limits;
    limits.timeout = std::min<std::chrono::nanoseconds>(limits.timeout, control.remaining());
    limits.is_cancelled = [&] { return control.is_cancelled.load(); };

    const auto start = std::chrono::steady_clock::now();
    std::vector<shader::InstrumentedKernel> outputs;
    if (const auto& instrumentation = keys.front().instrumentation)
        outputs = {shader::compile_instrumented_isolated(jobs.front(), *instrumentation, limits, compiler_)};
    else
        for (shader::CompileResult& result : shader::compile_all_isolated(jobs, limits, compiler_))
            outputs.push_back({.compiled = std::move(result)});
    const double mean_ns = nanoseconds_since(start) / static_cast<double>(keys.size());
    control.check();  // a compilation that was aborted says nothing about the source
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const shader::CompileResult& result = outputs[i].compiled;
        const std::string kernel = fmt::format("own/kernel_{}", next_id_++);
        if (result.ok()) kernels().put(kernel, result.spirv, keys[i].source.name);
        auto include_times = modification_times(result.includes);
        cache_.push_front({keys[i], std::move(outputs[i]), mean_ns, std::move(include_times), kernel});
        if (cache_.size() <= cache_capacity_) continue;
        kernels().erase(cache_.back().kernel);
        cache_.pop_back();
    }
}

UserKernels::CompiledKernel& UserKernels::compiled(const CompileKey& key, const Control& control) {
    compile({key}, control);
    return cache_.front();
}

const UserKernels::Admission& UserKernels::admission(CompiledKernel& own, const Plan& plan,
                                                     const Dispatch& launch,
                                                     const PreparedExperiment& prepared) {
    Admission output{.launch = launch_interface(plan, launch)};
    const auto known = std::ranges::find(own.admissions, output.launch, &Admission::launch);
    if (known != own.admissions.end()) return *known;
    const std::vector<std::uint32_t>& spirv = own.output.compiled.spirv;
    if (launch.has_untrusted_source()) {
        output.needs = admit_user_kernel(spirv, output.launch, launch, device_.limits());
    } else {
        Dispatch replaced = launch;
        replaced.kernel = own.kernel;
        const Replacement replacement{kernels().interface(replaced), kernels().interface(launch),
                                      prepared.kernel_file(),
                                      fmt::format("gridstride run {} --variant {} --print-kernel",
                                                  prepared.lesson->id, prepared.variant->id)};
        output.needs = admit(spirv, output.launch, device_.limits(), &replacement);
        output.notes = find_scalar_mismatches(replacement, output.launch);
        if (std::string note = check_literal_size(replacement, output.launch); !note.empty())
            output.notes.push_back(std::move(note));
    }
    if (own.admissions.size() >= max_admissions) own.admissions.clear();
    return own.admissions.emplace_back(std::move(output));
}

KernelCache& UserKernels::kernels() {
    if (!robust_kernels_) robust_kernels_.emplace(device_.open_robust());
    return *robust_kernels_;
}

std::optional<UserKernels::CompileKey> UserKernels::find_user_kernel(const Dispatch& launch,
                                                                     const PreparedExperiment& prepared) {
    const KernelSource* const replacement_source = prepared.user_kernel();
    if (replacement_source) {
        const shader::KernelName shipped = shader::parse_kernel_name(launch.kernel);
        if (shipped.file == prepared.kernel_file())
            return CompileKey{*replacement_source,
                              defines_for(shipped.build, *replacement_source, shipped.file)};
    }
    if (!launch.has_untrusted_source()) return std::nullopt;
    return CompileKey{join_source(launch), {}};
}

std::vector<std::string> UserKernels::find_identical_kernels(const PreparedExperiment& prepared,
                                                             const CompileKey& user_kernel,
                                                             const Control& control) {
    const Lesson& lesson = *prepared.lesson;
    const shader::CompileResult& result = compiled(user_kernel, control).output.compiled;
    if (!result.ok()) return {};
    const std::uint64_t digest = result.digest;
    if (!prepared.plan.main().has_untrusted_source()) return shader::find_shipped_kernels(digest, lesson.id);
    std::vector<std::string> files;
    std::vector<CompileKey> keys;
    for (const std::string& file : list_kernel_files(lesson)) {
        Experiment experiment = prepared.experiment;
        experiment.kernel = read_kernel_file(lesson, file);
        const Plan plan = prepare(lesson, experiment, prepared.limits).plan;
        if (plan.steps.empty()) continue;  // the kernel names arrays that this variant does not have
        files.push_back(file);
        keys.push_back({.source = join_source(plan.main()), .defines = {}, .is_graded = true});
    }
    compile(keys, control);
    std::vector<std::string> identical;
    for (std::size_t i = 0; i < files.size(); ++i)
        if (compiled(keys[i], control).output.compiled.digest == digest) identical.push_back(files[i]);
    return identical;
}

UserKernels::UserKernelUse UserKernels::substitute_kernels(Plan& plan, const PreparedExperiment& prepared,
                                                           bool is_graded, const Control& control,
                                                           Report& report) {
    UserKernelUse use;
    std::set<std::string> compiled_here;
    std::string faulty_program;  ///< the name of a plan's own kernel that does not compile
    std::vector<Diagnostic> refused;
    bool runs_user_kernel = prepared.user_kernel() == nullptr;
    cache_capacity_ = std::max(max_cached, plan.steps.size());
    if (is_graded) cache_capacity_ += list_kernel_files(*prepared.lesson).size();
    for (Step& step : plan.steps) {
        auto* dispatch = std::get_if<Dispatch>(&step);
        std::optional<CompileKey> key = dispatch ? find_user_kernel(*dispatch, prepared) : std::nullopt;
        if (!key) continue;
        key->is_graded = is_graded;
        // Also of a kernel that is refused below. It compiles other kernels, so it precedes `own`.
        if (is_graded && runs_replacement(*dispatch, prepared))
            report.identical_kernels = find_identical_kernels(prepared, *key, control);
        CompiledKernel& own = compiled(*key, control);
        const shader::CompileResult& result = own.output.compiled;
        std::vector<Diagnostic> diagnosis = result.diagnostics;
        if (is_graded) {
            std::ranges::move(
                find_forbidden_includes(*prepared.lesson, *prepared.variant, key->source, result.includes),
                std::back_inserter(diagnosis));
        }
        for (Diagnostic& d : diagnosis) {
            if (dispatch->has_untrusted_source()) explain_diagnostic(d, *dispatch);
            if (std::ranges::find(report.diagnostics, d) == report.diagnostics.end())
                report.diagnostics.push_back(d);
        }
        const bool has_error = std::ranges::count(diagnosis, DiagnosticLevel::error, &Diagnostic::level) > 0;
        if (!result.ok() || has_error) {
            // An error in such a kernel is an error of its program, whose other kernels may have more.
            if (!dispatch->has_untrusted_source())
                throw std::runtime_error(first_error(diagnosis, key->source.name));
            faulty_program = key->source.name;
            continue;
        }
        const Admission* admitted = nullptr;
        try {
            admitted = &admission(own, plan, *dispatch, prepared);
            if (dispatch->has_untrusted_source())
                check_declared_accesses(plan, *dispatch, admitted->needs, report);
        } catch (const ProgramError& wrong) {
            refused.insert(refused.end(), wrong.diagnostics.begin(), wrong.diagnostics.end());
            continue;
        }
        const auto& [launch, needs, notes] = *admitted;
        for (const std::string& note : notes)
            if (std::ranges::find(report.notes, note) == report.notes.end()) report.notes.push_back(note);
        runs_user_kernel = runs_user_kernel || runs_replacement(*dispatch, prepared);
        note_large_buffers(plan, *dispatch, needs, report);
        use.any = true;
        use.has_loops = use.has_loops || needs.loops;
        dispatch->kernel = own.kernel;
        dispatch->source.clear();
        if (compiled_here.insert(own.kernel).second) use.compile_ns += own.compile_ns;
    }
    if (!refused.empty()) {
        std::ranges::move(report.diagnostics, std::back_inserter(refused));
        std::ranges::stable_sort(refused, {}, &Diagnostic::line);
        throw ProgramError(std::move(refused));
    }
    if (!faulty_program.empty()) throw Refusal(first_error(report.diagnostics, faulty_program));
    if (!runs_user_kernel)
        throw Refusal(fmt::format("{} launches no kernel that yours could replace. Choose another variant.",
                                  prepared.variant->id));
    // In a text lesson's own kernels, "lesson check --run" finds accesses outside an array.
    const bool is_text_lesson = prepared.lesson && prepared.lesson->files;
    if (use.any && (prepared.user_kernel() || !is_text_lesson)) report.notes.push_back(clamping_note);
    return use;
}

UserKernels::InstrumentedKernel UserKernels::instrument(const Dispatch& launch, std::uint32_t binding,
                                                        shader::CountedLoops counted_loops,
                                                        const PreparedExperiment& prepared,
                                                        const Control& control) {
    const shader::KernelName shipped = shader::parse_kernel_name(launch.kernel);
    std::optional<CompileKey> key = find_user_kernel(launch, prepared);
    if (!key && launch.file_source) key = {join_source(launch), {}};
    if (!key) {
        const std::string text =
            launch.source.empty() ? read_file(shaders_folder() / shipped.file) : launch.source;
        key = {{text, shipped.file, ""}, {}};
        key->defines = defines_for(shipped.build, key->source, shipped.file);
    }
    const Limits& device = device_.limits();
    key->instrumentation = shader::InstrumentationOptions{.binding = binding,
                                                          .constants = {},
                                                          .ballots = device.subgroup_ballot,
                                                          .placements = device.multiprocessor_and_clock,
                                                          .counted_loops = counted_loops};
    if (counted_loops == shader::CountedLoops::none) {
        // The code that counts loops does not depend on the launch.
        key->instrumentation->constants = get_constants(launch);
        key->instrumentation->branches = true;
        key->instrumentation->subgroup_size = device.subgroup_size;
    }
    std::string branches_note;
    const CompiledKernel* instrumented = &compiled(*key, control);
    if (key->instrumentation->branches &&
        !is_traceable(instrumented->output, device, max_sites_with_branches_on_cpu)) {
        branches_note = fmt::format(
            "The branches are not traced, because the kernel is too large for {}: it has {} memory "
            "accesses and barriers, and the limit is {}.",
            device.device_name, format_count(instrumented->output.inlined_sites),
            max_sites_with_branches_on_cpu);
        key->instrumentation->branches = false;
        instrumented = &compiled(*key, control);
    }
    const CompiledKernel& output = *instrumented;
    const shader::CompileResult& result = output.output.compiled;
    if (!result.ok()) throw std::runtime_error(first_error(result.diagnostics, key->source.name));
    require_traceable(output.output, device);
    admit(result.spirv,
          {.workgroup = launch.workgroup,
           .constants = get_constants(launch),
           .push_bytes = get_push_bytes(launch),
           .bindings =
               std::vector<LaunchInterface::BoundBuffer>(binding + (key->instrumentation->branches ? 2 : 1))},
          device);
    return {output.kernel, key->source.name, output.output.sites, branches_note};
}

}  // namespace gridstride::lab
