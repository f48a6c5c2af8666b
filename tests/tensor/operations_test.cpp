// Tests operations along an axis against plain loops, over sizes that are multiples of nothing.

#include "graph/expected.h"
#include "test_includes.h"

namespace gridstride::tensor::operations_test {

const Shape shapes[] = {{1}, {13}, {1, 1}, {7, 5}, {3, 1, 11}, {2, 3, 5, 7}};

/// The lines of a tensor along an axis.
struct Lines {
    std::size_t outer = 1, count, inner = 1;

    Lines(const Shape& shape, std::size_t axis) : count(shape[axis]) {
        for (std::size_t i = 0; i < shape.size(); ++i)
            if (i != axis) (i < axis ? outer : inner) *= shape[i];
    }
    std::size_t size() const { return outer * inner; }
    std::size_t at(std::size_t line, std::size_t i) const {
        return (line / inner * count + i) * inner + line % inner;
    }
};

/// Returns numbers from -5 to 5, some of them several times; unsigned numbers below 0 wrap around.
template <class T = float>
std::vector<T> numbers_of(const Shape& shape) {
    std::vector<T> numbers(element_count(shape));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<T>(static_cast<std::int64_t>(i * 37 % 41) - 20) / 4;
    return numbers;
}

/// Returns the expected numbers of of(x), where x holds these numbers.
template <class T>
std::vector<double> result_of(const Shape& shape, const std::vector<T>& numbers, const auto& of) {
    Graph graph;
    graph.output("y", of(graph.input("x", shape, ElementTypeOf<T>::value)));
    const Expected y = expected(graph, {{"x", array_of(numbers)}}).at(0);
    std::vector<double> all(y.reference->count());
    y.reference->numbers(0, all);
    return all;
}

void for_each_axis(const auto& check) {
    for (const Shape& shape : shapes)
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            SCOPED_TRACE(fmt::format("axis {} of {}", axis, text_of(shape)));
            check(shape, axis, Lines(shape, axis));
        }
}

TEST(Operations, SoftmaxOverAnyAxis) {
    for_each_axis([](const Shape& shape, std::size_t axis, const Lines& lines) {
        const std::vector<float> x = numbers_of(shape);
        std::vector<double> right(x.size());
        for (std::size_t line = 0; line < lines.size(); ++line) {
            double sum = 0;
            for (std::size_t i = 0; i < lines.count; ++i)
                sum += right[lines.at(line, i)] = std::exp(double{x[lines.at(line, i)]});
            for (std::size_t i = 0; i < lines.count; ++i)
                right[lines.at(line, i)] /= sum;
        }
        EXPECT_THAT(result_of(shape, x, [&](const Tensor& of) { return softmax(of, axis); }),
                    Pointwise(DoubleNear(1e-12), right));
    });
    Graph graph;
    EXPECT_THAT(message_of<Refusal>([&] {
                    softmax(graph.input("x", {2, 3}), 2);
                }),
                HasSubstrs("2 x 3", "no axis 2"));
}

/// Checks an operation that moves the elements of each line by `before` and cuts it to `count` elements.
template <class T>
void expect_moved(const auto& of, const auto& count_of, std::int64_t before) {
    for_each_axis([&](const Shape& shape, std::size_t axis, const Lines& lines) {
        const std::vector<T> x = numbers_of<T>(shape);
        Shape moved_shape = shape;
        moved_shape[axis] = count_of(shape[axis]);
        const Lines moved(moved_shape, axis);
        std::vector<double> right(element_count(moved_shape));
        for (std::size_t line = 0; line < lines.size(); ++line)
            for (std::size_t i = 0; i < moved.count; ++i) {
                const std::int64_t from = static_cast<std::int64_t>(i) - before;
                if (from >= 0 && from < static_cast<std::int64_t>(lines.count))
                    right[moved.at(line, i)] =
                        static_cast<double>(x[lines.at(line, static_cast<std::size_t>(from))]);
            }
        EXPECT_EQ(result_of(shape, x, [&](const Tensor& y) { return of(y, axis); }), right);
    });
}

TEST(Operations, PadAddsZerosAlongAnyAxis) {
    for (const std::uint64_t before : {0, 1, 5})
        for (const std::uint64_t after : {0, 3}) {
            const auto of = [&](const Tensor& x, std::size_t axis) { return pad(x, axis, before, after); };
            const auto count_of = [&](std::uint64_t count) { return before + count + after; };
            expect_moved<float>(of, count_of, static_cast<std::int64_t>(before));
            expect_moved<std::int32_t>(of, count_of, static_cast<std::int64_t>(before));
            expect_moved<std::uint32_t>(of, count_of, static_cast<std::int64_t>(before));
        }
}

