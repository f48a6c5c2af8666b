// Detects the separator of a text of numbers.
#pragma once

#include <string_view>

namespace gridstride {

/// Returns the separator of a text, given its beginning: ';', a tab, a comma, or white_space or no_separator
/// of base/record_reader.h. The second line that is not blank decides, or else the first.
char find_separator(std::string_view beginning);

}  // namespace gridstride
