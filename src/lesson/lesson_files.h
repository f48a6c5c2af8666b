// The files that a lesson of text is made from.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/text_files.h"

namespace gridstride {

/// The files as they were read: the same lesson can be made of them in another process, whatever has become
/// of the folder.
struct LessonFiles {
    TextFiles texts;                                     ///< TOML and GLSL, by path in the folder, sorted
    std::vector<std::pair<std::string, ArrayRef>> data;  ///< of data files, by the array that they fill
    std::vector<std::string> languages;                  ///< of the stories

    /// Returns null if there is no such text.
    const std::string* find_text(std::string_view path) const {
        const auto found =
            std::ranges::find(texts, path, [](const auto& one) -> std::string_view { return one.first; });
        return found == texts.end() ? nullptr : &found->second;
    }
};

}  // namespace gridstride
