#include "assignment/lesson_pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
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
        std::ranges::copy(text_lesson::find_includes(lesson.files, file, read_file(lesson.folder / file)),
                          std::back_inserter(files));
    }
    return all;
}

/// Removes the comments of a TOML text, and keeps its lines.
std::string remove_comments(std::string_view toml) {
    constexpr std::string_view quotes[] = {"\"\"\"", "'''", "\"", "'"};
    std::string result;
    std::string_view quote;  // that ends the string; empty: outside
    while (!toml.empty()) {
        if (quote.empty() && toml.front() == '#') {
            toml.remove_prefix(std::min(toml.find('\n'), toml.size()));
            continue;
        }
        std::size_t count = 1;
        if (quote.empty()) {
            const auto* const begun =
                std::ranges::find_if(quotes, [&](std::string_view one) { return toml.starts_with(one); });
            if (begun != std::end(quotes)) count = (quote = *begun).size();
        } else if (toml.starts_with(quote)) {
            count = std::exchange(quote, {}).size();
        } else if (toml.front() == '\\' && quote.front() == '"') {
            count = 2;
        }
        result += toml.substr(0, count);
        toml.remove_prefix(std::min(count, toml.size()));
    }
    return result;
}

bool has_word(std::string_view text, std::string_view word) {
    const auto is_part = [&](std::size_t at) {
        return at < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
    };
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
        if (!is_part(at - 1) && !is_part(at + word.size())) return true;
    return false;
}

/// Returns the lines of each definition: that of the lesson, and those of variants that replace it.
std::map<std::string, std::set<std::size_t>> find_definition_lines(const LessonText& lesson) {
    std::map<std::string, std::set<std::size_t>> lines;
    const auto add = [&](const text_lesson::Definitions& definitions) {
        for (const auto& [name, expression] : definitions)
            lines[name].insert(expression.line);
    };
    add(lesson.definitions);
    for (const auto* variants : {&lesson.variants, &lesson.exercises})
        for (const VariantText& variant : *variants)
            add(variant.definitions);
    return lines;
}

/// Removes the definitions that only withheld expectations use: those whose names no other line has. Throws
/// Refusal if one shares its line.
std::string remove_withheld_definitions(const LessonText& lesson, const std::string& toml) {
    std::set<std::string> names;
    for (const VariantText& exercise : lesson.exercises)
        if (exercise.is_withheld)
            for (const text_lesson::ExpectedText& expected : exercise.expected)
                for (const std::string& expression : {expected.value.text, expected.within.text})
                    names.merge(text_lesson::find_names(lesson, expression));
    const std::vector<std::string_view> found = split(toml, '\n');
    std::vector<std::string> lines(found.begin(), found.end());
    std::map<std::string, std::set<std::size_t>> definitions = find_definition_lines(lesson);
    const auto is_unused = [&](const auto& definition) {
        const auto uses = std::ranges::count_if(
            lines, [&](const std::string& line) { return has_word(line, definition.first); });
        return names.contains(definition.first) && std::cmp_equal(uses, definition.second.size());
    };
    for (auto one = std::ranges::find_if(definitions, is_unused); one != definitions.end();
         one = std::ranges::find_if(definitions, is_unused)) {
        for (const std::size_t number : one->second) {
            std::string& line = lines[number - 1];
            const std::string_view content = trim(line);
            if (!content.starts_with(one->first) && !content.starts_with("define." + one->first))
                throw Refusal(
                    "{}:{}: {} is part of what is withheld, but shares its line. Give it a line of its own.",
                    text_lesson::lesson_file, number, one->first);
            line.clear();
        }
        definitions.erase(one);
    }
    return join(lines, "\n");
}

void add_lesson(const Lesson& loaded, Files& files) {
    text_lesson::Diagnostics diagnostics(text_lesson::lesson_file);
    const std::optional<LessonText> text =
        text_lesson::read_lesson_text(loaded.folder, *loaded.files, diagnostics);
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
    add(text_lesson::lesson_file,
        "packed_for = \"students\"\n" +
            remove_withheld_definitions(lesson, remove_comments(remove_byte_order_mark(toml))));
}

}  // namespace

Files pack_for_students(const fs::path& folder) {
    Files files;
    for (const text_lesson::FolderLesson& one : text_lesson::load_lessons(folder)) {
        if (!one.lesson) throw Refusal(one.errors);
        add_lesson(*one.lesson, files);
    }
    const fs::path assignment = folder / assignment_file;
    if (!fs::exists(assignment)) return files;
    files.emplace(assignment_file, read_file(assignment));
    // Programs of students read it with `fill file`.
    if (const fs::path data = folder / data_folder; fs::is_directory(data))
        for (const fs::directory_entry& file : fs::recursive_directory_iterator(data))
            if (const std::string name = file.path().lexically_relative(folder).string();
                !file.is_directory())
                files.emplace(name, read_file(text_lesson::find_lesson_file(folder, name)));
    return files;
}

}  // namespace gridstride
