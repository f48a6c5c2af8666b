// Fuzzy matching of words against titles.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ui/widgets/theme.h"

namespace gridstride::ui {

/// Scores how well `text` matches a query. Each word of the query must be a subsequence of `text`; the order
/// of the words and upper or lower case do not matter. Adjacent letters and letters that begin a word score
/// higher. Returns nullopt if a word does not match, 0 if there is no word. The scores are those of fzf's
/// FuzzyMatchV2 (github.com/junegunn/fzf, src/algo/algo.go).
std::optional<int> fuzzy_score(std::string_view query, std::string_view text);
/// Like fuzzy_score(), but each word must be a substring. For long texts and ids, in which scattered letters
/// match by accident.
std::optional<int> substring_score(std::string_view query, std::string_view text);

/// Returns as much of the text as fits into `width` pixels. The end is cut first; the beginning is cut too if
/// the first matching word would be hidden otherwise.
std::string excerpt(TextStyle type, std::string_view text, std::string_view query, float width);

}  // namespace gridstride::ui
