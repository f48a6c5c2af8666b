#include "text_lesson/lesson_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "lesson/kernel_file.h"
#include "text_lesson/toml_names.h"

namespace gridstride::text_lesson {

namespace fs = std::filesystem;

namespace {

/// only: the variant whose definitions count; null: all.
void add_names(const LessonText& lesson, const VariantText* only, const std::string& expression,
               std::set<std::string>& all) {
    for (const std::string& name : names_in(expression)) {
        if (!all.insert(name).second) continue;
        const auto add_definition = [&](const Definitions& definitions) {
            const auto found =
                std::ranges::find(definitions, name, [](const auto& one) { return one.first; });
            if (found == definitions.end()) return false;
            add_names(lesson, only, found->second.text, all);
            return true;
        };
        if (only && add_definition(only->definitions)) continue;
        add_definition(lesson.definitions);
        if (only) continue;
        for (const auto* variants : {&lesson.variants, &lesson.exercises})
            for (const VariantText& variant : *variants)
                add_definition(variant.definitions);
    }
}

}  // namespace

std::set<std::string> find_names(const LessonText& lesson, const std::string& expression,
                                 const VariantText* only) {
    std::set<std::string> all;
    add_names(lesson, only, expression, all);
    return all;
}

std::vector<std::string> array_names(const LessonText& lesson) {
    std::vector<std::string> names;
    const auto add = [&](const auto& arrays) {
        std::ranges::transform(arrays, std::back_inserter(names), &ArrayText::name);
    };
    add(lesson.inputs);
    add(lesson.outputs);
    add(lesson.scratch);
    return names;
}

bool has_array(const LessonText& lesson, const std::string& name) {
    const std::vector<std::string> names = array_names(lesson);
    return std::ranges::find(names, name) != names.end();
}

const OutputText& find_output(const LessonText& lesson, const std::string& name) {
    return *std::ranges::find(lesson.outputs, name, &ArrayText::name);
}

bool contains(const std::vector<TomlText>& names, const std::string& name) {
    return std::ranges::find(names, name, &TomlText::text) != names.end();
}

fs::path find_lesson_file(const fs::path& folder, const std::string& file) {
    const fs::path inside = fs::path(file).lexically_normal();
    const bool leaves = inside.is_absolute() || inside.empty() || *inside.begin() == "..";
    std::error_code unreadable;  // such as links in a circle; then there is no such file either
    const fs::path target = leaves ? fs::path()
                                   : fs::weakly_canonical(folder / inside, unreadable)
                                         .lexically_relative(fs::weakly_canonical(folder));
    if (leaves || (!unreadable && (target.empty() || *target.begin() == "..")))
        throw FileError(
            fmt::format("{} is outside the lesson's folder, or a link that leads out of it. Copy the file "
                        "into the folder.",
                        quote_text(file)));
    const fs::file_status status = fs::status(folder / inside, unreadable);
    if (fs::exists(status) && !fs::is_regular_file(status))
        throw FileError(fmt::format("{} is a folder, a pipe or a device. Name a file.", quote_text(file)));
    return folder / inside;
}

std::string read_lesson_file(const fs::path& folder, const std::string& file) {
    std::string text = read_kernel(find_lesson_file(folder, file)).text;
    if (text.size() > max_text_bytes)
        throw FileError(fmt::format("{} has {}, and the limit is {}. Shorten it.", quote_path(folder / file),
                                    format_byte_text(text.size()), format_byte_text(max_text_bytes)));
    return text;
}

}  // namespace gridstride::text_lesson
