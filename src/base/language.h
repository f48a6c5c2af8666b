// The language of stories, of lessons' texts, and of the program's own texts.
//
// The texts of the program are literals in English, marked by tr(). po/LANG.po translates them; a text
// without a translation stays English. Ids, JSON keys, CSV columns and the log are not marked.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace gridstride {

/// Returns the code of the language, such as "fr": that of the environment variable GRIDSTRIDE_LANG, else
/// "en". The lab inherits it from the window.
std::string text_language();
/// Sets GRIDSTRIDE_LANG and loads the catalogue of this language. Call it before there are other threads.
/// Without a catalogue for the language, tr() returns English. Numbers keep their decimal point.
void set_text_language(const std::string& code);

/// Returns the literal in the language of the program. The result stays valid.
const char* tr(const char* english);

/// Marks a literal of a constant table for the catalogue. Where it is shown, tr() looks it up.
constexpr const char* tr_later(const char* english) {
    return english;
}

/// Returns the form of "sample" or "samples" that this count takes in the language of the program.
const char* tr_plural(const char* one, const char* many, std::uint64_t count);

/// Formats the English pattern if the translated one does not fit the arguments.
std::string format_translated(const char* translated, const char* english, fmt::format_args arguments);

/// Translates a pattern and formats it: tr("Hint {} of {}", 1, 3). The English pattern is checked when it is
/// compiled.
template <class First, class... Rest>
std::string tr(fmt::format_string<First, Rest...> english, First&& first, Rest&&... rest) {
    const char* const text = fmt::string_view(english).data();  // a literal: ends with zero
    return format_translated(tr(text), text, fmt::make_format_args(first, rest...));
}

}  // namespace gridstride
