// Reads tables of a TOML file. Every mistake becomes a diagnostic with its line, and reading goes on with a
// default, so that one pass reports all mistakes.
#pragma once

#include <toml++/toml.h>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expression/tokens.h"

namespace gridstride::text_lesson {

using expression::Diagnostics;

/// A text of the file, with its line.
struct TomlText {
    std::string text = {};
    std::size_t line = 1;

    bool empty() const { return text.empty(); }
};

/// The languages in which a document has texts. English is always one.
struct TextLanguages {
    std::set<std::string> known = {"en"};  ///< codes
    std::string chosen = "en";
};

/// A table that has typed keys. The document and the languages must outlive it.
class TomlTable {
 public:
    /// title: names the table in messages, such as "[[variant]]".
    TomlTable(const toml::table& table, std::string title, Diagnostics& diagnostics,
              const TextLanguages& languages)
        : table_(&table), title_(std::move(title)), diagnostics_(&diagnostics), languages_(&languages) {}

    /// Returns whether the table itself has the key, not its defaults.
    bool has_own(std::string_view key) const { return table_->contains(key); }
    /// Makes a key that this table does not have one of `defaults`, which must outlive it.
    void set_defaults(TomlTable& defaults) { defaults_ = &defaults; }

    const std::string& title() const { return title_; }
    bool has(std::string_view key) { return find_node(key) != nullptr; }
    bool is_table(std::string_view key) { return has(key) && find_node(key)->is_table(); }
    std::size_t line_of(std::string_view key);  ///< of its value; of the table if the key is missing

    // A missing key gives `default_value` or an empty value. A value of another type is an error.
    std::string text(std::string_view key, std::string_view default_value = {});
    bool flag(std::string_view key, bool default_value);
    std::optional<double> number(std::string_view key);
    std::optional<std::uint64_t> whole_number(std::string_view key, std::uint64_t minimum,
                                              std::uint64_t maximum);
    /// Returns a date and time with its offset from UTC as text (RFC 3339).
    std::string date_time(std::string_view key);
    /// Returns a string, or a number as text.
    TomlText expression(std::string_view key);
    /// Returns a list of strings or numbers; a single value counts as a list of one.
    std::vector<TomlText> expressions(std::string_view key);
    /// Returns the keys of a table and their strings, in the order of the file.
    std::vector<std::pair<std::string, TomlText>> named_texts(std::string_view key);

    /// Like text(), but a missing or empty string is an error.
    std::string required_text(std::string_view key);

    // Texts for people: a string, or a table with one for each language, { en = "…", fr = "…" }, of which the
    // chosen one is returned, or the English one.
    std::string local_text(std::string_view key, std::string_view default_value = {});
    std::string required_local_text(std::string_view key);
    std::vector<std::pair<std::string, TomlText>> named_local_texts(std::string_view key);

    /// Returns the table [key], which is_table().
    TomlTable table(std::string_view key) {
        return {*find_node(key)->as_table(), "[" + std::string(key) + "]", *diagnostics_, *languages_};
    }
    /// Returns the tables of [[key]], in the order of the file.
    std::vector<TomlTable> tables(std::string_view key);
    /// Returns the names and tables of [key.NAME], in the order of the file.
    std::vector<std::pair<std::string, TomlTable>> named_tables(std::string_view key);

    /// Like named_tables(), but accepts a text or a number NAME = VALUE for NAME = { value = VALUE }.
    std::vector<std::pair<std::string, TomlTable>> value_tables(std::string_view key);

    /// Adds an error at the value of the key.
    void add_error(std::string_view key, std::string sentence) {
        diagnostics_->add(line_of(key), std::move(sentence));
    }
    /// Adds an error for each key that no call has read, with the nearest of those that were.
    void refuse_unknown_keys();

 private:
    /// Returns the value of the key, or null, and marks the key as known.
    const toml::node* find_node(std::string_view key);
    void add_type_error(std::string_view key, std::string_view expected);
    /// Adds an error if a key that must have a text has none; returns the text.
    std::string require(std::string_view key, std::string text);
    std::string to_local_text(const toml::node& node, std::string_view name);
    /// Returns the keys of a table with what `read` makes of their values.
    std::vector<std::pair<std::string, TomlText>> read_named(std::string_view key, const auto& read);
    std::size_t line_of_node(const toml::node& node) const;
    std::optional<TomlText> to_expression(const toml::node& node) const;

    /// The table that value_tables() makes for a plain value, and its line, which a copy would lose.
    std::shared_ptr<toml::table> value_table_;
    std::size_t value_line_ = 0;
    const toml::table* table_;
    TomlTable* defaults_ = nullptr;
    std::string title_;
    Diagnostics* diagnostics_;
    const TextLanguages* languages_;
    std::set<std::string, std::less<>> known_;
};

/// Parses a document. A syntax error becomes a diagnostic; then the result is empty.
std::optional<toml::table> parse_toml(std::string_view text, Diagnostics& diagnostics);

}  // namespace gridstride::text_lesson
