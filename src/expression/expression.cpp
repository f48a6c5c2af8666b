#include "expression/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/suggest_name.h"
#include "base/text.h"
#include "base/units.h"

namespace gridstride::expression {

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

const Tensor& first(std::span<const Argument> a) {
    return *a[0].tensor;
}
/// Reduces over the axis, or over all elements if it is left out.
Tensor reduce(Tensor (*over_axis)(const Tensor&, std::size_t), std::span<const Argument> a) {
    if (a[1].integer != no_axis) return over_axis(first(a), a[1].integer);
    return over_axis(first(a).reshaped({tensor::element_count(first(a).shape())}), 0);
}
/// Returns the element of k at a row-major index, with as many extents as k, which are all 1.
Tensor element_of(const Tensor& k, std::uint64_t index) {
    Tensor element = k;
    for (std::size_t axis = k.shape().size(); axis-- > 0; index /= k.shape()[axis])
        element = element.slice(axis, index % k.shape()[axis], 1);
    return element;
}

/// Returns the elements of x that are multiplied by the element of k at a row-major index: k is reversed.
Tensor elements_at(const Tensor& x, const Shape& k, std::uint64_t index) {
    Tensor part = x;
    for (std::size_t axis = k.size(); axis-- > 0; index /= k[axis])
        part = part.slice(axis, k[axis] - 1 - index % k[axis], x.shape()[axis] - k[axis] + 1);
    return part;
}

/// Computes numpy.convolve(x, k, "valid"), with any number of axes.
Tensor convolve(const Tensor& x, const Tensor& k) {
    constexpr std::uint64_t max_weights = 225;
    const std::uint64_t count = tensor::element_count(k.shape());
    if (k.shape().size() != x.shape().size())
        throw Refusal("convolve(x, k) needs as many axes of k as of x, but k is {} and x is {}. Reshape k.",
                      tensor::text_of(k.shape()), tensor::text_of(x.shape()));
    for (std::size_t axis = 0; axis < k.shape().size(); ++axis)
        if (k.shape()[axis] > x.shape()[axis])
            throw Refusal(
                "convolve(x, k) needs a k that is not longer than x, but k is {} and x is {}. "
                "Shorten k, or pad(x, axis, before, after).",
                tensor::text_of(k.shape()), tensor::text_of(x.shape()));
    if (count > max_weights)
        throw Refusal("k has {} elements, but convolve(x, k) takes {} at most. Convolve axis by axis.", count,
                      max_weights);
    Tensor sum = elements_at(x, k.shape(), 0) * element_of(k, 0);
    for (std::uint64_t i = 1; i < count; ++i)
        sum = sum + elements_at(x, k.shape(), i) * element_of(k, i);
    return sum;
}

/// Returns the sums of all elements up to each along the axis, in log2(extent) steps: W. D. Hillis and G. L.
/// Steele, "Data Parallel Algorithms", Communications of the ACM 29, 1986.
Tensor cumsum(const Tensor& x, std::size_t axis) {
    tensor::require_axis("cumsum", x.shape(), axis);
    Tensor sums = x + shift(x, axis, 1);
    for (std::uint64_t distance = 2; distance < x.shape()[axis]; distance *= 2)
        sums = sums + shift(sums, axis, static_cast<std::int64_t>(distance));
    return sums;
}
/// Along the axis, or of all elements in row-major order.
Tensor cumsum(std::span<const Argument> a) {
    const Tensor& x = first(a);
    if (a[1].integer != no_axis) return cumsum(x, a[1].integer);
    return cumsum(x.reshaped({tensor::element_count(x.shape())}), 0).reshaped(x.shape());
}

/// softmax(q k^T / sqrt(d)) v for n queries q, m keys k and m values v of one head, of which q and k have d
/// columns.
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v) {
    for (const Tensor& matrix : {q, k, v})
        if (matrix.shape().size() != 2)
            throw Refusal("attention(q, k, v) needs matrices, but one of them is {}.",
                          tensor::text_of(matrix.shape()));
    if (q.shape()[1] != k.shape()[1] || k.shape()[0] != v.shape()[0])
        throw Refusal(
            "attention(q, k, v) needs as many columns of q as of k, and as many rows of k as of v, but they "
            "are {}, {} and {}. Reshape or slice them.",
            tensor::text_of(q.shape()), tensor::text_of(k.shape()), tensor::text_of(v.shape()));
    const Tensor scores = matmul(q, k.transposed(0, 1));
    return matmul(softmax(scores / std::sqrt(static_cast<double>(q.shape()[1]))), v);
}

