#include "text_lesson/lesson_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "base/suggest_name.h"
#include "base/text.h"
#include "base/units.h"
#include "graph/expected.h"
#include "launch/plan_builder.h"
#include "lesson/building_blocks.h"
#include "lesson/common_parameters.h"

namespace gridstride::text_lesson {

using expression::Statement;
using expression::TokenReader;
using tensor::Shape;
using tensor::Tensor;

namespace {

constexpr std::uint64_t max_array_elements = std::uint64_t{1} << 28;

LessonScope& lesson_scope(Scope& scope) {
    return static_cast<LessonScope&>(scope);
}

/// Applies a function to the numbers of a tensor, which are evaluated at once.
Tensor map_elements(Scope& scope, const Tensor& x, const auto& of) {
    Array array = lesson_scope(scope).evaluate_tensor(converted_to(x, tensor::computing_type(x.type())));
    switch (array.type()) {
        case ElementType::f32:
            of(array.as<float>());
            break;
        case ElementType::i32:
            of(array.as<std::int32_t>());
            break;
        default:
            of(array.as<std::uint32_t>());
    }
    return lesson_scope(scope).add_generated(std::move(array)).reshaped(x.shape());
}

Tensor sort(Scope& scope, std::span<const Argument> a) {
    const std::uint64_t count = tensor::element_count(a[0].tensor->shape());
    lesson_scope(scope).add_cost(count * static_cast<std::uint64_t>(std::bit_width(count)));
    return map_elements(scope, *a[0].tensor, [](auto numbers) { std::ranges::sort(numbers); });
}

Tensor shuffle(Scope& scope, std::span<const Argument> a) {
    return map_elements(scope, *a[0].tensor, [&](auto numbers) {
        const auto [seed, stream] = lesson_scope(scope).next_stream();
        expression::shuffle_with(numbers, expression::generate_words(numbers.size(), seed, stream));
    });
}

Tensor cumsum(Scope& scope, std::span<const Argument> a) {
    const tensor::Shape& shape = a[0].tensor->shape();
    std::size_t length = tensor::element_count(shape), stride = 1;
    if (const std::uint64_t axis = a[1].integer; axis != expression::no_axis) {
        length = shape[axis];
        for (std::size_t inner = axis + 1; inner < shape.size(); ++inner)
            stride *= shape[inner];
    }
    return map_elements(scope, *a[0].tensor, [=](auto numbers) {
        using T = typename decltype(numbers)::value_type;
        for (std::size_t row = 0; row < numbers.size() / length; ++row) {
            const std::size_t first = row / stride * stride * length + row % stride;
            // Integers wrap around; f32 are added in double, and each sum is rounded once.
            std::conditional_t<std::is_same_v<T, float>, double, std::uint32_t> sum = 0;
            for (std::size_t i = 0; i < length; ++i) {
                T& number = numbers[first + i * stride];
                number = static_cast<T>(sum += static_cast<decltype(sum)>(number));
            }
        }
    });
}

/// Returns an array of the elements of x at the indices.
template <class T>
Array take_elements(const Array& x, const Array& indices) {
    Array result(x.type(), indices.count());
    const auto from = x.as<T>();
    const auto to = result.as<T>();
    const auto at = indices.as<std::uint32_t>();
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (at[i] >= from.size())
            throw Refusal("take(x, indices) has the index {}, but x has {}. Give smaller indices.", at[i],
                          counted(from.size(), "element"));
        to[i] = from[at[i]];
    }
    return result;
}

Tensor take(Scope& scope, std::span<const Argument> a) {
    LessonScope& lesson = lesson_scope(scope);
    const Tensor x = converted_to(*a[0].tensor, tensor::computing_type(a[0].tensor->type())),
                 &indices = *a[1].tensor;
    if (indices.type() != ElementType::u32)
        throw Refusal("take(x, indices) needs indices of u32, not {}. Convert them: uint(…).",
                      name(indices.type()));
    const Array from = lesson.evaluate_tensor(x), at = lesson.evaluate_tensor(indices);
    Array result = x.type() == ElementType::f32   ? take_elements<float>(from, at)
                   : x.type() == ElementType::i32 ? take_elements<std::int32_t>(from, at)
                                                  : take_elements<std::uint32_t>(from, at);
    return lesson.add_generated(std::move(result)).reshaped(indices.shape());
}

constexpr Function functions_of_lessons[] = {
    {"sort", "x", "sort(x)", sort},
    {"shuffle", "x", "shuffle(x)", shuffle},
    {"cumsum", "xa", "cumsum(x) or cumsum(x, axis)", cumsum},
    {"take", "xx", "take(x, indices)", take},
};

/// Calls read(tokens) for the expression, and adds its text to a Refusal.
auto parse(const TomlText& expression, const auto& read) {
    try {
        Diagnostics diagnostics("");
        const std::vector<Statement> statements = tokenize(expression.text, diagnostics);
        if (diagnostics.has_errors()) throw Refusal(std::move(diagnostics).sorted_by_line().front().text);
        if (statements.size() != 1) throw Refusal("It must be one line.");
        TokenReader tokens(statements.front());
        auto result = read(tokens);
        tokens.require_end();
        return result;
    } catch (const DefinitionError&) {
        throw;
    } catch (const Refusal& error) {
        throw Refusal("In the expression {}: {}", quote_text(expression.text), error.what());
    }
}

}  // namespace

