#include "text_lesson/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "base/units.h"

namespace gridstride::text_lesson {

using tensor::Op;
using tensor::Shape;
using tensor::Tensor;

namespace {

/// The limit on the nodes of a graph keeps planning fast.
constexpr std::size_t max_nodes = 2000;
constexpr std::size_t max_depth = 100;

struct Operand {
    std::optional<Tensor> tensor = {};
    double number = 0;
    bool is_unknown = false;  ///< see Scope::tensor()
};

struct Argument {
    Operand operand = {};
    std::uint64_t integer = 0;
    Shape shape = {};
    tensor::Scheme scheme = {};
};

/// A function that is not elementwise. parameters: x is a tensor, i an integer, s a shape, q a
/// quantization scheme.
struct Function {
    std::string_view name, parameters, usage;
    Tensor (*call)(std::span<const Argument> a);
};
const Tensor& first(std::span<const Argument> a) {
    return *a[0].operand.tensor;
}
constexpr Function functions[] = {
    {"sum", "xi", "sum(x, axis)", [](auto a) { return sum(first(a), a[1].integer); }},
    {"largest", "xi", "largest(x, axis)", [](auto a) { return largest(first(a), a[1].integer); }},
    {"mean", "xi", "mean(x, axis)", [](auto a) { return mean(first(a), a[1].integer); }},
    {"softmax", "x", "softmax(x)", [](auto a) { return softmax(first(a)); }},
    {"reshape", "xs", "reshape(x, 2 x 3)", [](auto a) { return first(a).reshaped(a[1].shape); }},
    {"slice", "xiii", "slice(x, axis, first, count)",
     [](auto a) { return first(a).slice(a[1].integer, a[2].integer, a[3].integer); }},
    {"quantise", "xq", "quantise(x, by_row)", [](auto a) { return quantise(first(a), a[1].scheme); }},
    {"dequantise", "x", "dequantise(q)", [](auto a) { return dequantise(first(a)); }},
    {"transpose", "xii", "transpose(x, axis, other)",
     [](auto a) { return first(a).transposed(a[1].integer, a[2].integer); }},
};
/// The elementwise operations of tensor/operations.h that are written as a call.
constexpr Op operations[] = {Op::copy,  Op::exp,     Op::log,     Op::tanh,    Op::sqrt,
                             Op::hypot, Op::maximum, Op::minimum, Op::greater, Op::where};

class Parser {
 public:
    Parser(TokenReader& tokens, Scope& scope) : tokens_(tokens), scope_(scope) {}

    std::optional<Tensor> parse() {
        const Operand operand = sum();
        return operand.is_unknown ? std::nullopt : std::optional(as_tensor(operand));
    }

 private:
    // The grammar: one function for each level of precedence.

    Operand sum() {
        Operand left = product();
        for (;;) {
            if (tokens_.take_if("+"))
                left = apply(Op::add, std::array{left, product()});
            else if (tokens_.take_if("-"))
                left = apply(Op::sub, std::array{left, product()});
            else
                return left;
        }
    }

    Operand product() {
        Operand left = negated();
        for (;;) {
            if (tokens_.take_if("*"))
                left = apply(Op::mul, std::array{left, negated()});
            else if (tokens_.take_if("/"))
                left = apply(Op::div, std::array{left, negated()});
            else if (tokens_.take_if("@"))
                left = make(std::array{left, negated()}, [](auto x) { return tensor::matmul(x[0], x[1]); });
            else
                return left;
        }
    }

    Operand negated() {
        bool is_negative = false;
        while (tokens_.take_if("-"))
            is_negative = !is_negative;
        Operand operand = transposed();
        return is_negative ? apply(Op::neg, std::array{operand}) : operand;
    }

    Operand transposed() {
        Operand operand = primary();
        while (tokens_.take_if("'"))
            operand = make(std::array{operand}, [](auto x) { return x[0].transposed(); });
        return operand;
    }

    Operand primary() {
        if (tokens_.is_next(Token::Kind::number)) return {.number = tokens_.take_number("a number")};
        if (tokens_.take_if("(")) return in_parentheses([&] { return sum(); });
        const std::string name = tokens_.take_name("a tensor, a number or an opening bracket");
        if (const auto number = scope_.number(name)) return {.number = *number};
        if (tokens_.take_if("(")) return in_parentheses([&] { return call(name); });
        const auto tensor = scope_.tensor(name);
        return {.tensor = tensor, .is_unknown = !tensor};
    }

    Operand in_parentheses(const std::function<Operand()>& inside) {
        if (++depth_ > max_depth)
            throw Refusal(fmt::format(
                "Brackets are nested more than {} deep. Compute the inner part in a line of its own.",
                max_depth));
        Operand operand = inside();
        tokens_.take(")");
        --depth_;
        return operand;
    }

    Operand call(const std::string& name) {
        const auto function = std::ranges::find(functions, name, &Function::name);
        if (function != std::end(functions)) return call(*function);
        const auto op = std::ranges::find(operations, name, [](Op one) { return tensor::name(one); });
        if (op == std::end(operations)) throw Refusal(unknown_function_message(name));
        std::vector<Operand> operands = {sum()};
        while (operands.size() < tensor::elementwise(*op)->operands) {
            take_comma(name, tensor::elementwise(*op)->operands);
            operands.push_back(sum());
        }
        return apply(*op, operands);
    }

