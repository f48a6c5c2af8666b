#include "text_lesson/text_lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "lesson/building_blocks.h"
#include "tensor_lesson/cpu_baseline.h"
#include "text_lesson/lesson_checker.h"
#include "text_lesson/lesson_data.h"
#include "text_lesson/lesson_pictures.h"
#include "text_lesson/lesson_plan.h"
#include "text_lesson/lesson_reader.h"

namespace gridstride::text_lesson {

namespace {

namespace fs = std::filesystem;

void add_remarks(const LessonText& text, Remarks& add, const Run& run) {
    LessonScope scope(text, run.values);
    add_launch(scope, run);
    for (const RemarkText& remark : text.remarks)
        if (scope.holds(remark.when))
            add.add(remark.severity, remark.parameter, scope.substitute_expressions(remark.text));
    add_plan_remarks(add, run);
}

bool is_wrong_on_purpose(const LessonText& text, const Values& values, const Variant& variant) {
    const VariantText& facts = Run::get_facts(variant);
    if (facts.wrong_on_purpose.empty()) return false;
    LessonScope scope(text, values);
    add_first_launch(scope, facts, values, Limits());
    return scope.holds(facts.wrong_on_purpose);
}

/// Returns whether a kernel has an extension for subgroups, apart from the one that all devices know.
bool uses_subgroups(const LessonText& text, const VariantText& variant) {
    constexpr std::string_view extension = "GL_KHR_shader_subgroup_", basic = "basic";
    return std::ranges::any_of(variant.launches, [&](const LaunchText& launch) {
        const auto found = text.kernels.find(launch.kernel);
        if (found == text.kernels.end()) return false;
        const std::string& kernel = found->second.text;
        for (std::size_t at = kernel.find(extension); at != std::string::npos;
             at = kernel.find(extension, at + 1))
            if (kernel.compare(at + extension.size(), basic.size(), basic) != 0) return true;
        return false;
    });
}

Input make_input_from_user(const LessonText& text, const UserData& data, const Values& values) {
    return make_input(text, values, convert_user_numbers(data, text.inputs.front().type));
}

}  // namespace

Lesson make_lesson(LessonText from) {
    const auto text = std::make_shared<const LessonText>(std::move(from));
    // As for every lesson that ships, it has no version and its files are named from the folder of all.
    const auto name_file = [&](const std::string& file) {
        return text->ships ? text->id + '/' + file : (text->folder / file).string();
    };
    const std::vector<std::string>& default_outputs =
        std::ranges::find(text->variants, text->default_variant, &VariantText::id)->outputs;
    const auto make_rows = [&](const std::vector<VariantText>& variants, bool are_exercises) {
        std::vector<Row<VariantText>> rows;
        for (const VariantText& variant : variants)
            rows.push_back({variant,
                            variant,
                            {.kernel = name_file(variant.launches.front().kernel),
                             .per_invocation = variant.per_invocation,
                             .uses_subgroups = uses_subgroups(*text, variant),
                             .wrong_on_purpose = variant.wrong_on_purpose.text == "true",
                             .has_baseline = !are_exercises && !variant.is_reference &&
                                             variant.outputs == default_outputs,
                             .solution = are_exercises ? name_file(variant.solution) : std::string()}});
        return rows;
    };
    std::vector<Row<VariantText>> references = make_rows(text->references, false);
    for (Row<VariantText>& row : references)
        row.options.task = {.remarks = [](Remarks& add, const Run& run) { add_plan_remarks(add, run); },
                            .result = no_op,
                            .pictures = no_op};
    Lesson lesson = with_variants<VariantText>(
        {.id = text->id,
         .title = text->title,
         .version = text->ships ? std::string() : text->version,
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
                                                  return tensor_lesson::run_baseline(
                                                      scope.parse_tensor(text->baseline), input, sum_ranges);
                                              },
         .folder = text->ships ? std::string() : text->folder.string(),
         .files = std::shared_ptr<const LessonFiles>(text, &text->files)},
        {.plan = [text](PlanBuilder& plan, const Run& run) { make_plan(*text, plan, run); },
         .remarks = [text](Remarks& add, const Run& run) { add_remarks(*text, add, run); },
         .reference = [text](const Input& input,
                             const Run& run) { return make_reference(*text, input, run); },
         .result = [text](const Run& run, const Outputs& outputs) { return make_facts(*text, run, outputs); },
         .pictures = [text](Figures& add, const Run& run) { draw_pictures(*text, add, run); }},
        make_rows(text->variants, false), make_rows(text->exercises, true), references);
    if (text->is_packed)
        for (Variant& exercise : lesson.exercises)
            exercise.solution.clear();
    return lesson;
}

std::shared_ptr<const Lesson> remake_lesson(const fs::path& folder, LessonFiles files) {
    Diagnostics diagnostics(lesson_file);
    std::optional<LessonText> text = read_lesson_text(folder, std::move(files), diagnostics);
    if (diagnostics.has_errors()) throw ProgramError(std::move(diagnostics).sorted_by_line());
    return std::make_shared<const Lesson>(make_lesson(*std::move(text)));
}

std::shared_ptr<const Lesson> load_lesson(const fs::path& folder) {
    Diagnostics diagnostics(lesson_file);
    LessonFiles files = read_lesson_files(folder, diagnostics);
    std::optional<LessonText> text = read_lesson_text(folder, std::move(files), diagnostics);
    // A start is shorter without; the tests check the lessons that ship.
    if (text && !text->ships) check_lesson(*text, diagnostics);
    if (diagnostics.has_errors()) throw ProgramError(std::move(diagnostics).sorted_by_line());
    return std::make_shared<const Lesson>(make_lesson(*std::move(text)));
}

}  // namespace gridstride::text_lesson
