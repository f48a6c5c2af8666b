#include "text_lesson/folder_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "shader/compile_isolated.h"
#include "story/story_errors.h"
#include "text_lesson/lesson_checker.h"
#include "text_lesson/lesson_kernel.h"
#include "text_lesson/lesson_reader.h"
#include "text_lesson/text_lesson.h"

namespace gridstride::text_lesson {

namespace {

namespace fs = std::filesystem;

/// Compiles the kernels of a lesson, also of solutions, all in one process.
class KernelCheck {
 public:
    explicit KernelCheck(const LessonText& text) : text_(text) {
        for (const auto* variants : {&text.variants, &text.exercises, &text.references})
            for (const VariantText& variant : *variants)
                for (const auto& [launch, file] : list_kernels(variant))
                    if (const auto job = add_job(variant, *launch, file, variant.is_reference))
                        own_jobs_.insert(*job);
        for (const VariantText& reference : text.references)
            add_comparisons(reference);
    }

    /// Returns "FILE:LINE: ERROR" for each error.
    std::vector<std::string> find_errors() const {
        const std::vector<shader::CompileResult> results = shader::compile_all_isolated(jobs_);
        std::vector<std::string> errors;
        for (const std::size_t job : own_jobs_)
            for (const Diagnostic& one : results[job].diagnostics)
                // An error of the whole kernel has no line.
                errors.push_back(fmt::format("{}:{}: {}", printable((text_.folder / one.file).string()),
                                             std::max(one.line, std::uint32_t{1}), one.text));
        for (const Comparison& one : comparisons_)
            if (results[one.reference].ok() && results[one.reference].digest == results[one.kernel].digest)
                errors.push_back(fmt::format(
                    "{}:1: This reference kernel is the same program as {}, whose mistakes it would repeat. "
                    "Compute the result in another way, such as with one plain loop for each element.",
                    printable((text_.folder / one.reference_file).string()), printable(one.file)));
        return errors;
    }

 private:
    struct Comparison {
        std::size_t reference = 0, kernel = 0;  ///< jobs
        std::string reference_file, file;
    };

    static std::vector<std::pair<const LaunchText*, std::string>> list_kernels(const VariantText& variant) {
        std::vector<std::pair<const LaunchText*, std::string>> kernels;
        for (const LaunchText& launch : variant.launches)
            kernels.emplace_back(&launch, launch.kernel);
        if (!variant.solution.empty()) kernels.emplace_back(&variant.launches.front(), variant.solution);
        return kernels;
    }

    /// Returns the job that compiles the file with the declarations of a launch, or nullopt if check_lesson()
    /// finds that there is nothing to compile.
    std::optional<std::size_t> add_job(const VariantText& variant, const LaunchText& launch,
                                       const std::string& file, bool wants_digest) {
        const auto found = text_.kernels.find(file);
        if (found == text_.kernels.end()) return std::nullopt;
        try {
            const auto [head, source, arrays, parameters, names_repetition] =
                make_lesson_kernel(text_, variant, launch, found->second, Limits());
            const auto [known, is_new] = job_of_source_.try_emplace(head + source.text + file, jobs_.size());
            if (is_new)
                jobs_.push_back({.source = head + source.text,
                                 .name = source.name,
                                 .include_roots = {(data_directory() / "shaders").string()},
                                 .files = source.lesson_files});
            if (wants_digest) jobs_[known->second].wants_digest = true;
            return known->second;
        } catch (const std::runtime_error&) {
            return std::nullopt;
        }
    }

    /// Whatever mistake a kernel has, a reference kernel that is the same program has too. The kernels that
    /// it judges are compiled with its own declarations.
    void add_comparisons(const VariantText& reference) {
        const LaunchText& launch = reference.launches.front();
        const auto own = add_job(reference, launch, launch.kernel, true);
        if (!own) return;
        std::set<std::string> compared;
        for (const auto* variants : {&text_.variants, &text_.exercises})
            for (const VariantText& variant : *variants) {
                if (!std::ranges::count(variant.expected, reference.id, &ExpectedText::reference)) continue;
                for (const auto& [judged, file] : list_kernels(variant)) {
                    if (!compared.insert(file).second) continue;
                    if (const auto job = add_job(reference, launch, file, true))
                        comparisons_.push_back({*own, *job, launch.kernel, file});
                }
            }
    }