void CostLimit::add(std::uint64_t operations) {
    if (operations > max_ - spent_)
        throw Refusal(
            "Up to this expression, loading the lesson takes {} operations on single elements; at most {} "
            "are allowed. Use fewer elements, or extents that depend on n, which is small then.",
            format_count(spent_ + std::min(operations, UINT64_MAX - spent_)), format_count(max_));
    spent_ += operations;
}

LessonScope::LessonScope(const LessonText& lesson, const Values& values, CostLimit* costs)
    : Scope(own_graph), lesson_(lesson), values_(values), costs_(costs) {
    std::set<std::string> ambiguous;
    for (const Parameter& parameter : lesson.parameters)
        for (std::size_t i = 0; i < parameter.choices.size(); ++i) {
            const auto [known, is_new] = numbers_.emplace(parameter.choices[i].id, static_cast<double>(i));
            if (!is_new && known->second != static_cast<double>(i)) ambiguous.insert(known->first);
        }
    for (const std::string& choice : ambiguous)
        numbers_.erase(choice);
    for (const Parameter& parameter : lesson.parameters)
        numbers_.erase(parameter.id);
    std::uint64_t elements = 1;
    bool is_known = true;
    for (const std::string& parameter : lesson.domain) {
        is_known = is_known && values.contains(parameter);
        if (is_known) elements *= std::get<std::uint64_t>(values.at(parameter));
    }
    if (is_known) numbers_["n"] = static_cast<double>(elements);
    for (const InputText& table : lesson.tables)
        add_array(table.name, {table.numbers->count()}, table.numbers);
    add_definitions(lesson.definitions);
}

void LessonScope::add_definitions(const Definitions& definitions) {
    for (const auto& [name, expression] : definitions)
        definitions_.insert_or_assign(name, expression);
    defined_.clear();
}

const std::variant<double, Tensor>* LessonScope::find_definition(std::string_view name) {
    if (const auto known = defined_.find(name); known != defined_.end()) return &known->second;
    const auto definition = definitions_.find(name);
    if (definition == definitions_.end()) return nullptr;
    if (!active_definitions_.emplace(name).second)
        throw Refusal("The definition of {0} depends on {0} itself. Define it by other names.", name);
    try {
        auto value = parse(definition->second,
                           [&](TokenReader& tokens) { return parse_number_or_tensor(tokens, *this); });
        active_definitions_.erase(std::string(name));
        return &defined_.emplace(name, std::move(value)).first->second;
    } catch (const DefinitionError&) {
        throw;  // of another definition, which this one uses
    } catch (const Refusal& error) {
        throw DefinitionError(error.what(), definition->second.line);
    }
}

Extent LessonScope::domain() const {
    Extent domain;
    std::uint64_t* const extents[] = {&domain.x, &domain.y, &domain.z};
    for (std::size_t i = 0; i < lesson_.domain.size(); ++i)
        *extents[i] = std::get<std::uint64_t>(values_.at(lesson_.domain[i]));
    return domain;
}

