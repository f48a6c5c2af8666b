// Tests expressions without a lesson: precedence, functions, shapes, and errors, over a (2 x 3: 0 to 5), b
// (3) and c (2 x 1), which also count from 0, and n, which is 4.
#include "expression/expression.h"

#include "graph/expected.h"
#include "test_includes.h"

namespace gridstride::expression::expression_test {

using tensor::Tensor;

struct OwnedGraph {
    tensor::Graph own;
};
struct TestScope final : OwnedGraph, Scope {
    TestScope() : Scope(own) {}
    Input input;

    Tensor add(const std::string& name, const tensor::Shape& shape) {
        std::vector<float> ramp(tensor::element_count(shape));
        std::iota(ramp.begin(), ramp.end(), 0.0F);
        input.push_back({name, array_of(ramp)});
        return own.input(name, shape);
    }
    const Tensor a = add("a", {2, 3}), b = add("b", {3}), c = add("c", {2, 1});

    std::optional<double> number(std::string_view name) override {
        return name == "n" ? std::optional(4.0) : std::nullopt;
    }
    std::optional<Tensor> tensor(const std::string& name) override {
        if (name == "a") return a;
        if (name == "b") return b;
        if (name == "c") return c;
        if (name == "m.T") return b;
        if (name == "lost") return std::nullopt;
        throw Refusal(fmt::format("There is no tensor {}.", name));
    }
    Tensor generate(const GeneratedNumbers& numbers) override {
        require_generated(numbers);
        const std::string name = fmt::format("g{}", input.size());
        input.push_back({name, share(expression::generate(numbers, 7, 0))});
        return own.input(name, {numbers.count}, numbers.type());
    }
    bool has_tensor(const std::string& name) const override {
        return name.size() == 1 || name == "m.T" || name == "lost";
    }
};

std::optional<Tensor> parse(const std::string& text, TestScope& scope) {
    Diagnostics diagnostics("test");
    const std::vector<Statement> statements = tokenize(text, diagnostics);
    if (diagnostics.has_errors()) throw Refusal(std::move(diagnostics).sorted_by_line().front().text);
    TokenReader tokens(statements.at(0));
    std::optional<Tensor> result = parse_expression(tokens, scope);
    tokens.require_end();
    return result;
}

std::vector<double> value_of(const std::string& text) {
    TestScope scope;
    const Tensor result = parse(text, scope).value();
    scope.own.output("y", result);
    const Expected y = tensor::expected(scope.own, scope.input).front();
    std::vector<double> all(y.reference->count());
    y.reference->numbers(0, all);
    return all;
}

std::string error_of(const std::string& text) {
    TestScope scope;
    return message_of<Refusal>([&] { parse(text, scope); });
}

TEST(Expressions, EvaluateLikePython) {
    const double e = std::exp(1.0), all = 1 + e + e * e;
    struct Case {
        const char* text;
        std::vector<double> value;
    };
    for (const auto& [text, value] : std::initializer_list<Case>{
             // Precedence, and evaluation from left to right.
             {"b + b * 2", {0, 3, 6}},
             {"(b + b) * 2", {0, 4, 8}},
             {"b - 1 - 1", {-2, -1, 0}},
             {"b / 2 / 2", {0, 0.25, 0.5}},
             {"12 / 2 * b", {0, 6, 12}},
             {"-b + 1", {1, 0, -1}},
             {"b * -2", {0, -2, -4}},
             {"--b", {0, 1, 2}},
             {"-b * b", {0, -1, -4}},
             {"2 * 3 + b - 4 / 8", {5.5, 6.5, 7.5}},
             {"2 * a' @ c", {6, 8, 10}},
             {"-a'", {0, -3, -1, -4, -2, -5}},
             {"7", {7}},
             {"1e2 + .5 - n", {96.5}},
             {"b / n", {0, 0.25, 0.5}},
             // Shapes are broadcast.
             {"a + b", {0, 2, 4, 3, 5, 7}},
             {"a * c", {0, 0, 0, 3, 4, 5}},
             // Products and views.
             {"a @ a'", {5, 14, 14, 50}},
             {"a' @ a", {9, 12, 15, 12, 17, 22, 15, 22, 29}},
             {"reshape(a, 2 x 1 x 3) @ reshape(a, 2 x 3 x 1)", {5, 50}},
             {"reshape(a, 2 x 1 x 3) @ a.T", {5, 14, 14, 50}},
             {"a''", {0, 1, 2, 3, 4, 5}},
             {"a.T", {0, 3, 1, 4, 2, 5}},
             {"a.T.T + a'.T + (a * 1).T'.T'", {0, 3, 6, 9, 12, 15}},
             {"-(a @ a.T).T", {-5, -14, -14, -50}},
             {"reshape(a, 2 x 3 x 1).T", {0, 1, 2, 3, 4, 5}},
             {"reshape(a, 1 x 2 x 3)'", {0, 3, 1, 4, 2, 5}},
             {"m.T + 1", {1, 2, 3}},
             {"transpose(a, 0, 1)", {0, 3, 1, 4, 2, 5}},
             {"slice(a, 1, 1, 2)", {1, 2, 4, 5}},
             {"reshape(a, 3x2)'", {0, 2, 4, 1, 3, 5}},
             {"reshape(slice(reshape(a, 6), 0, 1, n), n x 1)", {1, 2, 3, 4}},
             // Functions.
             {"sum(a, 1)", {3, 12}},
             {"mean(a, 0)", {1.5, 2.5, 3.5}},
             {"largest(a, 2 - 1)", {2, 5}},
             {"smallest(-a, 1)", {-2, -5}},
             {"argmax(a)", {5}},
             {"argmax(reshape(a * 0, 3 x 2), 1)", {0, 0, 0}},
             {"argmax(uint(a.T), 0) + 1", {3, 3}},
             {"smallest(a) - smallest(b - 7)", {7}},
             {"where(greater(a, 2), a, 0 - a)", {0, -1, -2, 3, 4, 5}},
             {"maximum(a, 1) + minimum(a, 1)", {1, 2, 3, 4, 5, 6}},
             {"hypot(a, sqrt(a) * 0)", {0, 1, 2, 3, 4, 5}},
             {"copy(b)", {0, 1, 2}},
             {"pad(b + 1, 0, 2, 1)", {0, 0, 1, 2, 3, 0}},
             {"pad_edge(b + 1, 0, 2, 1)", {1, 1, 1, 2, 3, 3}},
             {"pad_edge(a, 1, 1, 0)", {0, 0, 1, 2, 3, 3, 4, 5}},
             // numpy.convolve([0, 1, 2, 2], [0, 1, 2], "valid")
             {"convolve(pad_edge(b, 0, 0, 1), b)", {1, 4}},
             {"convolve(a, reshape(b + 1, 1 x 3))", {4, 22}},
             {"convolve(a, slice(a, 1, 0, 2))",
              {0 * 4 + 1 * 3 + 3 * 1 + 4 * 0, 1 * 4 + 2 * 3 + 4 * 1 + 5 * 0}},
             {"cumsum(a)", {0, 1, 3, 6, 10, 15}},
             {"cumsum(a, 0) + cumsum(a, 1)", {0 + 0, 1 + 1, 2 + 3, 3 + 3, 5 + 7, 7 + 12}},
             {"cumsum(uint(b) - 1)", {4294967295, 4294967295, 0}},
             // Equal keys have equal weights.
             {"attention(a, a * 0, a)", {1.5, 2.5, 3.5, 1.5, 2.5, 3.5}},
             {"shift(a, 1, 1)", {0, 0, 1, 0, 3, 4}},
             {"shift(a, 0, -1)", {3, 4, 5, 0, 0, 0}},
             {"shift(uint(b), 0, -n) + uint(b)", {0, 1, 2}},
             {"sum(a)", {15}},
             {"mean(a) + largest(a)", {7.5}},
             {"relu(b - 1)", {0, 0, 1}},
             {"floor(b / 2 - 0.25)", {-1, 0, 0}},
             {"divide_up(n, 3) + b", {2, 3, 4}},
             // Comparisons bind less than sums; numbers get the type of the tensor beside them.
             {"b > 1 - 1", {0, 1, 1}},
             {"b >= 1", {0, 1, 1}},
             {"b < 1", {1, 0, 0}},
             {"b <= 1", {1, 1, 0}},
             {"b == 1", {0, 1, 0}},
             {"b != 1", {1, 0, 1}},
             {"(3 > 2) + b", {1, 2, 3}},
             // Whole numbers wrap around and divide as in GLSL.
             {"uint(a) % 3", {0, 1, 2, 0, 1, 2}},
             {"int(b) - 1", {-1, 0, 1}},
             {"uint(b) - 1", {4294967295, 0, 1}},
             {"uint(b) * 4294967295", {0, 4294967295, 4294967294}},
             {"(int(a) - 3) / 2", {-1, -1, 0, 0, 0, 1}},
             {"(int(a) - 5) % 3", {-2, -1, 0, -2, -1, 0}},
             // Operators on bits bind less than sums, in the order of GLSL and Python.
             {"uint(a) & 6", {0, 0, 2, 2, 4, 4}},
             {"uint(a) | 1 ^ 3 & 6", {3, 3, 3, 3, 7, 7}},
             {"uint(b) + 1 << 2", {4, 8, 12}},
             {"uint(b) << 31", {0, 2147483648, 0}},
             {"uint(b) - 1 >> 28", {15, 0, 0}},
             {"int(b) - 1 >> 28", {-1, 0, 0}},
             {"(uint(b) << 1) > 1", {0, 1, 1}},
             {"(6 >> 1 ^ 1) + b", {2, 3, 4}},
             {"sin(b) * sin(b) + cos(b) * cos(b)", {1, 1, 1}},
             {"iota(n) * 2", {0, 2, 4, 6}},
             {"sum(permutation(5) - cycle(5))", {0}},
             {"integers(3, 1) + uint(b)", {0, 1, 2}},
             {"where(uint(b) == 1, b, 0.5)", {0.5, 1, 0.5}},
             {"sum(uint(b) - 1)", {0}},
             {"largest(uint(b) - 1, 0)", {4294967295}},
             {"smallest(uint(b) - 1, 0)", {0}},
             {"smallest(int(b) + 2147483647)", {-2147483648}},
             {"float(uint(b)) / 2", {0, 0.5, 1}},
             {"log(exp(tanh(b)))", {0, std::tanh(1.0), std::tanh(2.0)}},
             {"softmax(b)", {1 / all, e / all, e * e / all}},
             {"softmax(a * 0)", {1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3}},
             {"softmax(a * 0, 0)", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}},
             {"dequantise(quantise(a * 0, by_row))", {0, 0, 0, 0, 0, 0}},
             {"dequantise(quantise(a * 0, symmetric))", {0, 0, 0, 0, 0, 0}},
             {"dequantise(quantise(a * 0, zero_point))", {0, 0, 0, 0, 0, 0}},
         })
        EXPECT_THAT(value_of(text), Pointwise(DoubleNear(1e-12), value)) << text;
}

