// Ids and named values in a lesson.toml.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>

#include "base/text.h"
#include "text_lesson/toml_table.h"

namespace gridstride::text_lesson {

/// Names that expressions of a variant know besides parameters: of its first launch and of the device.
inline constexpr std::string_view launch_names[] = {
    "workgroup_size",      "workgroup_count", "invocation_count", "workgroup_x", "workgroup_y",
    "workgroup_z",         "grid_x",          "grid_y",           "grid_z",      "subgroup_size",
    "resident_workgroups", "multiprocessors", "max_shared_bytes", "is_cpu",      "has_matrix_units",
    "has_byte_matrices"};

/// Returns true for lowercase letters, digits and _, beginning with a letter.
bool is_id(std::string_view text);
/// Returns the error for a text that is_id() rejects, with the characters that an id may have.
std::string describe_invalid_id(std::string_view text);

/// Returns the words of lowercase letters, digits and _ in an expression, but for names of functions: an
/// array may have the name of one.
std::set<std::string> names_in(const std::string& expression);

/// The ids of arrays and parameters, which are identifiers in kernels and expressions.
class Identifiers {
 public:
    /// Adds the id that stands at the key; an error if it is not an id, reserved, or there already.
    void add(TomlTable& table, std::string_view key, const std::string& id);
    void add_known(const std::string& id) { ids_.insert(id); }

 private:
    std::set<std::string> ids_;
};

template <class Value>
struct NamedValue {
    std::string_view name;
    Value value;
};

/// Returns the value that the key names; the first one if the key is missing or wrong.
template <class Value, std::size_t count>
Value read_choice(TomlTable& table, std::string_view key, const NamedValue<Value> (&values)[count]) {
    const std::string text = table.text(key, values[0].name);
    for (const auto& [name, value] : values)
        if (name == text) return value;
    table.add_error(key, fmt::format("{} = {} is not known. Use one of {}.", key, quote_text(text),
                                     join(values | std::views::transform(&NamedValue<Value>::name), ", ")));
    return values[0].value;
}

/// Returns "There is no array x. Use one of a, b.", without the list if nothing is known. `what` is the kind
/// and the name; get_name is a function or a member of each element of `known`.
template <std::ranges::input_range Range, class Name = std::identity>
std::string describe_missing(std::string_view what, const Range& known, Name get_name = {}) {
    return fmt::format(
        "There is no {}.{}", what,
        std::ranges::empty(known)
            ? ""
            : fmt::format(" Use one of {}.", join(known | std::views::transform(get_name), ", ")));
}

}  // namespace gridstride::text_lesson
