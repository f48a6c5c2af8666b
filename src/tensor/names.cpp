#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.h"
#include "tensor/graph.h"

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
    // A kernel writes the dot as a _, and the two are not to be confused.
    if (!is_plain_word(own) || !is_plain_word(model) || model.find('_') != std::string_view::npos)
        throw Refusal(
            fmt::format("\"{}\" cannot be the name of a tensor: give letters and digits, the first a "
                        "letter, with single _ between them; in front of it may stand its model's, of "
                        "letters and digits, and a dot.",
                        name));
    const bool is_given_here =
        own.size() > 1 && own[0] == 't' && std::ranges::all_of(own.substr(1), is_digit);
    if (is_given_here)
        throw Refusal(
            fmt::format("\"{}\" cannot be the name of a tensor: what has no name is called t and a "
                        "number. Give another one.",
                        name));
}

std::string word_of(std::string_view name) {
    std::string word(name);
    std::ranges::replace(word, '.', '_');
    return word;
}

}  // namespace gridstride::tensor
