// Expressions over tensors, in the order and with the precedence of Python's: tanh(a @ w') / 2 + n. Each
// operation is written into a graph as it is read; what is made of numbers alone stays a number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tensor/graph.h"
#include "text_lesson/tokens.h"

namespace gridstride::text_lesson {

/// What names mean in an expression, and the graph that it is written into.
class Scope {
 public:
    explicit Scope(tensor::Graph& graph) : graph_(graph) {}

    tensor::Graph& graph() const { return graph_; }
    /// nullopt: the name is not that of a number.
    virtual std::optional<double> number(std::string_view name) = 0;
    /// nullopt: a faulty statement should have made it, so nothing is known of it. Throws Refusal.
    virtual std::optional<tensor::Tensor> tensor(const std::string& name) = 0;

 protected:
    ~Scope() = default;

 private:
    tensor::Graph& graph_;
};

/// nullopt: it depends on a tensor of which nothing is known. Throws Refusal.
std::optional<tensor::Tensor> parse_expression(TokenReader& tokens, Scope& scope);
/// "128 x n". Throws Refusal.
tensor::Shape parse_shape(TokenReader& tokens, Scope& scope);

}  // namespace gridstride::text_lesson
