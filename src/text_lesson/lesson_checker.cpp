#include "text_lesson/lesson_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>

#include "lesson/building_blocks.h"
#include "lesson/expected.h"
#include "tensor_lesson/cpu_baseline.h"
#include "text_lesson/lesson_data.h"
#include "text_lesson/lesson_kernel.h"

namespace gridstride::text_lesson {

namespace {

/// About half a second on one core, and up to a gigabyte.
constexpr std::uint64_t max_operations = std::uint64_t{1} << 25;

class LessonChecker {
 public:
    LessonChecker(const LessonText& text, Diagnostics& diagnostics)
        : text_(text),
          values_(text.parameters),
          faulty_lines_(diagnostics.lines()),
          diagnostics_(diagnostics) {
        constexpr std::uint64_t max_checked_elements = 64;
        for (const std::string& parameter : text.domain) {
            const auto elements = std::get<std::uint64_t>(values_.at(parameter));
            values_.set(parameter, std::min(elements, max_checked_elements));
        }
    }

    void check() {
        for (const auto* variants : {&text_.variants, &text_.exercises})
            for (const VariantText& variant : *variants)
                for (const LaunchText& launch : variant.launches)
                    check_launch(variant, launch);
        for (const InputText& input : text_.inputs)
            if (is_faulty(input) || !check_input(input)) faulty_inputs_.insert(input.name);
        if (!text_.variants.empty())
            for (const OutputText& output : text_.outputs)
                check_output(output);
        for (const auto* variants : {&text_.variants, &text_.exercises})
            for (const VariantText& variant : *variants)
                check_variant(variant);
        for (const VariantText& reference : text_.references)
            check_kernel(reference, reference.launches.front(), reference.launches.front().kernel);
        if (!text_.baseline.empty() && !names_faulty_input(text_.baseline)) check_baseline();
        if (text_.variants.empty()) return;
        for (const RemarkText& remark : text_.remarks) {
            check_condition(text_.variants.front(), remark.when);
            attempt_with_launch(remark.line, text_.variants.front(),
                                [&](LessonScope& scope) { scope.substitute_expressions(remark.text); });
        }
    }

 private:
    /// Calls step(scope) with a scope that knows the variant's launch, and adds its error at the line.
    bool attempt_with_launch(std::size_t line, const VariantText& variant, const auto& step) {
        return !faulty_launches_.contains(&variant) && attempt(line, [&] {
            LessonScope scope(text_, values_, &costs_);
            add_first_launch(scope, variant, values_, Limits());
            step(scope);
        });
    }

    bool check_condition(const VariantText& variant, const TomlText& condition) {
        return attempt_with_launch(condition.line, variant,
                                   [&](LessonScope& scope) { scope.holds(condition); });
    }

    /// Checks when there is an output, and its shape, which may depend on the launch of a variant.
    void check_output(const OutputText& output) {
        auto writer = std::ranges::find_if(text_.variants, [&](const VariantText& variant) {
            return std::ranges::count(variant.outputs, output.name) > 0;
        });
        if (writer == text_.variants.end()) writer = text_.variants.begin();
        if (!check_condition(*writer, output.when)) return;
        const bool has_shape =
            attempt_with_launch(output.shape.front().line, *writer, [&](LessonScope& scope) {
                if (scope.holds(output.when)) scope.evaluate_shape(output.shape);
            });
        if (!has_shape) faulty_lines_.insert(output.line);
    }

    bool attempt(std::size_t line, const std::function<void()>& step) {
        try {
            step();
            return true;
        } catch (const DefinitionError& error) {
            // It may be wrong only here, such as where arrays are not known yet.
            if (faulty_lines_.insert(error.line).second)
                diagnostics_.add(error.line, fmt::format("{} Line {} uses it.", error.what(), line));
            return false;
        } catch (const std::runtime_error& error) {
            if (!faulty_lines_.contains(line)) diagnostics_.add(line, error.what());
            return false;
        }
    }

    /// Returns whether the array's name or type is wrong, so that what uses it cannot be checked.
    bool is_faulty(const ArrayText& array) const { return faulty_lines_.contains(array.line); }
    bool is_faulty_output(const std::string& name) const { return is_faulty(find_output(text_, name)); }

    bool names_faulty_input(const TomlText& expression, const VariantText* variant = nullptr) const {
        return std::ranges::any_of(find_names(text_, expression.text, variant),
                                   [&](const std::string& name) { return faulty_inputs_.contains(name); });
    }

