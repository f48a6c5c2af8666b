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

std::set<std::string> names_in(const std::string& expression) {
    std::set<std::string> names;
    std::string name;
    for (const char c : expression + ' ')
        if (is_id_character(c))
            name += c;
        else
            names.insert(std::exchange(name, {}));
    return names;
}

void Identifiers::add(TomlTable& table, std::string_view key, const std::string& id) {
    if (!is_id(id))
        table.add_error(key, fmt::format("{} is not an id. Use lowercase letters, digits and _, beginning "
                                         "with a letter.",
                                         quote_text(id)));
    else if (is_reserved(id))
        table.add_error(
            key, fmt::format("{} is a reserved word of kernels or expressions. Choose another id.", id));
    else if (!ids_.insert(id).second)
        table.add_error(key, fmt::format("There are two arrays or parameters {}. Rename one.", id));
}

}  // namespace gridstride::text_lesson
