#include "tensor/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace gridstride::tensor {

namespace {

[[noreturn]] void refuse(std::string reason) {
    throw Refusal(std::move(reason));
}

void refuse_version_suffix(std::string_view name) {
    const std::size_t v = name.rfind("_v");
    if (v != std::string_view::npos && parse_number<std::uint64_t>(name.substr(v + 2)))
        refuse(
            fmt::format("{} cannot be the name of a tensor: names that end in _v and a number are reserved "
                        "for later versions. Choose another name.",
                        name));
}

void name_if_unnamed(const Tensor& value, std::string name) {
    const Node& node = value.graph().nodes()[value.source().node];
    if (node.is_computed() && !node.has_own_name) value.named(std::move(name));
}

}  // namespace

const Workspace::SharedTensor& Workspace::named(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end())
        refuse(
            fmt::format("There is no tensor {}. Define it first, or use the name of an existing one.", name));
    return found->second;
}

Tensor Workspace::input(std::string_view model, const std::string& name, const Shape& shape,
                        ElementType type) {
    refuse_version_suffix(name);
    Tensor tensor = graph_.input(name, shape, type);
    write(model, name, tensor);
    return tensor;
}

void Workspace::write(std::string_view model, const std::string& name, const Tensor& value) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
        if (name != fmt::format("{}.{}", model, name.substr(name.find('.') + 1)))
            refuse(fmt::format("{} cannot define {}: models define only their own. Call it {}.{}.", model,
                               name, model, name.substr(name.find('.') + 1)));
        name_if_unnamed(value, next_version_name(name));
        tensors_.emplace(
            name, SharedTensor{.owner = std::string(model), .value = value, .writer = std::string(model)});
        return;
    }
    SharedTensor& all = found->second;
    if (all.owner != model && !all.writers.contains(model))
        refuse(fmt::format("{} may not write {}, which {} owns. Let {} share it, to write.", model, name,
                           all.owner, all.owner));
    if (value.shape() != all.value.shape() || value.type() != all.value.type())
        refuse(fmt::format("{} is {} of {}, but {} would write {} of {}. Define another tensor.", name,
                           text_of(all.value.shape()), gridstride::name(all.value.type()), model,
                           text_of(value.shape()), gridstride::name(value.type())));
    name_if_unnamed(value, next_version_name(name));
    all.value = value;
    ++all.version;
    all.writer = model;
    all.used[std::string(model)] = all.version;
}

void Workspace::share(std::string_view owner, const std::string& name, std::string_view with,
                      AccessRight right) {
    if (named(name).owner != owner)
        refuse(fmt::format("{} cannot share {}, which {} owns. Let {} share it.", owner, name,
                           named(name).owner, named(name).owner));
    SharedTensor& all = tensors_.find(name)->second;
    all.readers.emplace(with);
    if (right == AccessRight::write) all.writers.emplace(with);
}

void Workspace::use(std::string_view model, const std::string& name) {
    const SharedTensor& all = named(name);
    if (all.owner != model && !all.readers.contains(model))
        refuse(fmt::format("{} may not read {}, which {} owns. Let {} share it with {}.", model, name,
                           all.owner, all.owner, model));
    tensors_.find(name)->second.used[std::string(model)] = all.version;
}

Tensor Workspace::read(std::string_view model, const std::string& name) const {
    const SharedTensor& all = named(name);
    if (all.owner == model) return all.value;
    const auto version = all.used.find(model);
    if (version == all.used.end()) {
        if (all.readers.contains(model))
            refuse(
                fmt::format("{} reads {} without a `use`. Use it first, which selects the version to "
                            "read.",
                            model, name));
        refuse(fmt::format("{} may not read {}, which {} owns. Let {} share it with {}, and use it.", model,
                           name, all.owner, all.owner, model));
    }
    if (version->second != all.version)
        refuse(
            fmt::format("{} would read {} in version {}, but {} has written version {} since. Use it "
                        "again.",
                        model, name, version->second, all.writer, all.version));
    return all.value;
}

Tensor Workspace::output(std::string_view model, const std::string& name) {
    Tensor value = read(model, name);
    const std::size_t node = value.source().node;
    if (graph_.nodes()[node].is_computed() &&
        value.source().view == View::whole(graph_.nodes()[node].shape)) {
        if (std::ranges::find(graph_.outputs(), node) == graph_.outputs().end())
            graph_.output(std::string(graph_.nodes()[node].name), value);
        return value;
    }
    SharedTensor& all = tensors_.find(name)->second;
    if (const auto copy = all.copies.find(all.version); copy != all.copies.end()) return copy->second;
    std::string output_name = all.version > 1 ? fmt::format("{}_v{}", name, all.version) : name;
    if (std::ranges::find(graph_.nodes(), output_name, &Node::name) != graph_.nodes().end())
        output_name += "_shown";
    return all.copies.emplace(all.version, graph_.output(std::move(output_name), value)).first->second;
}

std::string Workspace::next_version_name(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found != tensors_.end()) return fmt::format("{}_v{}", name, found->second.version + 1);
    refuse_version_suffix(name);
    return name;
}

}  // namespace gridstride::tensor
