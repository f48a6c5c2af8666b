// Parses expressions over tensors, with the precedence of Python's operators: tanh(a @ w') / 2 + n. Each
// operation is added to a graph as it is parsed; an operation on numbers alone is evaluated at once. A number
// beside a tensor gets the tensor's type.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "expression/generators.h"
#include "expression/tokens.h"
#include "graph/graph.h"

namespace gridstride::expression {

class Scope;

/// An argument of a Function.
struct Argument {
    std::optional<tensor::Tensor> tensor = {};
    double number = 0;
    std::uint64_t integer = 0;  ///< an axis that is left out: no_axis
    tensor::Shape shape = {};
    tensor::Scheme scheme = {};
};
inline constexpr std::uint64_t no_axis = UINT64_MAX;

/// A function that is not elementwise. `parameters` has a letter for each: x is a tensor, d a number, i a
/// whole number, z one that may be negative, a an axis that may be left out, s a shape, q a quantization
/// scheme.
struct Function {
    std::string_view name, parameters;
    std::string_view usage;  ///< "sum(x, axis)"
    tensor::Tensor (*call)(Scope& scope, std::span<const Argument> arguments);
};

/// Resolves the names in an expression, and holds the graph to which its operations are added.
class Scope {
 public:
    explicit Scope(tensor::Graph& graph) : graph_(graph) {}

    tensor::Graph& graph() const { return graph_; }
    /// Returns the number of this name, or nullopt if there is none.
    virtual std::optional<double> number(std::string_view name) = 0;
    /// Returns the tensor of this name; nullopt if it is unknown because the statement that defines it is
    /// faulty. Throws Refusal if there is no such tensor.
    virtual std::optional<tensor::Tensor> tensor(const std::string& name) = 0;
    /// Returns whether tensor() knows the name.
    virtual bool has_tensor(const std::string& name) const = 0;
    /// Adds an input of these numbers. Throws Refusal if they cannot be generated.
    virtual tensor::Tensor generate(const GeneratedNumbers& numbers) = 0;
    /// Returns the functions that only this scope has.
    virtual std::span<const Function> functions() const { return {}; }

 protected:
    ~Scope() = default;

 private:
    tensor::Graph& graph_;
};

/// Parses an expression; one of numbers alone gets the type `number_type`. Returns nullopt if it depends on
/// an unknown tensor. Throws Refusal on an error.
std::optional<tensor::Tensor> parse_expression(TokenReader& tokens, Scope& scope,
                                               ElementType number_type = ElementType::f32);
/// Parses an expression of either kind, whose tensors are all known. Throws Refusal on an error.
std::variant<double, tensor::Tensor> parse_number_or_tensor(TokenReader& tokens, Scope& scope);
/// Parses an expression that must not depend on a tensor. Throws Refusal on an error.
double parse_number_expression(TokenReader& tokens, Scope& scope);
/// Parses a shape, such as "128 x n". Throws Refusal on an error.
tensor::Shape parse_shape(TokenReader& tokens, Scope& scope);

}  // namespace gridstride::expression
