// What a kernel that is made calls things: a tensor as it is named, where that can be.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "base/array.h"

namespace gridstride::tensor {

/// Of one kernel: no word is given twice, and none that has another meaning there.
class KernelWords {
 public:
    /// The word, or one like it.
    std::string give(std::string word);

    /// The line that declares a buffer, whose block has a word of its own.
    std::string buffer(std::size_t binding, std::string_view access, std::string_view type,
                       std::string_view word);

 private:
    std::set<std::string> given_;
};

/// Of one element, or of four.
std::string_view type_of_elements(ElementType type, bool four);

/// A name of the kernel, which no other text has.
std::string name_of_source(std::string_view text);

}  // namespace gridstride::tensor
