#include "text_lesson/toml_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <sstream>

#include "base/suggest_name.h"
#include "base/text.h"
#include "base/units.h"

namespace gridstride::text_lesson {

namespace {

/// Returns the entries of a table in the order of the file; toml++ sorts them by name.
std::vector<std::pair<std::string, const toml::node*>> in_file_order(const toml::table& table) {
    std::vector<std::pair<std::string, const toml::node*>> entries;
    for (const auto& [key, node] : table)
        entries.emplace_back(std::string(key.str()), &node);
    std::ranges::stable_sort(entries, {}, [](const auto& entry) {
        const toml::source_position at = entry.second->source().begin;
        return std::pair(at.line, at.column);
    });
    return entries;
}

}  // namespace

std::optional<toml::table> parse_toml(std::string_view text, Diagnostics& diagnostics) {
    try {
        return toml::parse(text);
    } catch (const toml::parse_error& error) {
        diagnostics.add(std::max<std::size_t>(error.source().begin.line, 1),
                        fmt::format("TOML syntax: {}. Check quotes and brackets, and remove duplicate keys.",
                                    printable(error.description())));
        return std::nullopt;
    }
}

std::size_t TomlTable::line_of_node(const toml::node& node) const {
    return value_table_ ? value_line_ : std::max<std::size_t>(node.source().begin.line, 1);
}

const toml::node* TomlTable::find_node(std::string_view key) {
    known_.emplace(key);
    const toml::node* const node = table_->get(key);
    return !node && defaults_ ? defaults_->find_node(key) : node;
}

std::size_t TomlTable::line_of(std::string_view key) {
    const toml::node* const node = table_->get(key);
    if (!node && defaults_ && defaults_->table_->contains(key)) return defaults_->line_of(key);
    return line_of_node(node ? *node : static_cast<const toml::node&>(*table_));
}

void TomlTable::add_type_error(std::string_view key, std::string_view expected) {
    add_error(key, fmt::format("{} of {} must be {}.", key, title_, expected));
}

std::string TomlTable::text(std::string_view key, std::string_view default_value) {
    const toml::node* const node = find_node(key);
    if (!node) return std::string(default_value);
    if (const auto* text = node->as_string()) return text->get();
    add_type_error(key, "a text in quotes");
    return std::string(default_value);
}

std::string TomlTable::require(std::string_view key, std::string text) {
    if (!has(key))
        add_error(key, fmt::format("{} has no {}. Add a line {} = \"…\".", title_, key, key));
    else if (text.empty() && find_node(key)->is_string())
        add_error(key, fmt::format("{} is empty.", key));
    return text;
}

std::string TomlTable::required_text(std::string_view key) {
    return require(key, text(key));
}

std::string TomlTable::to_local_text(const toml::node& node, std::string_view name) {
    const auto add = [&](const toml::node& at, const std::string& problem) {
        diagnostics_->add(line_of_node(at), fmt::format("{} of {} {}", name, title_, problem));
    };
    const auto read = [&](const toml::value<std::string>& text) {
        if (printable(*text) != *text)
            add(text, fmt::format("has a control character at each ? of \"{}\". Write one line.",
                                  printable(*text)));
        return *text;
    };
    if (const auto* text = node.as_string()) return read(*text);
    const toml::table* const texts = node.as_table();
    if (!texts) {
        add(node, "must be a text in quotes, or one for each language: { en = \"…\", fr = \"…\" }.");
        return {};
    }
    std::string english, chosen;
    for (const auto& [language, value] : in_file_order(*texts)) {
        const std::string text = value->is_string() ? read(*value->as_string()) : "";
        if (!languages_->known.contains(language))
            add(*value,
                fmt::format("has the language {0}, but there is no story.{0}.md. Use one of {1}, or add "
                            "that story.",
                            printable(language), join(languages_->known, ", ")));
        else if (text.empty())
            add(*value, fmt::format("must have a text in quotes for {}.", language));
        else if (language == languages_->chosen)
            chosen = text;
        if (language == "en") english = text;
    }
    if (!texts->contains("en")) add(node, "has no English text. Add en = \"…\".");
    return chosen.empty() ? english : chosen;
}

std::string TomlTable::local_text(std::string_view key, std::string_view default_value) {
    const toml::node* const node = find_node(key);
    return node ? to_local_text(*node, key) : std::string(default_value);
}

std::string TomlTable::required_local_text(std::string_view key) {
    return require(key, local_text(key));
}

bool TomlTable::flag(std::string_view key, bool default_value) {
    const toml::node* const node = find_node(key);
    if (!node) return default_value;
    if (const auto* flag = node->as_boolean()) return flag->get();
    add_type_error(key, "true or false");
    return default_value;
}

std::optional<double> TomlTable::number(std::string_view key) {
    const toml::node* const node = find_node(key);
    if (!node) return std::nullopt;
    if (node->is_number()) return node->value<double>();
    add_type_error(key, "a number");
    return std::nullopt;
}

std::optional<std::uint64_t> TomlTable::whole_number(std::string_view key, std::uint64_t minimum,
                                                     std::uint64_t maximum) {
    const toml::node* const node = find_node(key);
    if (!node) return std::nullopt;
    if (const auto* number = node->as_integer(); number && number->get() >= 0 &&
                                                 static_cast<std::uint64_t>(number->get()) >= minimum &&
                                                 static_cast<std::uint64_t>(number->get()) <= maximum)
        return static_cast<std::uint64_t>(number->get());
    add_type_error(key,
                   fmt::format("a whole number from {} to {}", format_count(minimum), format_count(maximum)));
    return std::nullopt;
}

std::string TomlTable::date_time(std::string_view key) {
    const toml::node* const node = find_node(key);
    if (!node) return {};
    if (const auto* time = node->as_date_time(); time && time->get().offset) {
        std::ostringstream text;
        text << time->get();
        return text.str();
    }
    add_type_error(key,
                   "a date and time with its offset from UTC, without quotes, such as "
                   "2026-12-04T18:00:00+01:00");
    return {};
}

std::optional<TomlText> TomlTable::to_expression(const toml::node& node) const {
    const std::size_t line = line_of_node(node);
    if (const auto* text = node.as_string()) return TomlText{text->get(), line};
    if (const auto* integer = node.as_integer()) return TomlText{fmt::format("{}", integer->get()), line};
    if (const auto* flag = node.as_boolean()) return TomlText{flag->get() ? "true" : "false", line};
    if (const auto* real = node.as_floating_point()) return TomlText{fmt::format("{}", real->get()), line};
    return std::nullopt;
}

TomlText TomlTable::expression(std::string_view key) {
    const toml::node* const node = find_node(key);
    if (!node) return {};
    if (auto value = to_expression(*node)) return *std::move(value);
    add_type_error(key, "an expression in quotes, or a number");
    return {};
}

std::vector<TomlText> TomlTable::expressions(std::string_view key) {
    const toml::node* const node = find_node(key);
    if (!node) return {};
    std::vector<TomlText> all;
    if (const toml::array* const list = node->as_array())
        for (const toml::node& element : *list)
            if (auto value = to_expression(element))
                all.push_back(*std::move(value));
            else
                add_type_error(key, "a list of expressions in quotes, or of numbers");
    else if (auto value = to_expression(*node))
        all.push_back(*std::move(value));
    else
        add_type_error(key, "a list in square brackets");
    return all;
}

std::vector<std::pair<std::string, TomlText>> TomlTable::read_named(std::string_view key, const auto& read) {
    const toml::node* const node = find_node(key);
    if (!node) return {};
    std::vector<std::pair<std::string, TomlText>> all;
    if (const toml::table* const table = node->as_table())
        for (const auto& [name, value] : in_file_order(*table))
            all.emplace_back(name, read(name, *value));
    else
        add_type_error(key, "a table, such as { name = \"text\" }");
    return all;
}

std::vector<std::pair<std::string, TomlText>> TomlTable::named_texts(std::string_view key) {
    return read_named(key, [&](const std::string& name, const toml::node& value) {
        if (auto text = to_expression(value)) return *std::move(text);
        diagnostics_->add(line_of_node(value), fmt::format("{} of {} must be a text in quotes.", name, key));
        return TomlText{{}, line_of_node(value)};
    });
}

std::vector<std::pair<std::string, TomlText>> TomlTable::named_local_texts(std::string_view key) {
    return read_named(key, [&](const std::string& name, const toml::node& value) {
        return TomlText{to_local_text(value, name), line_of_node(value)};
    });
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) {
    const toml::node* const node = find_node(key);
    if (!node) return {};
    std::vector<TomlTable> all;
    const std::string title = fmt::format("[[{}]]", key);
    if (const toml::array* const list = node->as_array())
        for (const toml::node& element : *list)
            if (const toml::table* const table = element.as_table())
                all.emplace_back(*table, title, *diagnostics_, *languages_);
    if (all.empty()) add_type_error(key, fmt::format("tables that begin with {}", title));
    return all;
}

std::vector<std::pair<std::string, TomlTable>> TomlTable::named_tables(std::string_view key) {
    const toml::node* const node = find_node(key);
    if (!node) return {};
    std::vector<std::pair<std::string, TomlTable>> all;
    if (const toml::table* const table = node->as_table()) {
        for (const auto& [name, value] : in_file_order(*table))
            if (const toml::table* const inner = value->as_table())
                all.emplace_back(
                    name, TomlTable(*inner, fmt::format("[{}.{}]", key, name), *diagnostics_, *languages_));
            else
                diagnostics_->add(
                    line_of_node(*value),
                    fmt::format("{0}.{1} must be a table. Begin it with a line [{0}.{1}].", key, name));
    } else {
        add_type_error(key, fmt::format("tables that begin with [{}.NAME]", key));
    }
    return all;
}

std::vector<std::pair<std::string, TomlTable>> TomlTable::value_tables(std::string_view key) {
    const toml::node* const node = find_node(key);
    if (!node) return {};
    std::vector<std::pair<std::string, TomlTable>> all;
    const toml::table* const table = node->as_table();
    if (!table) add_type_error(key, fmt::format("written {}.NAME = \"EXPRESSION\"", key));
    for (const auto& [name, value] : table ? in_file_order(*table) : decltype(in_file_order(*table))()) {
        const std::string title = fmt::format("{}.{}", key, name);
        if (const toml::table* const inner = value->as_table()) {
            all.emplace_back(name, TomlTable(*inner, title, *diagnostics_, *languages_));
            continue;
        }
        auto root_table = std::make_shared<toml::table>();
        value->visit([&](const auto& of) { root_table->insert("value", of); });
        all.emplace_back(name, TomlTable(*root_table, title, *diagnostics_, *languages_));
        all.back().second.value_table_ = std::move(root_table);
        all.back().second.value_line_ = line_of_node(*value);
    }
    return all;
}

void TomlTable::refuse_unknown_keys() {
    for (const auto& [key, node] : in_file_order(*table_)) {
        if (known_.contains(key)) continue;
        const std::string suggestion = suggest_name(key, {known_.begin(), known_.end()});
        diagnostics_->add(
            line_of_node(*node),
            fmt::format(
                "{} has no key {}.{}", title_, quote_text(key),
                suggestion.empty() ? fmt::format(" It may have: {}.", join(known_, ", ")) : suggestion));
    }
}

}  // namespace gridstride::text_lesson
