// Expressions. There is no tree of them: each operation is written into the graph as it is read, and what is
// made of numbers alone is a number.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>

#include "base/error.h"
#include "base/units.h"
#include "playground/playground.h"
#include "playground/words.h"

namespace gridstride::lessons::playground {

using tensor::Op;
using tensor::Shape;
using tensor::Tensor;

namespace {

/// Of a graph: what one looks at with pleasure has far fewer, and planning stays quick.
constexpr std::size_t most_nodes = 2000;
constexpr std::size_t deepest = 100;

/// A tensor, or a number as long as none is involved. Of one that a wrong line should have made nothing is
/// known, nor of what is made of it.
struct Value {
    std::optional<Tensor> tensor = {};
    double number = 0;
    bool is_spoilt = false;
};

struct Argument {
    Value value = {};
    std::uint64_t whole = 0;
    Shape shape = {};
    tensor::Scheme scheme = {};
};

/// A function that is not made element by element. takes: x a tensor, i a whole number, s a shape, w how to
/// round.
struct Function {
    std::string_view name, takes, written;
    Tensor (*of)(std::span<const Argument> a);
};
const Tensor& first(std::span<const Argument> a) {
    return *a[0].value.tensor;
}
constexpr Function functions[] = {
    {"sum", "xi", "sum(x, axis)", [](auto a) { return sum(first(a), a[1].whole); }},
    {"largest", "xi", "largest(x, axis)", [](auto a) { return largest(first(a), a[1].whole); }},
    {"mean", "xi", "mean(x, axis)", [](auto a) { return mean(first(a), a[1].whole); }},
    {"softmax", "x", "softmax(x)", [](auto a) { return softmax(first(a)); }},
    {"reshape", "xs", "reshape(x, 2 x 3)", [](auto a) { return first(a).reshaped(a[1].shape); }},
    {"slice", "xiii", "slice(x, axis, first, count)",
     [](auto a) { return first(a).slice(a[1].whole, a[2].whole, a[3].whole); }},
    {"quantise", "xw", "quantise(x, by_row)", [](auto a) { return quantise(first(a), a[1].scheme); }},
    {"dequantise", "x", "dequantise(q)", [](auto a) { return dequantise(first(a)); }},
    {"transpose", "xii", "transpose(x, axis, other)",
     [](auto a) { return first(a).transposed(a[1].whole, a[2].whole); }},
};
/// Those of tensor/operations.h that are written as a call.
constexpr Op called[] = {Op::copy,  Op::exp,     Op::log,     Op::tanh,    Op::sqrt,
                         Op::hypot, Op::maximum, Op::minimum, Op::greater, Op::where};

class Reader {
 public:
    Reader(Cursor& words, const Reading& by) : words_(words), by_(by) {}

    std::optional<Tensor> whole() {
        const Value value = sum_of_products();
        return value.is_spoilt ? std::nullopt : std::optional(as_tensor(value));
    }

 private:
    Value sum_of_products() {
        Value left = product();
        while (words_.is_next("+") || words_.is_next("-")) {
            const Op op = words_.take_if("+") ? Op::add : (words_.take("-"), Op::sub);
            left = made(op, std::array{left, product()});
        }
        return left;
    }

    Value product() {
        Value left = signed_one();
        for (;;) {
            if (words_.take_if("*"))
                left = made(Op::mul, std::array{left, signed_one()});
            else if (words_.take_if("/"))
                left = made(Op::div, std::array{left, signed_one()});
            else if (words_.take_if("@"))
                left = made_of(std::array{left, signed_one()},
                               [&](auto x) { return tensor::matmul(as_tensor(x[0]), as_tensor(x[1])); });
            else
                return left;
        }
    }

    Value signed_one() {
        std::size_t signs = 0;
        while (words_.take_if("-"))
            ++signs;
        Value value = turned();
        return signs % 2 == 0 ? value : made(Op::neg, std::array{value});
    }

    /// With each ' its rows are columns.
    Value turned() {
        Value value = one();
        while (words_.take_if("'"))
            value = made_of(std::array{value}, [&](auto x) { return as_tensor(x[0]).transposed(); });
        return value;
    }

    Value one() {
        const Word* const word = words_.peek();
        if (word && word->kind == Word::Kind::number) return {.number = words_.take_number("a number")};
        if (words_.is_next("n")) {
            words_.take("n");
            by_.program.uses_n = true;
            return {.number = static_cast<double>(by_.n)};
        }
        if (words_.take_if("(")) return in_brackets([&] { return sum_of_products(); });
        const std::string name = words_.take_name("a tensor, a number or a bracket");
        if (words_.take_if("(")) return in_brackets([&] { return call(name); });
        const std::string full = full_name(name, by_.model);
        if (by_.spoilt.contains(full)) return {.is_spoilt = true};
        return {by_.program.all.read(by_.model, full)};
    }

    Value in_brackets(const std::function<Value()>& inside) {
        if (++depth_ > deepest)
            throw Refusal(fmt::format(
                "Brackets stand in more than {} others. Give what is inside a name in a line of its own.",
                deepest));
        Value value = inside();
        words_.take(")");
        --depth_;
        return value;
    }