    const LessonText& text_;
    std::vector<shader::CompileJob> jobs_;
    std::map<std::string, std::size_t> job_of_source_;
    std::set<std::size_t> own_jobs_;  ///< the others may lack declarations
    std::vector<Comparison> comparisons_;
};

/// Returns whether an array has a wrong name or type.
bool has_faulty_array(const LessonText& text, const std::set<std::size_t>& faulty_lines) {
    const auto is_faulty = [&](const ArrayText& array) { return faulty_lines.contains(array.line); };
    return std::ranges::any_of(text.inputs, is_faulty) || std::ranges::any_of(text.outputs, is_faulty) ||
           std::ranges::any_of(text.scratch, is_faulty);
}

/// Calls find(), and adds the errors that it returns or throws.
void add_errors(std::vector<std::string>& errors, const auto& find) {
    try {
        std::ranges::move(find(), std::back_inserter(errors));
    } catch (const StoryError& error) {
        std::ranges::copy(error.errors, std::back_inserter(errors));
    } catch (const std::runtime_error& error) {  // FileError
        errors.emplace_back(error.what());
    }
}

void add_story_errors(const Lesson& lesson, const RunNames& names, std::vector<std::string>& errors) {
    const std::vector<StoryFile> files = story_files(lesson);
    add_errors(errors, [&] { return find_missing_stories(lesson); });
    for (const StoryFile& file : files)
        add_errors(errors, [&] {
            const Story story = read_story_file(file.path);
            std::vector<std::string> found = find_unknown_names(story, names);
            if (!lesson.variants.empty())
                std::ranges::move(find_story_errors(lesson, story), std::back_inserter(found));
            if (std::ranges::any_of(files, [&](const StoryFile& one) {
                    return one.name == file.name && one.language == "en" && file.language != "en";
                }))
                add_errors(found,
                           [&] { return find_id_differences(story, load_story(lesson, "en", file.name)); });
            return found;
        });
    add_errors(errors, [&] { return find_shared_ids(lesson); });
}

}  // namespace

std::vector<std::string> format_mistakes(const fs::path& folder, const std::vector<Diagnostic>& mistakes) {
    std::vector<std::string> lines;
    for (const Diagnostic& one : mistakes)
        lines.push_back(
            fmt::format("{}:{}: {}", printable((folder / one.file).string()), one.line, one.text));
    return lines;
}

CheckedFolder check_folder(const fs::path& folder) {
    CheckedFolder checked;
    add_errors(checked.errors, [&] {
        Diagnostics diagnostics(lesson_file);
        LessonFiles files = read_lesson_files(folder, diagnostics);
        std::optional<LessonText> text = read_lesson_text(folder, std::move(files), diagnostics);
        if (text) check_lesson(*text, diagnostics);
        const std::set<std::size_t> faulty_lines = diagnostics.lines();
        std::vector<std::string> errors = format_mistakes(folder, std::move(diagnostics).sorted_by_line());
        if (!text) return errors;
        const bool is_faulty = !errors.empty();
        // The declarations of a kernel have the types of arrays.
        if (!has_faulty_array(*text, faulty_lines))
            std::ranges::move(KernelCheck(*text).find_errors(), std::back_inserter(errors));
        RunNames names;
        for (const FactText& fact : text->facts)
            names.facts.insert(fact.id);
        for (const PictureText& picture : text->pictures)
            names.plots.insert(picture.id);
        Lesson lesson = text->variants.empty()
                            ? Lesson{.id = text->id, .title = text->title, .folder = text->folder.string()}
                            : make_lesson(*std::move(text));
        // A story's settings are not tried in a plan whose expressions have mistakes.
        if (is_faulty)
            lesson.task.plan = [](PlanBuilder&, const PreparedExperiment&) {
                throw Refusal(std::vector<std::string>());
            };
        add_story_errors(lesson, names, errors);
        if (errors.empty()) checked.lesson = std::make_shared<const Lesson>(std::move(lesson));
        return errors;
    });
    return checked;
}

}  // namespace gridstride::text_lesson