    Operand call(const Function& function) {
        std::vector<Argument> arguments;
        for (const char kind : function.parameters) {
            if (!arguments.empty()) take_comma(function.name, function.parameters.size());
            Argument& argument = arguments.emplace_back();
            if (kind == 's')
                argument.shape = parse_shape(tokens_, scope_);
            else if (kind == 'q')
                argument.scheme = scheme();
            else
                argument.operand = sum();
            if (kind == 'x' && !argument.operand.is_unknown)
                argument.operand.tensor = as_tensor(argument.operand);
            if (kind == 'i') argument.integer = to_integer(argument.operand, function);
        }
        if (std::ranges::any_of(arguments, [](const Argument& one) { return one.operand.is_unknown; }))
            return {.is_unknown = true};
        return {check_node_limit(function.call(arguments))};
    }

    void take_comma(std::string_view name, std::size_t parameters) {
        if (!tokens_.take_if(","))
            tokens_.refuse_next(fmt::format("a comma ({} takes {} arguments)", name, parameters));
    }

    tensor::Scheme scheme() {
        if (tokens_.take_if("symmetric")) return tensor::Scheme::symmetric;
        if (tokens_.take_if("by_row")) return tensor::Scheme::per_row;
        if (tokens_.take_if("zero_point")) return tensor::Scheme::asymmetric;
        tokens_.refuse_next("symmetric, by_row or zero_point");
    }

    static std::uint64_t to_integer(const Operand& operand, const Function& function) {
        const double number = operand.number;
        if (!operand.tensor && number == std::trunc(number) && number >= 0 &&
            number <= static_cast<double>(tensor::max_elements))
            return static_cast<std::uint64_t>(number);
        throw Refusal(fmt::format("{} is written {}, with whole numbers from 0 on; {} is not one.",
                                  function.name, function.usage,
                                  operand.tensor ? "a tensor" : fmt::format("{}", number)));
    }

    static std::string unknown_function_message(const std::string& name) {
        std::string all;
        for (const Op op : operations)
            all += fmt::format("{}, ", tensor::name(op));
        for (const Function& function : functions)
            all += fmt::format("{}{}", function.name, &function + 1 == std::end(functions) ? "" : ", ");
        return fmt::format("There is no function {}. Available functions: {}.", name, all);
    }

    Operand apply(Op op, std::span<const Operand> operands) {
        if (std::ranges::any_of(operands, [](const Operand& x) { return x.tensor || x.is_unknown; }))
            return make(operands, [op](auto tensors) { return apply_elementwise(op, tensors); });
        tensor::Operands numbers;
        for (std::size_t i = 0; i < operands.size(); ++i)
            numbers.at(i).value = operands[i].number;
        return {.number = tensor::elementwise(op)->of(numbers).value};
    }

    Operand make(std::span<const Operand> operands, auto of) {
        if (std::ranges::any_of(operands, &Operand::is_unknown)) return {.is_unknown = true};
        std::vector<Tensor> tensors;
        for (const Operand& operand : operands)
            tensors.push_back(as_tensor(operand));
        return {check_node_limit(of(std::span<const Tensor>(tensors)))};
    }

    Tensor as_tensor(const Operand& operand) {
        return operand.tensor ? *operand.tensor : check_node_limit(scope_.graph().number(operand.number));
    }

    Tensor check_node_limit(Tensor tensor) {
        if (tensor.graph().nodes().size() > max_nodes)
            throw Refusal(
                fmt::format("With this line the program has more than {} tensors, which is the limit. "
                            "Use fewer.",
                            format_count(max_nodes)));
        return tensor;
    }

    TokenReader& tokens_;
    Scope& scope_;
    std::size_t depth_ = 0;
};

std::uint64_t parse_extent(TokenReader& tokens, Scope& scope) {
    const std::optional<double> named =
        tokens.is_next(Token::Kind::name) ? scope.number(tokens.next_text()) : std::nullopt;
    if (named) tokens.take_name("");
    const double extent = named ? *named : tokens.take_number("an extent (a whole number or n)");
    if (extent != std::trunc(extent) || extent < 1 || extent > static_cast<double>(tensor::max_elements))
        throw Refusal(fmt::format("{} is not an extent. Give a whole number from 1 to {}.", extent,
                                  format_count(tensor::max_elements)));
    return static_cast<std::uint64_t>(extent);
}

}  // namespace

std::optional<Tensor> parse_expression(TokenReader& tokens, Scope& scope) {
    return Parser(tokens, scope).parse();
}

Shape parse_shape(TokenReader& tokens, Scope& scope) {
    Shape shape = {parse_extent(tokens, scope)};
    while (tokens.take_if("x"))
        shape.push_back(parse_extent(tokens, scope));
    tensor::require_shape(shape);
    return shape;
}

}  // namespace gridstride::text_lesson