    Value call(const std::string& name) {
        const auto row = std::ranges::find(functions, name, &Function::name);
        if (row != std::end(functions)) return call(*row);
        const auto op = std::ranges::find(called, name, [](Op one) { return tensor::name(one); });
        if (op == std::end(called)) throw Refusal(unknown(name));
        std::vector<Value> operands = {sum_of_products()};
        while (operands.size() < tensor::elementwise(*op)->operands) {
            take_comma(name, tensor::elementwise(*op)->operands);
            operands.push_back(sum_of_products());
        }
        return made(*op, operands);
    }

    Value call(const Function& function) {
        std::vector<Argument> arguments;
        for (const char kind : function.takes) {
            if (!arguments.empty()) take_comma(function.name, function.takes.size());
            Argument& argument = arguments.emplace_back();
            if (kind == 's')
                argument.shape = shape(words_, by_);
            else if (kind == 'w')
                argument.scheme = scheme();
            else
                argument.value = sum_of_products();
            if (kind == 'x' && !argument.value.is_spoilt) argument.value = {as_tensor(argument.value)};
            if (kind == 'i') argument.whole = as_whole(argument.value, function);
        }
        if (std::ranges::any_of(arguments, [](const Argument& one) { return one.value.is_spoilt; }))
            return {.is_spoilt = true};
        return {counted_in(function.of(arguments))};
    }

    tensor::Scheme scheme() {
        if (words_.take_if("symmetric")) return tensor::Scheme::symmetric;
        if (words_.take_if("by_row")) return tensor::Scheme::by_row;
        if (words_.take_if("zero_point")) return tensor::Scheme::one_step_and_zero;
        words_.refuse_next("symmetric, by_row or zero_point");
    }

    void take_comma(std::string_view name, std::size_t takes) {
        if (!words_.take_if(","))
            words_.refuse_next(
                fmt::format("a comma, as {} takes {} of what is parted by commas,", name, takes));
    }

    static std::string unknown(const std::string& name) {
        std::string all;
        for (const Op one : called)
            all += fmt::format("{}, ", tensor::name(one));
        for (const Function& function : functions)
            all += fmt::format("{}{}", function.name, &function + 1 == std::end(functions) ? "" : ", ");
        return fmt::format("There is no function {}. There are {}.", name, all);
    }

    static std::uint64_t as_whole(const Value& value, const Function& function) {
        const bool is_whole = !value.tensor && value.number == std::trunc(value.number) &&
                              value.number >= 0 && value.number <= static_cast<double>(tensor::most_elements);
        if (is_whole) return static_cast<std::uint64_t>(value.number);
        throw Refusal(fmt::format("{} is written {}, with whole numbers from 0 on; {} is none.",
                                  function.name, function.written,
                                  value.tensor ? "a tensor" : fmt::format("{}", value.number)));
    }

    Value made(Op op, std::span<const Value> operands) {
        const bool is_number =
            std::ranges::none_of(operands, [](const Value& x) { return x.tensor || x.is_spoilt; });
        if (is_number) {
            tensor::Operands numbers;
            for (std::size_t i = 0; i < operands.size(); ++i)
                numbers[i].value = operands[i].number;
            return {.number = tensor::elementwise(op)->of(numbers).value};
        }
        return made_of(operands, [&](auto x) {
            std::vector<Tensor> tensors;
            for (const Value& operand : x)
                tensors.push_back(as_tensor(operand));
            return combine(op, tensors);
        });
    }

    Value made_of(std::span<const Value> operands,
                  const std::function<Tensor(std::span<const Value>)>& make) {
        if (std::ranges::any_of(operands, &Value::is_spoilt)) return {.is_spoilt = true};
        return {counted_in(make(operands))};
    }

    Tensor as_tensor(const Value& value) {
        return value.tensor ? *value.tensor : counted_in(by_.program.all.graph().number(value.number));
    }

    Tensor counted_in(Tensor made) {
        if (made.graph().nodes().size() > most_nodes)
            throw Refusal(
                fmt::format("The program makes more than {} tensors with this line, which is the most. "
                            "Make fewer.",
                            format_count(most_nodes)));
        return made;
    }

    Cursor& words_;
    const Reading& by_;
    std::size_t depth_ = 0;
};

std::uint64_t extent(Cursor& words, const Reading& by) {
    if (words.take_if("n")) {
        by.program.uses_n = true;
        return by.n;
    }
    const double number = words.take_number("an extent, which is a whole number or n,");
    if (number != std::trunc(number) || number < 1 || number > static_cast<double>(tensor::most_elements))
        throw Refusal(fmt::format("{} is no extent. Give a whole number from 1 to {}.", number,
                                  format_count(tensor::most_elements)));
    return static_cast<std::uint64_t>(number);
}

}  // namespace

std::optional<Tensor> expression(Cursor& words, const Reading& by) {
    return Reader(words, by).whole();
}

tensor::Shape shape(Cursor& words, const Reading& by) {
    Shape shape = {extent(words, by)};
    while (words.take_if("x"))
        shape.push_back(extent(words, by));
    tensor::require_shape(shape);
    return shape;
}

std::string full_name(std::string_view name, std::string_view model) {
    return name.find('.') == std::string_view::npos ? fmt::format("{}.{}", model, name) : std::string(name);
}

}  // namespace gridstride::lessons::playground
