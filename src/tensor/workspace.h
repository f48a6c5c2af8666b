// Models that share tensors, with owners, access rights and versions.
//
//     Workspace all;
//     all.write("text", "text.p", matmul(all.input("text", "text.e", {128, 768}), ...));
//     all.share("text", "text.p", "pair", AccessRight::read);
//     all.use("pair", "text.p");
//     all.write("pair", "pair.s", softmax(all.read("pair", "text.p")));
//
// All models add to one graph, one after another. A shared tensor is therefore in memory only once, until its
// last reader.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace gridstride::tensor {

enum class AccessRight { read, write };

/// A tensor's name consists of its owner's name, a dot and its own name: "text.p". All functions throw
/// Refusal, which names the model and the tensor, if access rights are violated.
class Workspace {
 public:
    Graph& graph() { return graph_; }
    const Graph& graph() const { return graph_; }

    /// Adds a tensor of the model, which the plan uploads from the host array of its name.
    Tensor input(std::string_view model, const std::string& name, const Shape& shape,
                 ElementType type = ElementType::f32);
    /// Adds a tensor of the model, or a new version, of equal shape and type, of a tensor that it may write.
    void write(std::string_view model, const std::string& name, const Tensor& value);
    /// Grants the right to another model from now on. The right to write includes the right to read.
    void share(std::string_view owner, const std::string& name, std::string_view with, AccessRight right);
    /// Selects the current version. A model must use another model's tensor before it reads it.
    void use(std::string_view model, const std::string& name);

    bool has(std::string_view name) const { return tensors_.contains(name); }
    /// Returns the newest version of the model's own tensor, or the used version of another model's tensor.
    /// Throws Refusal if there is a newer version than the used one.
    Tensor read(std::string_view model, const std::string& name) const;
    /// Makes the tensor that the model reads an output. Returns it, or its copy if it is an input or a view.
    Tensor output(std::string_view model, const std::string& name);
    std::string next_version_name(const std::string& name) const;

 private:
    struct SharedTensor {
        std::string owner;
        Tensor value;
        std::size_t version = 1;
        std::string writer;  ///< the model that wrote this version
        std::set<std::string, std::less<>> readers, writers;
        std::map<std::string, std::size_t, std::less<>> used;  ///< used version by model
        std::map<std::size_t, Tensor> copies = {};             ///< output copies by version
    };
    const SharedTensor& named(const std::string& name) const;

    Graph graph_;
    std::map<std::string, SharedTensor, std::less<>> tensors_;
};

}  // namespace gridstride::tensor