TEST(Expressions, FoldConstants) {
    TestScope scope;
    const std::size_t before = scope.own.nodes().size();
    parse("a * (2 * 3 - sqrt(n))", scope);
    EXPECT_EQ(scope.own.nodes().size(), before + 2) << "a number and a product";
}

TEST(Expressions, ReportSyntaxErrorsDespiteUnknownTensors) {
    for (const char* text :
         {"lost", "lost' @ a", "sum(lost, 7) + softmax(lost)", "-lost * 2", "sum(a, lost)", "lost.T"}) {
        TestScope scope;
        EXPECT_EQ(parse(text, scope), std::nullopt) << text;
    }
    EXPECT_NE(error_of("lost + nothing"), not_thrown);
    EXPECT_NE(error_of("lost' * (a"), not_thrown);
}

TEST(Expressions, RefusalsAreSentences) {
    struct Case {
        std::string text, begin;
    };
    for (const auto& [text, begin] : std::initializer_list<Case>{
             {"a +", "Expected a tensor, a number or an opening bracket after \"+\", but the line ends."},
             {"a + )", "Expected a tensor, a number or an opening bracket after \"+\", but found \")\"."},
             {"a * \"b\"",
              "Expected a tensor, a number or an opening bracket after \"*\", but found the quoted \"b\"."},
             {"(a + 1", "Expected \")\" after \"1\", but the line ends."},
             {"a a", "Expected the end of the line after \"a\", but found \"a\"."},
             {"x", "There is no tensor x."},
             {"b.c", "There is no tensor b.c."},
             {"tan(a)", "There is no function tan. Do you mean tanh? Available functions: copy, exp"},
             {"divideup(a, 2)",
              "There is no function divideup. Do you mean divide_up? Available functions: "},
             {"max(a, 1)", "There is no function max here. Use largest(x, axis) for the largest element"},
             {"sort(a)", "There is no function sort here. It is computed on the CPU, for inputs and"},
             {"take(a, 1)", "There is no function take here."},
             {"iota(0)", "iota cannot generate 0 elements. Use a count from 1 to 268"},
             {"uniform(268435457)", "uniform cannot generate 268"},
             {"integers(2, 0)", "integers(count, below) needs a limit from 1 to 4"},
             {"integers(2, 8589934592)", "integers is written integers(count, below), with numbers up to 4"},
             {"iota(a)", "iota is written iota(count), with whole numbers from 0 on; a tensor is not one."},
             {"sum(a b)", "Expected \")\" after \"a\", but found"},
             {"a < b < 1", "Expected the end of the line after \"b\", but found \"<\"."},
             {"a % 2", "mod takes whole numbers; these are f32. Convert them: int(x) or uint(x)."},
             {"a & 2", "and takes whole numbers; these are f32. Convert them: int(x) or uint(x)."},
             {"uint(a) * 0.5", "0.5 cannot be represented as u32. Use a whole number from 0"},
             {"uint(a) + int(a)", "add of u32 and i32 is not possible. Convert one of them"},
             {"divide_up(a, 2)", "divide_up(a, b) divides two numbers"},
             {"divide_up(7, 0)", "divide_up(a, b) divides two numbers, and b must be greater than 0."},
             {"hypot(a", "Expected a comma (hypot takes 2 arguments) after \"a\", but the line ends."},
             {"sum(a, 7)", "The sum over axis 7 of 2 x 3 is not possible"},
             {"sum(a, 0.5)",
              "sum is written sum(x) or sum(x, axis), with whole numbers from 0 on; 0.5 is not one."},
             {"slice(a, 0, -1, 1)",
              "slice is written slice(x, axis, first, count), with whole numbers from 0 on; -1 is not one."},
             {"sum(a, a)",
              "sum is written sum(x) or sum(x, axis), with whole numbers from 0 on; a tensor is not one."},
             {"shift(a, 0, 0.5)", "shift is written shift(x, axis, by), with whole numbers; 0.5 is not one."},
             {"shift(a, 2, 1)",
              "The shift over axis 2 of 2 x 3 is not possible: axes count from 0, and there"},
             {"pad(b, 1, 0, 0)",
              "The pad over axis 1 of 3 is not possible: axes count from 0, and there are 1."},
             {"convolve(a, b)", "convolve(x, k) needs as many axes of k as of x, but k is 3 and x is 2 x 3."},
             {"convolve(b, pad(b, 0, 1, 0))",
              "convolve(x, k) needs a k that is not longer than x, but k is 4 and x is 3."},
             {"convolve(uniform(999), uniform(226))",
              "k has 226 elements, but convolve(x, k) takes 225 at most. Convolve axis by axis."},
             {"attention(a, a, b)", "attention(q, k, v) needs matrices, but one of them is 3."},
             {"attention(a, a', a)", "attention(q, k, v) needs as many columns of q as of k, and"},
             {"attention(a, a, a')", "attention(q, k, v) needs as many columns of q as of k, and"},
             {"cumsum(a, 2)", "The cumsum over axis 2 of 2 x 3 is not possible"},
             {"pad(b, 0, 1, -1)", "pad is written pad(x, axis, before, after), with whole numbers from 0 on"},
             {"pad(b, 0, 2147483648, 0)", "A tensor of 2147483651 is too large: it can have"},
             {"pad(quantise(a, by_row), 0, 1, 1)", "pad does not work on bytes"},
             {"quantise(a, twice)",
              "Expected symmetric, by_row or zero_point after \",\", but found \"twice\"."},
             {"b'", "x' and x.T exchange the last two axes, but 3 has only one. Reshape it to a matrix."},
             {"a.T.X", "There is no tensor a.T.X."},
             {"(a).Tx", "\".\" is not a valid character here. Remove it."},
             {"x.T", "There is no tensor x."},
             {"a @ a", "matmul of 2 x 3 and 2 x 3 is not possible"},
             {"a + slice(a, 0, 0, 1) @ a'", "add"},
             {"b @ a'", "matmul of 3 and 3 x 2 is not possible: it takes m x k and k x n."},
             {"reshape(a, 2 x 1 x 3) @ reshape(a, 1 x 3 x 2)",
              "matmul of 2 x 1 x 3 and 1 x 3 x 2 is not possible: the extents before the last two must be"},
             {"reshape(uint(a), 2 x 1 x 3) @ reshape(uint(a), 2 x 3 x 1)",
              "matmul takes numbers of f32; these are u32. Use f32."},
             {"slice(a, 1, 2, 2)", ""},
             {"reshape(a, 4)", ""},
             {"reshape(a, 0 x 6)", "0 is not an extent. Give a whole number from 1 to 2"},
             {"reshape(a, 1.5)", "1.5 is not an extent."},
             {"reshape(a, b)", "Expected an extent (a whole number or n) after \",\", but found \"b\"."},
             {"reshape(a, 1 x 1 x 1 x 2 x 3)", ""},
             {"a * 1e39", "1e+39 cannot be represented as f32"},
             {"a > 0 && a < 1",
              "Expected a tensor, a number or an opening bracket, but found \"&\". In place of \"&&\" write "
              "\"&\", with brackets"},
             {"(a > 0) || (a < 1)", "Expected a tensor, a number or an opening bracket, but found \"|\"."},
             {"& a", "Expected a tensor, a number or an opening bracket, but found \"&\"."},
             {"a * (1 / 0)", "inf cannot be represented as f32"},
             {"a * 1e999", "1e999 is out of range. Write a number of magnitude from about 1e-308"},
             {"a ? 1", "\"?\" is not a valid character here. Remove it."},
             {"a * \xC3\xA9", "\"\xC3\xA9\" is not a valid character here. Remove it."},
             {"a * \xC3", "The byte 0xC3 is not a valid character here"},
             {"a − 1", "\"−\" is not a valid character here. Write -."},
             {"2 × 3", "\"×\" is not a valid character here. Write * between tensors, and x"},
             {"a + \"b.npy", "A quoted name is not closed."},
             {std::string(201, 'a'), "A word has 201 characters; at most 200 are allowed."},
         }) {
        const std::string error = error_of(text);
        EXPECT_THAT(error, StartsWith(begin)) << text;
        EXPECT_NE(error, "") << text;
        EXPECT_THAT(error, testing::EndsWith(".")) << text;
    }
}

