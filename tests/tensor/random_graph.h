// Makes random graphs with views and broadcasts, whose numbers stay within bounds.
#pragma once

#include "base/array.h"
#include "graph/expected.h"
#include "graph/graph.h"
#include "test_includes.h"

namespace gridstride::tensor {

class RandomGraph {
 public:
    RandomGraph(std::uint64_t seed, std::size_t operations) : random_(seed) {
        for (const char* const name : {"a", "b", "c"})
            add_input(name);
        add_whole_input<std::uint32_t>("u");
        add_whole_input<std::int32_t>("i");
        while (graph.nodes().size() < operations + 2 || tensors_.size() < 4)
            add_operation();
        // Up to three tensors of f32 and one of whole numbers are outputs, always including the last one; the
        // others may also be operands.
        std::size_t output_count = 0;
        const std::vector<Tensor> all = tensors_;
        for (std::size_t i = all.size(); i-- > 3 && output_count < 3;)
            if (pick(2) == 0 || output_count == 0)
                graph.output("out" + std::to_string(output_count++), all[i]);
        if (wholes_.size() > 2) graph.output("whole", wholes_.back());
    }

    Graph graph;
    Input input;

 private:
    std::size_t pick(std::size_t below) {
        return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
    }
    const Tensor& any() { return tensors_[pick(tensors_.size())]; }

    void add_input(const char* name) {
        const std::array<Shape, 7> shapes = {{{7, 5}, {64, 33}, {1}, {5}, {2, 3, 4}, {8, 12}, {16, 8}}};
        const Shape shape = shapes[pick(shapes.size())];
        std::vector<float> numbers(element_count(shape));
        for (float& number : numbers)
            number = std::uniform_real_distribution<float>(-2, 2)(random_);
        if (pick(3) > 0) {
            tensors_.push_back(graph.input(name, shape));
            input.push_back({name, array_of(numbers)});
            return;
        }
        std::vector<Half> halves;
        for (const float number : numbers)
            halves.emplace_back(number);
        tensors_.push_back(graph.input(name, shape, ElementType::f16));
        input.push_back({name, array_of(halves)});
    }

    /// Returns numbers in [-1, 1] for any input, so that errors do not grow without bound.
    static Tensor tame(const Tensor& x) { return tanh(x); }

    void add_operation() {
        const Tensor x = any();
        switch (pick(25)) {
            case 0:
                return keep(exp(-maximum(x, -x)));
            case 1:
                return keep(log(hypot(x, x.graph().number(1))));
            case 2:
                return keep(tame(x));
            case 3:
                return keep(sqrt(x * x + 0.5));
            case 4:
                return keep(x / hypot(x, x.graph().number(0.5)));
            case 5:
                return keep(where(greater(x, x.graph().number(0.1)), x * 0.5, -x));
            case 6:
                if (!x.shape().empty()) keep(mean(x, pick(x.shape().size())));
                return;
            case 7:
                if (!x.shape().empty()) keep(largest(x, pick(x.shape().size())));
                return;
            case 8:
                if (!x.shape().empty()) keep(softmax(x, pick(x.shape().size())));
                return;
            case 9:
                if (x.shape().size() >= 2) keep(x.transposed(pick(x.shape().size()), pick(x.shape().size())));
                return;
            case 10:
                return keep_slice(x);
            case 11:
                return keep(x.reshaped({element_count(x.shape())}));
            case 12:
                if (x.shape().size() < max_extents) {
                    Shape more = x.shape();
                    more.insert(more.begin(), 1 + pick(3));
                    keep(x.broadcast_to(more));
                }
                return;
            case 13:
                if (x.shape().size() >= 2) keep_product(x);
                return;
            case 14:
                return keep(minimum(x.graph().random(x.shape(), pick(1000)), x));
            case 15:
                if (x.shape().size() == 2) keep(dequantise(quantise(x, static_cast<Scheme>(pick(3)))));
                return;
            case 16:
                if (x.shape().size() == 2) keep_product_of_bytes(x);
                return;
            case 17:
                if (!x.shape().empty()) keep(smallest(x, pick(x.shape().size())));
                return;
            case 18:
                return keep_moved(x);
            case 19:
                return keep(tame(converted_to(any_whole(), ElementType::f32) * 1e-9));
            case 20:
            case 21:
                return add_whole_operation();
            case 22:
                return keep(converted_to(x, ElementType::f16));
            case 23:
                return keep(tame(converted_to(x, ElementType::f16) * 0.5));
            default:
                return keep_combined(x, any());
        }
    }

