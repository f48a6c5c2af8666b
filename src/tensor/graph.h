// Tensors, lazily: what is written with them is kept as a graph, and nothing is computed until it is made
// into a plan (tensor/plan.h) and that plan runs.
//
//     Graph graph;
//     const Tensor a = graph.input("a", {4096, 256}), b = graph.input("b", {256});
//     graph.output("s", sum(tanh((a + b) * 5), 1));
//
// Shapes are checked as it is written: what does not go throws Refusal, in a sentence that names the shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/array.h"
#include "launch/extent.h"
#include "launch/kernel_source.h"
#include "tensor/operations.h"
#include "tensor/rounding.h"
#include "tensor/shape.h"

namespace gridstride::tensor {

/// Where a tensor is computed, and so where it lies. What is wanted on the other side is copied.
enum class Place { device, host };

/// What an operation reads: the elements of a node, as a view shows them.
struct Source {
    std::size_t node;
    View view;
};

/// A kernel of somebody's own over whole tensors, which it knows by their names.
struct OwnKernel {
    std::string name;            ///< "cosine"
    KernelSource source;         ///< GLSL: a void main() and what it needs, beside shaders/common/launch.glsl
    std::size_t first_line = 1;  ///< of the source in the file that it names
    Extent workgroup = {0};      ///< invocations; x = 0: the plan's
    Extent grid = {0};           ///< workgroups; x = 0: one for each tile of what is written first
    /// Tensors, by what else than their names its text calls them: "p" for "text.p".
    std::map<std::string, std::string, std::less<>> called = {};
    /// Of those that it reads and then those that it leaves: Graph::run() takes them, and they stay when a
    /// tensor is named anew.
    std::vector<std::string> names = {};
};
/// What a kernel leaves.
struct Left {
    std::string name;
    Shape shape;
    ElementType type = ElementType::f32;
};

/// Of bytes sources[0] are the numbers, [1] their steps and [2] their zero points, the latter two seen at
/// each byte. Of a product with bytes [0] are the vectors, [1] the bytes, [2] and [3] those of the bytes and
/// [4], where the vectors are bytes too, the steps of theirs, seen at each result.
struct Node {
    Op op = Op::input;
    std::vector<Source> sources = {};
    Shape shape = {};
    ElementType type = ElementType::f32;  ///< or i32; of bytes i8
    std::string name = {};                ///< "a"; of what nobody named, "t3"; of a constant none
    bool has_own_name = false;
    double number = 0;       ///< of a constant
    std::uint64_t seed = 0;  ///< of random numbers
    Scheme scheme = {};      ///< of bytes, their steps, and what is made of them
    Place place = Place::device;
    std::shared_ptr<const OwnKernel> kernel = {};
    /// One launch makes it together with the node before it, from the same sources.
    bool is_with_previous = false;

    std::uint64_t elements() const { return elements_of(shape); }
    /// In memory, where rows of bytes are padded.
    std::uint64_t places() const {
        return type == ElementType::i8 ? shape[0] * padded(shape[1]) : elements();
    }
    std::uint64_t bytes() const { return places() * byte_size(type); }
    /// By a step of the plan. Numbers, and random ones, are made where they are read.
    bool is_made() const { return !sources.empty() || op == Op::kernel; }
    bool is_in_memory() const { return op == Op::input || is_made(); }
};

/// Throws Refusal for what cannot be the name of a tensor: letters and digits, with single _ between them; in
/// front of it may stand that of its model, and a dot.
void require_tensor_name(std::string_view name);
/// As a kernel writes it: a _ for the dot.
std::string word_of(std::string_view name);

/// How far a result may be from its definition, in each case times a number.
enum class Within {
    scaled,    ///< of a sum or a product of matrices by the sum of the magnitudes of its terms, else by the
               ///< largest magnitude of the definition's row, its last axis
    absolute,  ///< by 1
};
/// What a tensor must be: see Graph::expect().
struct Expectation {
    Source definition;
    double within;
    Within how;
};

class Graph;

/// A node of a graph, as a view shows it. A value: copies are the same tensor. It lives no longer than its
/// graph.
class Tensor {
 public:
    const Shape& shape() const { return view_.shape; }
    ElementType type() const;

    // Views: the same memory, seen otherwise; nothing is copied.
    Tensor transposed(std::size_t axis = 0, std::size_t other = 1) const;
    Tensor slice(std::size_t axis, std::uint64_t first, std::uint64_t count) const;
    Tensor broadcast_to(const Shape& shape) const;
    /// Of a view whose elements do not follow one another as the new shape wants them, a copy.
    Tensor reshaped(const Shape& shape) const;

    /// The name that it has from now on in pictures, kernels and messages: see require_tensor_name().
    Tensor named(std::string name) const;
    /// Computed there, from now on.
    Tensor on(Place place) const;