TEST(Expressions, HaveLimits) {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '(') + "a" + std::string(depth, ')');
    };
    const auto sum_of = [](std::size_t count) {
        std::string text = "a";
        while (--count > 0)
            text += " + a";
        return text;
    };
    EXPECT_EQ(error_of(nested(100)), not_thrown);
    for (const std::size_t depth : {101, 30000})
        EXPECT_THAT(error_of(nested(depth)), StartsWith("Brackets are nested more than 100 deep."));
    EXPECT_EQ(error_of(std::string(30000, '-') + "a"), not_thrown);
    EXPECT_EQ(error_of("a" + std::string(30000, '\'')), not_thrown);
    // The limit includes the three inputs.
    EXPECT_EQ(error_of(sum_of(1998)), not_thrown);
    EXPECT_THAT(error_of(sum_of(1999)), HasSubstr("more than 2\u2009"
                                                  "000 tensors"));
}

// A quoted name may contain control characters, which a terminal would interpret.
TEST(Tokens, AreEscapedInMessages) {
    Diagnostics diagnostics("mine.txt");
    const std::vector<Statement> all = tokenize("\"a\x1b[31m\" \"b\x1b[31m\"", diagnostics);
    for (const bool is_second : {false, true}) {
        TokenReader tokens(all.at(0));
        if (is_second) tokens.take_string("a file");
        EXPECT_THAT(message_of<Refusal>([&] { tokens.take_number("a number"); }),
                    AllOf(Not(HasSubstr("\x1b")), HasSubstr(is_second ? "b" : "a")));
    }
}