    /// Checks the input for each choice of its parameter, and adds its numbers to `inputs_`. Returns false if
    /// it has none, so that what is computed from it cannot be checked.
    bool check_input(const InputText& input) {
        tensor::Shape shape;
        const bool is_shape_right = attempt(input.line, [&] {
            LessonScope scope(text_, values_, &costs_);
            shape = scope.evaluate_shape(input.shape);
        });
        if (!is_shape_right) return false;
        const std::size_t chosen =
            input.choices.empty() ? 0 : std::get<ChoiceIndex>(values_.at(input.by_parameter)).index;
        ArrayRef numbers;
        for (std::size_t i = 0; i < std::max<std::size_t>(input.choices.size(), 1); ++i) {
            const TomlText& value = input.choices.empty() ? input.value : input.choices[i];
            if ((value.empty() && !input.numbers) || names_faulty_input(value)) continue;
            attempt(value.line, [&] {
                LessonScope scope(text_, values_, &costs_);
                add_inputs(scope, text_, inputs_);
                ArrayRef evaluated = share(evaluate_input(scope, input, value, shape));
                if (i == chosen) numbers = std::move(evaluated);
            });
        }
        if (!numbers) return false;
        inputs_.push_back({.name = input.name, .array = std::move(numbers)});
        return true;
    }

    void check_baseline() {
        attempt(text_.baseline.line, [&] {
            LessonScope scope(text_, values_, &costs_);
            add_inputs(scope, text_, inputs_);
            tensor_lesson::require_baseline(scope.parse_tensor(text_.baseline));
        });
    }

    void check_variant(const VariantText& variant) {
        for (const LaunchText& launch : variant.launches)
            check_kernel(variant, launch, launch.kernel);
        check_condition(variant, variant.wrong_on_purpose);
        for (const TomlText* count : {&variant.moved_bytes, &variant.operations})
            attempt_with_launch(count->line, variant,
                                [&](LessonScope& scope) { scope.evaluate_number(*count); });
        if (!variant.solution.empty()) check_kernel(variant, variant.launches.front(), variant.solution);
        for (const ExpectedText& expected : variant.expected) {
            const bool is_checked = (!expected.value.empty() || !expected.reference.empty()) &&
                                    std::ranges::count(variant.outputs, expected.output) > 0 &&
                                    !is_faulty_output(expected.output) &&
                                    !names_faulty_input(expected.value, &variant);
            if (!is_checked) continue;
            attempt_with_launch(expected.value.line, variant, [&](LessonScope& scope) {
                add_inputs(scope, text_, inputs_);
                const OutputText& output = find_output(text_, expected.output);
                // Where the output is left out, its shape may be another one.
                if (scope.holds(output.when))
                    require_decidable(make_expected(scope, text_, expected), scope.arrays());
                else if (expected.reference.empty())
                    scope.parse_tensor(expected.value);
            });
        }
        for (const FactText& fact : text_.facts)
            attempt_with_launch(fact.value.line, variant,
                                [&](LessonScope& scope) { check_fact(scope, variant, fact); });
    }

    void check_fact(LessonScope& scope, const VariantText& variant, const FactText& fact) {
        if (std::ranges::any_of(variant.outputs, [&](const auto& name) { return is_faulty_output(name); }))
            return;
        Outputs outputs;
        for (const std::string& name : variant.outputs)
            if (const OutputText& output = find_output(text_, name); scope.holds(output.when)) {
                Array zeros(output.type, padded_extent(scope, output).product());
                std::ranges::fill(zeros.raw(), std::byte{});
                outputs.push_back({name, share(std::move(zeros))});
            }
        if (!add_outputs(scope, text_, variant, fact, outputs)) return;
        scope.evaluate_single(fact.value);
        if (!fact.when.empty()) scope.evaluate_single(fact.when);
    }

    void check_kernel(const VariantText& variant, const LaunchText& launch, const std::string& file) {
        const auto kernel = text_.kernels.find(file);
        if (kernel == text_.kernels.end()) return;  // it cannot be read, which is an error already
        attempt(launch.line, [&] { make_lesson_kernel(text_, variant, launch, kernel->second, Limits()); });
    }

    void check_launch(const VariantText& variant, const LaunchText& launch) {
        const bool is_first = &launch == &variant.launches.front();
        const bool is_right = attempt(launch.line, [&] {
            LessonScope scope(text_, values_, &costs_);
            add_first_launch(scope, variant, values_, Limits(), is_first ? nullptr : &launch);
            for (const TomlText* count :
                 {&launch.iterations_per_pass, &launch.iterations_once, &launch.repeat})
                if (!count->empty()) scope.evaluate_count(*count);
            for (const TomlText& constant : launch.constants)
                if (!find(text_.parameters, constant.text)) scope.evaluate_count(constant, 0);
        });
        if (!is_right) faulty_launches_.insert(&variant);
    }

    const LessonText& text_;
    Values values_;
    Input inputs_;
    std::set<std::string> faulty_inputs_;
    CostLimit costs_{max_operations};
    std::set<std::size_t> faulty_lines_;  ///< in lesson.toml
    /// Nothing that depends on their launch is checked.
    std::set<const VariantText*> faulty_launches_;
    Diagnostics& diagnostics_;
};

}  // namespace

void check_lesson(const LessonText& text, Diagnostics& diagnostics) {
    LessonChecker(text, diagnostics).check();
}

}  // namespace gridstride::text_lesson