    /// Multiplies parts of the matrices of x, whose rows are followed by other elements in memory.
    void keep_product(const Tensor& x) {
        const std::size_t down = x.shape().size() - 2, across = down + 1;
        const std::uint64_t rows = 1 + pick(x.shape()[down]), columns = 1 + pick(x.shape()[across]);
        const Tensor part = x.slice(across, 0, columns).slice(down, 0, rows);
        Tensor other = pick(2) == 0 ? x.slice(across, 0, columns) : part;
        if (pick(3) == 0)
            while (other.shape().size() > 2)
                other = other.slice(0, 0, 1).reshaped({other.shape().begin() + 1, other.shape().end()});
        const Tensor other_transposed = other.transposed(other.shape().size() - 2, other.shape().size() - 1);
        keep(tame(
            (pick(2) == 0 ? matmul(part, other_transposed) : matmul(part.transposed(down, across), part)) *
            0.1));
    }

    void keep_moved(const Tensor& x) {
        if (x.shape().empty()) return;
        const std::size_t axis = pick(x.shape().size());
        if (pick(2) == 0) return keep(pad(x, axis, pick(4), pick(4), pick(2) == 0));
        keep(shift(x, axis, static_cast<std::int64_t>(pick(9)) - 4));
    }

    void keep_product_of_bytes(const Tensor& x) {
        const Tensor q = quantise(x, static_cast<Scheme>(pick(3)));
        keep(tame(matmul(pick(2) == 0 ? x : quantise(x, Scheme::per_row), q.transposed()) * 0.1));
    }

    void keep_slice(const Tensor& x) {
        if (x.shape().empty()) return;
        const std::size_t axis = pick(x.shape().size());
        const std::uint64_t first = pick(x.shape()[axis]);
        keep(x.slice(axis, first, 1 + pick(x.shape()[axis] - first)));
    }

    void keep_combined(const Tensor& x, const Tensor& y) {
        try {
            switch (pick(3)) {
                case 0:
                    return keep(tame(x + y));
                case 1:
                    return keep(tame(x * y - 0.25));
                default:
                    return keep(tame(x - y));
            }
        } catch (const Refusal&) {
            // Their shapes do not match.
        }
    }

    void keep(const Tensor& x) {
        if (element_count(x.shape()) <= 20'000) tensors_.push_back(x);
    }

    /// Adds numbers over the whole range of their type, which wrap around.
    template <class T>
    void add_whole_input(const char* name) {
        std::vector<T> numbers(7 * 5);
        for (T& number : numbers)
            number = static_cast<T>(random_());
        wholes_.push_back(graph.input(name, {7, 5}, ElementTypeOf<T>::value));
        input.push_back({name, array_of(numbers)});
    }
    const Tensor& any_whole() { return wholes_[pick(wholes_.size())]; }

    /// Whole numbers are exact, so they are computed from whole numbers only.
    void add_whole_operation() {
        const Tensor x = any_whole(), y = any_whole();
        const auto keep_whole = [&](const Tensor& of) {
            if (element_count(of.shape()) <= 20'000) wholes_.push_back(of);
            if (pick(2) == 0) tensors_.push_back(tame(converted_to(of, ElementType::f32) * 1e-9));
        };
        const std::size_t axes = x.shape().size();
        try {
            switch (pick(9)) {
                case 0:
                    return keep_whole(x + y);
                case 1:
                    return keep_whole(x * y - 3);
                case 2:
                    // The divisors are odd, so that none is 0.
                    return keep_whole(
                        apply_elementwise(pick(2) == 0 ? Op::div : Op::mod, std::array{x, y * 2 + 1}));
                case 3:
                    return keep_whole(where(greater_equal(x, y), minimum(x, y), -y));
                case 4:
                    return keep_whole(converted_to(
                        not_equal(x, y), x.type() == ElementType::u32 ? ElementType::i32 : ElementType::u32));
                case 5:
                    if (axes > 0) keep_whole(sum(x, pick(axes)));
                    return;
                case 6:
                    if (axes > 0) keep_whole(argmax(x, pick(axes)));
                    return;
                case 7:
                    if (axes > 0) keep_whole(shift(x, pick(axes), 2) + 1);
                    return;
                default:
                    if (axes > 1) keep_whole(x.transposed(pick(axes), pick(axes)));
            }
        } catch (const Refusal&) {
            // Their shapes or types do not match.
        }
    }

    std::mt19937_64 random_;
    std::vector<Tensor> tensors_, wholes_;
};

/// Adds a user's kernel with a single result.
inline Tensor result_of(Graph& graph, const UserKernel& kernel, const std::vector<Tensor>& reads,
                        const std::string& name, const Shape& shape, ElementType type = ElementType::f32) {
    return graph.run(kernel, reads, std::array{KernelOutput{name, shape, type}})[0];
}

}  // namespace gridstride::tensor
