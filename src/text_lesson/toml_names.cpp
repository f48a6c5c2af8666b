#include "text_lesson/toml_names.h"

#include <algorithm>
#include <utility>

#include "tensor/glsl_identifiers.h"

namespace gridstride::text_lesson {

namespace {

bool is_small_letter(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_id_character(char c) {
    return is_small_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

bool is_reserved(const std::string& id) {
    return tensor::is_glsl_keyword(id) || id == "launch" || id == "n" || id == "workgroup" ||
           id == "repetition" || id == "place_of" ||
           std::ranges::find(launch_names, id) != std::end(launch_names);
}

}  // namespace

bool is_id(std::string_view text) {
    return !text.empty() && is_small_letter(text[0]) && std::ranges::all_of(text, is_id_character);
}

std::string describe_invalid_id(std::string_view text) {
    return fmt::format("{} is not an id. Use lowercase letters, digits and _, beginning with a letter.",
                       quote_text(text));
}

std::set<std::string> names_in(const std::string& expression) {
    std::set<std::string> names;
    for (std::size_t at = 0; at < expression.size();) {
        const auto is_in_name = [&](char c) { return is_id_character(c); };
        const auto begin =
            std::find_if(expression.begin() + static_cast<std::ptrdiff_t>(at), expression.end(), is_in_name);
        const auto end = std::find_if_not(begin, expression.end(), is_in_name);
        const auto next = std::find_if(end, expression.end(), [](char c) { return c != ' '; });
        if (begin != end && (next == expression.end() || *next != '(')) names.emplace(begin, end);
        at = static_cast<std::size_t>(end - expression.begin());
    }
    return names;
}

void Identifiers::add(TomlTable& table, std::string_view key, const std::string& id) {
    if (!is_id(id))
        table.add_error(key, describe_invalid_id(id));
    else if (is_reserved(id))
        table.add_error(
            key, fmt::format("{} is a reserved word of kernels or expressions. Choose another id.", id));
    else if (!ids_.insert(id).second)
        table.add_error(key, fmt::format("There are two arrays or parameters {}. Rename one.", id));
}

}  // namespace gridstride::text_lesson
