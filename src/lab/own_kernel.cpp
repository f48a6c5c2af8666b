#include "lab/own_kernel.h"

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
#include "shader/code_digest.h"
#include "shader/compile_apart.h"
#include "shader/kernel_store.h"

namespace gridstride::lab {

namespace {

namespace fs = std::filesystem;

constexpr const char* clamping_note =
    "Indices of your kernel are clamped to its arrays: an index beyond the end reads or writes the last "
    "element.";

fs::path shaders_folder() {
    return data_directory() / "shaders";
}

/// Returns the defines of a build: from the build lines of the user's kernel or, if it has none, of the
/// shipped one.
shader::Defines defines_for(const std::string& build, const KernelSource& source, const std::string& file) {
    std::vector<shader::Build> builds = shader::builds_of(source.text);
    const bool has_none = builds.size() == 1 && builds.front().name.empty();
    if (has_none && !build.empty()) builds = shader::builds_of(read_file(shaders_folder() / file));
    for (const shader::Build& candidate : builds)
        if (candidate.name == build) return candidate.defines;
    throw std::runtime_error(fmt::format(
        "These settings need the build \"{}\" of the kernel, but yours has {}. Add a line \"// [build {}] "
        "NAME=VALUE\", or remove all such lines to use the lesson's builds.",
        build, joined(builds | std::views::transform(&shader::Build::name), ", "), build));
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

bool is_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Returns the line of the file at which a plan's own kernel begins.
std::uint32_t first_line_of(const Dispatch& launch) {
    const std::string& text = launch.own->text;
    const std::size_t begin = std::min(text.find_first_not_of(" \t\n"), text.size());
    return static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + std::ptrdiff_t(begin), '\n')) +
           1;
}

/// Improves a diagnostic of a plan's own kernel: adds the kernel's name if the compiler gives no line, and
/// explains an undeclared identifier as an undeclared tensor.
void name_tensor(Diagnostic& said, const Dispatch& launch) {
    if (said.line == 0) {
        said.line = first_line_of(launch);
        said.text = fmt::format("in the kernel {}, {}", launch.label, said.text);
    }
    constexpr std::string_view ending = "' : undeclared identifier";
    if (said.file != launch.own->name || !said.text.starts_with("'") || !said.text.ends_with(ending)) return;
    std::string name = said.text.substr(1, said.text.size() - 1 - ending.size());
    const std::vector<std::string_view> lines = split(launch.own->text, '\n');
    const std::string_view line = said.line > 0 && said.line <= lines.size() ? lines[said.line - 1] : "";
    // Extends "text" to "text.b".
    std::size_t end = line.find(name + ".");
    if (end != std::string_view::npos) {
        end += name.size() + 1;
        name += '.';
        while (end < line.size() && is_of_word(line[end]))
            name += line[end++];
    }
    said.text = fmt::format("{} is neither declared nor a tensor that the kernel {} reads or writes", name,
                            launch.label);
}

void compare_with_declared(const Plan& plan, const Dispatch& launch, const shader::KernelNeeds& needs,
                           Report& report) {
    std::vector<Diagnostic> wrong;
    for (std::size_t i = 0; i < launch.bindings.size(); ++i) {
        const std::string& tensor = plan.buffers[launch.bindings[i].buffer].name;
        const auto writes = std::ranges::find_if(needs.bindings, [&](const shader::BindingNeed& need) {
            return need.binding == i && need.is_written;
        });
        const bool is_written = writes != needs.bindings.end();
        if (launch.bindings[i].access == Access::read && is_written)
            wrong.push_back({.file = writes->written_in.empty() ? launch.own->name : writes->written_in,
                             .line = writes->written_at,
                             .text = fmt::format("The kernel {} writes {}, which it declares as read. Add "
                                                 "it to what it writes, or write elsewhere.",
                                                 launch.label, tensor)});
        if (launch.bindings[i].access == Access::write && !is_written)
            report.notes.push_back(
                fmt::format("The kernel {} declares that it writes {} but never does: its contents are "
                            "undefined.",
                            launch.label, tensor));
    }
    if (!wrong.empty()) throw WrongProgram(std::move(wrong));
}

/// Calls admit() for a plan's own kernel. Refusals become errors of its program.
shader::KernelNeeds admit_own(const std::vector<std::uint32_t>& spirv, const LaunchInterface& interface,
                              const Dispatch& launch, const Limits& device) {
    try {
        return admit(spirv, interface, device, nullptr, "The kernel " + launch.label);
    } catch (const Refusal& refused) {
        std::vector<Diagnostic> wrong;
        for (const std::string& reason : refused.reasons)
            wrong.push_back({.file = launch.own->name, .line = first_line_of(launch), .text = reason});
        throw WrongProgram(std::move(wrong));
    }
}

/// Clamping uses the declared length. If the buffer is shorter, the robust device stops accesses beyond its
/// end.
void note_large_buffers(const Plan& plan, const Dispatch& dispatch, const shader::KernelNeeds& needs,
                        Report& report) {
    for (const shader::BindingNeed& need : needs.bindings) {
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

/// Returns the files that a shipped kernel includes in any of its builds, directly or indirectly.
std::vector<std::string> included_by(const std::string& file) {
    std::vector<std::string> all;
    const std::string text = read_file(shaders_folder() / file);
    for (const shader::Build& build : shader::builds_of(text))
        std::ranges::move(shader::compile(text, file, build.defines, {shaders_folder()}).includes,
                          std::back_inserter(all));
    return all;
}

/// Returns the line of a text that includes a file of this name; 0 if only an included file does.
std::uint32_t line_including(const std::string& text, const std::string& file_name) {
    std::uint32_t number = 0;
    for (const std::string_view line : split(text, '\n')) {
        ++number;
        if (trimmed(line).starts_with("#") && line.find("include") != std::string_view::npos &&
            line.find(file_name) != std::string_view::npos)
            return number;
    }
    return 0;
}

/// Returns an error for each file that an exercise's answer must not include. See Request::graded.
std::vector<Diagnostic> refused_includes(const Variant& exercise, const KernelSource& source,
                                         const std::vector<std::string>& includes) {
    const fs::path shaders = fs::weakly_canonical(shaders_folder());
    std::optional<std::vector<std::string>> of_starter;
    std::vector<Diagnostic> refused;
    for (const fs::path file : includes) {  // absolute and canonical
        const fs::path shipped = file.lexically_relative(shaders);
        const bool ships = !shipped.empty() && *shipped.begin() != "..";
        const bool is_kernel = file.extension() == ".comp";
        if (!is_kernel && (!ships || *shipped.begin() == "common")) continue;
        if (!of_starter && exercise.kernel.ends_with(".comp")) of_starter = included_by(exercise.kernel);
        if (!is_kernel && of_starter && std::ranges::find(*of_starter, file.string()) != of_starter->end())
            continue;
        const std::string name = (ships ? shipped : file.filename()).generic_string();
        refused.push_back(
            {.file = source.name,
             .line = line_including(source.text, file.filename().string()),
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
constexpr std::uint64_t max_places_on_cpu = 256;

/// Throws std::runtime_error if the driver would compile the instrumented kernel for minutes.
void require_quick_to_record(const shader::RecordingKernel& kernel, const Limits& device) {
    if (!device.is_cpu || kernel.inlined_sites <= max_places_on_cpu) return;
    throw std::runtime_error(
        fmt::format("This kernel is too large to be traced on {}, whose driver would compile it for minutes: "
                    "it has {} memory "
                    "accesses and barriers (those of a function count once for each call), and the limit is "
                    "{}. Write repeated "
                    "code as a loop, or remove parts.",
                    device.device_name, format_count(kernel.inlined_sites), max_places_on_cpu));
}

}  // namespace

std::string loop_note(const Limits& device) {
    return fmt::format(
        "This device's driver silently ends the loops of an invocation after {} iterations, all its loops "
        "counted together, and your kernel loops that long, so its result here does not show whether it is "
        "right. Divide the work among more invocations, or run it on another device.",
        format_count(device.loop_iterations));
}

OwnKernels::Compiled& OwnKernels::compiled(const Wanted& wanted, const Control& control) {
    const auto known = std::find_if(last_.begin(), last_.end(), [&](const Compiled& c) {
        return c.wanted == wanted && c.include_times == times_of(c.made.compiled.includes);
    });
    if (known != last_.end()) {
        std::rotate(last_.begin(), known, known + 1);
        return last_.front();
    }
    const KernelSource& source = wanted.source;
    shader::CompileJob job{source.text, source.name, wanted.defines, {}, wanted.graded};
    if (!source.folder.empty()) job.include_roots.push_back(source.folder);
    job.include_roots.push_back(shaders_folder().string());
    shader::CompileLimits limits;
    limits.patience = std::min<std::chrono::nanoseconds>(limits.patience, control.remaining());
    limits.stopped = [&] { return control.cancelled.load(); };

    const auto start = std::chrono::steady_clock::now();
    Compiled made{wanted, {}, 0, {}, {}};
    if (wanted.recorded)
        made.made = shader::record_apart(job, *wanted.recorded, limits, compiler_);
    else
        made.made.compiled = shader::compile_apart(job, limits, compiler_);
    shader::CompileResult& result = made.made.compiled;
    made.compile_ns = nanoseconds_since(start);
    control.check();  // a compilation that was aborted says nothing about the source
    made.include_times = times_of(result.includes);
    made.kernel = fmt::format("own/kernel_{}", next_++);
    if (result.ok()) kernels().put(made.kernel, result.spirv, source.name);
    last_.push_front(std::move(made));
    if (last_.size() > kept_) {
        kernels().forget(last_.back().kernel);
        last_.pop_back();
    }
    return last_.front();
}

const OwnKernels::Admission& OwnKernels::admission(Compiled& own, const Plan& plan, const Dispatch& launch,
                                                   const Prepared& prepared) {
    Admission made{.launch = launch_interface(plan, launch)};
    const auto known = std::ranges::find(own.admissions, made.launch, &Admission::launch);
    if (known != own.admissions.end()) return *known;
    const std::vector<std::uint32_t>& spirv = own.made.compiled.spirv;
    if (launch.own) {
        made.needs = admit_own(spirv, made.launch, launch, device_.limits());
    } else {
        Dispatch replaced = launch;
        replaced.kernel = own.kernel;
        const Replacement replacement{kernels().interface(replaced), kernels().interface(launch),
                                      prepared.kernel_file(),
                                      fmt::format("gridstride run {} --variant {} --print-kernel",
                                                  prepared.lesson->id, prepared.variant->id)};
        made.needs = admit(spirv, made.launch, device_.limits(), &replacement);
        made.notes = scalar_notes(replacement, made.launch);
        if (std::string note = literal_size_note(replacement, made.launch); !note.empty())
            made.notes.push_back(std::move(note));
    }
    if (own.admissions.size() >= max_admissions) own.admissions.clear();
    return own.admissions.emplace_back(std::move(made));
}

KernelCache& OwnKernels::kernels() {
    if (!robust_) robust_.emplace(device_.robust());
    return *robust_;
}

std::optional<OwnKernels::Wanted> OwnKernels::wanted_by(const Dispatch& launch, const Prepared& prepared) {
    const KernelSource* const in_place = prepared.own_kernel();
    if (in_place) {
        const shader::KernelName shipped = shader::parse_kernel_name(launch.kernel);
        if (shipped.file == prepared.kernel_file())
            return Wanted{*in_place, defines_for(shipped.build, *in_place, shipped.file)};
    }
    if (!launch.own) return std::nullopt;
    return Wanted{{launch.source + launch.own->text, launch.own->name, launch.own->folder}, {}};
}

OwnKernels::Placed OwnKernels::put_into(Plan& plan, const Prepared& prepared, bool graded,
                                        const Control& control, Report& report) {
    Placed placed;
    std::set<std::string> compiled_here;
    bool is_replaced = prepared.own_kernel() == nullptr;
    kept_ = std::max(max_cached, plan.steps.size());
    for (Step& step : plan.steps) {
        auto* dispatch = std::get_if<Dispatch>(&step);
        std::optional<Wanted> wanted = dispatch ? wanted_by(*dispatch, prepared) : std::nullopt;
        if (!wanted) continue;
        wanted->graded = graded;
        Compiled& own = compiled(*wanted, control);
        const shader::CompileResult& result = own.made.compiled;
        std::vector<Diagnostic> said = result.diagnostics;
        if (graded) {
            std::ranges::move(refused_includes(*prepared.variant, wanted->source, result.includes),
                              std::back_inserter(said));
            if (result.ok() && !dispatch->own)
                report.same_as = shader::shipped_kernels_with(result.digest, prepared.lesson->id);
        }
        for (Diagnostic& d : said) {
            if (dispatch->own) name_tensor(d, *dispatch);
            if (std::ranges::find(report.diagnostics, d) == report.diagnostics.end())
                report.diagnostics.push_back(d);
        }
        if (!result.ok() || report.has_errors()) {
            // An error in such a kernel is an error of its program.
            const std::string why = first_error(said, wanted->source.name);
            if (dispatch->own) throw Refusal(why);
            throw std::runtime_error(why);
        }
        const auto& [launch, needs, notes] = admission(own, plan, *dispatch, prepared);
        for (const std::string& note : notes)
            if (std::ranges::find(report.notes, note) == report.notes.end()) report.notes.push_back(note);
        if (dispatch->own)
            compare_with_declared(plan, *dispatch, needs, report);
        else
            is_replaced = true;
        note_large_buffers(plan, *dispatch, needs, report);
        placed.any = true;
        placed.has_loops = placed.has_loops || needs.loops;
        dispatch->kernel = own.kernel;
        dispatch->source.clear();
        if (compiled_here.insert(own.kernel).second) placed.compile_ns += own.compile_ns;
    }
    if (!is_replaced)
        throw Refusal(fmt::format("{} launches no kernel that yours could replace. Choose another variant.",
                                  prepared.variant->id));
    if (placed.any) report.notes.push_back(clamping_note);
    return placed;
}

OwnKernels::WithRecording OwnKernels::with_recording(const Dispatch& launch, std::uint32_t binding,
                                                     shader::CountedLoops counted_loops,
                                                     const Prepared& prepared, const Control& control) {
    const shader::KernelName shipped = shader::parse_kernel_name(launch.kernel);
    std::optional<Wanted> wanted = wanted_by(launch, prepared);
    if (!wanted) {
        const std::string text =
            launch.source.empty() ? read_file(shaders_folder() / shipped.file) : launch.source;
        wanted = {{text, shipped.file, ""}, {}};
        wanted->defines = defines_for(shipped.build, wanted->source, shipped.file);
    }
    wanted->recorded = shader::RecordedLaunch{binding,
                                              {},
                                              device_.limits().subgroup_ballot,
                                              device_.limits().multiprocessor_and_clock,
                                              counted_loops};
    // The code that counts loops does not depend on the launch.
    if (counted_loops == shader::CountedLoops::none) wanted->recorded->constants = constants_of(launch);
    const Compiled& made = compiled(*wanted, control);
    const shader::CompileResult& result = made.made.compiled;
    if (!result.ok()) throw std::runtime_error(first_error(result.diagnostics, wanted->source.name));
    require_quick_to_record(made.made, device_.limits());
    admit(result.spirv,
          {.workgroup = launch.workgroup,
           .constants = constants_of(launch),
           .push_bytes = push_bytes_of(launch),
           .bindings = std::vector<LaunchInterface::BoundBuffer>(binding + 1)},
          device_.limits());
    return {made.kernel, wanted->source.name, made.made.sites};
}

}  // namespace gridstride::lab
