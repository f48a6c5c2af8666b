// The names and the functions of an expression in a lesson.toml: n, parameters and their choices, the launch,
// arrays, and functions that generate data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "expression/expression.h"
#include "launch/limits.h"
#include "lesson/experiment.h"
#include "text_lesson/lesson_text.h"
#include "text_lesson/toml_table.h"

namespace gridstride::text_lesson {

using expression::Argument, expression::Function, expression::GeneratedNumbers, expression::Scope;

/// Definitions of large results are written with tensors that are larger still, such as all scores of
/// attention, of which only some rows are evaluated.
struct OwnedGraph {
    tensor::Graph own_graph{std::uint64_t{1} << 50};
};

/// Limits what all expressions that are evaluated together cost, in operations on single elements. Loading a
/// lesson evaluates its expressions in the window's process, which no deadline ends.
class CostLimit {
 public:
    explicit CostLimit(std::uint64_t max) : max_(max) {}
    /// Throws Refusal if the limit is exceeded.
    void add(std::uint64_t operations);

 private:
    std::uint64_t max_, spent_ = 0;
};

/// A definition is wrong, whatever expression uses it.
struct DefinitionError : Refusal {
    DefinitionError(const std::string& reason, std::size_t at) : Refusal(reason), line(at) {}
    std::size_t line;  ///< of the definition
};

class LessonScope final : OwnedGraph, public Scope {
 public:
    /// values: of the parameters that the expressions name. All must outlive the scope; costs may be null.
    LessonScope(const LessonText& lesson, const Values& values, CostLimit* costs = nullptr);
    LessonScope(const LessonScope&) = delete;
    LessonScope& operator=(const LessonScope&) = delete;

    /// Adds definitions, in place of those of the same name.
    void add_definitions(const Definitions& definitions);
    /// Adds launch_names. An automatic grid (x = 0) has an invocation for each element.
    void add_launch(const Extent& workgroup, Extent grid, const Limits& limits);
    /// Adds an array that expressions can name.
    void add_array(const std::string& name, const tensor::Shape& shape, ArrayRef array);
    /// Adds generated numbers, which get a name of their own.
    tensor::Tensor add_generated(Array array);
    /// The arrays that the graph reads.
    const Input& arrays() const { return arrays_; }
    /// Returns the seed, and a stream of random numbers that no earlier call has returned.
    std::pair<std::uint64_t, std::uint32_t> next_stream();

    // These throw Refusal, which quotes the expression, if it is wrong; DefinitionError if a definition is
    // that it uses.

    /// Evaluates an expression of numbers; an empty one is `default_value`.
    double evaluate_number(const TomlText& expression, double default_value = 0);
    /// Returns whether an expression of numbers is not 0; an empty one holds.
    bool holds(const TomlText& condition);
    /// Replaces each expression in braces by its number. Throws Refusal.
    std::string substitute_expressions(const std::string& text);
    /// Evaluates an expression whose number must be whole, from min_count to 2^30.
    std::uint64_t evaluate_count(const TomlText& expression, std::uint64_t min_count = 1);
    /// Evaluates extents from 1 to 2^30 each, together at most 2^28 elements.
    tensor::Shape evaluate_shape(const std::vector<TomlText>& extents);
    /// Returns the tensor that an expression defines, whatever its type and shape.
    tensor::Tensor parse_tensor(const TomlText& expression);
    /// Returns the tensor that an expression defines, with this type and shape: numbers are repeated, and a
    /// tensor with as many elements is reshaped.
    tensor::Tensor define(const TomlText& expression, ElementType type, const tensor::Shape& shape);
    /// Returns the array that an expression defines.
    Array evaluate(const TomlText& expression, ElementType type, const tensor::Shape& shape);
    /// Returns the elements of a tensor of this scope.
    Array evaluate_tensor(const tensor::Tensor& tensor);
    /// Returns the array if the tensor is one as it is, else null.
    ArrayRef find_whole_array(const tensor::Tensor& tensor) const;
    /// Adds to the costs of the expressions. Throws Refusal if they exceed the limit.
    void add_cost(std::uint64_t operations);
    /// Returns the single number that an expression defines.
    double evaluate_single(const TomlText& expression);

    /// The lesson's domain.
    Extent domain() const;

 private:
    std::optional<double> number(std::string_view name) override;
    std::optional<tensor::Tensor> tensor(const std::string& name) override;
    bool has_tensor(const std::string& name) const override;
    tensor::Tensor generate(const GeneratedNumbers& numbers) override;
    std::span<const Function> functions() const override;

    /// Returns the value of a definition, or null if there is none of this name.
    const std::variant<double, tensor::Tensor>* find_definition(std::string_view name);

    std::string describe_unknown_name(const std::string& name) const;
    auto find_tensor(const std::string& name) const {
        return std::ranges::find(tensors_, name, [](const auto& one) { return one.first; });
    }

    const LessonText& lesson_;
    const Values& values_;
    CostLimit* costs_;
    Input arrays_;
    std::vector<std::pair<std::string, tensor::Tensor>> tensors_;
    std::map<std::string, double, std::less<>> numbers_ = {{"true", 1}, {"false", 0}};  ///< by name
    std::map<std::string, TomlText, std::less<>> definitions_;
    std::map<std::string, std::variant<double, tensor::Tensor>, std::less<>> defined_;  ///< values so far
    std::set<std::string, std::less<>> active_definitions_;  ///< definitions that are being evaluated
    std::uint32_t next_stream_ = 0;
};

}  // namespace gridstride::text_lesson
