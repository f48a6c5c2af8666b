// What the words of the course mean: assets/glossary.md, an entry under each ## heading.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/limits.h"
#include "story/blocks.h"

namespace gridstride {

struct Term {
    std::string name;                           ///< "workgroup memory"
    std::vector<std::string> also_called = {};  ///< synonyms, from the entry's line "Also called: a, b"
    std::string meaning;  ///< a line of Markdown; numbers of the device stand in it as {subgroup_size}
    std::size_t line = 0;
};

/// Throws StoryError "FILE:LINE: …" for an entry without a meaning, a second one of a name, and a number that
/// no device has.
std::vector<Term> parse_glossary(std::string_view markdown, const std::string& file_name);

/// That of data_directory(), read once. Throws StoryError and FileError.
const std::vector<Term>& glossary();

/// Finds a term by its name, else by a synonym; a plural counts as its singular, and case is ignored:
/// "Invocations", "thread". Returns null if there is none.
const Term* find_term(const std::vector<Term>& terms, std::string_view name);

/// The term that a piece of text leads to: of `[invocation](term)` its own words, of
/// `[they](term:invocation)` those behind the colon. Empty for other links, and for none.
std::string_view term_of(const Span& span);

/// Its meaning with this device's numbers. A sentence is left out where the device does not say its number.
std::string meaning_on(const Term& term, const Limits& device);

}  // namespace gridstride