void LessonScope::add_launch(const Extent& workgroup, Extent grid, const Limits& limits) {
    if (grid.x == 0) grid = divide_up(domain(), workgroup);
    const std::pair<std::string_view, std::uint64_t> numbers[] = {
        {"workgroup_size", workgroup.product()},
        {"workgroup_count", grid.product()},
        {"invocation_count", grid.product() * workgroup.product()},
        {"workgroup_x", workgroup.x},
        {"workgroup_y", workgroup.along(1)},
        {"workgroup_z", workgroup.along(2)},
        {"grid_x", grid.x},
        {"grid_y", grid.along(1)},
        {"grid_z", grid.along(2)},
        {"subgroup_size", limits.subgroup_size},
        {"resident_workgroups", count_resident_workgroups(workgroup.product(), limits)},
        {"multiprocessors", limits.multiprocessors},
        {"max_shared_bytes", limits.max_shared_bytes},
        {"is_cpu", limits.is_cpu ? 1 : 0},
        {"has_matrix_units", limits.cooperative_matrix ? 1 : 0},
        {"has_byte_matrices", limits.byte_matrices ? 1 : 0}};
    for (const auto& [name, number] : numbers)
        numbers_[std::string(name)] = static_cast<double>(number);
    defined_.clear();
}

void LessonScope::add_array(const std::string& name, const Shape& shape, ArrayRef array) {
    tensors_.emplace_back(name, graph().input(name, shape, array->type()));
    arrays_.push_back({.name = name, .array = std::move(array)});
}

Tensor LessonScope::add_generated(Array array) {
    std::string name = fmt::format("generated{}", arrays_.size());
    Tensor tensor = graph().input(name, {array.count()}, array.type());
    arrays_.push_back({.name = std::move(name), .array = share(std::move(array))});
    return tensor;
}

Tensor LessonScope::generate(const GeneratedNumbers& numbers) {
    require_generated(numbers);
    add_cost(numbers.count);
    const auto [seed, stream] = numbers.is_random() ? next_stream() : std::pair(std::uint64_t{0}, 0U);
    return add_generated(expression::generate(numbers, seed, stream));
}

void LessonScope::add_cost(std::uint64_t operations) {
    if (costs_) costs_->add(operations);
}

Array LessonScope::evaluate_tensor(const Tensor& tensor) {
    add_cost(tensor::evaluation_cost(tensor));
    // Arrays are large, and evaluating a tensor holds its elements as doubles.
    if (const ArrayRef whole = find_whole_array(tensor)) return copy_slice(*whole, 0, whole->count());
    return tensor::evaluate(tensor, arrays_);
}

ArrayRef LessonScope::find_whole_array(const Tensor& tensor) const {
    const tensor::Node& node = tensor.graph().nodes()[tensor.source().node];
    return node.op == tensor::Op::input && tensor::is_whole(tensor) ? find_ref(arrays_, node.name) : nullptr;
}

std::pair<std::uint64_t, std::uint32_t> LessonScope::next_stream() {
    return {values_[key::seed], next_stream_++};
}

std::optional<double> LessonScope::number(std::string_view name) {
    if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
    if (const auto* definition = find_definition(name)) {
        const auto* number = std::get_if<double>(definition);
        return number ? std::optional(*number) : std::nullopt;
    }
    if (!values_.contains(name)) return std::nullopt;
    if (name == key::workgroup_count.id && values_[key::workgroup_count] == 0)
        throw Refusal("workgroup_count is auto, so an expression cannot use it. Use n and workgroup_size.");
    const Value& value = values_.at(name);
    if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (const auto* choice = std::get_if<ChoiceIndex>(&value)) return choice->index;
    return std::nullopt;
}

std::string LessonScope::describe_unknown_name(const std::string& name) const {
    if (name.ends_with(".comp"))
        return fmt::format(
            "{0} is a file, not an expression. Write {{ kernel = \"{0}\" }} for a reference kernel.", name);
    std::vector<std::string> known;
    for (const auto& [tensor, array] : tensors_)
        known.push_back(tensor);
    for (const Parameter& parameter : lesson_.parameters)
        known.push_back(parameter.id);
    for (const auto& [defined, expression] : definitions_)
        known.push_back(defined);
    return fmt::format("There is no array or parameter {}.{}", name, suggest_name(name, known));
}

std::optional<Tensor> LessonScope::tensor(const std::string& name) {
    if (const auto* definition = find_definition(name)) return std::get<Tensor>(*definition);
    const auto found = find_tensor(name);
    if (found == tensors_.end()) throw Refusal(describe_unknown_name(name));
    return found->second;
}