using Kind = GeneratedNumbers::Kind;
Tensor generate(Scope& scope, Kind kind, std::span<const Argument> a) {
    return scope.generate({kind, a[0].integer, a.size() > 1 ? a[1].integer : 1});
}
constexpr Function functions[] = {
    {"iota", "i", "iota(count)", [](Scope& scope, auto a) { return generate(scope, Kind::iota, a); }},
    {"integers", "ii", "integers(count, below)",
     [](Scope& scope, auto a) { return generate(scope, Kind::integers, a); }},
    {"permutation", "i", "permutation(count)",
     [](Scope& scope, auto a) { return generate(scope, Kind::permutation, a); }},
    {"cycle", "i", "cycle(count)", [](Scope& scope, auto a) { return generate(scope, Kind::cycle, a); }},
    {"uniform", "i", "uniform(count)",
     [](Scope& scope, auto a) { return generate(scope, Kind::uniform, a); }},
    {"normal", "i", "normal(count)", [](Scope& scope, auto a) { return generate(scope, Kind::normal, a); }},
    {"sum", "xa", "sum(x) or sum(x, axis)", [](Scope&, auto a) { return reduce(tensor::sum, a); }},
    {"largest", "xa", "largest(x) or largest(x, axis)",
     [](Scope&, auto a) { return reduce(tensor::largest, a); }},
    {"smallest", "xa", "smallest(x) or smallest(x, axis)",
     [](Scope&, auto a) { return reduce(tensor::smallest, a); }},
    {"argmax", "xa", "argmax(x) or argmax(x, axis)",
     [](Scope&, auto a) { return reduce(tensor::argmax, a); }},
    {"mean", "xa", "mean(x) or mean(x, axis)", [](Scope&, auto a) { return reduce(tensor::mean, a); }},
    {"softmax", "xa", "softmax(x) or softmax(x, axis)",
     [](Scope&, auto a) {
         return a[1].integer == no_axis ? softmax(first(a)) : softmax(first(a), a[1].integer);
     }},
    {"relu", "x", "relu(x)",
     [](Scope& scope, auto a) { return maximum(first(a), scope.graph().number(0, first(a).type())); }},
    {"reshape", "xs", "reshape(x, 2 x 3)", [](Scope&, auto a) { return first(a).reshaped(a[1].shape); }},
    {"slice", "xiii", "slice(x, axis, first, count)",
     [](Scope&, auto a) { return first(a).slice(a[1].integer, a[2].integer, a[3].integer); }},
    {"pad", "xiii", "pad(x, axis, before, after)",
     [](Scope&, auto a) { return pad(first(a), a[1].integer, a[2].integer, a[3].integer); }},
    {"pad_edge", "xiii", "pad_edge(x, axis, before, after)",
     [](Scope&, auto a) { return pad(first(a), a[1].integer, a[2].integer, a[3].integer, true); }},
    {"convolve", "xx", "convolve(x, k)", [](Scope&, auto a) { return convolve(first(a), *a[1].tensor); }},
    {"cumsum", "xa", "cumsum(x) or cumsum(x, axis)", [](Scope&, auto a) { return cumsum(a); }},
    {"attention", "xxx", "attention(q, k, v)",
     [](Scope&, auto a) { return attention(first(a), *a[1].tensor, *a[2].tensor); }},
    {"shift", "xiz", "shift(x, axis, by)",
     [](Scope&, auto a) { return shift(first(a), a[1].integer, static_cast<std::int64_t>(a[2].number)); }},
    {"quantise", "xq", "quantise(x, by_row)", [](Scope&, auto a) { return quantise(first(a), a[1].scheme); }},
    {"dequantise", "x", "dequantise(q)", [](Scope&, auto a) { return dequantise(first(a)); }},
    {"transpose", "xii", "transpose(x, axis, other)",
     [](Scope&, auto a) { return first(a).transposed(a[1].integer, a[2].integer); }},
};
/// The elementwise operations of graph/operations.h that are written as a call.
constexpr Op operations[] = {Op::copy,  Op::exp,    Op::log,    Op::tanh,    Op::sqrt,    Op::sin,
                             Op::cos,   Op::floor,  Op::hypot,  Op::maximum, Op::minimum, Op::greater,
                             Op::where, Op::to_f32, Op::to_i32, Op::to_u32,  Op::to_f16};

