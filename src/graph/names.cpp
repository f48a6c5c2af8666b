#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.h"
#include "graph/graph.h"

namespace gridstride::tensor {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_plain_word(std::string_view word) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !word.empty() && is_letter(word.front()) && word.back() != '_' && !word.starts_with("gl_") &&
           word.find("__") == std::string_view::npos &&
           std::ranges::all_of(word, [&](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

}  // namespace

void require_tensor_name(std::string_view name) {
    const std::size_t dot = name.find('.');
    const std::string_view model = dot == std::string_view::npos ? "m" : name.substr(0, dot);
    const std::string_view own = dot == std::string_view::npos ? name : name.substr(dot + 1);
    // Kernels write the dot as an underscore, so a model's name has no underscore.
    if (!is_plain_word(own) || !is_plain_word(model) || model.find('_') != std::string_view::npos)
        throw Refusal(
            fmt::format("\"{}\" cannot be the name of a tensor. Use letters, digits and single underscores "
                        "between them, with a letter first. The name of its model, without underscores, and "
                        "a dot may precede it.",
                        name));
    const bool is_generated_name =
        own.size() > 1 && own[0] == 't' && std::ranges::all_of(own.substr(1), is_digit);
    if (is_generated_name)
        throw Refusal(
            fmt::format("\"{}\" cannot be the name of a tensor: t and a number is the name of an unnamed "
                        "tensor. Choose another name.",
                        name));
}

std::string to_identifier(std::string_view name) {
    std::string word(name);
    std::ranges::replace(word, '.', '_');
    return word;
}

}  // namespace gridstride::tensor