TEST(Tokens, HaveLines) {
    Diagnostics diagnostics("mine.txt");
    const std::vector<Statement> all =
        tokenize("\n x.y = 128x768 // ?\nkernel k\n\n  {\n// }\n/* } */ {} }\n\"q r\" ?\n'", diagnostics);
    ASSERT_EQ(all.size(), 4U);
    std::vector<std::string> texts;
    for (const Token& token : all[0].tokens)
        texts.emplace_back(token.text);
    EXPECT_THAT(texts, ElementsAre("x.y", "=", "128", "x", "768"));
    EXPECT_EQ(all[0].line, 2U);
    EXPECT_EQ(all[1].line, 3U);
    EXPECT_EQ(all[1].first_kernel_line, 5U);
    EXPECT_EQ(all[1].kernel, "\n// }\n/* } */ {} ");
    EXPECT_EQ(all[2].tokens.at(0).kind, Token::Kind::string);
    EXPECT_TRUE(all[2].is_malformed);
    EXPECT_EQ(all[3].line, 9U);
    const std::vector<Diagnostic> wrong = std::move(diagnostics).sorted_by_line();
    ASSERT_EQ(wrong.size(), 1U);
    EXPECT_EQ(wrong[0].file, "mine.txt");
    EXPECT_EQ(wrong[0].line, 8U);
}

}  // namespace gridstride::expression::expression_test
