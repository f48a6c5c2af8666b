// Models that share tensors: who owns one, who may read or write it, and in which version a model has it.
//
//     Workspace all;
//     all.write("text", "text.p", matmul(all.input("text", "text.e", {128, 768}), ...));
//     all.share("text", "text.p", "pair", Right::read);
//     all.use("pair", "text.p");
//     all.write("pair", "pair.s", softmax(all.read("pair", "text.p")));
//
// All models write into one graph, one after another, so what one wrote the next reads where it lies, and it
// is in memory once, until the last has read it.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "tensor/graph.h"

namespace gridstride::tensor {

enum class Right { read, write };

/// A tensor's name is its owner's and its own: "text.p". Each function throws Refusal, in a sentence that
/// names the model and the tensor.
class Workspace {
 public:
    Graph& graph() { return graph_; }
    const Graph& graph() const { return graph_; }

    /// A tensor of the model, which the plan uploads from the host array of its name.
    Tensor input(std::string_view model, const std::string& name, const Shape& shape,
                 ElementType type = ElementType::f32);
    /// A tensor that the model makes, or the next version of one that it may write: of the same shape and
    /// type.
    void write(std::string_view model, const std::string& name, const Tensor& value);
    /// From here on the other model may. Who may write may read.
    void share(std::string_view owner, const std::string& name, std::string_view with, Right right);
    /// From here on the model reads the version of now; another's tensor has to be used before it is read.
    void use(std::string_view model, const std::string& name);

    /// What the model reads: of its own tensors the newest version, of others' the one that it used, which
    /// is refused where there is a newer one.
    Tensor read(std::string_view model, const std::string& name) const;
    /// Makes what the model reads an output of the graph, once. Returns it, or the copy that comes back of
    /// what is an input or a view.
    Tensor output(std::string_view model, const std::string& name);
    /// What the node is called that the next write leaves.
    std::string name_of_next(const std::string& name) const;

 private:
    struct Named {
        std::string owner;
        Tensor value;  ///< of the newest version
        std::size_t version = 1;
        std::string writer;  ///< of that version
        std::set<std::string, std::less<>> readers, writers;
        std::map<std::string, std::size_t, std::less<>> used;  ///< by model: the version
        std::map<std::size_t, Tensor> copies = {};             ///< outputs, by version
    };
    const Named& named(const std::string& name) const;

    Graph graph_;
    std::map<std::string, Named, std::less<>> tensors_;
};

}  // namespace gridstride::tensor