bool LessonScope::has_tensor(const std::string& name) const {
    return definitions_.contains(name) || find_tensor(name) != tensors_.end();
}

std::span<const Function> LessonScope::functions() const {
    return functions_of_lessons;
}

double LessonScope::evaluate_number(const TomlText& expression, double default_value) {
    if (expression.empty()) return default_value;
    return parse(expression, [&](TokenReader& tokens) { return parse_number_expression(tokens, *this); });
}

bool LessonScope::holds(const TomlText& condition) {
    return evaluate_number(condition, 1) != 0;
}

std::string LessonScope::substitute_expressions(const std::string& text) {
    std::string filled;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t open = std::min(text.find('{', at), text.size()), close = text.find('}', open);
        filled += text.substr(at, open - at);
        if (open == text.size()) break;
        if (close == std::string::npos)
            throw Refusal("The text {} has a brace that is not closed.", quote_text(text));
        const double number = evaluate_number({text.substr(open + 1, close - open - 1), 1});
        const bool is_count = number >= 0 && number == std::trunc(number) && number < 0x1p53;
        filled += is_count ? format_count(static_cast<std::uint64_t>(number)) : fmt::format("{:.4g}", number);
        at = close + 1;
    }
    return filled;
}

std::uint64_t LessonScope::evaluate_count(const TomlText& expression, std::uint64_t min_count) {
    const double count = evaluate_number(expression);
    if (count != std::trunc(count) || count < static_cast<double>(min_count) || count > 0x1p30)
        throw Refusal("{} is {}. It must be a whole number from {} to {}.", quote_text(expression.text),
                      count, min_count, format_count(1 << 30));
    return static_cast<std::uint64_t>(count);
}

Shape LessonScope::evaluate_shape(const std::vector<TomlText>& extents) {
    Shape shape;
    for (const TomlText& text : extents)
        shape.push_back(evaluate_count(text));
    const std::uint64_t count = tensor::element_count(shape);
    if (count > max_array_elements)
        throw Refusal("An array of {} has {} elements; at most {} are allowed. Give smaller parameters.",
                      tensor::text_of(shape), format_count(count), format_count(max_array_elements));
    return shape;
}

Tensor LessonScope::parse_tensor(const TomlText& expression) {
    return *parse(expression, [&](TokenReader& tokens) { return parse_expression(tokens, *this); });
}

Tensor LessonScope::define(const TomlText& expression, ElementType type, const Shape& shape) {
    Tensor value =
        *parse(expression, [&](TokenReader& tokens) { return parse_expression(tokens, *this, type); });
    const bool is_number = graph().nodes()[value.source().node].op == tensor::Op::number;
    if (type == ElementType::f16 && is_number) value = converted_to(value, type);
    if (value.type() != type)
        throw Refusal("The expression {} is {}, but {} is needed. Convert it: {}(…).",
                      quote_text(expression.text), name(value.type()), name(type),
                      type == ElementType::f32   ? "float"
                      : type == ElementType::f16 ? "f16"
                      : type == ElementType::i32 ? "int"
                                                 : "uint");
    if (value.shape() == shape) return value;
    if (tensor::element_count(value.shape()) == tensor::element_count(shape)) return value.reshaped(shape);
    if (tensor::element_count(value.shape()) == 1) return value.reshaped({}).broadcast_to(shape);
    throw Refusal("The expression {} has the shape {}, but the array has {}{}. Change one of them.",
                  quote_text(expression.text), tensor::text_of(value.shape()), tensor::text_of(shape),
                  numbers_.contains("n") ? fmt::format(" where n is {}", numbers_.at("n")) : "");
}

Array LessonScope::evaluate(const TomlText& expression, ElementType type, const Shape& shape) {
    return evaluate_tensor(define(expression, type, shape));
}

double LessonScope::evaluate_single(const TomlText& expression) {
    const Tensor value = parse_tensor(expression);
    if (tensor::element_count(value.shape()) != 1)
        throw Refusal("The expression {} has the shape {}, but a single number is needed.",
                      quote_text(expression.text), tensor::text_of(value.shape()));
    return evaluate_tensor(value).number(0);
}

}  // namespace gridstride::text_lesson
