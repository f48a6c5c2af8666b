#include "assignment/lesson_pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "assignment/assignment.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "story/story.h"
#include "text_lesson/lesson_folders.h"
#include "text_lesson/lesson_kernel.h"
#include "text_lesson/lesson_reader.h"

namespace gridstride {

namespace {

namespace fs = std::filesystem;

using text_lesson::LessonText, text_lesson::VariantText;
using Files = std::map<std::string, std::string>;

/// Returns the kernel files that a variant is judged by.
std::vector<std::string> list_references(const LessonText& lesson, const VariantText& variant) {
    std::vector<std::string> files;
    for (const text_lesson::ExpectedText& expected : variant.expected)
        for (const VariantText& reference : lesson.references)
            if (reference.id == expected.reference) files.push_back(reference.launches.front().kernel);
    return files;
}

/// Returns the solutions and the withheld references.
std::set<std::string> list_secret_kernels(const LessonText& lesson) {
    std::set<std::string> files;
    for (const VariantText& exercise : lesson.exercises) {
        files.insert(exercise.solution);
        if (exercise.is_withheld)
            for (const std::string& file : list_references(lesson, exercise))
                files.insert(file);
    }
    return files;
}

/// Returns the kernels that students run or read, with what they include.
std::set<std::string> list_shown_kernels(const LessonText& lesson, const std::vector<StoryFile>& stories) {
    std::vector<std::string> files;
    for (const auto* variants : {&lesson.variants, &lesson.exercises})
        for (const VariantText& variant : *variants) {
            for (const text_lesson::LaunchText& launch : variant.launches)
                files.push_back(launch.kernel);
            if (!variant.is_withheld)
                std::ranges::copy(list_references(lesson, variant), std::back_inserter(files));
        }
    for (const StoryFile& file : stories)
        for (const StoryStep& step : read_story_file(file.path).steps)
            for (const Block& block : step.blocks)
                if (const auto* const kernel = std::get_if<KernelBlock>(&block))
                    files.push_back(kernel->file);
    std::set<std::string> all;
    while (!files.empty()) {
        const std::string file = files.back();
        files.pop_back();
        if (!fs::exists(lesson.folder / file) || !all.insert(file).second) continue;
        std::ranges::copy(text_lesson::find_includes(lesson.folder, read_file(lesson.folder / file)),
                          std::back_inserter(files));
    }
    return all;
}

void add_lesson(const Lesson& loaded, Files& files) {
    text_lesson::Diagnostics diagnostics(text_lesson::lesson_file);
    const std::optional<LessonText> text = text_lesson::read_lesson_text(loaded.folder, diagnostics);
    if (!text || diagnostics.has_errors())
        throw Refusal("{} changed while it was packed. Pack it again.", quote_path(loaded.folder));
    const LessonText& lesson = *text;
    if (lesson.is_packed)
        throw Refusal("{} is packed already. Give the teacher's folder.", quote_path(lesson.folder));
    const std::vector<StoryFile> stories = story_files(loaded);
    const std::set<std::string> secret = list_secret_kernels(lesson);
    std::set<std::string> shown = list_shown_kernels(lesson, stories);
    for (const std::string& file : secret)
        if (shown.contains(file))
            throw Refusal(
                "{} is a solution or a withheld reference, but a variant, a starter, a story or another "
                "kernel of {} names it, too. Give each its own file.",
                quote_text(file), lesson.id);
    shown.merge(std::set(lesson.data_files));
    const auto add = [&](const std::string& file, std::string content) {
        files.emplace(lesson.id + '/' + file, std::move(content));
    };
    for (const std::string& file : shown)
        add(file, read_file(text_lesson::find_lesson_file(lesson.folder, file)));
    for (const StoryFile& file : stories)
        add(file.path.filename().string(), read_file(file.path));
    const std::string toml = read_file(lesson.folder / text_lesson::lesson_file);
    add(text_lesson::lesson_file, "packed_for = \"students\"\n" + std::string(remove_byte_order_mark(toml)));
}

}  // namespace

Files pack_for_students(const fs::path& folder) {
    Files files;
    for (const text_lesson::FolderLesson& one : text_lesson::load_lessons(folder)) {
        if (!one.lesson) throw Refusal(one.errors);
        add_lesson(*one.lesson, files);
    }
    if (const fs::path assignment = folder / assignment_file; fs::exists(assignment))
        files.emplace(assignment_file, read_file(assignment));
    return files;
}

}  // namespace gridstride
