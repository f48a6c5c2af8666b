// What separates the fields of a text of numbers.
#pragma once

#include <string_view>

namespace gridstride {

/// The separator of a text by its beginning: ';', a tab, a comma, or white_space or no_separator of
/// base/record_reader.h. The second line with something on it decides, or else the first.
char find_separator(std::string_view beginning);

}  // namespace gridstride
