// The glossary of the course: assets/glossary.md, with one entry per ## heading.
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
    std::string meaning;  ///< a line of Markdown, with numbers of the device as {subgroup_size}
    std::size_t line = 0;
};

/// Throws StoryError "FILE:LINE: …" for an entry without a meaning, a duplicate name, or an unknown number in
/// braces.
std::vector<Term> parse_glossary(std::string_view markdown, const std::string& file_name);

/// Returns the glossary of data_directory() in the language of the texts, which is read once: the entries of
/// glossary.LANGUAGE.md, then those of glossary.md whose names they neither have nor list. Throws StoryError
/// and FileError.
const std::vector<Term>& glossary();

/// Finds a term by its name, else by a synonym; a plural counts as its singular, and case is ignored:
/// "Invocations", "thread". Returns null if there is none.
const Term* find_term(const std::vector<Term>& terms, std::string_view name);

/// Returns the term that a span links to: its own text for `[invocation](term)`, the text behind the colon
/// for `[they](term:invocation)`. Empty for other links and plain text.
std::string_view linked_term(const Span& span);

/// Returns the meaning with this device's numbers. Sentences with a number that the device does not report
/// are left out. device: null if it is unknown.
std::string meaning_for_device(const Term& term, const Limits* device);

}  // namespace gridstride