TEST(Operations, ShiftMovesElementsAlongAnyAxis) {
    for (const std::int64_t by : {0, 1, -1, 3, -4, 100, -100}) {
        const auto of = [&](const Tensor& x, std::size_t axis) { return shift(x, axis, by); };
        expect_moved<float>(of, std::identity(), by);
        expect_moved<std::int32_t>(of, std::identity(), by);
    }
}

// The bound of an element is that of the element that it was, and a 0 that comes in is exact.
TEST(Operations, ShiftMovesErrorBoundsWithTheElements) {
    Graph graph;
    graph.output("y", shift(exp(graph.input("x", {3})), 0, 1));
    const Expected y = expected(graph, {{"x", array_of<float>({1, 2, 3})}}).at(0);
    EXPECT_EQ(y.scale->number(0), 0);
    EXPECT_GT(y.scale->number(1), 0);
    EXPECT_GT(y.scale->number(2), y.scale->number(1));
}

/// Checks a reduction to one number of each line.
template <class T>
void expect_reduction(const auto& of, const auto& right_of) {
    for_each_axis([&](const Shape& shape, std::size_t axis, const Lines& lines) {
        const std::vector<T> x = numbers_of<T>(shape);
        std::vector<double> right;
        for (std::size_t line = 0; line < lines.size(); ++line) {
            std::vector<T> numbers;
            for (std::size_t i = 0; i < lines.count; ++i)
                numbers.push_back(x[lines.at(line, i)]);
            right.push_back(static_cast<double>(right_of(numbers)));
        }
        EXPECT_EQ(result_of(shape, x, [&](const Tensor& y) { return of(y, axis); }), right);
    });
}
void expect_reduction_of_every_type(const auto& of, const auto& right_of) {
    expect_reduction<float>(of, right_of);
    expect_reduction<std::int32_t>(of, right_of);
    expect_reduction<std::uint32_t>(of, right_of);
}

TEST(Operations, SmallestOverAnyAxis) {
    expect_reduction_of_every_type(smallest,
                                   [](const auto& line) { return *std::ranges::min_element(line); });
}

TEST(Operations, ArgmaxOverAnyAxis) {
    const auto first_of_largest = [](const auto& line) {
        return std::ranges::max_element(line) - line.begin();
    };
    expect_reduction_of_every_type(argmax, first_of_largest);
}

/// Returns the index of the largest of these numbers, which are inputs or were rounded, and its error.
Bounded bounded_argmax(const std::vector<float>& numbers, bool are_rounded) {
    Graph graph;
    const Tensor x = graph.input("x", {numbers.size()});
    graph.output("y", argmax(are_rounded ? log(exp(x)) : x, 0));
    const Expected y = expected(graph, {{"x", array_of(numbers)}}).at(0);
    return {y.reference->number(0), y.scale ? y.scale->number(0) : 0};
}

TEST(Operations, ArgmaxAllowsEveryIndexThatRoundingMayGive) {
    const auto expect = [](const std::vector<float>& numbers, bool are_rounded, double index, double error) {
        const Bounded found = bounded_argmax(numbers, are_rounded);
        EXPECT_EQ(found.value, index);
        EXPECT_EQ(found.error, error);
    };
    const float next = std::nextafter(2.0F, 3.0F);
    expect({1, 2, 0, 2, 1}, false, 1, 0);
    expect({1, 2, 0, next, 1}, false, 3, 0);
    expect({1, 2, 0, next, 1}, true, 3, 2);
    expect({1, next, 0, 2, 2, 1}, true, 1, 3);
    expect({1, 2, 0, 3, 1}, true, 3, 0);
    expect({1, NAN, 3, NAN}, false, 1, 3);
}