    Graph& graph() const { return *graph_; }
    Source source() const { return {node_, view_}; }

 private:
    friend class Graph;
    Tensor(Graph& graph, std::size_t node, View view) : graph_(&graph), node_(node), view_(std::move(view)) {}

    Graph* graph_;
    std::size_t node_;
    View view_;
};

class Graph {
 public:
    Graph() = default;
    Graph(const Graph&) = delete;  // tensors know where it is
    Graph& operator=(const Graph&) = delete;

    /// What the plan uploads from the host array of that name. f32 or i32.
    Tensor input(std::string name, const Shape& shape, ElementType type = ElementType::f32);
    /// A constant. Throws Refusal for what the type does not hold: f32 finite numbers, i32 whole ones.
    Tensor number(double value, ElementType type = ElementType::f32);
    /// Uniform in [0, 1), as fill_uniform_f32() makes them of the seed: made where they are used.
    Tensor random(const Shape& shape, std::uint64_t seed);
    /// What is asked for: the plan's output of that name. A view is copied to be one. Returns what comes
    /// back.
    Tensor output(std::string name, const Tensor& tensor);

    /// In the order in which they were written: what a node reads stands before it.
    const std::vector<Node>& nodes() const { return nodes_; }
    const std::vector<std::size_t>& outputs() const { return outputs_; }
    /// By node; of one node in the order in which they were said.
    const std::multimap<std::size_t, Expectation>& expectations() const { return expectations_; }

    /// What the kernel leaves, in the order of `leaves`. It reads whole tensors that have names. How its text
    /// is written: assets/manual/writing_a_lesson.md, "Kernels of somebody's own in a graph".
    std::vector<Tensor> run(OwnKernel kernel, std::span<const Tensor> reads, std::span<const Left> leaves);
    /// The result is judged by this definition, if it is an output: see Within; whole numbers exactly.
    /// Without one nobody knows what is right of a kernel's result, and of all that is made of it; what other
    /// operations make is judged by theirs all the same.
    void expect(const Tensor& result, const Tensor& definition, double within, Within how = Within::scaled);

    /// What the node must be is known from these: of a kernel's result what was expected, else its sources.
    std::vector<Source> definition_of(std::size_t node) const;

    /// Where what is written from here on is computed; a kernel of somebody's own is on the device.
    void compute_on(Place place) { place_ = place; }

    /// Of operations: a node whose sources, shape and type go together. Throws Refusal where the shape is too
    /// large or the name cannot be one.
    Tensor add(Node node);

 private:
    friend class Tensor;
    void require_name(const std::string& name) const;

    std::vector<Node> nodes_;
    std::vector<std::size_t> outputs_;
    std::multimap<std::size_t, Expectation> expectations_;
    std::size_t unnamed_ = 0;
    Place place_ = Place::device;
};

/// An operation element by element, of tensors that are broadcast to one shape.
Tensor combine(Op op, std::span<const Tensor> operands);

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator+(const Tensor& a, double b);
Tensor operator-(const Tensor& a, double b);
Tensor operator*(const Tensor& a, double b);
Tensor operator/(const Tensor& a, double b);
Tensor operator-(const Tensor& a);
Tensor maximum(const Tensor& a, const Tensor& b);
Tensor minimum(const Tensor& a, const Tensor& b);
Tensor hypot(const Tensor& a, const Tensor& b);    ///< the root of a a + b b, which does not overflow
Tensor greater(const Tensor& a, const Tensor& b);  ///< 1 where a > b, else 0
Tensor where(const Tensor& condition, const Tensor& yes, const Tensor& no);  ///< yes where it is not 0
Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor sqrt(const Tensor& x);

// Over one axis, which goes.
Tensor sum(const Tensor& x, std::size_t axis);
Tensor largest(const Tensor& x, std::size_t axis);
Tensor mean(const Tensor& x, std::size_t axis);

/// m x k by k x n, of f32. Transposed operands are read as they lie. The second may be bytes, the transposed
/// of n x k of them: then the first is f32, or bytes that were quantised by row, with up to
/// max_byte_columns columns.
Tensor matmul(const Tensor& a, const Tensor& b);
/// Rows and columns of f32 as bytes, up to max_byte_rows rows.
Tensor quantise(const Tensor& x, Scheme scheme);
/// The numbers that bytes stand for.
Tensor dequantise(const Tensor& q);
/// Of each row, the last axis: exp(x) over the sum of all exp(x) of the row.
Tensor softmax(const Tensor& x);

/// Throws Refusal where x holds bytes: `what` names the operation.
void refuse_bytes(std::string_view what, const Tensor& x);
/// The view shows all of its node, as it lies: of bytes, whose rows are padded, in their own shape.
bool is_whole(const Tensor& x);

}  // namespace gridstride::tensor
