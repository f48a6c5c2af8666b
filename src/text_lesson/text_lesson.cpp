#include "text_lesson/text_lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "figures/figures.h"
#include "launch/slices.h"
#include "lesson/building_blocks.h"
#include "lesson/metrics.h"
#include "tensor/expected.h"
#include "tensor/glsl_identifiers.h"
#include "text_lesson/lesson_kernel.h"
#include "text_lesson/lesson_scope.h"
#include "text_lesson/lesson_text.h"

namespace gridstride::text_lesson {

namespace {

namespace fs = std::filesystem;

using Text = std::shared_ptr<const LessonText>;
/// The facts of a variant are what the file says about it.
using Run = gridstride::Run<VariantText>;

Extent to_extent(const tensor::Shape& shape) {
    Extent extent{shape.back()};
    if (shape.size() > 1) extent.y = shape[shape.size() - 2];
    if (shape.size() > 2) extent.z = shape[0];
    return extent;
}

std::uint64_t element_count(const LessonText& text, const Values& values) {
    std::uint64_t count = 1;
    for (const std::string& parameter : text.domain)
        count *= std::get<std::uint64_t>(values.at(parameter));
    return count;
}

Input make_input(const LessonText& text, const Values& values) {
    Input input;
    LessonScope scope(values, element_count(text, values));
    for (const InputText& array : text.inputs) {
        const tensor::Shape shape = scope.evaluate_shape(array.shape);
        const TomlText& value =
            array.by_parameter.empty()
                ? array.value
                : array.choices.at(std::get<ChoiceIndex>(values.at(array.by_parameter)).index);
        const ArrayRef numbers = share(scope.evaluate(value, array.type, shape));
        scope.add_array(array.name, shape, numbers);
        input.push_back(
            {.name = array.name, .array = numbers, .width = shape.size() > 1 ? word(shape.back()) : 0});
    }
    return input;
}

/// Returns a scope that knows the inputs.
std::unique_ptr<LessonScope> scope_of_inputs(const LessonText& text, const Values& values,
                                             const Input& input) {
    auto scope = std::make_unique<LessonScope>(values, element_count(text, values));
    for (const InputText& array : text.inputs)
        scope->add_array(array.name, scope->evaluate_shape(array.shape), find_ref(input, array.name));
    return scope;
}

const OutputText& find_output(const LessonText& text, const std::string& name) {
    return *std::ranges::find(text.outputs, name, &ArrayText::name);
}

/// The graph has a kernel in place of the lesson's, and the expectation defines its result.
std::vector<Expected> expect_within(LessonScope& scope, const OutputText& output,
                                    const tensor::Tensor& definition, double within) {
    tensor::Graph& graph = scope.graph();
    const tensor::KernelOutput result{output.name, definition.shape(), output.type};
    const tensor::Tensor found = graph.run({.name = "kernel"}, {}, std::array{result}).front();
    graph.expect(found, definition, within);
    graph.output(output.name, found);
    return tensor::expected(graph, scope.arrays());
}

Expected make_expected(const LessonText& text, const ExpectedText& expected, const Values& values,
                       const Input& input) {
    const OutputText& output = find_output(text, expected.output);
    const std::unique_ptr<LessonScope> scope = scope_of_inputs(text, values, input);
    const tensor::Tensor definition =
        scope->define(expected.value, output.type, scope->evaluate_shape(output.shape));
    if (expected.unit == ErrorUnit::scaled)
        return std::move(expect_within(*scope, output, definition, expected.within).front());
    if (expected.unit == ErrorUnit::ulp)
        return {.output = output.name,
                .reference = share(tensor::evaluate(definition, scope->arrays())),
                .tolerance = {.relative = expected.within * 0x1p-23}};
    scope->graph().output(output.name, definition);
    return std::move(tensor::expected(scope->graph(), scope->arrays()).front());
}

std::vector<Expected> make_reference(const LessonText& text, const Input& input, const Run& run) {
    std::vector<Expected> all;
    for (const ExpectedText& expected : run.facts.expected)
        all.push_back(make_expected(text, expected, run.values, input));
    for (const OutputText& output : text.outputs)
        if (std::ranges::find(all, output.name, &Expected::output) == all.end())
            all.push_back({.output = output.name,
                           .note = fmt::format("lesson.toml has no expect.{0} for {1}, so {0} is not judged.",
                                               output.name, run.facts.id)});
    return all;
}

std::uint32_t push_word(const Value& value) {
    if (const auto* real = std::get_if<double>(&value)) return word(static_cast<float>(*real));
    if (const auto* choice = std::get_if<ChoiceIndex>(&value)) return choice->index;
    return word(std::get<std::uint64_t>(value));
}

/// own: the user's kernel in place of the file; may be null. Throws Refusal.
LessonKernel make_kernel(const LessonText& text, const KernelSource* own, const std::string& file) {
    try {
        return make_lesson_kernel(text, own ? *own : text.kernels.at(file));
    } catch (const FileError& error) {
        throw Refusal(error.what());
    }
}

void make_plan(const LessonText& text, PlanBuilder& plan, const Run& run) {
    const KernelSource* const own = run.prepared.user_kernel();
    LessonKernel kernel = make_kernel(text, own, run.facts.kernel);
    LessonScope scope(run.values, element_count(text, run.values));
    std::vector<Binding> bindings;
    std::vector<PlanBuffer> outputs;
    std::uint64_t moved_bytes = 0;
    const auto count_bytes = [&](const ArrayText& array, const Extent& shape) {
        moved_bytes += shape.product() * byte_size(array.type);
        return shape;
    };
    for (const std::string& name : kernel.arrays) {
        const auto input = std::ranges::find(text.inputs, name, &ArrayText::name);
        if (input != text.inputs.end()) {
            bindings.push_back(reads(plan.upload_input(
                name, input->type, count_bytes(*input, to_extent(scope.evaluate_shape(input->shape))))));
            continue;
        }
        const OutputText& output = find_output(text, name);
        const Extent shape = count_bytes(output, to_extent(scope.evaluate_shape(output.shape)));
        outputs.push_back(output.fill ? plan.filled_output(name, output.type, shape, *output.fill)
                                      : plan.output(name, output.type, shape));
        bindings.push_back(updates(outputs.back()));
    }
    Dispatch& launch = plan.launch(
        run.facts.title, tensor::hashed_source_name(kernel.head + kernel.source.text), std::move(bindings));
    launch.source = std::move(kernel.head);
    launch.user_source = std::move(kernel.source);
    for (const std::string& parameter : kernel.parameters)
        launch.push.push_back(push_word(run.values.at(parameter)));
    for (const PlanBuffer& output : outputs)
        plan.download(output);
    plan.set_cost(moved_bytes, 0);
    if (!outputs.empty()) plan.main_output(text.outputs.front().name);
}

void add_remarks(const LessonText& text, Remarks& add, const Run& run) {
    LessonScope scope(run.values, element_count(text, run.values));
    for (const RemarkText& remark : text.remarks)
        if (scope.evaluate_number(remark.when) != 0) add.add(remark.severity, remark.parameter, remark.text);
    // Only the kernel knows which invocation processes which element, so its launch must not be divided.
    if (run.plan.steps.empty()) return;
    if (const Slicing cut = slice(run.plan.main(), run.plan.buffers, run.limits); cut.slices.size() > 1)
        add.refuse(
            "This device would divide the launch, and kernels of this lesson cannot be divided. Use fewer "
            "elements, or more workgroups.");
}

std::vector<Fact> make_facts(const LessonText& text, const Run& run, const Outputs& outputs) {
    std::vector<Fact> facts;
    for (const FactText& fact : text.facts) {
        LessonScope scope(run.values, element_count(text, run.values));
        for (const OutputText& output : text.outputs)
            if (const ArrayRef array = find_ref(outputs, output.name))
                scope.add_array(output.name, {array->count()}, array);
        const double value = scope.evaluate_single(fact.value);
        if (value >= 0 && value == std::trunc(value) && value < 0x1p53)
            facts.push_back({fact.id, fact.label, static_cast<std::uint64_t>(value)});
        else
            facts.push_back({fact.id, fact.label, value});
    }
    return facts;
}

void draw_image(const LessonText& text, const PictureText& picture, const PlotArray& array, Figures& add,
                const Run& run) {
    LessonScope scope(run.values, element_count(text, run.values));
    const auto shape_of = [&](const auto& arrays) -> const std::vector<TomlText>* {
        const auto found = std::ranges::find(arrays, picture.of, &ArrayText::name);
        return found == arrays.end() ? nullptr : &found->shape;
    };
    const std::vector<TomlText>* const declared =
        shape_of(text.inputs) ? shape_of(text.inputs) : shape_of(text.outputs);
    const tensor::Shape shape = scope.evaluate_shape(*declared);
    Cells cells{.shades = Cells::Shades::viridis};
    cells.numbers.push_back(matrix_corner(picture.of, *array.array, shape.back()));
    add.cells(picture.id, picture.title, std::move(cells), "Dark is small, bright is large.",
              array.is_output ? add.origin() : Origin::computed);
}

void draw_pictures(const LessonText& text, Figures& add, const Run& run) {
    for (const PictureText& picture : text.pictures) {
        if (picture.kind == PictureKind::access) {
            add.access_map(picture.of, text.noun);
            continue;
        }
        if (picture.kind == PictureKind::time_by) {
            add.figure(picture.id, picture.title, {}, {"time", "ns", AxisScale::logarithmic})
                .latest_by(picture.of, [](const Report& report) { return metric(report, "kernel_ns"); });
            continue;
        }
        const PlotArray output = add.output(picture.of), array = output ? output : add.input(picture.of);
        if (!array) continue;
        if (picture.kind == PictureKind::image) {
            draw_image(text, picture, array, add, run);
            continue;
        }
        FigureBuilder& figure = add.figure(picture.id, picture.title, "index", AxisLabel(picture.of));
        if (picture.kind == PictureKind::histogram) {
            const std::vector<double> numbers = array.sampled(1 << 16).numbers();
            if (numbers.empty()) continue;
            const auto [low, high] = std::ranges::minmax(numbers);
            constexpr std::size_t bins = 32;
            figure.x(AxisLabel(picture.of))
                .y("percent")
                .distribution(picture.of, array, low, high > low ? high : low + 1, bins);
        } else if (picture.kind == PictureKind::bars) {
            figure.bars(picture.of, array.first(picture.first));
        } else {
            figure.line(picture.of, array.first(picture.first));
        }
        if (output) figure.measured(add.is_measured());
    }
}

/// Returns the lesson; the text is checked by check_lesson().
Lesson make_lesson(const Text& text) {
    const auto make_rows = [&](const std::vector<VariantText>& variants, bool are_exercises) {
        std::vector<Row<VariantText>> rows;
        for (const VariantText& variant : variants)
            rows.push_back(
                {variant,
                 variant,
                 {.kernel = (text->folder / variant.kernel).string(),
                  .per_invocation = variant.per_invocation,
                  .wrong_on_purpose = variant.wrong_on_purpose,
                  .has_baseline = false,
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
         .folder = text->folder.string()},
        {.plan = [text](PlanBuilder& plan, const Run& run) { make_plan(*text, plan, run); },
         .remarks = [text](Remarks& add, const Run& run) { add_remarks(*text, add, run); },
         .reference = [text](const Input& input,
                             const Run& run) { return make_reference(*text, input, run); },
         .result = [text](const Run& run, const Outputs& outputs) { return make_facts(*text, run, outputs); },
         .pictures = [text](Figures& add, const Run& run) { draw_pictures(*text, add, run); }},
        make_rows(text->variants, false), make_rows(text->exercises, true));
}

/// Evaluates every expression at the default values, with few elements, so that mistakes are found without a
/// device.
class LessonChecker {
 public:
    LessonChecker(const LessonText& text, const Lesson& lesson) : text_(text), values_(lesson.parameters) {
        constexpr std::uint64_t max_checked_elements = 64;
        for (const std::string& parameter : text.domain) {
            const auto elements = std::get<std::uint64_t>(values_.at(parameter));
            values_.set(parameter, std::min(elements, max_checked_elements));
        }
    }

    void check() {
        for (const InputText& input : text_.inputs)
            for (std::size_t i = 0; i < std::max<std::size_t>(input.choices.size(), 1); ++i)
                check_input(input, i);
        for (const auto* variants : {&text_.variants, &text_.exercises})
            for (const VariantText& variant : *variants)
                check_variant(variant);
        for (const RemarkText& remark : text_.remarks)
            attempt(remark.when.line, [&] { scope().evaluate_number(remark.when); });
        if (diagnostics_.has_errors()) throw ProgramError(std::move(diagnostics_).sorted_by_line());
    }

 private:
    LessonScope scope() const { return LessonScope(values_, element_count(text_, values_)); }

    bool attempt(std::size_t line, const std::function<void()>& step) {
        try {
            step();
            return true;
        } catch (const std::runtime_error& error) {
            diagnostics_.add(line, error.what());
            return false;
        }
    }

    void check_input(const InputText& input, std::size_t choice) {
        const TomlText& value = input.choices.empty() ? input.value : input.choices[choice];
        const bool is_shape_right = attempt(input.line, [&] {
            LessonScope names = scope();
            names.evaluate_shape(input.shape);
        });
        if (!is_shape_right) return;
        attempt(value.line, [&] {
            LessonScope names = scope();
            for (const InputText& before : text_.inputs) {
                const tensor::Shape shape = names.evaluate_shape(before.shape);
                if (&before == &input) return static_cast<void>(names.evaluate(value, input.type, shape));
                names.add_array(before.name, shape, share(Array(before.type, tensor::element_count(shape))));
            }
        });
    }

    void check_variant(const VariantText& variant) {
        for (const std::string* file : {&variant.kernel, &variant.solution})
            if (!file->empty())
                attempt(variant.line, [&] { make_lesson_kernel(text_, text_.kernels.at(*file)); });
        if (diagnostics_.has_errors()) return;
        const Input input = make_input(text_, values_);
        for (const ExpectedText& expected : variant.expected)
            attempt(expected.value.line, [&] { make_expected(text_, expected, values_, input); });
    }

    const LessonText& text_;
    Values values_;
    Diagnostics diagnostics_{"lesson.toml"};
};

}  // namespace

std::shared_ptr<const Lesson> load_lesson(const fs::path& folder) {
    const auto text = std::make_shared<const LessonText>(read_lesson_text(folder));
    auto lesson = std::make_shared<const Lesson>(make_lesson(text));
    LessonChecker(*text, *lesson).check();
    return lesson;
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