constexpr std::string_view lessons_only =
    "It is computed on the CPU, for inputs and expectations of lessons in a folder of text. Save its result "
    "as "
    ".npy and read that, or write a kernel.";
/// Replacements for function names of other languages, and for functions that only lessons have.
constexpr std::pair<std::string_view, std::string_view> other_functions[] = {
    {"max", "Use largest(x, axis) for the largest element along an axis, and maximum(x, y) elementwise."},
    {"min", "Use smallest(x, axis) for the smallest element along an axis, and minimum(x, y) elementwise."},
    {"abs", "Use maximum(x, -x)."},
    {"mod", "Write x % y, with whole numbers."},
    {"half", "Write f16(x)."},
    {"sort", lessons_only},
    {"shuffle", lessons_only},
    {"take", lessons_only}};

struct Comparison {
    std::string_view symbol;
    Op op;
    bool swaps_operands;
};
constexpr Comparison comparisons[] = {{">", Op::greater, false},        {"<", Op::greater, true},
                                      {">=", Op::greater_equal, false}, {"<=", Op::greater_equal, true},
                                      {"==", Op::equal, false},         {"!=", Op::not_equal, false}};

/// The operators on bits, from the lowest precedence to the highest.
constexpr std::array<std::pair<std::string_view, Op>, 2> bit_operators[] = {
    {{{"|", Op::bit_or}, {"", Op::bit_or}}},
    {{{"^", Op::bit_xor}, {"", Op::bit_xor}}},
    {{{"&", Op::bit_and}, {"", Op::bit_and}}},
    {{{"<<", Op::shift_left}, {">>", Op::shift_right}}}};

class Parser {
 public:
    Parser(TokenReader& tokens, Scope& scope) : tokens_(tokens), scope_(scope) {}

    std::optional<Tensor> parse(ElementType number_type) {
        const Operand operand = parse_comparison();
        return operand.is_unknown ? std::nullopt : std::optional(as_tensor(operand, number_type));
    }

    std::variant<double, Tensor> parse_number_or_tensor() {
        const Operand operand = parse_comparison();
        if (operand.tensor) return *operand.tensor;
        return operand.number;
    }

    double parse_number() {
        const Operand operand = parse_comparison();
        if (operand.tensor)
            throw Refusal(
                "This depends on an array, but only numbers such as n and parameters are known here. For a "
                "length that an array determines, give the largest possible one.");
        return operand.number;
    }

 private:
    // The grammar: one function for each level of precedence.

    Operand parse_comparison() {
        Operand left = bits<0>();
        for (const auto& [symbol, op, swaps_operands] : comparisons)
            if (tokens_.take_if(symbol)) {
                const Operand right = bits<0>();
                return swaps_operands ? apply(op, std::array{right, left})
                                      : apply(op, std::array{left, right});
            }
        return left;
    }

    /// Parses |, ^, & and shifts, of which each level binds tighter.
    template <std::size_t level>
    Operand bits() {
        if constexpr (level == std::size(bit_operators)) {
            return parse_sum();
        } else {
            Operand left = bits<level + 1>();
            for (;;) {
                const auto& operators = bit_operators[level];
                const auto found = std::ranges::find_if(
                    operators, [&](const auto& one) { return tokens_.take_if(one.first); });
                if (found == std::end(operators)) return left;
                left = apply(found->second, std::array{left, bits<level + 1>()});
            }
        }
    }

    Operand parse_sum() {
        Operand left = parse_product();
        for (;;) {
            if (tokens_.take_if("+"))
                left = apply(Op::add, std::array{left, parse_product()});
            else if (tokens_.take_if("-"))
                left = apply(Op::sub, std::array{left, parse_product()});
            else
                return left;
        }
    }

