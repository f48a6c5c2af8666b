#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "tensor/glsl.h"
#include "tensor/glsl_identifiers.h"

namespace gridstride::tensor {

namespace {

/// Replaces whole tensor names by identifiers: `b.text.a` and `text.ab` do not contain text.a.
std::string substitute_names(std::string_view text,
                             const std::map<std::string, std::string, std::less<>>& words) {
    const auto end_of_word = [&](std::size_t at) {
        while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_'))
            ++at;
        return at;
    };
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = end_of_word(at);
        if (end == at) {
            result += text[at++];
            continue;
        }
        if (end < text.size() && text[end] == '.')
            if (const std::size_t both = end_of_word(end + 1); words.contains(text.substr(at, both - at)))
                end = both;
        const std::string_view name = text.substr(at, end - at);
        const auto found = words.find(name);
        const bool is_member = at > 0 && text[at - 1] == '.';
        result += found == words.end() || is_member ? name : found->second;
        at = end;
    }
    return result;
}

}  // namespace

bool uses_f16(const Graph& graph, const Group& group) {
    const std::vector<Node>& nodes = graph.nodes();
    const auto is_f16 = [&](std::size_t n) { return nodes[n].type == ElementType::f16; };
    return std::ranges::any_of(group, is_f16) ||
           std::ranges::any_of(nodes[group.front()].sources, is_f16, &Source::node);
}

Kernel generate_user_kernel(const Graph& graph, const Group& group) {
    const Node& first = graph.nodes()[group.front()];
    const UserKernel& own = *first.kernel;
    // Not readonly: the check after compilation has a better message for a write than the compiler.
    Kernel kernel{.source =
                      "#version 450\n\n// Generated from a graph: the tensors of a user kernel.\n"
                      "#extension GL_GOOGLE_include_directive : require\n#include \"common/launch.glsl\"\n\n",
                  .file_source = own.source};
    if (uses_f16(graph, group))
        kernel.source.insert(kernel.source.find("#include"),
                             "#extension GL_EXT_shader_16bit_storage : require\n");
    GlslIdentifiers identifiers;
    std::map<std::string, std::string, std::less<>> declared;
    for (const std::string& name : own.names)
        declared[name] = identifiers.reserve(to_identifier(name));
    for (std::size_t binding = 0; binding < own.names.size(); ++binding) {
        const std::size_t read = first.sources.size();
        const Node& bound =
            graph.nodes()[binding < read ? first.sources[binding].node : group[binding - read]];
        kernel.source += identifiers.buffer(binding, "", glsl_element_type(bound.type, false),
                                            declared[own.names[binding]]);
    }
    std::map<std::string, std::string, std::less<>> words = declared;
    for (const auto& [alias, name] : own.aliases)
        words[alias] = declared.at(name);
    kernel.source += "#line 1\n";
    kernel.file_source->text = std::string(std::max<std::size_t>(own.first_line, 1) - 1, '\n') +
                               substitute_names(own.source.text, words);
    kernel.name = hashed_source_name(kernel.source + kernel.file_source->text);
    return kernel;
}

}  // namespace gridstride::tensor
