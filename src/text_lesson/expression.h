// Parses expressions over tensors, with the precedence of Python's operators: tanh(a @ w') / 2 + n. Each
// operation is added to a graph as it is parsed; an operation on numbers alone is evaluated at once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tensor/graph.h"
#include "text_lesson/tokens.h"

namespace gridstride::text_lesson {

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

 protected:
    ~Scope() = default;

 private:
    tensor::Graph& graph_;
};

/// Parses an expression. Returns nullopt if it depends on an unknown tensor. Throws Refusal on an error.
std::optional<tensor::Tensor> parse_expression(TokenReader& tokens, Scope& scope);
/// Parses a shape, such as "128 x n". Throws Refusal on an error.
tensor::Shape parse_shape(TokenReader& tokens, Scope& scope);

}  // namespace gridstride::text_lesson
