#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "commands.h"
#include "shader/compile_isolated.h"
#include "standard_output.h"
#include "story/story_errors.h"
#include "text_lesson/lesson_folders.h"

namespace gridstride::app {

namespace {

namespace fs = std::filesystem;

/// "divergent_branches" -> "Divergent branches"
std::string title_of(std::string id) {
    std::ranges::replace(id, '_', ' ');
    if (!id.empty() && id[0] >= 'a' && id[0] <= 'z') id[0] = static_cast<char>(id[0] - 'a' + 'A');
    return id;
}

std::string replace_all(std::string text, std::string_view from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

/// Copies the example lesson, with the title that the folder's name suggests. The folder must not exist.
int create_lesson(const fs::path& folder) {
    const fs::path target = fs::absolute(folder).lexically_normal();
    if (fs::exists(target))
        throw FileError(fmt::format("{} exists already. Give the name of a new folder.", quote_path(target)));
    const fs::path example = data_directory() / "examples" / "multiples";
    create_folders(target);
    for (const fs::directory_entry& entry : fs::directory_iterator(example)) {
        std::string text = read_file(entry.path());
        if (entry.path().extension() != ".comp")
            text = replace_all(std::move(text), "Multiples", title_of(target.filename().string()));
        write_file(target / entry.path().filename(), text);
    }
    print("Wrote a lesson that works to {}. Change it, and check it with \"gridstride lesson check {}\".\n",
          quote_path(target), folder.string());
    return exit_success;
}

/// Compiles the kernels of the lesson, and adds "FILE:LINE: ERROR" for each error.
void compile_kernels(const Lesson& lesson, std::vector<std::string>& errors) {
    const auto compile = [&](const Variant& variant) {
        Experiment experiment = default_experiment(lesson);
        experiment.variant = variant.id;
        const PreparedExperiment prepared = prepare(lesson, experiment, Limits());
        if (prepared.plan.steps.empty()) return;
        const Dispatch& launch = prepared.plan.main();
        const shader::CompileResult result = shader::compile_isolated(
            {.source = launch.source + launch.file_source->text,
             .name = launch.file_source->name,
             .include_roots = {launch.file_source->folder, (data_directory() / "shaders").string()}});
        for (const Diagnostic& one : result.diagnostics)
            errors.push_back(fmt::format(
                "{}:{}: {}", printable((fs::path(lesson.folder) / one.file).string()), one.line, one.text));
    };
    for (const auto* variants : {&lesson.variants, &lesson.exercises})
        for (const Variant& variant : *variants)
            compile(variant);
}

/// Returns the errors of one lesson that show without a device. Registers the lesson if there are none.
std::vector<std::string> find_errors(const fs::path& folder) {
    try {
        const text_lesson::Lessons loaded = text_lesson::load_lessons(folder);
        text_lesson::register_lessons(loaded);
        const Lesson& lesson = *loaded.front();
        std::vector<std::string> errors;
        compile_kernels(lesson, errors);
        if (story_files(lesson).empty())
            errors.push_back(fmt::format("{}: there is no story.en.md. Add one.", quote_path(folder)));
        for (const fs::path& file : story_files(lesson))
            std::ranges::move(find_story_errors(lesson, read_story_file(file)), std::back_inserter(errors));
        return errors;
    } catch (const Refusal& refused) {
        return refused.reasons;
    } catch (const std::runtime_error& error) {  // FileError, or StoryError
        return {error.what()};
    }
}

int check_lessons(const LessonFolderOptions& options) {
    std::size_t count = 0;
    std::vector<std::string> valid_lessons;
    for (const fs::path& folder : text_lesson::find_lesson_folders(options.folder)) {
        const std::vector<std::string> errors = find_errors(folder);
        for (const std::string& error : errors)
            print("{}\n", error);
        count += errors.size();
        if (errors.empty())
            valid_lessons.push_back(fs::absolute(folder).lexically_normal().filename().string());
    }
    if (count > 0) {
        print_status("{}", counted(count, "error"));
        return exit_mismatch;
    }
    print("No errors in {}.\n", join(valid_lessons, ", "));
    if (!options.run) return exit_success;
    int code = exit_success;
    for (const std::string& id : valid_lessons)
        code = std::max(code, run_command(CheckOptions{.lesson = id, .device = options.device}));
    return code;
}

}  // namespace

int run_command(const LessonFolderOptions& options) {
    return options.action == "new" ? create_lesson(options.folder) : check_lessons(options);
}

}  // namespace gridstride::app