TEST(Operations, RefusesIntegerArithmeticOnUncertainIndices) {
    Graph graph;
    const Tensor index = argmax(log(exp(graph.input("x", {2, 3}))), 1);
    const Input input = {{"x", array_of<float>({1, 1, 1, 1, 2, 3})}};
    const auto problem_of = [&](const char* name, const Tensor& y) {
        graph.output(name, y);
        return message_of<Refusal>([&] { expected(graph, input); });
    };
    EXPECT_EQ(problem_of("copy", index.reshaped({1, 2})), not_thrown);
    EXPECT_EQ(problem_of("float", converted_to(index, ElementType::f32) / 2), not_thrown);
    EXPECT_THAT(problem_of("sum", sum(index, 0)), HasSubstrs("sum of numbers with rounding errors"));
    Graph other;
    other.output("y", argmax(exp(other.input("x", {2, 3})), 1) + 1);
    EXPECT_THAT(message_of<Refusal>([&] { expected(other, input); }),
                HasSubstrs("add of numbers with rounding errors"));
}

TEST(Operations, MatmulOfBatches) {
    struct Case {
        Shape a, b;
    };
    for (const auto& [a, b] : {Case{{2, 3, 5}, {2, 5, 7}},
                               {{1, 4, 1}, {1, 1, 3}},
                               {{3, 1, 1}, {3, 1, 1}},
                               {{3, 2, 5, 4}, {3, 2, 4, 1}},
                               {{2, 3, 5}, {5, 7}},
                               {{3, 1, 2, 5}, {5, 3}},
                               {{3, 5}, {2, 5, 7}},
                               {{3, 5}, {2, 4, 5, 1}}}) {
        SCOPED_TRACE(fmt::format("{} and {}", text_of(a), text_of(b)));
        const std::vector<float> x = numbers_of(a), y = numbers_of(b);
        const std::size_t m = a[a.size() - 2], k = a.back(), n = b.back();
        const std::size_t batch = std::max(element_count(a) / (m * k), element_count(b) / (k * n));
        std::vector<double> right(batch * m * n);
        for (std::size_t i = 0; i < right.size(); ++i)
            for (std::size_t p = 0; p < k; ++p) {
                const std::size_t row = i / n * k + p, column = i / (m * n) * k * n + p * n + i % n;
                right[i] += double{x[row % x.size()]} * y[column % y.size()];
            }
        Graph graph;
        const Tensor z = matmul(graph.input("x", a), graph.input("y", b));
        EXPECT_EQ(element_count(z.shape()), right.size());
        EXPECT_EQ(z.shape().size(), std::max(a.size(), b.size()));
        graph.output("z", z);
        const Expected all = expected(graph, {{"x", array_of(x)}, {"y", array_of(y)}}).at(0);
        for (std::size_t i = 0; i < right.size(); ++i)
            EXPECT_EQ(all.reference->number(i), right[i]) << i;
    }
}

// The factors are the heads of an attention, which are views.
TEST(Operations, MatmulOfBatchesReadsViews) {
    constexpr std::size_t rows = 5, heads = 3, columns = 4;
    const Shape shape = {rows, heads, columns};
    const std::vector<float> x = numbers_of(shape);
    Graph graph;
    const Tensor q = graph.input("x", shape).transposed(0, 1), scores = matmul(q, q.transposed(1, 2));
    EXPECT_EQ(scores.shape(), (Shape{heads, rows, rows}));
    EXPECT_EQ(graph.nodes().size(), 2u) << "nothing is copied";
    graph.output("y", scores);
    const Expected y = expected(graph, {{"x", array_of(x)}}).at(0);
    for (std::size_t i = 0; i < heads * rows * rows; ++i) {
        const std::size_t head = i / (rows * rows), row = i / rows % rows, column = i % rows;
        double right = 0;
        for (std::size_t p = 0; p < columns; ++p)
            right += double{x[(row * heads + head) * columns + p]} * x[(column * heads + head) * columns + p];
        EXPECT_EQ(y.reference->number(i), right);
    }
}

TEST(Operations, MatmulOfBatchesHasALimit) {
    Graph graph;
    const Tensor x = graph.input("x", {2, 1 << 10, 1 << 10});
    EXPECT_EQ(message_of<Refusal>([&] { matmul(x, x); }), not_thrown);
    const Tensor y = graph.input("y", {2, 1 << 10, 1025});
    EXPECT_THAT(message_of<Refusal>([&] { matmul(x, y); }),
                HasSubstrs("matmul of 2 x 1024 x 1024 and 2 x 1024 x 1025", "Slice"));
    const Tensor matrix = graph.input("matrix", {1025, 1 << 11});
    EXPECT_EQ(message_of<Refusal>([&] { matmul(y, matrix); }), not_thrown);
}

}  // namespace gridstride::tensor::operations_test