    Operand parse_product() {
        Operand left = negated();
        for (;;) {
            if (tokens_.take_if("*"))
                left = apply(Op::mul, std::array{left, negated()});
            else if (tokens_.take_if("/"))
                left = apply(Op::div, std::array{left, negated()});
            else if (tokens_.take_if("%"))
                left = apply(Op::mod, std::array{left, negated()});
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
        Operand operand = parse_primary();
        while (tokens_.take_if("'") || tokens_.take_if(".T"))
            operand = transpose(operand);
        return operand;
    }

    Operand transpose(const Operand& operand) {
        return make(std::array{operand}, [](auto x) {
            const std::size_t axes = x[0].shape().size();
            if (axes < 2)
                throw Refusal(fmt::format(
                    "x' and x.T exchange the last two axes, but {} has {}. Reshape it to a matrix.",
                    tensor::text_of(x[0].shape()), axes == 0 ? "none" : "only one"));
            return x[0].transposed(axes - 2, axes - 1);
        });
    }

    Operand parse_primary() {
        if (tokens_.is_next(Token::Kind::number)) return {.number = tokens_.take_number("a number")};
        if (tokens_.take_if("(")) return parse_parenthesized([&] { return parse_comparison(); });
        for (const std::string_view symbol : {"&", "|"})
            if (tokens_.take_if(symbol))
                throw Refusal(
                    "Expected a tensor, a number or an opening bracket, but found \"{0}\". In place of "
                    "\"{0}{0}\" write \"{0}\", with brackets around both sides: (x > 0) {0} (y > 0).",
                    symbol);
        const std::string name = tokens_.take_name("a tensor, a number or an opening bracket");
        if (!scope_.number(name) && tokens_.take_if("("))
            return parse_parenthesized([&] { return parse_call(name); });
        return named(name);
    }

    /// The name includes each .T behind it, and a tensor of another model may be called T.
    Operand named(const std::string& name) {
        if (const auto number = scope_.number(name)) return {.number = *number};
        if (name.ends_with(".T") && !scope_.has_tensor(name))
            return transpose(named(name.substr(0, name.size() - 2)));
        const auto tensor = scope_.tensor(name);
        return {.tensor = tensor, .is_unknown = !tensor};
    }

    Operand parse_parenthesized(const std::function<Operand()>& inside) {
        if (++depth_ > max_depth)
            throw Refusal(fmt::format(
                "Brackets are nested more than {} deep. Compute the inner part in a line of its own.",
                max_depth));
        Operand operand = inside();
        tokens_.take(")");
        --depth_;
        return operand;
    }

    Operand parse_call(const std::string& name) {
        if (name == "divide_up") return parse_divide_up();
        for (const std::span<const Function> known :
             {scope_.functions(), std::span<const Function>(functions)})
            if (const auto function = std::ranges::find(known, name, &Function::name);
                function != known.end())
                return parse_call(*function);
        const auto op = std::ranges::find(operations, name, [](Op one) { return tensor::name(one); });
        if (op == std::end(operations)) throw Refusal(unknown_function_message(name));
        std::vector<Operand> operands = {parse_comparison()};
        while (operands.size() < tensor::elementwise(*op)->operands) {
            take_comma(name, tensor::elementwise(*op)->operands);
            operands.push_back(parse_comparison());
        }
        return apply(*op, operands);
    }

    /// Parses the arguments of divide_up(a, b), a / b rounded up, for extents.
    Operand parse_divide_up() {
        const Operand dividend = parse_comparison();
        take_comma("divide_up", 2);
        const Operand divisor = parse_comparison();
        if (dividend.tensor || divisor.tensor || !(divisor.number > 0))
            throw Refusal("divide_up(a, b) divides two numbers, and b must be greater than 0.");
        return {.number = std::ceil(dividend.number / divisor.number)};
    }

    Operand parse_call(const Function& function) {
        std::vector<Argument> arguments;
        bool is_unknown = false;
        for (const char kind : function.parameters) {
            Argument& argument = arguments.emplace_back();
            if (kind == 'a' && !tokens_.is_next(",")) {
                argument.integer = no_axis;
                continue;
            }
            if (arguments.size() > 1) take_comma(function.name, function.parameters.size());
            if (kind == 's') {
                argument.shape = parse_shape(tokens_, scope_);
                continue;
            }
            if (kind == 'q') {
                argument.scheme = parse_scheme();
                continue;
            }
            const Operand operand = parse_comparison();
            is_unknown = is_unknown || operand.is_unknown;
            argument.number = operand.number;
            if (operand.is_unknown) continue;
            if (kind == 'x')
                argument.tensor = as_tensor(operand, ElementType::f32);
            else if (kind == 'd' && operand.tensor)
                throw Refusal("{} is written {}, with numbers; a tensor is not one.", function.name,
                              function.usage);
            else if (kind == 'z')
                require_whole(operand, function, /*may_be_negative=*/true);
            else if (kind != 'd')
                argument.integer = to_integer(operand, function);
        }
        if (is_unknown) return {.is_unknown = true};
        return {check_node_limit(function.call(scope_, arguments))};
    }

    void take_comma(std::string_view name, std::size_t parameters) {
        if (!tokens_.take_if(","))
            tokens_.refuse_next(fmt::format("a comma ({} takes {} arguments)", name, parameters));
    }

    tensor::Scheme parse_scheme() {
        if (tokens_.take_if("symmetric")) return tensor::Scheme::symmetric;
        if (tokens_.take_if("by_row")) return tensor::Scheme::per_row;
        if (tokens_.take_if("zero_point")) return tensor::Scheme::asymmetric;
        tokens_.refuse_next("symmetric, by_row or zero_point");
    }

    static std::uint64_t to_integer(const Operand& operand, const Function& function) {
        require_whole(operand, function, /*may_be_negative=*/false);
        return static_cast<std::uint64_t>(operand.number);
    }
    static void require_whole(const Operand& operand, const Function& function, bool may_be_negative) {
        const double number = operand.number;
        const bool is_whole =
            !operand.tensor && number == std::trunc(number) && (may_be_negative || number >= 0);
        if (is_whole && std::abs(number) <= UINT32_MAX) return;
        if (is_whole)
            throw Refusal("{} is written {}, with numbers up to {}; {} is larger.", function.name,
                          function.usage, format_count(UINT32_MAX), number);
        throw Refusal(fmt::format("{} is written {}, with whole numbers{}; {} is not one.", function.name,
                                  function.usage, may_be_negative ? "" : " from 0 on",
                                  operand.tensor ? "a tensor" : fmt::format("{}", number)));
    }

    std::string unknown_function_message(const std::string& name) const {
        if (const auto other =
                std::ranges::find(other_functions, name, [](const auto& one) { return one.first; });
            other != std::end(other_functions))
            return fmt::format("There is no function {} here. {}", name, other->second);
        std::vector<std::string> all;
        for (const Op op : operations)
            all.emplace_back(tensor::name(op));
        for (const std::span<const Function> known :
             {scope_.functions(), std::span<const Function>(functions)})
            for (const Function& function : known)
                if (std::ranges::find(all, function.name) == all.end()) all.emplace_back(function.name);
        all.emplace_back("divide_up");
        return fmt::format("There is no function {}.{} Available functions: {}.", name,
                           suggest_name(name, all), join(all, ", "));
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
        for (std::size_t i = 0; i < operands.size(); ++i)
            tensors.push_back(as_tensor(operands[i], number_type(operands)));
        return {check_node_limit(of(std::span<const Tensor>(tensors)))};
    }

    /// Returns the type of the numbers beside these tensors: that of the last one, because the first operand
    /// of `where` may have another.
    static ElementType number_type(std::span<const Operand> operands) {
        ElementType type = ElementType::f32;
        for (const Operand& operand : operands)
            if (operand.tensor) type = operand.tensor->type();
        return tensor::is_integer(type) ? type : ElementType::f32;
    }

    Tensor as_tensor(const Operand& operand, ElementType type) {
        return operand.tensor ? *operand.tensor
                              : check_node_limit(scope_.graph().number(operand.number, type));
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

std::optional<Tensor> parse_expression(TokenReader& tokens, Scope& scope, ElementType number_type) {
    return Parser(tokens, scope).parse(number_type);
}

std::variant<double, Tensor> parse_number_or_tensor(TokenReader& tokens, Scope& scope) {
    return Parser(tokens, scope).parse_number_or_tensor();
}

double parse_number_expression(TokenReader& tokens, Scope& scope) {
    return Parser(tokens, scope).parse_number();
}

Shape parse_shape(TokenReader& tokens, Scope& scope) {
    Shape shape = {parse_extent(tokens, scope)};
    while (tokens.take_if("x"))
        shape.push_back(parse_extent(tokens, scope));
    tensor::require_shape(shape);
    return shape;
}

}  // namespace gridstride::expression
