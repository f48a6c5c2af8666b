#include "text_lesson/text_lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "lesson/building_blocks.h"
#include "tensor/cpu_baseline.h"
#include "text_lesson/lesson_checker.h"
#include "text_lesson/lesson_data.h"
#include "text_lesson/lesson_pictures.h"
#include "text_lesson/lesson_plan.h"
#include "text_lesson/lesson_text.h"

namespace gridstride::text_lesson {

namespace {

namespace fs = std::filesystem;

using Text = std::shared_ptr<const LessonText>;

void add_remarks(const LessonText& text, Remarks& add, const Run& run) {
    LessonScope scope(text, run.values);
    add_launch(scope, run);
    for (const RemarkText& remark : text.remarks)
        if (scope.evaluate_number(remark.when) != 0) add.add(remark.severity, remark.parameter, remark.text);
    add_plan_remarks(add, run);
}

bool is_wrong_on_purpose(const LessonText& text, const Values& values, const Variant& variant) {
    LessonScope scope(text, values);
    scope.add_launch(requested_workgroup(values), requested_grid(values), Limits());
    return scope.evaluate_number(Run::get_facts(variant).wrong_on_purpose) != 0;
}

/// Returns whether a kernel has an extension for subgroups, apart from the one that all devices know.
bool uses_subgroups(const LessonText& text, const VariantText& variant) {
    constexpr std::string_view extension = "GL_KHR_shader_subgroup_", basic = "basic";
    return std::ranges::any_of(variant.launches, [&](const LaunchText& launch) {
        const std::string& kernel = text.kernels.at(launch.kernel).text;
        for (std::size_t at = kernel.find(extension); at != std::string::npos;
             at = kernel.find(extension, at + 1))
            if (kernel.compare(at + extension.size(), basic.size(), basic) != 0) return true;
        return false;
    });
}

Input make_input_from_user(const LessonText& text, const UserData& data, const Values& values) {
    return make_input(text, values, convert_numbers(data, text.inputs.front().type));
}

/// Returns the lesson; the text is checked by check_lesson().
Lesson make_lesson(const Text& text) {
    const auto make_rows = [&](const std::vector<VariantText>& variants, bool are_exercises) {
        std::vector<Row<VariantText>> rows;
        for (const VariantText& variant : variants)
            rows.push_back(
                {variant,
                 variant,
                 {.kernel = (text->folder / variant.launches.front().kernel).string(),
                  .per_invocation = variant.per_invocation,
                  .uses_subgroups = uses_subgroups(*text, variant),
                  .wrong_on_purpose = variant.wrong_on_purpose.text == "true",
                  .has_baseline = variant.has_baseline,
                  .solution = are_exercises ? (text->folder / variant.solution).string() : std::string()}});
        return rows;
    };
    return with_variants<VariantText>(
        {.id = text->id,
         .title = text->title,
         .version = text->version,
         .parameters = text->parameters,
         .domain = text->domain,
         .noun = text->noun,
         .default_variant = text->default_variant,
         .input = [text](const Values& values) { return make_input(*text, values); },
         .input_files = text->user_files,
         .input_from_user =
             text->user_files.empty()
                 ? decltype(Lesson::input_from_user)()
                 : [text](const UserData& data,
                          const Values& values) { return make_input_from_user(*text, data, values); },
         .reference_depends_on_launch = text->reference_depends_on_launch,
         .wrong_on_purpose =
             [text](const Values& values, const Variant& variant) {
                 return is_wrong_on_purpose(*text, values, variant);
             },
         .baseline = text->baseline.empty() ? Baseline()
                                            : [text](const Input& input, const Values& values,
                                                     SumRanges sum_ranges) {
                                                  LessonScope scope(*text, values);
                                                  add_inputs(scope, *text, input);
                                                  return tensor::run_baseline(
                                                      scope.parse_tensor(text->baseline), input, sum_ranges);
                                              },
         .folder = text->folder.string()},
        {.plan = [text](PlanBuilder& plan, const Run& run) { make_plan(*text, plan, run); },
         .remarks = [text](Remarks& add, const Run& run) { add_remarks(*text, add, run); },
         .reference = [text](const Input& input,
                             const Run& run) { return make_reference(*text, input, run); },
         .result = [text](const Run& run, const Outputs& outputs) { return make_facts(*text, run, outputs); },
         .pictures = [text](Figures& add, const Run& run) { draw_pictures(*text, add, run); }},
        make_rows(text->variants, false), make_rows(text->exercises, true));
}

}  // namespace

std::shared_ptr<const Lesson> load_lesson(const fs::path& folder) {
    const auto text = std::make_shared<const LessonText>(read_lesson_text(folder));
    check_lesson(*text);
    return std::make_shared<const Lesson>(make_lesson(text));
}

std::vector<fs::path> find_lesson_folders(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    if (fs::exists(folder / "lesson.toml", error)) return {folder};
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
        if (fs::exists(entry.path() / "lesson.toml")) found.push_back(entry.path());
    if (found.empty())
        throw FileError(
            fmt::format("{} has no lesson: neither it nor a folder in it has a lesson.toml. \"gridstride "
                        "lesson new FOLDER\" makes one.",
                        quote_path(folder)));
    std::ranges::sort(found);
    return found;
}

namespace {

/// Calls load_lesson(). Throws Refusal with a line FILE:LINE: ERROR for each mistake.
std::shared_ptr<const Lesson> load_checked(const fs::path& folder) {
    try {
        return load_lesson(folder);
    } catch (const ProgramError& error) {
        std::vector<std::string> lines;
        for (const Diagnostic& one : error.diagnostics)
            lines.push_back(
                fmt::format("{}:{}: {}", printable((folder / one.file).string()), one.line, one.text));
        throw Refusal(std::move(lines));
    }
}

}  // namespace

std::vector<std::string> register_lessons(const std::vector<std::string>& folders) {
    std::map<std::string, fs::path> by_id;
    std::vector<std::string> ids;
    const char* const before = std::getenv("GRIDSTRIDE_LESSONS");
    std::string all = before ? before : "";
    for (const std::string& given : folders)
        for (const fs::path& folder : find_lesson_folders(given)) {
            const std::shared_ptr<const Lesson> lesson = load_checked(folder);
            if (const auto [other, is_new] = by_id.emplace(lesson->id, folder); !is_new)
                throw Refusal("Two folders have the lesson {}: {} and {}. Rename one of the folders.",
                              lesson->id, quote_path(other->second), quote_path(folder));
            if (const Lesson* const known = find_lesson(lesson->id))
                throw Refusal("There is a lesson {} already, {}. Rename the folder {}.", lesson->id,
                              quote_text(known->title), quote_path(folder));
            all += (all.empty() ? "" : "\n") + lesson->folder;
            register_lesson(lesson);
            ids.push_back(lesson->id);
        }
    if (!ids.empty()) setenv("GRIDSTRIDE_LESSONS", all.c_str(), 1);
    return ids;
}

std::vector<std::string> registered_folders() {
    const char* const all = std::getenv("GRIDSTRIDE_LESSONS");
    std::vector<std::string> folders;
    if (all && *all)
        for (const std::string_view folder : split(all, '\n'))
            folders.emplace_back(folder);
    return folders;
}

void register_inherited_lessons() {
    for (const std::string& folder : registered_folders())
        register_lesson(load_checked(folder));
}

std::vector<std::string> reload_lesson(const std::string& folder) {
    try {
        const std::shared_ptr<const Lesson> lesson = load_checked(folder);
        if (find_lesson(lesson->id)->version != lesson->version) register_lesson(lesson);
        return {};
    } catch (const Refusal& refused) {
        return refused.reasons;
    } catch (
        const std::exception& error) {  // also std::filesystem::filesystem_error, if the folder disappears
        return {error.what()};
    }
}

void reload_lesson_by_id(const std::string& id) {
    for (const std::string& folder : registered_folders())
        if (fs::path(folder).filename() == id) reload_lesson(folder);
}

}  // namespace gridstride::text_lesson
