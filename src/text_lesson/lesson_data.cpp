#include "text_lesson/lesson_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "base/units.h"
#include "graph/expected.h"
#include "graph/select_rows.h"
#include "text_lesson/toml_names.h"

namespace gridstride::text_lesson {

namespace {

/// Returns the reference that a tensor of the graph defines, with lesson.toml's tolerance. Uses up the graph.
Expected expect(tensor::Graph& graph, const Input& arrays, const OutputText& output,
                const tensor::Tensor& definition, const ExpectedText& expected) {
    const bool is_half = output.type == ElementType::f16;
    if (expected.unit == ErrorUnit::ulp)
        return {.output = output.name,
                .reference = share(tensor::evaluate(definition, arrays,
                                                    is_float(output.type) ? ElementType::f64 : output.type)),
                // A device may flush what is smaller than the smallest normal number to 0.
                .tolerance = {is_half ? smallest_normal_f16 : double{std::numeric_limits<float>::min()},
                              expected.tolerance * (is_half ? 0x1p-10 : 0x1p-23)}};
    if (expected.unit == ErrorUnit::scaled) {
        // The graph has a kernel in place of the lesson's, and the expectation defines its result.
        const tensor::KernelOutput result{output.name, definition.shape(), output.type};
        const tensor::Tensor found = graph.run({.name = "kernel"}, {}, std::array{result}).front();
        graph.expect(found, definition, expected.tolerance);
        graph.output(output.name, found);
    } else {
        graph.output(output.name, definition);
    }
    return std::move(tensor::expected(graph, arrays).front());
}

/// Returns the reference of an output whose reference kernel computed these numbers.
Expected expect_numbers(const OutputText& output, const tensor::Shape& shape, const ExpectedText& expected,
                        const ArrayRef& numbers) {
    if (numbers->count() != tensor::element_count(shape) || numbers->type() != output.type)
        throw Refusal("It computes {}, but {} has {} here.", counted(numbers->count(), "number"), output.name,
                      format_count(tensor::element_count(shape)));
    tensor::Graph graph;
    const std::string name = output.name + "_reference";
    Expected result = expect(graph, {{.name = name, .array = numbers}}, output,
                             graph.input(name, shape, output.type), expected);
    result.source = "the reference kernel";
    return result;
}

/// Returns the definition with the padding of the output's buffer, which must be unchanged.
tensor::Tensor add_padding(LessonScope& scope, const OutputText& output, const tensor::Tensor& definition) {
    const std::uint64_t count = tensor::element_count(definition.shape()),
                        padded = padded_extent(scope, output).product();
    if (padded == count) return definition;
    Array is_own(ElementType::u32, padded);
    const auto flags = is_own.as<std::uint32_t>();
    std::ranges::fill(flags.first(count), 1);
    std::ranges::fill(flags.subspan(count), 0);
    const Array fill = Array::of(std::span(&*output.fill, 1));
    Array word(output.type, 1);
    std::ranges::copy(fill.raw(), word.raw().begin());
    return where(scope.add_generated(std::move(is_own)),
                 tensor::pad(definition.reshaped({count}), 0, 0, padded - count),
                 scope.add_generated(std::move(word)).broadcast_to({padded}));
}

/// Returns the reference of some rows, spread by the seed; nullopt if all rows cost at most twice as much.
std::optional<Expected> expect_some_rows(LessonScope& scope, const OutputText& output,
                                         const tensor::Tensor& definition, const ExpectedText& expected) {
    const tensor::Shape& shape = definition.shape();
    if (shape.size() < 2) return std::nullopt;
    const std::size_t axis = shape.size() - 2;
    const std::uint64_t rows = shape[axis], matrices = tensor::element_count(shape) / (rows * shape.back()),
                        count = std::max<std::uint64_t>(64 / matrices, 8);
    if (rows < 2 * count) return std::nullopt;
    // An odd step visits all positions within a tile of a kernel.
    const std::uint64_t step = rows / count - (rows / count + 1) % 2;
    const tensor::RowSample sample{scope.next_stream().first % (rows - (count - 1) * step), step, count};
    const tensor::Tensor some = tensor::select_rows(definition, axis, sample);
    if (tensor::evaluation_cost(some) > tensor::evaluation_cost(definition) / 2) return std::nullopt;
    Expected result = expect(scope.graph(), scope.arrays(), output, some, expected);
    for (std::uint64_t matrix = 0; matrix < matrices; ++matrix)
        for (std::uint64_t i = 0; i < count; ++i)
            result.rows.push_back(matrix * rows + sample.first + i * step);
    result.note = fmt::format(
        "{}{} of the {} rows of {} are compared, from row {} in steps of {}. The others are only checked for "
        "elements that were not written.",
        result.note.empty() ? "" : result.note + ' ', format_count(matrices * count),
        format_count(matrices * rows), output.name, sample.first, format_count(step));
    return result;
}

/// Returns the first `count` numbers of a data file.
Array take_first(const InputText& input, std::uint64_t count) {
    if (input.numbers->count() < count)
        throw Refusal("The data file of {} has {}, but {} are needed. Use fewer elements.", input.name,
                      counted(input.numbers->count(), "number"), format_count(count));
    Array numbers(input.type, count);
    std::ranges::copy(input.numbers->raw().first(numbers.bytes()), numbers.raw().begin());
    return numbers;
}

}  // namespace

Array evaluate_input(LessonScope& scope, const InputText& input, const TomlText& value,
                     const tensor::Shape& shape) {
    return input.numbers ? take_first(input, tensor::element_count(shape))
                         : scope.evaluate(value, input.type, shape);
}

namespace {

const TomlText& value_of(const InputText& array, const Values& values) {
    return array.by_parameter.empty()
               ? array.value
               : array.choices.at(std::get<ChoiceIndex>(values.at(array.by_parameter)).index);
}

}  // namespace

Input make_input(const LessonText& text, const Values& values, ArrayRef own) {
    Input input;
    LessonScope scope(text, values);
    for (const InputText& array : text.inputs) {
        const tensor::Shape shape = scope.evaluate_shape(array.shape);
        const bool is_own = own && input.empty();
        const ArrayRef numbers =
            is_own ? own : share(evaluate_input(scope, array, value_of(array, values), shape));
        if (numbers->count() != tensor::element_count(shape))
            throw Refusal("The file has {}, but {} needs {}. Give another file.",
                          counted(numbers->count(), "number"), array.name,
                          format_count(tensor::element_count(shape)));
        scope.add_array(array.name, shape, numbers);
        input.push_back(
            {.name = array.name, .array = numbers, .width = shape.size() > 1 ? word(shape.back()) : 0});
    }
    return input;
}

ArrayRef make_constant_input(const LessonText& text, const Values& values, const std::string& name) {
    const auto array = std::ranges::find(text.inputs, name, &ArrayText::name);
    if (array == text.inputs.end() || array->numbers) return nullptr;
    std::set<std::string> names = find_names(text, value_of(*array, values).text);
    for (const TomlText& extent : array->shape)
        names.merge(find_names(text, extent.text));
    const bool depends_on_elements =
        names.contains("n") || std::ranges::any_of(names, [&](const std::string& used) {
            return has_array(text, used) || std::ranges::find(text.domain, used) != text.domain.end();
        });
    if (depends_on_elements) return nullptr;
    LessonScope scope(text, values);
    return share(evaluate_input(scope, *array, value_of(*array, values), scope.evaluate_shape(array->shape)));
}

void add_inputs(LessonScope& scope, const LessonText& text, const Input& input) {
    for (const InputText& array : text.inputs)
        if (ArrayRef numbers = find_ref(input, array.name))
            scope.add_array(array.name, scope.evaluate_shape(array.shape), std::move(numbers));
}

Expected make_expected(LessonScope& scope, const LessonText& text, ExpectedText expected) {
    if (!expected.within.empty()) expected.tolerance = scope.evaluate_number(expected.within);
    if (!(expected.tolerance >= 0))
        throw Refusal("within = {} is {}, which is not a bound. Use a number from 0.",
                      quote_text(expected.within.text), expected.tolerance);
    const OutputText& output = find_output(text, expected.output);
    const tensor::Shape shape = scope.evaluate_shape(output.shape);
    if (!expected.reference.empty())
        return {.output = output.name,
                .kernel = ReferenceKernel{expected.reference, [=](const ArrayRef& numbers) {
                                              return expect_numbers(output, shape, expected, numbers);
                                          }}};
    const tensor::Tensor definition =
        add_padding(scope, output, scope.define(expected.value, output.type, shape));
    // Two cores compute this in some ten seconds.
    constexpr std::uint64_t max_cost = std::uint64_t{1} << 35;
    const std::uint64_t cost = tensor::evaluation_cost(definition);
    scope.add_cost(cost);
    if (cost > max_cost)
        if (std::optional<Expected> some = expect_some_rows(scope, output, definition, expected))
            return *std::move(some);
    const ArrayRef whole = scope.find_whole_array(definition);
    const bool is_exact = expected.unit == ErrorUnit::computed && output.type != ElementType::f16;
    if (whole && is_exact) return {.output = output.name, .reference = whole};
    return expect(scope.graph(), scope.arrays(), output, definition, expected);
}

std::vector<Expected> make_reference(const LessonText& text, const Input& input, const Run& run) {
    std::vector<Expected> all;
    for (const std::string& output : run.facts.outputs) {
        LessonScope scope(text, run.values);
        add_launch(scope, run);
        if (!scope.holds(find_output(text, output).when)) continue;
        add_inputs(scope, text, input);
        const auto expected = std::ranges::find(run.facts.expected, output, &ExpectedText::output);
        if (expected != run.facts.expected.end())
            all.push_back(make_expected(scope, text, *expected));
        else if (run.facts.is_withheld)
            all.push_back(
                {.output = output,
                 .failure = fmt::format("{} is not judged here: what it must be is withheld. Hand in your "
                                        "kernel, and grading judges it.",
                                        output)});
        else
            all.push_back({.output = output, .note = fmt::format("{} is not judged.", output)});
    }
    return all;
}

bool add_outputs(LessonScope& scope, const LessonText& text, const VariantText& variant, const FactText& fact,
                 const Outputs& outputs) {
    const std::set<std::string> names = find_names(text, fact.value.text + ' ' + fact.when.text, &variant);
    for (const OutputText& output : text.outputs) {
        const ArrayRef array = find_ref(outputs, output.name);
        if (!array && names.contains(output.name)) return false;
        if (array) scope.add_array(output.name, {array->count()}, array);
    }
    return true;
}

std::vector<Fact> make_facts(const LessonText& text, const Run& run, const Outputs& outputs) {
    std::vector<Fact> facts;
    for (const FactText& fact : text.facts) {
        LessonScope scope(text, run.values);
        add_launch(scope, run);
        if (!add_outputs(scope, text, run.facts, fact, outputs)) continue;
        if (!fact.when.empty() && scope.evaluate_single(fact.when) == 0) continue;
        const double value = scope.evaluate_single(fact.value);
        if (fact.uncertainty > 0)
            facts.push_back({fact.id, fact.label, value, fact.uncertainty});
        else if (value >= 0 && value == std::trunc(value) && value < 0x1p53)
            facts.push_back({fact.id, fact.label, static_cast<std::uint64_t>(value)});
        else
            facts.push_back({fact.id, fact.label, value});
    }
    return facts;
}

}  // namespace gridstride::text_lesson
