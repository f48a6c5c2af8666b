// How well a title fits what was typed to find it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ui/widgets/theme.h"

namespace gridstride::ui {

/// The words of `typed`, in any order, each found in `text` as letters that stand there in the same order,
/// whatever is written large: the more of them stand together or begin a word, the higher; nullopt where one
/// is not found. Nothing typed: 0. The scores and their values are those of fzf's FuzzyMatchV2
/// (github.com/junegunn/fzf, src/algo/algo.go).
std::optional<int> fuzzy_score(std::string_view typed, std::string_view text);
/// The same of a long text or an id, in which letters that stand apart say nothing: each word has to be there
/// as it was typed.
std::optional<int> substring_score(std::string_view typed, std::string_view text);

/// So much of the text as fits with what was typed in it: cut at its end, and where that would hide the first
/// word that is found, at its beginning too.
std::string excerpt(Type type, std::string_view text, std::string_view typed, float width);

}  // namespace gridstride::ui
