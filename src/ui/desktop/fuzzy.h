// How well a title fits what was typed to find it.
#pragma once

#include <optional>
#include <string_view>

namespace gridstride::ui {

/// The words of `typed`, in any order, each found in `text` as letters that stand there in the same order,
/// whatever is written large: the more of them stand together or begin a word, the higher; nullopt where one
/// is not found. Nothing typed: 0. The scores and their values are those of fzf's FuzzyMatchV2
/// (github.com/junegunn/fzf, src/algo/algo.go).
std::optional<int> fuzzy_score(std::string_view typed, std::string_view text);

}  // namespace gridstride::ui
